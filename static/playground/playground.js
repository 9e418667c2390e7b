// The playground: form → request → result, with the keyboard first.

import { apiKey, call } from "/static/ui/api.js";
import { notice } from "/static/ui/notice.js";
import { shell } from "/static/ui/shell.js";
import { tabs } from "/static/ui/tabs.js";
import { changedOptions, request } from "./request.js";
import { show } from "./result.js";

const byId = (id) => document.getElementById(id);
const form = byId("form");
const parts = tabs(document.querySelector('[role="tablist"]'));
/** Of the run that is under way. */
let running = null;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
form.addEventListener("input", countChanges);
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  } else if (event.key === "Escape" && running) {
    running.abort();
  } else if (event.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) {
    event.preventDefault();
    byId("url").select();
  }
});

async function run() {
  if (!form.elements.url.value.trim()) {
    notice("No URL yet", "INVALID_URL");
    byId("url").focus();
    return;
  }
  running?.abort();
  const mine = new AbortController();
  running = mine;
  apiKey.set(byId("key").value.trim());
  let body;
  try {
    body = request(form);
  } catch (error) {
    notice(error.message, error.code);
    running = null;
    return;
  }
  remember(body.url);
  working(true);
  try {
    const page = await call("POST", "/v1/scrape", body, mine.signal);
    if (running !== mine) return;
    notice();
    if (page.error) notice(page.error.message, page.error.code);
    show(page, body);
    byId("result").hidden = false;
    if (!page.markdown) parts.open("tab-trace");
    else if (byId("panel-trace").hidden === false) parts.open("tab-markdown");
  } catch (error) {
    if (running !== mine) return;
    if (error.name === "AbortError") notice("Stopped", "");
    else notice(error.message, error.code);
    byId("result").hidden = true;
  } finally {
    if (running === mine) {
      running = null;
      working(false);
    }
  }
}

function working(busy) {
  byId("run-label").textContent = busy ? "Running…" : "Run";
  byId("run").classList.toggle("busy", busy);
  byId("result").classList.toggle("busy", busy);
  byId("result").setAttribute("aria-busy", String(busy));
  byId("empty").hidden = true;
}

function countChanges() {
  const count = changedOptions(form).length;
  byId("changed").textContent = count ? `· ${count} changed` : "";
}

/** The URL stays in the address bar, so that a reload or a shared link keeps it. */
function remember(url) {
  history.replaceState(null, "", `?url=${encodeURIComponent(url)}`);
}

form.elements.url.value = new URLSearchParams(location.search).get("url") ?? "";
countChanges();
shell();
