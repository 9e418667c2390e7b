#!/usr/bin/env bash
# Speed of the whole server over loopback, as `make bench-server` runs it: nginx serves a page of
# 40 KB, wrk asks for it through POST /v1/scrape with 32 connections. Prints one line a figure.
# Everything is started here, on ports of its own, and stopped by pid.
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${SECONDS_EACH:-10}
binary=${BINARY:-target/release/trawls}
work=$(mktemp -d)
pids=()
stop_all() {
  local pid
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap stop_all EXIT

mkdir -p "$work/site" "$work/tmp"
chmod 711 "$work" # nginx may serve as somebody else
python3 tests/bench/page.py 40000 >"$work/site/page.html"
cat >"$work/nginx.conf" <<EOF
worker_processes 1; daemon off; pid $work/nginx.pid; error_log $work/error.log;
events { worker_connections 1024; }
http { default_type text/html; charset utf-8; access_log off; keepalive_requests 1000000;
  client_body_temp_path $work/tmp; proxy_temp_path $work/tmp; fastcgi_temp_path $work/tmp;
  uwsgi_temp_path $work/tmp; scgi_temp_path $work/tmp;
  server { listen 127.0.0.1:18191; root $work/site; } }
EOF
nginx -p "$work" -c "$work/nginx.conf" &
pids+=($!)

started=$(date +%s%N)
TRAWLS_DATA_DIR=$work/data TRAWLS_PORT=18190 TRAWLS_ALLOW_PRIVATE_TARGETS=true TRAWLS_LOG_FORMAT=text \
  TRAWLS_MAX_CONCURRENCY_PER_HOST=32 "$binary" serve >"$work/server.log" 2>&1 &
server=$!
pids+=("$server")
until curl -fs http://127.0.0.1:18190/readyz >/dev/null; do
  kill -0 "$server" || { cat "$work/server.log" >&2; exit 1; }
  sleep 0.005
done
echo "ready after        $((($(date +%s%N) - started) / 1000000)) ms"
sleep 1
rss() { awk '/VmRSS/ {printf "%.1f MB", $2 / 1024}' "/proc/$server/status"; }
echo "idle               $(rss)"

load() { # label, cache mode
  cat >"$work/load.lua" <<EOF
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"url": "http://127.0.0.1:18191/page.html", "cache": "$2", "respect_robots": $3}'
local failed = 0
response = function(status, headers, body)
  if status ~= 200 or not body:find('"outcome":"success"', 1, true) then failed = failed + 1 end
  if failed == 1 then print("FAILED: " .. status .. " " .. body:sub(1, 300)) failed = 2 end
end
EOF
  local cpu0 cpu1
  cpu0=$(awk '{print $14 + $15}' "/proc/$server/stat")
  wrk -t1 -c32 -d"${seconds}s" --timeout 10s -s "$work/load.lua" http://127.0.0.1:18190/v1/scrape >"$work/wrk.log"
  cpu1=$(awk '{print $14 + $15}' "/proc/$server/stat")
  grep -E 'FAILED|Non-2xx|Socket errors' "$work/wrk.log" || true
  awk -v label="$1" -v ticks=$((cpu1 - cpu0)) -v hz="$(getconf CLK_TCK)" '
    /requests in/ { requests = $1 } /Requests\/sec/ { rate = $2 }
    END { printf "%-18s %.0f/s, %.2f ms CPU of the server a request\n", label, rate, 1000 * ticks / hz / requests }' "$work/wrk.log"
}
load "cache bypassed" bypass true
load "cache hit" use true
echo "after the load     $(rss)"
kill -TERM "$server"
wait "$server" && echo "stopped with 0"
