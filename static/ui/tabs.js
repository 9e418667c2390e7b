// A tab list by the WAI-ARIA pattern: arrows, Home and End move, and the tab that has the focus is open.

/** @param {HTMLElement} list an element with role=tablist whose tabs name their panel by aria-controls */
export function tabs(list) {
  const all = [...list.querySelectorAll('[role="tab"]')];
  const panel = (tab) => document.getElementById(tab.getAttribute("aria-controls"));

  function open(tab, focus = false) {
    for (const other of all) {
      const chosen = other === tab;
      other.setAttribute("aria-selected", String(chosen));
      other.tabIndex = chosen ? 0 : -1;
      panel(other).hidden = !chosen;
    }
    if (focus) tab.focus();
  }

  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) open(tab);
  });
  list.addEventListener("keydown", (event) => {
    const here = all.indexOf(document.activeElement);
    const there = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (there === undefined || here < 0) return;
    event.preventDefault();
    open(all[(there + all.length) % all.length], true);
  });
  open(all.find((tab) => tab.getAttribute("aria-selected") === "true") ?? all[0]);
  return { open: (id) => open(all.find((tab) => tab.id === id)) };
}
