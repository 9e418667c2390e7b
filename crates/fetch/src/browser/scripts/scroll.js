// Scrolls to the bottom, the largest scrollable element inside the page included, so that lazy and
// infinite lists fill up; then back to the top. Runs in an isolated world.
//
// Rust puts numbers in place of __MAX_STEPS__, __LIMIT_MS__ and __MAX_HEIGHT__ (pixels). Resolves
// to { steps, height, grew, rows }: `height` of the page in the end, the pixels by which it and
// its scrollable element `grew`, and the `rows` of virtual lists.
// A virtual list keeps only the rows in sight. Theirs are noted on the way, and left as HTML in
// `__trawlsRows` of this world, a Map from list to rows, for flatten.js.
(() => {
  const MAX_STEPS = __MAX_STEPS__;
  const MAX_HEIGHT = __MAX_HEIGHT__;
  const PAUSE_MS = 60;
  const FRAMES_MS = 500;
  const GROWTH_MS = 600;
  // A list is an element with so many children of one name; one with more is not virtual.
  const MIN_ROWS = 5;
  const MAX_ROWS_IN_SIGHT = 300;
  const MAX_ROWS = 10_000;
  // So many rows must have gone before a list counts as virtual.
  const MIN_GONE = 3;
  const MIN_AREA = 40_000;

  const end = performance.now() + __LIMIT_MS__;
  const isOver = () => steps >= MAX_STEPS || performance.now() >= end;
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  // On a busy machine the page draws late: two frames later it has, unless it is not drawn at all.
  const drawn = () => Promise.race([pause(FRAMES_MS), new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))]);
  let steps = 0;
  let grew = 0;

  // List → the rows seen of it, in order, each { text, html, top, left }.
  const books = new Map();
  let noted = 0;
  const note = (scroller) => {
    for (const list of scroller.querySelectorAll("*")) {
      const rows = list.childElementCount;
      if (rows < MIN_ROWS || rows > MAX_ROWS_IN_SIGHT) continue;
      const name = list.children[rows >> 1].localName;
      if (name === "option" || [...list.children].filter((row) => row.localName === name).length < rows * 0.8) continue;
      if (!books.has(list)) books.set(list, []);
      noteRows(list, books.get(list), scroller.scrollTop);
    }
  };
  const look = (row, scrollTop) => {
    const { top, left, height } = row.getBoundingClientRect();
    return { row, text: row.textContent.trim(), top: top + scrollTop, left, isThere: height > 0 && !/^(sticky|fixed)$/.test(getComputedStyle(row).position) };
  };
  const noteRows = (list, book, scrollTop) => {
    const seen = [...list.children].map((row) => look(row, scrollTop)).filter(({ text, isThere }) => text && isThere);
    seen.sort((one, other) => one.top - other.top || one.left - other.left);
    if (!seen.length) return;
    const first = seen[0].top - 1;
    const last = seen.at(-1).top + 1;
    // Only these can be among the rows seen now; the others are out of sight.
    const near = new Set(book.filter(({ top }) => top >= first && top <= last));
    const claim = (isSame) => {
      for (const now of seen) {
        if (now.entry) continue;
        for (const entry of near) {
          if (!isSame(entry, now)) continue;
          near.delete(entry);
          update(entry, now);
          break;
        }
      }
    };
    const update = (entry, now) => {
      now.entry = entry;
      if (entry.text !== now.text) entry.html = now.row.outerHTML;
      Object.assign(entry, { text: now.text, top: now.top, left: now.left });
    };
    const isPlace = (entry, now) => Math.abs(entry.top - now.top) < 2 && Math.abs(entry.left - now.left) < 2;
    claim((entry, now) => entry.text === now.text && isPlace(entry, now));
    // It was moved, because a row above it turned out higher than was thought.
    claim((entry, now) => entry.text === now.text);
    // It has a new text: a clock, or what it was waiting for.
    claim(isPlace);
    // A new row goes behind the one it stands behind, the first before the next that is known: that
    // holds even where places do not, because heights were only guessed.
    const known = seen.find(({ entry }) => entry);
    let at = known ? book.indexOf(known.entry) : book.length;
    for (const now of seen) {
      if (now.entry) {
        at = book.indexOf(now.entry) + 1;
      } else if (noted < MAX_ROWS) {
        noted += 1;
        const entry = {};
        update(entry, now);
        book.splice(at, 0, entry);
        at += 1;
      }
    }
  };
  // Of nested lists only the innermost: the outer ones change because it does.
  const virtualLists = () => {
    const virtual = [...books].filter(([list, book]) => {
      const rest = list.textContent;
      if (!list.isConnected || book.length <= list.childElementCount) return false;
      return book.filter(({ text }) => !rest.includes(text)).length >= MIN_GONE;
    });
    return virtual.filter(([list]) => !virtual.some(([other]) => other !== list && list.contains(other)));
  };

  const scrollDown = async (scroller) => {
    const start = scroller.scrollHeight;
    const to = (top) => scroller.scrollTo({ top, behavior: "instant" });
    if (start <= scroller.clientHeight) return () => {};
    const isAtEnd = () => scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2;
    note(scroller);
    while (!isOver() && scroller.scrollTop < MAX_HEIGHT) {
      const before = scroller.scrollHeight;
      if (!isAtEnd()) {
        steps += 1;
        to(scroller.scrollTop + scroller.clientHeight * 0.9);
        await drawn();
        await pause(PAUSE_MS);
        note(scroller);
        continue;
      }
      const patience = performance.now() + GROWTH_MS;
      while (scroller.scrollHeight <= before && performance.now() < Math.min(patience, end)) await pause(PAUSE_MS);
      if (scroller.scrollHeight <= before) break;
    }
    grew += Math.max(0, scroller.scrollHeight - start);
    return () => to(0);
  };

  const largestInside = (page) => {
    let largest = null;
    let size = MIN_AREA;
    for (const element of document.querySelectorAll("body,body *")) {
      const { clientHeight, clientWidth, scrollHeight } = element;
      if (element === page || scrollHeight < clientHeight + 50 || clientHeight * clientWidth <= size) continue;
      if (!/^(auto|scroll|overlay)$/.test(getComputedStyle(element).overflowY) || element.localName === "textarea") continue;
      if (!element.checkVisibility({ visibilityProperty: true })) continue;
      largest = element;
      size = clientHeight * clientWidth;
    }
    return largest;
  };

  return (async () => {
    const page = document.scrollingElement ?? document.documentElement;
    const toTop = [await scrollDown(page)];
    const inside = largestInside(page);
    if (inside && !isOver()) {
      inside.scrollIntoView({ behavior: "instant" });
      toTop.push(await scrollDown(inside));
    }
    let rows = 0;
    globalThis.__trawlsRows = new Map();
    for (const [list, book] of virtualLists()) {
      globalThis.__trawlsRows.set(list, book.map(({ html }) => html));
      rows += book.length;
    }
    const height = page.scrollHeight;
    for (const go of toTop.reverse()) go();
    await pause(PAUSE_MS);
    return { steps, height, grew, rows };
  })();
})()
