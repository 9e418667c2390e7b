// The form as the body of a call: only what differs from the server's defaults is in it.

const DEFAULTS = {
  max_pages: "1000", max_depth: "", max_duration_s: "", strategy: "bfs", search: "", include_paths: "", exclude_paths: "",
  allow_subdomains: false, allow_external_links: false, ignore_query: false, ignore_sitemap: false, delay_ms: "0", concurrency: "",
  respect_robots: true, only_main_content: true,
};
const NUMBERS = new Set(["max_pages", "max_depth", "max_duration_s", "delay_ms", "concurrency"]);
const LISTS = new Set(["include_paths", "exclude_paths"]);
const OF_PAGES = new Set(["respect_robots", "only_main_content"]);

/** Names of the options that were changed. */
export const changedOptions = (form) => Object.keys(DEFAULTS).filter((name) => value(form, name) !== DEFAULTS[name]);

/** @returns {object} the body of POST /v1/crawl */
export function crawlBody(form) {
  const url = form.elements.url.value.trim();
  const body = { url: !url || /^[a-z][a-z\d+.-]*:/i.test(url) ? url : `https://${url}` };
  for (const name of changedOptions(form)) {
    const written = value(form, name);
    const meant = NUMBERS.has(name) ? Number(written) : LISTS.has(name) ? list(written) : written;
    if (OF_PAGES.has(name)) body.scrape = { ...body.scrape, [name]: meant };
    else body[name] = meant;
  }
  return body;
}

const list = (text) => text.split(",").map((part) => part.trim()).filter(Boolean);

function value(form, name) {
  const field = form.elements[name];
  return field.type === "checkbox" ? field.checked : field.value.trim();
}
