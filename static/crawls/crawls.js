// The page of crawls: the form starts a job, the table lists them, the address's hash opens one.

import { apiKey, call } from "/static/ui/api.js";
import { element } from "/static/ui/element.js";
import { notice } from "/static/ui/notice.js";
import { shell } from "/static/ui/shell.js";
import { changedOptions, crawlBody } from "./form.js";
import { openJob } from "./job.js";
import { jobTable } from "./table.js";

const byId = (id) => document.getElementById(id);
const form = byId("form");
const table = jobTable();
/** Ends what belongs to the job that is open. */
let close = () => {};

form.addEventListener("submit", (event) => {
  event.preventDefault();
  start();
});
form.addEventListener("input", () => {
  const count = changedOptions(form).length;
  byId("changed").textContent = count ? `· ${count} changed` : "";
});
byId("raw").addEventListener("toggle", () => {
  if (byId("raw").open) byId("body").value = JSON.stringify(crawlBody(form), null, 2);
});
document.addEventListener("keydown", (event) => {
  if (byId("drawer").open) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    start();
  } else if (event.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) {
    event.preventDefault();
    byId("url").select();
  }
});
window.addEventListener("hashchange", open);

async function start() {
  apiKey.set(byId("key").value.trim());
  notice();
  byId("start").disabled = true;
  try {
    const body = byId("raw").open ? JSON.parse(byId("body").value) : crawlBody(form);
    const job = await call("POST", body.urls ? "/v1/batch" : "/v1/crawl", body);
    location.hash = job.id;
    await table.refresh();
  } catch (error) {
    notice(error instanceof SyntaxError ? `This is not JSON: ${error.message}` : error.message, error.code);
  } finally {
    byId("start").disabled = false;
  }
}

async function open() {
  close();
  close = () => {};
  const id = decodeURIComponent(location.hash.slice(1));
  const section = byId("job");
  section.hidden = !id;
  table.mark(id);
  if (!id) return;
  section.replaceChildren(element("p", { class: "muted" }, "…"));
  try {
    const job = await call("GET", `/v1/jobs/${encodeURIComponent(id)}`);
    close = openJob(section, job, { changed: table.refresh, failed: (error) => notice(error.message, error.code) });
  } catch (error) {
    section.hidden = true;
    notice(error.message, error.code);
  }
}

shell();
open();
