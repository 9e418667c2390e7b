// Serves this folder for `make bench-stealth`: node server.mjs [PORT], 8190 by default, on
// 127.0.0.1 and, for the frame of another site, as localhost.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const PORT = Number(process.argv[2] ?? 8190);
const KINDS = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8" };
const FILES = {
  "/": "index.html",
  "/frame.html": "frame.html",
  "/frame.js": "frame.js",
  "/main.js": "main.js",
  "/checks.js": "checks.js",
  "/page-checks.js": "page-checks.js",
  "/worker.js": "worker.js",
  "/botd.js": "node_modules/@fingerprintjs/botd/dist/botd.esm.js",
};

const server = createServer(async ({ url, headers }, answer) => {
  const { pathname } = new URL(url, "http://127.0.0.1");
  if (pathname === "/headers") {
    answer.setHeader("Content-Type", "application/json");
    return answer.end(JSON.stringify(headers));
  }
  const file = FILES[pathname];
  if (!file) return answer.writeHead(404).end();
  answer.setHeader("Content-Type", KINDS[file.split(".").pop()]);
  // No eval: one of the checks tries it.
  answer.setHeader("Content-Security-Policy", "script-src 'self'; worker-src 'self'");
  answer.end(await readFile(new URL(file, import.meta.url)));
});
server.listen(PORT, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
