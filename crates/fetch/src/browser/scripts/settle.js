// Waits until the text of the page has come to rest. Runs in an isolated world and changes nothing.
//
// Rust puts numbers in place of __QUIET_MS__ and __LIMIT_MS__. Resolves to { text, quiet_ms, why }:
// `text` is the length of the visible text, `quiet_ms` how long it has been at rest, `why` is
// "quiet" (enough text, and nothing says that more is coming), "patience" (one of these is
// missing, but it has been at rest three times as long) or "limit".
(() => {
  const QUIET_MS = __QUIET_MS__;
  const LIMIT_MS = __LIMIT_MS__;
  const ENOUGH_TEXT = 200;
  // A clock that ticks is no news.
  const NEWS_LENGTH = 16;
  const LOADING = "[aria-busy=true],[role=progressbar],.spinner,.skeleton,.loading,.loader";

  const start = performance.now();
  let lastNews = start;
  let drift = 0;
  const lengthOf = (nodes) => {
    let length = 0;
    for (const node of nodes) if (!/^(script|style)$/i.test(node.nodeName)) length += node.textContent?.trim().length ?? 0;
    return length;
  };
  const observer = new MutationObserver((records) => {
    for (const { type, target, oldValue, addedNodes, removedNodes } of records) {
      drift += type === "characterData" ? target.length - oldValue.length : lengthOf(addedNodes) - lengthOf(removedNodes);
    }
    if (Math.abs(drift) < NEWS_LENGTH) return;
    drift = 0;
    lastNews = performance.now();
  });

  // The document, its open shadow roots, and the documents of frames that can be looked into.
  const observed = new WeakSet();
  const roots = (root, found = []) => {
    found.push(root);
    if (!observed.has(root)) {
      observed.add(root);
      observer.observe(root, { subtree: true, childList: true, characterData: true, characterDataOldValue: true });
    }
    for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot) roots(shadowRoot, found);
    for (const { contentDocument } of root.querySelectorAll("iframe,frame")) if (contentDocument) roots(contentDocument, found);
    return found;
  };
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.getClientRects().length > 0;
  const look = () => {
    let text = 0;
    let isLoading = false;
    for (const root of roots(document)) {
      for (const { innerText } of root.body ? [root.body] : root.children) text += innerText?.trim().length ?? 0;
      isLoading ||= [...root.querySelectorAll(LOADING)].some(isVisible);
    }
    return { text, isLoading };
  };

  return new Promise((resolve) => {
    const check = () => {
      const now = performance.now();
      const quiet = now - lastNews;
      const left = start + LIMIT_MS - now;
      const end = (why, text) => {
        observer.disconnect();
        resolve({ text, quiet_ms: Math.round(quiet), why });
      };
      // Looking costs a layout: only when it may be the last time.
      if (quiet < QUIET_MS && left > 0) return setTimeout(check, Math.min(QUIET_MS - quiet, left));
      const { text, isLoading } = look();
      if (left <= 0) return end("limit", text);
      if (text >= ENOUGH_TEXT && !isLoading) return end("quiet", text);
      // A page with little on it that says it is loading has earned the whole time.
      const mayGiveUp = text >= ENOUGH_TEXT || !isLoading;
      if (mayGiveUp && quiet >= 3 * QUIET_MS) return end("patience", text);
      setTimeout(check, Math.min(QUIET_MS / 4, left));
    };
    roots(document);
    setTimeout(check, Math.min(QUIET_MS, LIMIT_MS));
  });
})()
