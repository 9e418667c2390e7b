// The pages of a job by host and path; asked for when it is opened.

import { call } from "/static/ui/api.js";
import { element } from "/static/ui/element.js";
import { openPage } from "./drawer.js";
import { OUTCOME_CLASS } from "./pages.js";

/** @returns {{node: HTMLElement}} */
export function pageTree(path, failed) {
  const body = element("div", { class: "tree" });
  const node = element("details", { class: "options" }, element("summary", {}, "URL tree"), body);
  node.addEventListener("toggle", async () => {
    if (!node.open) return;
    try {
      const tree = await call("GET", `${path}/tree?limit=5000`);
      body.replaceChildren(...tree.items.map((item) => branch(item, true)));
      if (tree.truncated) body.append(element("p", { class: "muted" }, "The first 5,000 pages."));
    } catch (error) {
      failed(error);
    }
  });
  return { node };
}

function branch(item, open = false) {
  const { counts, pages = [], children = [] } = item;
  const all = counts.success + counts.empty + counts.failed + counts.skipped;
  const bad = counts.empty + counts.failed;
  const name = [item.name, " ", element("span", { class: "muted" }, all > 1 ? all : ""), bad > 0 && element("span", { class: "badge bad" }, `${bad} failed`)];
  if (!children.length && pages.length === 1) return element("div", {}, leaf(pages[0], item.name));
  return element("details", { open },
    element("summary", {}, name.filter(Boolean)),
    pages.length > 0 && element("ul", {}, pages.map((page) => element("li", {}, leaf(page, new URL(page.url).search || "·")))),
    children.map((child) => branch(child)));
}

const leaf = (page, name) => [
  element("button", { type: "button", class: "linklike", onclick: () => openPage(page.page_id) }, name), " ",
  page.outcome !== "success" && element("span", { class: `badge ${OUTCOME_CLASS[page.outcome]}` }, page.code ?? page.outcome),
].filter(Boolean);
