// BASE is a Trawls server that may fetch from loopback, TRAPS the trap site.
// SCREENSHOTS=dir keeps pictures for a person to look at.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";

const { BASE, TRAPS, SCREENSHOTS } = process.env;
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function run(page, path) {
  await page.fill("#url", `${TRAPS}${path}`);
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector('#result[aria-busy="false"], #notice:not([hidden])');
}

const picture = (page, name) => SCREENSHOTS && page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });

for (const [name, width] of [["desktop", 1440], ["phone", 375]]) {
  test(`a page is scraped and shown, by keyboard alone, at ${width} px`, async () => {
    const { page, complaints } = await open(browser, `${BASE}/playground`, { width, height: 900 });
    await picture(page, `${name}-start`);
    assert.equal(await page.evaluate(() => document.activeElement.id), "url", "the URL has the focus");
    await run(page, "/article");
    await picture(page, `${name}-article`);
    assert.equal(await page.textContent("#panel-markdown h1"), "How the old harbour got its light");
    assert.match(await page.textContent("#summary"), /success/);
    assert.equal(await page.locator("#panel-markdown table td").first().textContent(), "1841");

    await page.focus("#tab-markdown");
    const seen = [];
    for (const tab of ["raw", "json", "html", "links", "screenshot", "metadata", "trace", "curl"]) {
      await page.keyboard.press("ArrowRight");
      assert.ok(await page.isVisible(`#panel-${tab}`), `${tab} opens`);
      seen.push(await page.textContent(`#panel-${tab}`));
      await picture(page, `${name}-${tab}`);
    }
    const [raw, json, html, links, screenshot, metadata, trace, curl] = seen;
    assert.match(raw, /^Copy# How the old harbour got its light/);
    assert.match(json, /"outcome": "success"/);
    assert.match(html, /<h2>What it burned<\/h2>/);
    assert.match(links, /example\.org\/museum/);
    assert.match(screenshot, /No picture was asked for/);
    assert.match(metadata, /Ada Marsh/);
    assert.match(trace, /http.*usable.*200/s);
    assert.match(curl, /curl -s .*\/v1\/scrape/);

    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wider, 0, "nothing sticks out sideways");
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
}

test("words of a hostile page stay words", async () => {
  const { page, complaints } = await open(browser, `${BASE}/playground`);
  await run(page, "/hostile");
  for (const tab of ["markdown", "raw", "json", "html", "links", "screenshot", "metadata", "trace", "curl"]) await page.click(`#tab-${tab}`);
  await picture(page, "hostile");
  assert.equal(await page.title(), "Playground · Trawls");
  assert.equal(await page.locator("#result script, #result img, #result svg, #result iframe").count(), 0);
  const hrefs = await page.locator("#result a").evaluateAll((links) => links.map((link) => link.href));
  assert.deepEqual(hrefs.filter((href) => !/^(https?|mailto|tel):/.test(href)), []);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("pictures, a print and what actions brought are shown", async () => {
  const { page, complaints } = await open(browser, `${BASE}/playground`);
  let sent;
  await page.route("**/v1/scrape", async (route) => {
    sent = route.request().postDataJSON();
    const answer = await route.fetch({ postData: { url: sent.url, formats: ["markdown"] } });
    const actions = [{ kind: "evaluate", duration_ms: 3, value: { n: 1 } }, { kind: "screenshot", duration_ms: 9, screenshot_url: "/v1/blobs/b" }];
    const drawn = { screenshot_url: "https://elsewhere.example/v1/blobs/a", pdf_url: "/v1/blobs/c", actions };
    await route.fulfill({ response: answer, json: { ...await answer.json(), ...drawn } });
  });
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");
  await page.route("**/v1/blobs/*", (route) => route.fulfill({ contentType: "image/png", body: png }));
  await page.click("#options summary");
  await page.selectOption('[name="picture"]', "screenshot_full");
  await page.check('[name="pdf"]');
  await page.fill('[name="wait_for"]', "1500");
  await page.fill('[name="actions"]', '[{"type": "screenshot"}');
  await run(page, "/article");
  assert.match(await page.textContent("#notice"), /Actions/);
  await page.fill('[name="actions"]', '[{"type": "evaluate", "script": "({n: 1})"}, {"type": "screenshot"}]');
  await run(page, "/article");
  await page.waitForSelector("#result:not([hidden])");
  assert.deepEqual(sent.formats.slice(-2), ["screenshot_full", "pdf"]);
  assert.deepEqual([sent.wait_for, sent.actions.length], [1500, 2]);
  await page.click("#tab-screenshot");
  await page.waitForFunction(() => [...document.querySelectorAll("#panel-screenshot img")].filter((image) => image.naturalWidth > 0).length === 2);
  assert.match(await page.getAttribute("#panel-screenshot a", "href"), /^blob:/);
  await picture(page, "screenshot");
  await page.click("#tab-trace");
  assert.match(await page.textContent("#panel-trace"), /evaluate.*\{"n":1\}/s);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("an error says what to do", async () => {
  const { page } = await open(browser, `${BASE}/playground`);
  await run(page, "/missing");
  assert.match(await page.textContent("#notice"), /NOT_FOUND/);
  await page.fill("#url", "ftp://example.com/");
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => document.getElementById("notice").textContent.includes("INVALID_URL"));
  await page.click("#options summary");
  await page.fill('[name="include_tags"]', "p[[");
  await run(page, "/article");
  await page.waitForFunction(() => document.getElementById("notice").textContent.includes("include_tags[0]"));
  await picture(page, "error");
  await page.context().close();
});

test("Escape stops a run", async () => {
  const { page } = await open(browser, `${BASE}/playground`);
  await page.fill("#url", `${TRAPS}/silent`);
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => document.getElementById("run-label").textContent.includes("Running"));
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.getElementById("notice").textContent.includes("Stopped"));
  await page.context().close();
});
