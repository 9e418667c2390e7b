// One job: its figures live, its pages, and what can be done with it.

import { apiKey, call } from "/static/ui/api.js";
import { copyButton } from "/static/ui/code.js";
import { element, outsideLink } from "/static/ui/element.js";
import { follow } from "/static/ui/events.js";
import { pageList } from "./pages.js";
import { STATUS_CLASS } from "./table.js";
import { pageTree } from "./tree.js";

const FORMATS = ["jsonl", "md", "zip", "csv"];
const isOver = (job) => ["completed", "failed", "cancelled"].includes(job.status);

/** Shows a job and follows it. @returns {() => void} ends that */
export function openJob(section, job, { changed, failed }) {
  const path = `/v1/jobs/${encodeURIComponent(job.id)}`;
  const ends = new AbortController();
  const head = element("div", { class: "heading" });
  const figures = element("div", { role: "status", "aria-live": "off" });
  const actions = element("div", { class: "actions" });
  const pages = pageList(path, failed);
  const tree = pageTree(path, failed);
  section.replaceChildren(head, figures, actions, pages.node, tree.node);
  let live = true;

  function show(now) {
    job = now;
    head.replaceChildren(...heading(job, live));
    figures.replaceChildren(...stateOf(job));
    actions.replaceChildren(...buttons());
  }

  function buttons() {
    const failures = job.counts.failed + job.counts.empty;
    const post = (verb) => act(() => call("POST", `${path}/${verb}`));
    return [
      !isOver(job) && button("Cancel", () => post("cancel")),
      isOver(job) && failures > 0 && button(`Retry ${failures} failed`, () => post("retry")),
      isOver(job) && button("Read again", () => post("reprocess")),
      ...FORMATS.map((format) => exportLink(`${path}/export?format=${format}`, format)),
      isOver(job) && button("Delete", remove),
    ].filter(Boolean);
  }

  async function act(work) {
    try {
      const now = await work();
      show({ ...job, ...now });
      changed();
      if (!isOver(now)) watch();
    } catch (error) {
      failed(error);
    }
  }

  async function remove() {
    if (!confirm("Delete this job with its pages?")) return;
    try {
      await call("DELETE", path);
      location.hash = "";
      changed();
    } catch (error) {
      failed(error);
    }
  }

  let watching = false;
  async function watch() {
    if (watching) return;
    watching = true;
    try {
      await follow(`${path}/events`, {
        after: Math.max(job.counts.done, pages.last()),
        signal: ends.signal,
        onState: (state) => { if (live !== state) { live = state; show(job); } },
        onEvent: (name, data) => {
          if (name === "page") pages.add(data);
          else show(data);
          return name === "done";
        },
      });
      live = true;
      show(job);
      pages.reload();
      changed();
    } catch (error) {
      failed(error);
    } finally {
      watching = false;
    }
  }

  show(job);
  if (!isOver(job)) watch();
  return () => ends.abort();
}

const button = (label, onclick) => element("button", { type: "button", class: "button", onclick }, label);

/** With a key the browser cannot fetch it by itself. */
function exportLink(href, format) {
  const link = element("a", { class: "button", href, download: "" }, `↓ ${format}`);
  link.addEventListener("click", async (event) => {
    if (!apiKey.get()) return;
    event.preventDefault();
    const response = await fetch(href, { headers: { Authorization: `Bearer ${apiKey.get()}` } });
    const saved = element("a", { href: URL.createObjectURL(await response.blob()), download: `trawls.${format}` });
    saved.click();
    URL.revokeObjectURL(saved.href);
  });
  return link;
}

function heading(job, live) {
  return [
    element("h2", {}, outsideLink(job.url)),
    !live && element("span", { class: "badge bad" }, "reconnecting…"),
    element("span", { class: `badge ${STATUS_CLASS[job.status]}`, id: "job-status" }, job.status),
    copyButton(() => job.id, "Copy id"),
    element("a", { class: "button small", href: "#", "aria-label": "Close this job" }, "✕"),
  ].filter(Boolean);
}

function stateOf(job) {
  const { counts } = job;
  const figure = (value, name) => element("div", {}, element("strong", {}, value), element("span", {}, name));
  const tally = (map, kind) => Object.entries(map).map(([name, count]) => element("span", {}, element(kind, {}, name), ` ${count}`));
  const failures = tally(counts.by_code, "code");
  const rungs = tally(counts.by_mode, "span");
  const cut = tally(counts.cut, "span");
  const line = (name, items) => items.length > 0 && element("div", { class: "tallies" }, element("span", { class: "muted" }, name), items);
  return [
    element("progress", { max: Math.max(counts.total, counts.done, 1), value: counts.done, "aria-label": "Pages done" }),
    element("div", { class: "figures" },
      figure(`${counts.done} / ${Math.max(counts.total, counts.done)}`, "done"),
      figure(job.pages_per_s, "pages/s"),
      job.eta_s !== null && job.eta_s !== undefined && figure(duration(job.eta_s), "left"),
      figure(counts.success, "success"),
      figure(counts.empty, "empty"),
      figure(counts.failed, "failed"),
      figure(counts.skipped, "skipped"),
      figure(size(counts.bytes), "read")),
    job.error && element("p", { class: "notice" }, job.error.message),
    line("Why not", failures), line("By rung", rungs), line("Links cut", cut),
  ].filter(Boolean);
}

const size = (bytes) => (bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

function duration(seconds) {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
