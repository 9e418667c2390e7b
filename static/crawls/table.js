// All jobs, newest first; looks again while the page is seen.

import { call } from "/static/ui/api.js";
import { element } from "/static/ui/element.js";

const LOOK_EVERY = 3000;
const PIECE = 25;
export const STATUS_CLASS = { queued: "neutral", running: "info", completed: "good", failed: "bad", cancelled: "neutral" };

/** @returns {{refresh: () => Promise<void>, mark: (id: string) => void}} */
export function jobTable() {
  const [rows, empty, more, status] = ["rows", "empty", "more", "status"].map((id) => document.getElementById(id));
  let limit = PIECE;
  let marked = "";

  async function refresh() {
    const query = new URLSearchParams({ limit, ...(status.value && { status: status.value }) });
    let list;
    try {
      list = await call("GET", `/v1/jobs?${query}`);
    } catch {
      return; // The bar and the job say when the server is away.
    }
    const focused = document.activeElement?.closest("#rows tr")?.dataset.id;
    rows.replaceChildren(...list.items.map(row));
    rows.querySelector(`[data-id="${CSS.escape(focused ?? "")}"] a`)?.focus();
    empty.hidden = list.items.length > 0;
    more.hidden = !list.has_more;
    mark(marked);
  }

  function mark(id) {
    marked = id;
    for (const row of rows.children) row.toggleAttribute("aria-current", row.dataset.id === id);
  }

  more.addEventListener("click", () => {
    limit = Math.min(limit + 4 * PIECE, 1000);
    refresh();
  });
  status.addEventListener("change", refresh);
  setInterval(() => { if (!document.hidden) refresh(); }, LOOK_EVERY);
  refresh();
  return { refresh, mark };
}

function row(job) {
  const { counts } = job;
  return element("tr", { "data-id": job.id },
    element("td", {}, element("span", { class: `badge ${STATUS_CLASS[job.status]}` }, job.status)),
    element("td", {}, element("a", { href: `#${job.id}` }, job.url), job.kind === "batch" && element("span", { class: "muted" }, " batch")),
    element("td", { class: "number" }, job.status === "running" ? `${counts.done} / ${counts.total}` : counts.done),
    element("td", { class: "number" }, counts.done ? `${Math.round((100 * counts.success) / counts.done)} %` : "–"),
    element("td", { class: "number" }, job.pages_per_s || "–"),
    element("td", { class: "muted" }, new Date(job.created_at).toLocaleString()));
}
