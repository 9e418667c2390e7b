#!/usr/bin/env bash
# Installs what building and running Trawls needs on Debian or Ubuntu; with --test also what its
# tests need, with --bench what its benches need. Idempotent: when everything is there, it only
# looks.
set -euo pipefail

packages=(
  gcc g++ cmake make pkg-config perl git              # BoringSSL and SQLite are built from source
  libclang-dev                                        # and bound by bindgen
  ca-certificates                                     # trust roots
  chromium                                            # the browser rungs
  fonts-liberation fonts-dejavu-core fonts-noto-cjk   # text in screenshots
)
[[ "${1:-}" == --test ]] && packages+=(python3 python3-venv nodejs npm)
[[ "${1:-}" == --bench ]] && packages+=(nginx-light wrk curl nodejs npm)

# A tool that came another way (a vendor's Node.js, pyenv's Python) counts as installed.
has_tool() {
  case "$1" in
    gcc | g++ | cmake | make | perl | git | pkg-config | python3 | npm | chromium) command -v "$1" >/dev/null ;;
    nodejs) command -v node >/dev/null ;;
    python3-venv) python3 -c 'import ensurepip' 2>/dev/null ;;
    *) false ;;
  esac
}
has_package() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

missing=()
for package in "${packages[@]}"; do
  has_tool "$package" || has_package "$package" || missing+=("$package")
done

if ((${#missing[@]})); then
  if ! command -v apt-get >/dev/null; then
    echo "setup: this script knows only apt-get. Install by hand: ${missing[*]}" >&2
    exit 1
  fi
  sudo=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || { echo "setup: run as root, or install sudo, for: ${missing[*]}" >&2; exit 1; }
    sudo=(sudo)
  fi
  echo "setup: installing ${missing[*]}"
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if ! command -v cargo >/dev/null; then
  echo "setup: Rust is missing. Install it with rustup, open a new shell, and try again." >&2
  exit 1
fi

# Libraries of a folder with a package-lock.json, unless they are there already.
npm_ci() {
  local folder
  folder="$(dirname "$0")/../$1"
  if [[ ! -d $folder/node_modules || $folder/package-lock.json -nt $folder/node_modules/.package-lock.json ]]; then
    npm ci --prefix "$folder" --no-audit --no-fund --silent
  fi
}
case "${1:-}" in
  --test) npm_ci tests/ui ;;
  --bench) npm_ci tests/bench/stealth ;;
esac
