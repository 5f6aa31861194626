# Go 1.26 builds and runs the node; Node 20 runs the tests of the page's target too.
GO        ?= go
DATADIR   ?=
ARGS      ?=
FUZZTIME  ?= 30s
SOAK      ?= 1
KILLS     ?= 200

VERSION   := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT    := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
BUILT     := $(shell git show -s --format=%cI HEAD 2>/dev/null)
LDFLAGS   := -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.built=$(BUILT)
SOURCES   := $(wildcard core native wasm)
CORE      := ./core/...
# Everything but the chains of make interop, which take minutes to build.
NATIVE     = $$($(GO) list $(CORE) ./native/... | grep -v ^obverse/native/interop)
WASM      := GOOS=js GOARCH=wasm $(GO)
# The wasm loader has room for a few kilobytes of environment only, hence env -i.
WASM_EXEC  = env -i 'PATH=$$PATH' 'OBVERSE_VECTORS=$$OBVERSE_VECTORS' 'OBVERSE_KOMODOD=$$OBVERSE_KOMODOD' \
             'OBVERSE_NODE_EXAMPLES=$$OBVERSE_NODE_EXAMPLES' '$$($(GO) env GOROOT)/lib/wasm/go_js_wasm_exec'

# The programs of a page and the packages below them.
PAGE      := ./wasm/...
WEB_SUM    = $$(cat package.json package-lock.json | cksum)

# The libp2p peer of native/probe's tests, and what its npm packages follow from.
PEER      := native/probe/npmpeer
PEER_SUM   = $$(cat package.json package-lock.json | cksum)

.PHONY: all build run test test-native test-wasm test-web page size bench-web web-packages peer lint bench soak interop docs fuzz clean help need-go need-node

all: build

build: need-go ## build bin/obverse
	@$(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/obverse ./native

run: build ## start a node; DATADIR=folder, ARGS='key=value …'
	@exec bin/obverse serve $(if $(DATADIR),--datadir '$(DATADIR)') $(ARGS)

test: need-node lint test-native test-wasm test-web ## everything that has to pass

test-native: need-go peer ## all Go tests on this machine
	$(GO) test -count=1 $(NATIVE)

test-wasm: need-go need-node ## core's tests on the page's target, and the page's own
	$(WASM) test -count=1 -exec "$(WASM_EXEC)" $(CORE) $(PAGE)

test-web: build page ## the JS package in Node and in Chromium
	@sh web/test/chromium.sh
	cd web && npx --no-install tsc && npx --no-install tsc -p app && npm test --silent

page: need-go web-packages ## build web/dist: the JS package, the node for it, and the wallet page
	@mkdir -p web/dist
	@GO='$(GO)' sh wasm/page/build.sh web/dist/obverse.wasm '$(LDFLAGS)'
	@cd web && GO='$(GO)' VERSION='$(VERSION)' BUILT='$(BUILT)' node build.js && npx --no-install vite build app --logLevel warn

bench-web: page ## times in Chromium: the first answer, a round trip, gaps of the page's thread
	@sh web/test/chromium.sh
	@cd web && node test/bench.js

size: page ## sizes of what a page loads, within web/budget.json
	@cd web && node size.js --check

web-packages: need-node
	@cd web && test "$(WEB_SUM)" = "$$(cat node_modules/.sum 2>/dev/null)" || \
		{ npm ci --no-audit --no-fund --loglevel=error && echo "$(WEB_SUM)" > node_modules/.sum; }

peer: need-node ## install what the tests' libp2p peer needs from npm
	@cd $(PEER) && test "$(PEER_SUM)" = "$$(cat node_modules/.sum 2>/dev/null)" || \
		{ npm ci --no-audit --no-fund --loglevel=error && echo "$(PEER_SUM)" > node_modules/.sum; }

lint: need-go ## formatting and vet, for both targets
	@files=$$(gofmt -l $(SOURCES)); test -z "$$files" || { echo "gofmt these: $$files" >&2; exit 1; }
	$(GO) vet $(CORE) ./native/...
	$(WASM) vet $(CORE) $(PAGE)

bench: need-go ## a table of ratios, then the packages' benchmarks
	$(GO) test -run '^$$' -bench Ratios -benchtime 1x ./native/e2e
	$(GO) test -run '^$$' -bench . -benchmem -benchtime 200ms $(CORE)

soak: need-go ## KILLS kills of a node under load, a minute of 1,000 streams, core's tests SOAK times under the race detector
	OBVERSE_KILLS=$(KILLS) $(GO) test -count=1 -v -run TestKill -timeout 0 ./native/e2e
	OBVERSE_STREAM_SECONDS=60 $(GO) test -count=1 -v -run TestThousandStreams -timeout 0 ./native/e2e
	$(GO) test -race -count=$(SOAK) -timeout 0 $(CORE)

interop: need-go ## tests against real chains, which are built once and kept in the user's cache
	$(GO) test -count=1 -timeout 0 ./native/interop/...

docs: need-go ## write web/openrpc.json, web/mmrpc.d.ts and web/daemon.d.ts anew from the methods
	OBVERSE_WRITE_DOCS=1 $(GO) test -count=1 -run TestDocuments ./core/mmrpc ./core/daemon

fuzz: need-go ## every fuzz target for FUZZTIME
	@set -e; for package in $$($(GO) list $(NATIVE)); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package; \
		done; \
	done

clean: ## remove what was built
	rm -rf bin web/dist

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

need-go:
	@command -v $(GO) >/dev/null || { echo "Go 1.26 is missing: install it from https://go.dev/dl" >&2; exit 1; }

need-node:
	@node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null || \
		{ echo "Node 20 or newer is missing: the tests of the page's target run in it" >&2; exit 1; }
