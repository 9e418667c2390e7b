// One page of a job: its Markdown as a document, beside its source.

import { call } from "/static/ui/api.js";
import { code } from "/static/ui/code.js";
import { element, outsideLink } from "/static/ui/element.js";
import { markdown } from "/static/ui/markdown.js";

const drawer = document.getElementById("drawer");
drawer.addEventListener("click", (event) => { if (event.target === drawer) drawer.close(); });

/** Opens the page with this id. The browser keeps the focus inside, and gives it back. */
export async function openPage(id) {
  fill("…");
  drawer.showModal();
  try {
    const page = await call("GET", `/v1/pages/${encodeURIComponent(id)}`);
    fill(page.metadata?.title || page.final_url, ...content(page));
  } catch (error) {
    fill(error.message);
  }
}

function fill(title, ...parts) {
  const close = element("button", { type: "button", class: "button small", onclick: () => drawer.close() }, "Close ", element("kbd", {}, "Esc"));
  drawer.replaceChildren(
    element("div", { class: "heading" }, element("h2", {}, title), close),
    element("div", { class: "content" }, parts));
}

function content(page) {
  const facts = [outsideLink(page.url), page.http_status && `HTTP ${page.http_status}`, page.fetch_mode_used, `${page.timings.total_ms} ms`];
  const text = page.markdown ?? "";
  return [
    element("p", { class: "summary" }, facts.filter(Boolean).map((fact) => element("span", {}, fact))),
    page.error && element("section", { class: "notice" }, element("h2", {}, page.error.message), element("code", {}, page.error.code)),
    page.warnings.length > 0 && element("ul", { class: "warnings" }, page.warnings.map((warning) => element("li", {}, warning))),
    text
      ? element("div", { class: "beside" }, element("article", { class: "prose" }, markdown(text)), code(text))
      : code(JSON.stringify(page, null, 2), { language: "json" }),
  ].filter(Boolean);
}
