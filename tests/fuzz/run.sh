#!/usr/bin/env bash
# Runs every fuzz target for SECONDS_EACH seconds (300), or those named as arguments, and prints
# how many inputs each saw. Ends with an error at the first finding.
set -euo pipefail
cd "$(dirname "$0")"

command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz
# cargo-fuzz asks for a nightly compiler only because of unstable flags.
export RUSTC_BOOTSTRAP=1
if (($#)); then targets=("$@"); else mapfile -t targets < <(cargo fuzz list --fuzz-dir .); fi
for target in "${targets[@]}"; do
  # Safe Rust: what a sanitizer would look for cannot happen, and without it there are more inputs.
  log="target/$target.log"
  mkdir -p target
  if ! cargo fuzz run --fuzz-dir . --sanitizer none "$target" -- -max_total_time="${SECONDS_EACH:-300}" \
    -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 >"$log" 2>&1; then
    tail -n 40 "$log"
    exit 1
  fi
  sed -n "s/^stat::/$target  /p" "$log"
done
