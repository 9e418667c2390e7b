#!/usr/bin/env bash
# Crawls of generated sites by Trawls and its peers, side by side, as `make bench-crawl` runs it:
# interleaved rounds over loopback, figures as ratios within one run. PERF is the folder of the
# harness and the peers; its setup.sh installs and builds them once.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
perf=${PERF:-${SHARED_DIR:-../shared}/bench/perf}
rounds=${ROUNDS:-3}
results=()

run() { # pages, site, peers
  echo "== $1 pages, $2"
  PAGES=$1 SITE=$2 PEERS=$3 ROUNDS=$rounds EXTRA="trawls=$root/tests/bench/crawl_peer.sh" \
    "$perf/run_peers.sh" | tee "$work/$1-$2.log"
  results+=("$1-$2=$perf/$(sed -n 's/^results: //p' "$work/$1-$2.log")")
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run 2000 plain "limit-dommd spider spider-readability scrapy-trafilatura crawlee-turndown crawl4ai"
run 2000 delay "limit-fetch"
run 20000 plain "limit-dommd spider"
python3 tests/bench/crawl_ratios.py "${results[@]}"
