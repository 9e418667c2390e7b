// The pages of a job: filtered by the server, read by the piece, new ones added while they come.

import { call } from "/static/ui/api.js";
import { element } from "/static/ui/element.js";
import { openPage } from "./drawer.js";

const PIECE = 100;
/** More rows than this are not for eyes; the export has them all. */
const MOST_ROWS = 2000;
export const OUTCOME_CLASS = { success: "good", empty: "bad", failed: "bad", skipped: "neutral" };

/** @returns {{node: HTMLElement, add: (page: object) => void, reload: () => void, last: () => number}} */
export function pageList(path, failed) {
  const outcome = element("select", { "aria-label": "Only pages with this outcome" },
    ["", "success", "empty", "failed", "skipped"].map((name) => element("option", { value: name }, name || "all outcomes")));
  const words = element("input", { type: "search", placeholder: "URL contains …", "aria-label": "Only pages whose URL contains this", spellcheck: "false" });
  const body = element("tbody");
  const more = element("button", { type: "button", class: "button", hidden: true, onclick: () => load() }, "More");
  const none = element("p", { class: "muted", hidden: true }, "No pages.");
  const head = element("tr", {}, ["Outcome", "URL", "HTTP", "Depth"].map((name, place) => element("th", { scope: "col", class: place > 1 && "number" }, name)));
  const node = element("div", {},
    element("div", { class: "filters" }, outcome, words),
    element("div", { class: "box" }, element("table", { class: "grid pages" }, element("thead", {}, head), body)), none, more);
  let last = 0;
  let hasMore = false;
  let turn = 0;
  /** Pages that came while a piece was read. */
  let waiting = null;

  async function load() {
    const mine = turn;
    waiting ??= [];
    const query = new URLSearchParams({ limit: PIECE, cursor: last });
    if (outcome.value) query.set("outcome", outcome.value);
    if (words.value.trim()) query.set("q", words.value.trim());
    try {
      const list = await call("GET", `${path}/pages?${query}`);
      if (mine !== turn) return;
      hasMore = list.has_more;
      list.items.forEach(append);
      const meanwhile = waiting;
      waiting = null;
      if (!hasMore) meanwhile.filter(fits).forEach(append);
      show();
    } catch (error) {
      failed(error);
    }
  }

  function append(page) {
    if (page.number <= last) return;
    last = page.number;
    if (body.childElementCount < MOST_ROWS) body.append(row(page));
  }

  function show() {
    more.hidden = !hasMore || body.childElementCount >= MOST_ROWS;
    none.hidden = body.childElementCount > 0;
  }

  function reload() {
    turn += 1;
    last = 0;
    hasMore = false;
    waiting = null;
    body.replaceChildren();
    load();
  }

  const fits = (page) => (!outcome.value || page.outcome === outcome.value)
    && page.url.toLowerCase().includes(words.value.trim().toLowerCase());

  let typing;
  outcome.addEventListener("change", reload);
  words.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(reload, 250);
  });
  load();
  return {
    node,
    reload,
    last: () => last,
    // Those of a later piece come when it is asked for.
    add: (page) => {
      if (waiting) waiting.push(page);
      else if (!hasMore && fits(page)) { append(page); show(); }
    },
  };
}

function row(page) {
  return element("tr", {},
    element("td", {}, element("span", { class: `badge ${OUTCOME_CLASS[page.outcome]}`, title: page.code ?? "" }, page.code ?? page.outcome)),
    element("td", {}, element("button", { type: "button", class: "linklike", onclick: () => openPage(page.page_id) }, page.url), page.title && element("div", { class: "muted" }, page.title)),
    element("td", { class: "number" }, page.http_status ?? "–"),
    element("td", { class: "number" }, page.depth));
}
