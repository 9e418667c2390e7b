// The real Chromium, and pages that fail the test on any script error or refused resource.
import { chromium } from "playwright-core";

const EXECUTABLE = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const launch = () => chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });

/** @returns {Promise<{page: import("playwright-core").Page, complaints: string[]}>} */
export async function open(browser, url, viewport = { width: 1440, height: 900 }) {
  const context = await browser.newContext({ viewport, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`script error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !/^(data|blob):/.test(request.url())) complaints.push(`left the server: ${request.url()}`);
  });
  await page.goto(url);
  return { page, complaints };
}
