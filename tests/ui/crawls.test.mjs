// BASE is a Trawls server that may fetch from loopback, TRAWLS its binary, TRAPS the trap site.
// SCREENSHOTS=dir keeps pictures for a person to look at.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";

const { BASE, TRAPS, TRAWLS, SCREENSHOTS } = process.env;
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const picture = (page, name) => SCREENSHOTS && page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });
const ended = (page, status) => page.waitForFunction((wanted) => document.getElementById("job-status")?.textContent === wanted, status, { timeout: 60_000 });
const figure = (page, name) => page.locator(".figures div", { hasText: name }).locator("strong").textContent();

async function crawl(page, path, options = {}) {
  await page.fill("#url", `${TRAPS}${path}`);
  if (!await page.locator("#options").getAttribute("open").then((open) => open !== null)) await page.click("#options summary");
  await page.check('[name="ignore_sitemap"]');
  for (const [name, value] of Object.entries(options)) await page.fill(`[name="${name}"]`, value);
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector("#job-status");
}

for (const [name, width] of [["desktop", 1440], ["phone", 375]]) {
  test(`a crawl is started, followed, read and taken along, at ${width} px`, async () => {
    const { page, complaints } = await open(browser, `${BASE}/crawls`, { width, height: 900 });
    assert.equal(await page.evaluate(() => document.activeElement.id), "url", "the URL has the focus");
    await crawl(page, "/bog/60/0");
    await ended(page, "completed");
    await page.waitForFunction(() => document.querySelectorAll(".pages tbody tr").length > 20);
    await picture(page, `crawls-${name}`);
    const done = await page.locator(".pages tbody tr").count();
    assert.equal(await figure(page, "done"), `${done} / ${done}`);
    assert.match(await page.textContent(".tallies"), /NOT_FOUND \d+/);
    assert.match(await page.textContent("#rows tr"), /completed.*bog/s);

    await page.selectOption(".filters select", "failed");
    await page.waitForFunction(() => [...document.querySelectorAll(".pages tbody .badge")].every((badge) => badge.textContent === "NOT_FOUND"));
    await page.selectOption(".filters select", "");
    await page.fill(".filters input", "/60/0");
    await page.waitForFunction(() => document.querySelectorAll(".pages tbody tr").length === 1);

    await page.click(".pages .linklike");
    await page.waitForSelector("#drawer .prose h1");
    assert.equal(await page.textContent("#drawer .prose h1"), "Page 0");
    assert.match(await page.textContent("#drawer .code"), /^# Page 0/);
    await picture(page, `crawls-drawer-${name}`);
    await page.keyboard.press("Escape");
    assert.ok(!await page.isVisible("#drawer"));

    await page.click("text=URL tree");
    await page.waitForSelector(".tree details summary");
    assert.match(await page.textContent(".tree"), /bog/);
    await picture(page, `crawls-tree-${name}`);

    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=↓ jsonl")]);
    const lines = (await readFile(await download.path(), "utf8")).trim().split("\n");
    assert.equal(lines.length, done);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wider, 0, "nothing sticks out sideways");
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
}

test("a running crawl shows its pages as they come, and can be stopped", async () => {
  const { page, complaints } = await open(browser, `${BASE}/crawls`);
  await crawl(page, "/forest/5000/0", { delay_ms: "40" });
  await page.waitForFunction(() => document.querySelectorAll(".pages tbody tr").length > 5);
  await page.waitForFunction(() => document.getElementById("job-status").textContent === "running" && Number.parseFloat(document.querySelector(".figures strong").textContent) > 5);
  await picture(page, "crawls-running");
  await page.click("text=Cancel");
  await ended(page, "cancelled");
  const done = Number.parseInt(await figure(page, "done"));
  await page.waitForFunction((many) => document.querySelectorAll(".pages tbody tr").length === Math.min(many, 100), done);
  assert.match(await page.textContent(".pages tbody tr"), /forest\/5000\/0/, "the first page is there");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a body of one's own is sent as it is, and a mistake names its field", async () => {
  const { page } = await open(browser, `${BASE}/crawls`);
  await page.click("#raw summary");
  await page.fill("#body", JSON.stringify({ urls: [`${TRAPS}/article`, "nonsense"] }));
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector("#job-status");
  await ended(page, "completed");
  assert.match(await page.textContent(".tallies"), /INVALID_URL/);
  await page.fill("#body", JSON.stringify({ url: `${TRAPS}/article`, max_pages: 0 }));
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => document.getElementById("notice").textContent.includes("max_pages"));
  await page.fill("#body", "{");
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => document.getElementById("notice").textContent.includes("not JSON"));
  await page.context().close();
});

test("words of a hostile page stay words", async () => {
  const { page, complaints } = await open(browser, `${BASE}/crawls`);
  await crawl(page, "/hostile", { max_pages: "1" });
  await ended(page, "completed");
  await page.waitForSelector(".pages .linklike");
  await page.click(".pages .linklike");
  await page.waitForSelector("#drawer .prose");
  assert.equal(await page.locator("main script, #drawer script, #drawer img, #drawer svg, #drawer iframe").count(), 0);
  assert.equal(await page.title(), "Crawls · Trawls");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("the page takes a crawl up again when its server was killed and comes back", async () => {
  const data = await mkdtemp(join(tmpdir(), "trawls-ui-"));
  let server = await serve(data, 0);
  const { page } = await open(browser, `${server.url}/crawls`);
  await crawl(page, "/forest/200/0", { delay_ms: "20" });
  await page.waitForFunction(() => document.querySelectorAll(".pages tbody tr").length > 10);
  server.process.kill("SIGKILL");
  await page.waitForSelector("text=reconnecting…");
  server = await serve(data, new URL(server.url).port);
  await ended(page, "completed");
  assert.equal(await figure(page, "success"), "200");
  assert.equal(await page.locator("text=reconnecting…").count(), 0);
  await page.context().close();
  server.process.kill("SIGKILL");
  await rm(data, { recursive: true, force: true });
});

/** A server of its own, that may fetch from loopback. */
async function serve(data, port) {
  const env = { ...process.env, TRAWLS_DATA_DIR: data, TRAWLS_ALLOW_PRIVATE_TARGETS: "true", TRAWLS_LOG_FORMAT: "json" };
  const child = spawn(TRAWLS, ["serve", "--port", String(port)], { env, stdio: ["ignore", "ignore", "pipe"] });
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /"message":"listening".*"url":"([^"]+)"|"url":"([^"]+)".*"message":"listening"/.exec(line);
    if (url) {
      child.stderr.resume();
      return { process: child, url: url[1] ?? url[2] };
    }
  }
  throw new Error("the server does not start");
}
