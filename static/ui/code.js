// Shows source text: copyable, and JSON with quiet colours.

import { element } from "./element.js";

const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;
/** Above this many characters colours cost more than they give. */
const COLOUR_LIMIT = 200_000;

/** @returns {HTMLElement} a block with a copy button */
export function code(text, { label = "Copy", language = "" } = {}) {
  const block = element("pre", { class: "code", tabindex: 0 });
  if (language === "json" && text.length < COLOUR_LIMIT) block.append(...coloured(text));
  else block.textContent = text;
  return element("div", { class: "code-box" }, copyButton(() => text, label), block);
}

export function copyButton(text, label = "Copy") {
  const button = element("button", { type: "button", class: "button small copy" }, label);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy by hand";
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  });
  return button;
}

function* coloured(text) {
  let end = 0;
  for (const match of text.matchAll(JSON_TOKEN)) {
    yield text.slice(end, match.index);
    const [whole, string, colon, number] = match;
    if (string && colon) {
      yield element("span", { class: "key" }, string);
      yield colon;
    } else {
      yield element("span", { class: string ? "string" : number ? "number" : "word" }, whole);
    }
    end = match.index + whole.length;
  }
  yield text.slice(end);
}
