// The checks in a dedicated or shared worker; with the name "outer", in a worker of that worker.
"use strict";
importScripts("/checks.js");

async function answer(port) {
  port.postMessage({ identity: await identity(), rows: await checks() });
}

if ("onconnect" in self) {
  self.onconnect = ({ ports }) => answer(ports[0]);
} else if (self.name === "outer") {
  new Worker("/worker.js").onmessage = ({ data }) => postMessage(data);
} else {
  answer(self);
}
