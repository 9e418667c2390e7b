// The table of `make bench-stealth`: node table.mjs PLAIN.html STEALTH.html, two scrapes of the
// page as raw HTML. Fails when stealth fails a check that known.json does not excuse, and when an
// excuse is no longer needed.
import { readFile } from "node:fs/promises";

const rowsOf = async (file) => {
  const html = await readFile(file, "utf8");
  const json = /<script[^>]* id="results"[^>]*>(.*?)<\/script>/s.exec(html)?.[1];
  const { done, rows } = JSON.parse(json ?? "{}");
  if (!done) throw new Error(`${file}: the checks had not ended`);
  return new Map(rows.map((row) => [`${row.where} ${row.id}`, row]));
};

const [plain, stealth] = await Promise.all(process.argv.slice(2, 4).map(rowsOf));
const known = JSON.parse(await readFile(new URL("known.json", import.meta.url), "utf8"));
const shown = (row) => (row ? (row.ok ? "pass" : "FAIL") : "-");
const names = [...new Set([...plain.keys(), ...stealth.keys()])];
for (const name of names) {
  const [before, after] = [plain.get(name), stealth.get(name)];
  const saw = after?.ok && before && !before.ok ? before.saw : (after ?? before).saw;
  console.log(`${name.padEnd(36)} ${shown(before).padEnd(5)} ${shown(after).padEnd(5)} ${saw.slice(0, 100)}`);
}
const passed = (rows) => `${[...rows.values()].filter(({ ok }) => ok).length} of ${rows.size}`;
console.log(`\nplain ${passed(plain)}, stealth ${passed(stealth)}`);
const failed = names.filter((name) => !stealth.get(name)?.ok);
for (const name of failed) console.log(`${name}: ${known[name] ?? "NOT EXCUSED"}`);
const idle = Object.keys(known).filter((name) => !failed.includes(name));
for (const name of idle) console.log(`${name}: passes now, take it out of known.json`);
process.exit(failed.every((name) => known[name]) && idle.length === 0 ? 0 : 1);
