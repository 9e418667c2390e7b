// Builds DOM nodes. Text only ever becomes text nodes, so no page's words can turn into markup.

/**
 * @param {string} tag
 * @param {Object<string, any>} properties attributes; `on…` are listeners; null and false are left out
 * @param {...(Node|string|number|null|false|Array)} children
 * @returns {HTMLElement}
 */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== false));
  return node;
}

/** A link that leaves this page without telling where it came from; other schemes become text. */
export function outsideLink(url, text = url) {
  if (!/^(https?|mailto|tel):/i.test(url)) return element("span", {}, text);
  return element("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, text);
}
