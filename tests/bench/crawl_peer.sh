#!/usr/bin/env bash
# Trawls as one peer of the crawl bench, with its full product path: a server on a data folder of
# its own, one job by the API, its pages exported as JSON lines. The bench's contract gives SEED,
# CONC, PAGES, OUT and WORKDIR, and measures this process with all its children.
set -euo pipefail
binary=${BINARY:-$(cd "$(dirname "$0")/../.." && pwd)/target/release/trawls}
port=${PORT:-18192}

TRAWLS_DATA_DIR=$WORKDIR/data TRAWLS_PORT=$port TRAWLS_ALLOW_PRIVATE_TARGETS=true \
  TRAWLS_MAX_CONCURRENCY_PER_HOST=$CONC TRAWLS_MAX_CONCURRENCY_GLOBAL=$CONC \
  "$binary" serve 2>"$WORKDIR/server.log" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT

# By the shell itself: a process a look would be measured as if it were Trawls.
ask() { # method, path, body; prints the answer's body
  local line answer
  exec 3<>"/dev/tcp/127.0.0.1/$port" || return 1
  printf '%s %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' \
    "$1" "$2" "$port" "${#3}" "$3" >&3
  while IFS= read -r line <&3 && [[ $line != $'\r' ]]; do :; done
  IFS= read -r -d '' answer <&3 || true
  exec 3<&-
  printf '%s' "$answer"
}
until ask GET /healthz '' >/dev/null 2>&1; do
  kill -0 "$server" || { cat "$WORKDIR/server.log" >&2; exit 1; }
  read -rt 0.02 <> <(:) || true
done

job=$(ask POST /v1/crawl "{\"url\": \"$SEED\", \"max_pages\": $((PAGES + 1000)), \"concurrency\": $CONC, \"scrape\": {\"mode\": \"http\", \"cache\": \"bypass\"}}")
[[ $job =~ \"id\":\"([^\"]+)\" ]] || { echo "$job" >&2; exit 1; }
id=${BASH_REMATCH[1]}
until [[ $(ask GET "/v1/jobs/$id" '') =~ \"status\":\"(completed|failed|cancelled)\" ]]; do
  read -rt 0.1 <> <(:) || true
done
ask GET "/v1/jobs/$id" '' >&2
curl -fsS "http://127.0.0.1:$port/v1/jobs/$id/export?outcome=success" -o "$OUT"
kill "$server"
wait "$server"
echo "{\"pages\": $(wc -l <"$OUT")}"
