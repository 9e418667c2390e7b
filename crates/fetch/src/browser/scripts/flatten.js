// The document as one HTML string: open shadow roots in place, their slots filled; the bodies of
// frames as <div data-frame="URL">. Runs in an isolated world and changes nothing.
//
// In the top frame it returns a document. In any other frame it returns that <div>, which belongs
// in the property `__trawls` of the <iframe> element, set in this same world of the parent: that
// is how frames of other sites come in. Without it such an <iframe> stays as it is.
// `__trawlsRows` of this world, a Map, is what scroll.js has seen of virtual lists: the rows of a
// list are written in the place of its children.
(() => {
  const MAX_LENGTH = 20_000_000;
  // No deeper than our own stack goes; below that only the text is written.
  const MAX_DEPTH = 1_000;
  const MIN_FRAME_AREA = 2_500;
  const URLS = "href src action formaction poster data cite background longdesc".split(" ");
  const SETS = "srcset imagesrcset".split(" ");
  const WITH_URL = [...URLS, ...SETS].map((name) => `[${name}]`).join();
  const OURS = "script,style,template,iframe,frame,frameset,slot";
  const HTML = "http://www.w3.org/1999/xhtml";
  const rowsOf = globalThis.__trawlsRows ?? new Map();

  // What is written by this script, and all around it. The rest is written by the browser itself,
  // which is twenty times as fast.
  const ours = new Set();
  const mark = (node) => {
    for (; node && !ours.has(node); node = node.parentNode) ours.add(node);
  };
  const survey = (root, selector) => {
    root.querySelectorAll(selector).forEach(mark);
    for (const element of root.querySelectorAll("*")) {
      const { shadowRoot } = element;
      if (!shadowRoot) continue;
      mark(element);
      survey(shadowRoot, selector);
    }
  };

  const parts = [];
  let length = 0;
  let isFull = false;
  const write = (text) => {
    isFull ||= length + text.length > MAX_LENGTH;
    if (isFull) return;
    length += text.length;
    parts.push(text);
  };
  const NAMES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\u00a0": "&nbsp;" };
  const escape = (text) => text.replace(/[&<>"\u00a0]/g, (character) => NAMES[character]);

  const absolute = (url, base) => {
    try {
      return new URL(url, base).href;
    } catch {
      return url;
    }
  };
  // `base` is null in the top document, whose URLs stay as they are.
  const attributes = (element, base) => {
    let text = "";
    for (const { name, value } of element.attributes) {
      let shown = value;
      if (base && URLS.includes(name)) shown = absolute(value, base);
      // A candidate of a set ends at a comma, but not at one inside its URL.
      if (base && SETS.includes(name)) shown = value.replace(/([^\s,]\S*[^\s,]|[^\s,])((?:\s+[^,]+)?\s*(?:,|$))/g, (_, url, rest) => absolute(url, base) + rest);
      text += ` ${name}="${escape(shown)}"`;
    }
    return text;
  };

  const writeChildren = (node, base, depth) => {
    for (let child = node.firstChild; child && !isFull; child = child.nextSibling) writeNode(child, base, depth);
  };

  const writeText = (text) => {
    const escaped = escape(text);
    const room = MAX_LENGTH - length;
    write(escaped.slice(0, room));
    isFull ||= escaped.length > room;
  };

  const writeBody = (frame, depth) => {
    survey(frame, `${OURS},${WITH_URL}`);
    write(`<div data-frame="${escape(frame.URL)}">`);
    if (frame.body) writeChildren(frame.body, frame.baseURI, depth);
    parts.push("</div>");
  };

  const writeFrame = (element, base, depth) => {
    const { width, height } = element.getBoundingClientRect();
    const isShown = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (!isShown || width * height < MIN_FRAME_AREA) return;
    // Null for a frame of another origin.
    const inner = element.contentDocument;
    if (inner) writeBody(inner, depth);
    else if (typeof element.__trawls === "string") write(element.__trawls);
    else write(`<iframe${attributes(element, base)}></iframe>`);
  };

  // Scripts of the page itself are kept: anti-bot pages are known by them. Of frames only the data.
  const writeScript = (element, base) => {
    const source = element.textContent;
    const isWanted = !base || /\bjson$/i.test(element.type.trim());
    if (isWanted && !/<\/script/i.test(source)) write(`<script${attributes(element, base)}>${source}</script>`);
  };

  const writeElement = (element, base, depth) => {
    const isHtml = element.namespaceURI === HTML;
    let name = isHtml ? element.localName : element.nodeName;
    if (name === "style") return;
    if (isHtml) {
      if (name === "script") return writeScript(element, base);
      if (name === "iframe" || name === "frame") return writeFrame(element, base, depth);
      if (name === "slot") {
        const nodes = element.assignedNodes();
        if (!nodes.length) writeChildren(element, base, depth);
        return nodes.forEach((node) => writeNode(node, base, depth));
      }
      // Nothing but frames may stand in a frameset.
      if (name === "frameset") name = element === element.ownerDocument.body ? "body" : "div";
    }
    write(`<${name}${attributes(element, base)}>`);
    if (isFull) return;
    const end = `</${name}>`;
    if (rowsOf.has(element)) rowsOf.get(element).forEach(write);
    else if (name !== "template") writeChildren(element.shadowRoot ?? element, base, depth);
    // The browser knows which elements have no end tag; only empty ones can be of them.
    if (element.firstChild || element.shadowRoot || element.outerHTML.endsWith(end)) parts.push(end);
  };

  const writeNode = (node, base, depth) => {
    if (node.nodeType === Node.TEXT_NODE) {
      // Without scripts these would be parsed, and so their text is not escaped.
      const isRaw = /^(noscript|noembed|noframes|xmp|plaintext)$/.test(node.parentNode.localName);
      return isRaw ? write(node.data) : writeText(node.data);
    }
    if (node.nodeType === Node.COMMENT_NODE) return write(`<!--${node.data}-->`);
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    if (!ours.has(node)) {
      const html = node.outerHTML;
      // What does not fit as a whole is cut inside.
      if (length + html.length <= MAX_LENGTH) return write(html);
    }
    return depth < MAX_DEPTH ? writeElement(node, base, depth + 1) : writeText(node.textContent);
  };

  const doctype = ({ name, publicId, systemId }) => {
    const ids = publicId ? ` PUBLIC "${publicId}"` : systemId ? " SYSTEM" : "";
    return `<!DOCTYPE ${name}${ids}${systemId ? ` "${systemId}"` : ""}>`;
  };

  if (window !== window.top) {
    writeBody(document, 0);
  } else {
    survey(document, OURS);
    for (const list of rowsOf.keys()) mark(list);
    if (document.doctype) write(doctype(document.doctype));
    if (document.documentElement) writeNode(document.documentElement, null, 0);
  }
  const html = parts.join("");
  return isFull ? html.replace(/<(?:html|div)\b/i, "$& data-truncated") : html;
})()
