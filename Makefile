# Go 1.26 builds and runs the node. Node 20 builds the wallet page and runs tests in JavaScript. The
# node also runs without the page.
GO      ?= go
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT  := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
BUILT   := $(shell git show -s --format=%cI HEAD 2>/dev/null)
LDFLAGS := -X obverse/native/node.Version=$(VERSION) -X obverse/native/node.Commit=$(COMMIT) -X obverse/native/node.built=$(BUILT)
# -trimpath removes paths of this machine from programs and tests, so that they are compiled once
# for all clones, and the bytes of a program are the same everywhere.
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath
export GO VERSION COMMIT BUILT
SUB     := +@$(MAKE) --no-print-directory
NODE    := $(shell node web/node.js 2>/dev/null)

.DEFAULT_GOAL := build
.DELETE_ON_ERROR:

include web/page.mk

.PHONY: build
build: need-go ## build bin/obverse with the wallet page; WALLET=no leaves the page as it is, RELEASE=yes compresses it best
	$(SUB) $(if $(filter -j%,$(MAKEFLAGS)),,-j4) wallet-page $(if $(wildcard bin/obverse),,libraries)
	@$(GO) build -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/obverse ./native
	@ln -sf obverse bin/kdf

# In a first build, the packages that do not contain the page are compiled while the page is built.
.PHONY: libraries
libraries: need-go
	@echo "building bin/obverse" >&2
	@$(GO) build -buildvcs=false $$($(GO) list -deps -f '{{if .Module}}{{.ImportPath}}{{end}}' ./native | grep -v ^obverse/native)

.PHONY: libkdf
libkdf: need-go ## build bin/libkdf.so, the node as a C library with the functions of KDF's
	@command -v $${CC:-cc} >/dev/null || { echo "a C compiler is missing (cc, or CC=…): only make libkdf needs one" >&2; exit 1; }
	@CGO_ENABLED=1 $(GO) vet -tags libkdf ./native ./native/cli
	@CGO_ENABLED=1 $(GO) build -buildvcs=false -tags libkdf -buildmode=c-shared -ldflags '$(LDFLAGS)' -o bin/libkdf.so ./native

.PHONY: run absolute-datadir
run: absolute-datadir build ## start a node; DATADIR=/absolute/folder, ARGS='key=value …'
	@exec bin/obverse serve $(if $(DATADIR),--datadir '$(DATADIR)') $(ARGS)

absolute-datadir:
	@case '$(DATADIR)' in ''|/*) ;; *) echo "DATADIR must be an absolute path, got $(DATADIR): a relative one would put secrets into this folder" >&2; exit 2;; esac

.PHONY: demo
demo: build peer ## run an EVM network with NFTs and two Lightning nodes, and print commands to try, until Ctrl-C
	@$(GO) test -c -o bin/demo ./native/test/e2e
	@OBVERSE_DEMO='$(CURDIR)/bin/obverse' exec bin/demo -test.run '^TestDemo$$' -test.timeout 0

.PHONY: check
check: need-go lint web-packages $(JS_FILE) ## quick checks: lint, types, tests without other programs or browsers
	@sh native/make/test.sh short
	@cd web && sh types.sh && npm run --silent unit
	@echo "left to make test, $$(git grep -c 'testing.Short()' -- '*.go' | awk -F: '{n += $$2} END {print n}') places that a short run skips or samples:" && git grep -n 'testing.Short()' -- '*.go'

# The dependencies of the tests are built in parallel with the installation of packages from the
# network. build and page must not run in parallel, because both build the node.
.PHONY: test
test: need-node tools ## run all tests
	$(SUB) -j3 lint build peer
	$(SUB) worker page
	$(SUB) -j2 test-go test-browser

# Debian packages are installed before anything that needs them runs in parallel.
.PHONY: tools
tools:
	@sh native/make/shells.sh
	@sh web/test/chromium.sh

.PHONY: test-go test-browser
test-go:
	$(SUB) test-native
	$(SUB) test-wasm
	$(SUB) test-edge

test-browser:
	$(SUB) test-web
	$(SUB) test-page
	$(SUB) size

.PHONY: test-native test-wasm test-edge test-page test-web
test-native: need-go peer wallet-page ## run the Go tests on this machine
	@sh native/make/test.sh native

test-wasm: need-go need-node ## run the tests of core/ and wasm/ under js/wasm
	@sh native/make/test.sh wasm

test-edge: need-node peer worker ## run the node as a Cloudflare Worker, in workerd
	@sh native/make/test.sh edge

test-page: need-node $(APP_FILE) ## run the vectors of both APIs in Chromium
	@sh native/make/test.sh page

test-web: need-node build peer worker $(APP_FILE) ## test the JS package in Node, and it and the wallet page in Chromium
	@sh web/test/chromium.sh
	cd web && sh types.sh && npm test --silent

.PHONY: lint
lint: need-go ## run gofmt, vet and staticcheck for both targets
	@sh native/make/lint.sh

.PHONY: peer
peer: need-node ## install the peers of the tests from npm
	@set -e; for peer in native/*/npmpeer native/test/*/npmpeer native/test/anvil native/test/worker/workerd; do sh web/packages.sh $$peer; done

.PHONY: bench
bench: need-go need-node peer worker ## print one table of ratios; PACKAGES=yes adds packages, AGAINST=http://host:port CREDENTIAL=file compares a running daemon
	@sh native/make/bench.sh

.PHONY: soak interop fuzz
soak: need-go ## run long loads: kills, power cuts, streams, peers, signatures, races (see native/make/soak.sh)
	@sh native/make/soak.sh

interop: need-go page peer ## test against real chains, an EVM network and an lnd, which are built once and cached
	@sh web/test/chromium.sh
	$(GO) test -count=1 -timeout 0 ./native/test/interop/...

fuzz: need-go ## run every fuzz target for FUZZTIME (30s)
	@sh native/make/test.sh fuzz

.PHONY: docs
docs: need-go ## write web/openrpc.json and the references in native/docs
	OBVERSE_WRITE_DOCS=1 $(GO) test -count=1 -run TestDocuments ./core/mmrpc/... ./core/daemon ./core/config

.PHONY: deadcode
deadcode: need-go ## list functions that no program reaches
	@{ $(GO) tool deadcode ./native; GOOS=js GOARCH=wasm $$($(GO) tool -n deadcode) ./wasm/page ./wasm/worker; } | \
		sort | awk '!/^core\// || seen[$$0]++' # a function that is unused in one target may be used in the other

.PHONY: clean
clean: ## remove what was built
	rm -rf bin web/dist web/.cache $(DECLARED)
	find native/webpage/dist -mindepth 1 ! -name README -delete

.PHONY: help
help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

.PHONY: need-go need-node FORCE
need-go:
	@command -v $(GO) >/dev/null || { echo "Go 1.26 is missing: install it from https://go.dev/dl" >&2; exit 1; }

need-node:
	@test "$(NODE)" = yes || { echo "Node is missing (20.19, 22.12 or newer): it builds the page, and runs the tests of its target" >&2; exit 1; }
