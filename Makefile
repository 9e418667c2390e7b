# `make` alone lists what there is. All that a machine lacks is installed by deploy/setup.sh.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run check test ci setup setup-test floors golden-update openapi readme \
        bench-quality bench-content bench-server fuzz trap-site

CARGO ?= cargo
export TRAWLS_SHARED ?= $(abspath ../shared)
# Where `make bench-quality` reads and writes.
CORPUS ?= $(TRAWLS_SHARED)/corpora/wcxb-dev
OUT ?= target/quality

help: ## This list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

run: setup ## Build and serve on 127.0.0.1:8180
	$(CARGO) build --release --bin trawls
	@echo "Trawls:  http://127.0.0.1:$${TRAWLS_PORT:-8180}/playground   API: /docs   stop: Ctrl-C"
	@TRAWLS_DATA_DIR=$${TRAWLS_DATA_DIR:-.trawls} exec target/release/trawls serve

check: setup-test ## Format, lints and types
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	deploy/lint.sh

test: setup-test ## Everything: unit, golden, HTTP, browser
	$(CARGO) test --workspace

ci: setup-test ## What CI runs: check, test, quality floors
	$(MAKE) check
	$(CARGO) test --workspace
	$(MAKE) floors

setup:
	@deploy/setup.sh

setup-test:
	@deploy/setup.sh --test

golden-update: setup ## Rewrite tests/golden/*/expected.md; read the diff
	UPDATE_GOLDEN=1 $(CARGO) test -p trawls-content golden
	git diff --stat -- tests/golden

openapi: setup ## Rewrite tests/openapi.json
	UPDATE_OPENAPI=1 $(CARGO) test -p trawls-server openapi

readme: setup ## Rewrite the settings table of the README
	UPDATE_README=1 $(CARGO) test -p trawls readme

trap-site: setup ## Serve pages that misbehave on 127.0.0.1:8181
	$(CARGO) run -q -p trawls-testkit
