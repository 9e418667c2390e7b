# `make` alone lists what there is. All that a machine lacks is installed by deploy/setup.sh.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run check test ci setup setup-test floors golden-update openapi readme \
        bench-quality bench-content bench-server bench-crawl bench-frontier bench-browser bench-stealth \
        fuzz trap-site

CARGO ?= cargo
export SHARED_DIR ?= $(abspath ../shared)
# Where `make bench-quality` reads and writes.
CORPUS ?= $(SHARED_DIR)/corpora/wcxb-dev
OUT ?= target/quality
# The annotated corpus trained the scorer: there each page is read by a model that has not seen its
# domain. Any other corpus is read by the product as it is.
FOLDS := $(if $(filter file,$(origin CORPUS)),tests/bench/folds)

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

bench-quality: setup-test ## Markdown of every page of CORPUS into OUT, scored by page type
	$(CARGO) run --release -q -p trawls-content --example bench_quality -- "$(CORPUS)" "$(OUT)" $(FOLDS)
	python3 "$(SHARED_DIR)/bench/score.py" "$(CORPUS)" "$(OUT)" --json "$(OUT)/score.json"
	python3 "$(SHARED_DIR)/bench/structure.py" "$(CORPUS)" "$(OUT)" --json "$(OUT)/structure.json"
	python3 tests/bench/calibration.py "$(OUT)"

floors: bench-quality ## Fail when quality fell below tests/bench/floors.json
	python3 tests/bench/check_floors.py "$(OUT)"

bench-content: setup ## CPU of reading against parsing alone, as a ratio
	CORPUS="$(CORPUS)" $(CARGO) run --release -q -p trawls-content --example bench_content

bench-server: ## Speed and memory of the whole server over loopback
	@deploy/setup.sh --bench
	$(CARGO) build --release --bin trawls
	tests/bench/server.sh

bench-crawl: ## Crawls of 2,000 and 20,000 pages against other crawlers, as ratios
	@deploy/setup.sh --bench
	$(CARGO) build --release --bin trawls
	tests/bench/crawl.sh

bench-frontier: ## Memory of a crawl that knows a million URLs
	$(CARGO) build --release --bin trawls
	tests/bench/frontier.py

bench-browser: setup-test ## The browser rung against playwright-core, as ratios
	@deploy/setup.sh --bench
	$(CARGO) build --release --bin trawls
	tests/bench/browser.py

bench-stealth: setup-test ## What detectors make of the plain and the stealth browser
	@deploy/setup.sh --bench
	$(CARGO) build --release --bin trawls
	tests/bench/stealth.sh

fuzz: setup ## Each fuzz target for SECONDS_EACH seconds
	tests/fuzz/run.sh

trap-site: setup ## Serve pages that misbehave on 127.0.0.1:8181
	$(CARGO) run -q -p trawls-testkit
