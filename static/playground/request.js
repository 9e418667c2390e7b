// The form as a request: only what differs from the server's defaults is sent.

const DEFAULTS = {
  only_main_content: true, citations: false, remove_base64_images: true, include_tags: "", exclude_tags: "",
  mode: "auto", timeout_ms: "30000", languages: "", mobile: false, respect_robots: true, verify_ssl: true,
  picture: "", pdf: false, scroll: false, block_ads: true, wait_for: "", actions: "",
  cache: "use", max_age_s: "86400",
};
const FORMATS = ["markdown", "html", "links", "metadata", "json"];
const NUMBERS = new Set(["timeout_ms", "max_age_s"]);
const SELECTORS = new Set(["include_tags", "exclude_tags"]);

/** Names of the options that were changed. */
export function changedOptions(form) {
  return Object.keys(DEFAULTS).filter((name) => value(form, name) !== DEFAULTS[name]);
}

/** @returns {object} the body of POST /v1/scrape; throws what is wrong with the form */
export function request(form) {
  const body = { url: absolute(form.elements.url.value.trim()), formats: [...FORMATS] };
  for (const name of changedOptions(form)) {
    const written = value(form, name);
    if (name === "picture") body.formats.push(written);
    else if (name === "pdf") body.formats.push("pdf");
    else if (name === "wait_for") body.wait_for = /^\d+$/.test(written) ? Number(written) : written;
    else if (name === "actions") body.actions = actions(written);
    else if (name === "languages") body.location = { languages: list(written) };
    else if (SELECTORS.has(name)) body[name] = selectors(written);
    else body[name] = NUMBERS.has(name) ? Number(written) : written;
  }
  return body;
}

/** What is no JSON is the form's to say; what is no action, the server's. */
function actions(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw Object.assign(new Error(`Actions: ${error.message}`), { code: "INVALID_OPTIONS" });
  }
}

/** As a command for a POSIX shell. */
export function curl(body) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  return `curl -s ${location.origin}/v1/scrape \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(body))}`;
}

function value(form, name) {
  const field = form.elements[name];
  return field.type === "checkbox" ? field.checked : field.value.trim();
}

/** People type `example.com`; the API wants to know the scheme. */
function absolute(url) {
  return /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^/]+:\d+(\/|$)/.test(url) ? url : `https://${url}`;
}

const list = (text) => text.split(",").map((item) => item.trim()).filter(Boolean);

/** Splits at commas outside of brackets: `:is(h1, h2), p` are two. */
function selectors(text) {
  const found = [""];
  let depth = 0;
  for (const character of text) {
    if ("([".includes(character)) depth += 1;
    if (")]".includes(character)) depth -= 1;
    if (character === "," && depth === 0) found.push("");
    else found[found.length - 1] += character;
  }
  return found.map((selector) => selector.trim()).filter(Boolean);
}
