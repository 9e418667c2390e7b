// Shows Markdown as a document. The words come from strangers: raw HTML in them stays text, only
// web, mail and phone links are links, and pictures are named, not loaded (they would tell their
// server who reads).

/* global markdownit */
const parser = markdownit({ html: false, linkify: false });
parser.validateLink = (url) => /^(https?:|mailto:|tel:|#)/i.test(url.trim());
parser.renderer.rules.image = (tokens, index) => {
  const token = tokens[index];
  const text = parser.utils.escapeHtml(token.content || "picture");
  return `<span class="picture" title="${parser.utils.escapeHtml(token.attrGet("src") ?? "")}">${text}</span>`;
};
const openLink = parser.renderer.rules.link_open ?? ((tokens, index, options, _, self) => self.renderToken(tokens, index, options));
parser.renderer.rules.link_open = (tokens, index, ...rest) => {
  tokens[index].attrSet("target", "_blank");
  tokens[index].attrSet("rel", "noopener noreferrer");
  return openLink(tokens, index, ...rest);
};

// The parser aligns cells by style attributes, which the page's policy refuses.
for (const rule of ["th_open", "td_open"]) {
  parser.renderer.rules[rule] = (tokens, index, options, _, self) => {
    const align = /text-align:(\w+)/.exec(tokens[index].attrGet("style") ?? "");
    tokens[index].attrs = align ? [["data-align", align[1]]] : null;
    return self.renderToken(tokens, index, options);
  };
}

/** @returns {DocumentFragment} */
export function markdown(text) {
  const template = document.createElement("template");
  template.innerHTML = parser.render(text);
  return template.content;
}
