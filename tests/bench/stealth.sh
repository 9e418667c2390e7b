#!/usr/bin/env bash
# What detectors make of the browser rungs, as `make bench-stealth` runs it: a page of detectors is
# scraped by the plain and by the stealth browser, and the checks stand side by side. Fails when
# stealth fails a check that known.json does not excuse.
set -euo pipefail
cd "$(dirname "$0")/../.."
port=${PORT:-8190}
work=$(mktemp -d)
node tests/bench/stealth/server.mjs "$port" &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
until curl -sf -o /dev/null "http://127.0.0.1:$port/"; do sleep 0.1; done
for mode in browser stealth; do
  TRAWLS_ALLOW_PRIVATE_TARGETS=true TRAWLS_DATA_DIR=$work target/release/trawls scrape \
    "http://127.0.0.1:$port/" --mode "$mode" --wait-for "#state:not([role])" --format raw_html --out "$work/$mode.html"
done
node tests/bench/stealth/table.mjs "$work/browser.html" "$work/stealth.html"
