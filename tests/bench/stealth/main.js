// Runs all checks in the page, in frames and in workers, and leaves the rows in the table, in
// #results as JSON { done, rows: [{ where, id, ok, saw }] }, and their count in the title.
import { load } from "/botd.js";

const LIMIT_MS = 8_000;
const rows = [];
const add = (where, found) => rows.push(...found.map((row) => ({ where, ...row })));

const within = (promise) => {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("no answer")), LIMIT_MS));
  return Promise.race([promise, late]);
};

const fromFrame = (source) =>
  new Promise((resolve) => {
    const frame = document.createElement("iframe");
    addEventListener("message", ({ source, data }) => source === frame.contentWindow && resolve(data));
    frame.src = source;
    document.body.append(frame);
  });
const fromPort = (port) => new Promise((resolve, reject) => Object.assign(port, { onmessage: ({ data }) => resolve(data), onerror: () => reject(new Error("no worker")) }));

const elsewhere = `${location.hostname === "localhost" ? "127.0.0.1" : "localhost"}:${location.port}`;
const REALMS = {
  frame: () => fromFrame("/frame.html"),
  "frame-elsewhere": () => fromFrame(`http://${elsewhere}/frame.html`),
  worker: () => fromPort(new Worker("/worker.js")),
  "worker-in-worker": () => fromPort(new Worker("/worker.js", { name: "outer" })),
  "shared-worker": () => fromPort(new SharedWorker("/worker.js").port),
};

// A realm that tells another story than the page.
const compare = (page, realm) => {
  const other = Object.keys(page).filter((name) => page[name] !== realm[name]);
  return { id: "same-identity", ok: other.length === 0, saw: other.map((name) => `${name}: ${realm[name]}`).join("; ") || "as the page" };
};

const headers = async (page) => {
  const sent = await (await fetch("/headers")).json();
  const language = sent["accept-language"]?.split(/[,;]/)[0];
  const named = [...(sent["sec-ch-ua"] ?? "").matchAll(/"([^"]+)";v="(\d+)"/g)].map(([, brand, version]) => `${brand} ${version}`).join(", ");
  return [
    { id: "headless-token", ok: !/headless/i.test(JSON.stringify(sent)), saw: sent["user-agent"] },
    { id: "user-agent", ok: sent["user-agent"] === page.userAgent, saw: sent["user-agent"] },
    { id: "languages", ok: language === page.languages.split(",")[0] && !/;q=[\d.]+;q=/.test(sent["accept-language"]), saw: sent["accept-language"] ?? "none" },
    { id: "client-hints", ok: named === page.brands, saw: named || "none" },
  ];
};

const botd = async () => {
  const detector = await load();
  const verdict = detector.detect();
  const found = Object.entries(detector.getDetections() ?? {}).map(([name, { bot, botKind }]) => ({ id: name, ok: !bot, saw: bot ? botKind : "no bot" }));
  return [{ id: "verdict", ok: !verdict.bot, saw: verdict.bot ? verdict.botKind : "no bot" }, ...found];
};

const body = document.querySelector("#checks tbody");
const results = document.getElementById("results");
const state = document.getElementById("state");
const cell = (text) => Object.assign(document.createElement("td"), { textContent: text });
const show = () => {
  body.replaceChildren(
    ...rows.map(({ where, id, ok, saw }) => {
      const row = Object.assign(document.createElement("tr"), { id: `${where}-${id}`, className: ok ? "pass" : "fail" });
      row.append(cell(where), cell(id), cell(ok ? "pass" : "FAIL"), cell(saw));
      return row;
    }),
  );
  const passed = rows.filter(({ ok }) => ok).length;
  results.textContent = JSON.stringify({ done: true, rows }).replaceAll("<", "\\u003c");
  state.textContent = document.title = `stealth: ${passed} of ${rows.length} checks passed`;
  state.removeAttribute("role");
};

// Before the detectors, which leave things behind.
const page = await identity();
add("page", [...(await checks()), ...(await pageChecks(true))]);
for (const [where, ask] of Object.entries(REALMS)) {
  try {
    const found = await within(ask());
    add(where, [...found.rows, compare(page, found.identity)]);
  } catch (error) {
    add(where, [{ id: "same-identity", ok: false, saw: error.message }]);
  }
}
add("headers", await headers(page));
add("botd", await botd());
// Good until somebody is caught in the page's world, or changes the document.
const caught = { where: "driver", id: "main-world", ok: true, saw: "nobody" };
const changed = { where: "driver", id: "dom-mutation", ok: true, saw: "none" };
rows.push(caught, changed);
show();
spy((_, name) => {
  if (!caught.ok) return;
  Object.assign(caught, { ok: false, saw: name });
  show();
});
const observer = new MutationObserver((records) => {
  if (!changed.ok || records.every(({ target }) => state.parentNode !== target && (target === state || body.contains(target) || results.contains(target) || target.nodeName === "TITLE"))) return;
  Object.assign(changed, { ok: false, saw: `${records[0].type} of ${records[0].target.nodeName}` });
  show();
});
observer.observe(document, { subtree: true, childList: true, attributes: true });
