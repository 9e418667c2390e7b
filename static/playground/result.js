// Fills the parts of a result. Every text goes in as text.

import { bytes } from "/static/ui/api.js";
import { code, copyButton } from "/static/ui/code.js";
import { element, outsideLink } from "/static/ui/element.js";
import { markdown } from "/static/ui/markdown.js";
import { curl } from "./request.js";

const STATUS_CLASS = { ok: "good", failed: "bad", skipped: "info" };

/** @param {object} page a PageResult @param {object} body the request that made it */
export function show(page, body) {
  document.getElementById("summary").replaceChildren(...summary(page));
  const text = page.markdown ?? "";
  panel("markdown", text ? markdown(text) : nothing("No Markdown."));
  panel("raw", code(text));
  panel("json", code(JSON.stringify(page, null, 2), { language: "json" }));
  panel("html", page.html ? code(page.html) : nothing("No HTML."));
  panel("links", page.links?.length ? links(page.links) : nothing("No links."));
  panel("screenshot", ...drawn(page));
  panel("metadata", metadata(page.metadata ?? {}));
  panel("trace", trace(page));
  panel("curl", code(curl(body)));
  const tab = document.getElementById("tab-links");
  tab.replaceChildren("Links", element("span", { class: "count" }, page.links?.length ?? 0));
}

function panel(name, ...children) {
  document.getElementById(`panel-${name}`).replaceChildren(...children);
}

const nothing = (text) => element("p", { class: "muted" }, text);
const fact = (value, unit) => element("span", {}, element("strong", {}, value), ` ${unit}`);

function summary(page) {
  const words = (page.markdown ?? "").split(/\s+/).filter(Boolean).length;
  const parts = [
    element("div", { class: "title" }, page.metadata?.title || page.final_url),
    element("span", { class: `badge ${STATUS_CLASS[page.status]}` }, page.outcome),
    page.http_status && fact(page.http_status, "HTTP"),
    page.fetch_mode_used && fact(page.fetch_mode_used, "rung"),
    fact(page.timings.total_ms, "ms"),
    fact(words.toLocaleString("en"), "words"),
    fact(`${Math.round(page.quality.confidence * 100)} %`, "confidence"),
    page.from_cache && element("span", { class: "badge neutral" }, "from cache"),
    page.final_url !== page.url && element("span", {}, "→ ", outsideLink(page.final_url)),
  ];
  const warnings = page.warnings.map((warning) => element("li", {}, warning));
  if (warnings.length) parts.push(element("ul", { class: "warnings" }, warnings));
  return parts.filter(Boolean);
}

function links(all) {
  const filter = element("input", { type: "search", placeholder: "Filter", "aria-label": "Filter links" });
  const rows = all.map((link) => {
    const row = element("tr", {},
      element("td", {}, element("span", { class: `badge ${link.kind === "internal" ? "neutral" : "info"}` }, link.kind)),
      element("td", {}, outsideLink(link.url)),
      element("td", {}, link.text || element("span", { class: "muted" }, "no text")));
    return { row, text: `${link.kind} ${link.url} ${link.text}`.toLowerCase() };
  });
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    for (const { row, text } of rows) row.hidden = !text.includes(wanted);
  });
  const head = element("tr", {}, ["Kind", "URL", "Text"].map((name) => element("th", { scope: "col" }, name)));
  return element("div", { class: "scroll-x" }, filter, element("table", { class: "grid" }, element("thead", {}, head), element("tbody", {}, rows.map(({ row }) => row))));
}

/** The picture of the page, those of its actions, and its print. */
function drawn(page) {
  const pictures = [];
  if (page.screenshot_url) pictures.push(picture(page.screenshot_url, "Screenshot of the page"));
  for (const [index, action] of (page.actions ?? []).entries()) {
    if (action.screenshot_url) pictures.push(picture(action.screenshot_url, `Screenshot of action ${index + 1}`));
  }
  if (page.pdf_url) pictures.unshift(print(page.pdf_url));
  return pictures.length ? pictures : [nothing("No picture was asked for: Options, In the browser.")];
}

function picture(address, name) {
  const image = element("img", { alt: name });
  const figure = element("figure", { class: "picture" }, image, element("figcaption", { class: "muted" }, name));
  load(address, figure, (url) => { image.src = url; });
  return figure;
}

function print(address) {
  const link = element("a", { class: "button", download: "page.pdf" }, "Save the PDF");
  const line = element("p", {}, link);
  load(address, line, (url) => { link.href = url; });
  return line;
}

/** By its path alone: whatever name this server has for others, here it is the one of this page. */
function load(address, place, use) {
  const path = address.slice(address.indexOf("/v1/blobs/"));
  bytes(path).then((blob) => use(URL.createObjectURL(blob)), (error) => place.replaceChildren(nothing(error.message)));
}

function metadata(found) {
  const rows = [];
  const add = (name, value) => {
    if (value === null || value === undefined || value === "" || (Array.isArray(value) && !value.length)) return;
    if (typeof value === "object" && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) add(`${name} · ${key}`, inner);
      return;
    }
    const text = Array.isArray(value) ? value.join(", ") : String(value);
    rows.push(element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, /^https?:/.test(text) ? outsideLink(text) : text)));
  };
  for (const [name, value] of Object.entries(found)) add(name, value);
  return rows.length ? element("table", { class: "grid" }, element("tbody", {}, rows)) : nothing("No metadata.");
}

function trace(page) {
  const head = ["Rung", "Verdict", "HTTP", "ms", "Why"].map((name) => element("th", { scope: "col" }, name));
  const rows = page.trace.map((attempt) => element("tr", {},
    element("td", {}, attempt.mode),
    element("td", {}, attempt.verdict, attempt.error ? ` (${attempt.error})` : ""),
    element("td", {}, attempt.http_status ?? "–"),
    element("td", {}, attempt.duration_ms),
    element("td", {}, attempt.why)));
  const times = Object.entries(page.timings).filter(([, value]) => value !== null)
    .map(([name, value]) => fact(value, name.replace(/_ms$/, " ms")));
  const attempts = rows.length
    ? element("div", { class: "scroll-x" }, element("table", { class: "grid" }, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows)))
    : nothing("Nothing was fetched.");
  const id = element("span", {}, "page ", element("code", {}, page.id), " ", copyButton(() => page.id));
  return element("div", {}, element("div", { class: "summary" }, times, id), attempts, actions(page.actions));
}

function actions(done) {
  if (!done?.length) return "";
  const head = ["Action", "ms", "Brought"].map((name) => element("th", { scope: "col" }, name));
  const rows = done.map((action) => element("tr", {},
    element("td", {}, action.kind),
    element("td", {}, action.duration_ms),
    element("td", {}, brought(action))));
  return element("div", { class: "scroll-x" }, element("table", { class: "grid" }, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows)));
}

function brought(action) {
  if (action.value !== undefined) return element("code", {}, JSON.stringify(action.value));
  if (action.html) return `${action.html.length.toLocaleString("en")} characters of HTML`;
  return action.screenshot_url ? "a picture" : "–";
}
