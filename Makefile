# Go 1.26 builds and runs the node. Node 20 builds the wallet page, without which the node
# runs as well, and runs the tests of the page's target.
GO        ?= go
DATADIR   ?=
ARGS      ?=
FUZZTIME  ?= 30s
RELEASE   ?=
SOAK      ?= 1
KILLS     ?= 200
COMPACT   ?= 300ms
CUTS      ?= 10000
SHOTS     ?= web/dist/shots
SIGNATURES ?= 10000000
AGAINST   ?=
CREDENTIAL ?=
PACKAGES  ?=

VERSION   := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT    := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
BUILT     := $(shell git show -s --format=%cI HEAD 2>/dev/null)
LDFLAGS   := -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.built=$(BUILT)
GOBUILD   := -buildvcs=false
# Without paths of this machine in them, programs and tests are compiled once, whatever the
# clone, and a program's bytes are the same everywhere.
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath
SOURCES   := $(wildcard core native wasm)
CORE      := ./core/...
# Everything but what make interop runs against, which takes minutes to build, and the vectors
# that are played in a page and at the edge, which have to be built first.
NATIVE     = $$($(GO) list $(SLOW) $(CORE) ./native/... | grep -v -e ^obverse/native/interop -e ^obverse/native/pagetest -e ^obverse/native/workertest)
# Their tests take longest: they are begun first, so that nothing waits for them in the end.
SLOW      := ./native/e2e ./native/cometbft ./native/probe ./native/lightning ./native/httpd ./native ./core/store/bunt ./core/mmrpc/...
# Many of them wait for programs that they start, or for a time to pass: four tests at once keep
# two processors busy. The first run on a machine also compiles the C library within a test.
WAITING   := -p 4 -parallel 4 -timeout 20m
SLOW_WASM := ./core/mmrpc/... ./core/wallet/nft ./core/store/bunt ./core/daemon ./core/wallet/tendermint ./core/wallet/tendermint/history
# Benchmarks leave the rows of one table in this file.
BENCH_ROWS := $(CURDIR)/bin/bench.rows
BENCH       = OBVERSE_BENCH_ROWS=$(BENCH_ROWS) $(GO) test -run '^$$' -benchtime 1x -timeout 0
# The root has tests of the source alone, which is the same one on all targets.
CORE_WASM  = $$($(GO) list $(SLOW_WASM) $(CORE) | grep -v '^obverse/core$$')
WASM      := GOOS=js GOARCH=wasm $(GO)
# The wasm loader has room for a few kilobytes of environment only, hence env -i. The stack is
# that of go_js_wasm_exec. Node 20 optimizes a function once it has run 1.8 MB of code; most
# tests end before that pays.
WASM_EXEC  = env -i 'PATH=$$PATH' 'OBVERSE_VECTORS=$$OBVERSE_VECTORS' 'OBVERSE_KOMODOD=$$OBVERSE_KOMODOD' \
             'OBVERSE_NODE_EXAMPLES=$$OBVERSE_NODE_EXAMPLES' \
             node --stack-size=8192 --wasm-tiering-budget=200000000 '$$($(GO) env GOROOT)/lib/wasm/wasm_exec_node.js'

# ST1005: some errors are upstream's texts, byte for byte.
CHECKS    := -checks inherit,-ST1005

# The programs of a page and the packages below them.
PAGE      := ./wasm/...
# The types of the JS package, of the wallet page and of the Worker.
TYPES     := node_modules/.bin/tsc && node_modules/.bin/tsc -p app && node_modules/.bin/tsc -p worker

# What the wallet page is made of, step by step. A step is done anew when one of its
# sources is newer than what it made.
WASM_FROM := go.mod go.sum wasm/build.sh $(wildcard web/slim/*.js) \
             $(shell find core wasm -type f ! -name '*_test.go' ! -path '*/testdata/*')
WASM_FILE := web/dist/obverse.wasm
# What no node can be smaller than; of its libraries' versions go.sum says all.
FLOOR_FROM := go.mod go.sum wasm/build.sh $(wildcard web/slim/*.js wasm/floor/*.go)
FLOOR_FILE := web/.cache/floor.wasm
JS_FROM   := web/build.js web/made.js web/package-lock.json web/tsconfig.json $(wildcard web/*.d.ts) $(shell find web/src -type f)
JS_FILE   := web/dist/index.js
EDGE_WASM := web/dist/edge/node.wasm
EDGE_FROM := web/worker/build.js web/made.js $(wildcard web/worker/*.js) web/worker/wrangler.toml web/src/engine.js $(wildcard web/src/storage/*.js) web/package-lock.json
EDGE_FILE := web/dist/edge/index.js
APP_FROM  := web/openrpc.json $(shell find web/app -type f ! -path '*/test/*')
APP_FILE  := web/dist/app/index.html
PACK_FILE := native/webpage/dist/index.html.gz
# Which versions of Node Vite runs in.
NEW_NODE  := const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || a === 22 && b >= 12 || a === 20 && b >= 19 ? 0 : 1)
HAS_NODE  := $(shell node -e '$(NEW_NODE)' 2>/dev/null && echo yes)

# The peers of native/probe's, native/lightning's and native/speculos's tests that are not ours, and
# the EVM of native/evm's.
PEERS     := native/probe/npmpeer native/walletdir/npmpeer native/lightning/npmpeer native/walletconnect/npmpeer native/speculos/npmpeer native/trezorudp/npmpeer native/evm/anvil native/workertest/workerd

.PHONY: FORCE all build worker libraries wallet-page run absolute-datadir libkdf demo check tools test test-go test-browser test-native test-wasm test-web test-edge test-page page shots lighthouse size bench-web web-packages peer lint deadcode bench soak interop docs fuzz clean help need-go need-node

.DELETE_ON_ERROR: # half a file is none

all: build

# Downloads wait for servers and linkers use one core, so the parts are made side by side.
build: need-go ## build bin/obverse, with the wallet page where there is Node; WALLET=no leaves that as it is, RELEASE=yes compresses it at its best
	@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j4) wallet-page $(if $(wildcard bin/obverse),,libraries)
	@$(GO) build $(GOBUILD) -ldflags '$(LDFLAGS)' -o bin/obverse ./native
	@ln -sf obverse bin/kdf

# What the program has besides the page, for a first build: the page's packages are not read
# while they are written.
libraries: need-go
	@echo "building bin/obverse" >&2
	@$(GO) build $(GOBUILD) $$($(GO) list -deps -f '{{if .Module}}{{.ImportPath}}{{end}}' ./native | grep -v ^obverse/native)

# The only target that needs a C compiler: the other programs have no C in them.
libkdf: need-go ## build bin/libkdf.so, the node as a C library with the functions of KDF's
	@command -v $${CC:-cc} >/dev/null || { echo "a C compiler is missing (cc, or CC=…): only make libkdf needs one" >&2; exit 1; }
	@CGO_ENABLED=1 $(GO) vet -tags libkdf ./native
	@CGO_ENABLED=1 $(GO) build $(GOBUILD) -tags libkdf -buildmode=c-shared -ldflags '$(LDFLAGS)' -o bin/libkdf.so ./native

run: absolute-datadir build ## start a node; DATADIR=/absolute/folder, ARGS='key=value …'
	@exec bin/obverse serve $(if $(DATADIR),--datadir '$(DATADIR)') $(ARGS)

absolute-datadir:
	@case '$(DATADIR)' in ''|/*) ;; *) echo "DATADIR must be an absolute path, got $(DATADIR): a relative one would put secrets into this folder" >&2; exit 2;; esac

demo: build peer ## an EVM network with NFTs and two Lightning nodes, with the commands to try, until Ctrl-C
	@$(GO) test -c -o bin/demo ./native/e2e
	@OBVERSE_DEMO='$(CURDIR)/bin/obverse' exec bin/demo -test.run '^TestDemo$$' -test.timeout 0

check: need-go lint web-packages $(JS_FILE) ## what is quick: lint, types, tests that start no other program and no browser
	$(GO) test -vet=off -short $(WAITING) $(NATIVE)
	@cd web && $(TYPES) && npm run --silent unit
	@echo "left to make test, $$(git grep -c 'testing.Short()' -- '*.go' | awk -F: '{n += $$2} END {print n}') places that a short run skips or samples:" && git grep -n 'testing.Short()' -- '*.go'

# What the tests need is made side by side, since packages come from the network meanwhile; but
# not twice at once, as build and page would make the node.
test: need-node tools ## everything that has to pass
	@$(MAKE) --no-print-directory -j3 lint build peer
	@$(MAKE) --no-print-directory worker page
	@$(MAKE) --no-print-directory -j2 test-go test-browser

# Debian packages, before anything that needs them runs in parallel.
tools:
	@sh native/shells.sh
	@sh web/test/chromium.sh

# In parallel with the tests in a browser, which take as long.
test-go:
	@$(MAKE) --no-print-directory test-native
	@$(MAKE) --no-print-directory test-wasm
	@$(MAKE) --no-print-directory test-edge

test-browser:
	@$(MAKE) --no-print-directory test-web
	@$(MAKE) --no-print-directory test-page
	@$(MAKE) --no-print-directory size

test-native: need-go peer wallet-page ## all Go tests on this machine
	@sh native/shells.sh
	@command -v $${CC:-cc} >/dev/null || echo "not tested: 1 (TestLibKDF), since there is no C compiler" >&2
	$(GO) test -vet=off -count=1 $(WAITING) $(NATIVE)

test-wasm: need-go need-node ## core's tests on the page's target, and the page's own
	$(WASM) test -vet=off -count=1 -short -exec "$(WASM_EXEC)" $(CORE_WASM) $(PAGE)

test-web: need-node build peer worker $(APP_FILE) ## the JS package in Node, and it and the wallet page in Chromium
	@sh web/test/chromium.sh
	cd web && $(TYPES) && npm test --silent

test-page: need-node $(APP_FILE) ## the vectors of both interfaces in Chromium
	@sh web/test/chromium.sh
	$(GO) test -vet=off -count=1 ./native/pagetest

test-edge: need-node peer worker ## the node as a Cloudflare Worker, in workerd
	$(GO) test -vet=off -count=1 -parallel 3 ./native/workertest

page: need-node $(APP_FILE) ## build web/dist: the JS package, the node for it, and the wallet page

worker: need-node $(EDGE_FILE) ## build web/dist/edge, the node as a Cloudflare Worker; web/worker/README.md describes how to deploy it

ifeq ($(WALLET),no)
wallet-page:
else ifeq ($(HAS_NODE),yes)
wallet-page: $(PACK_FILE)
else
wallet-page:
	@echo "Node is missing (20.19, 22.12 or newer), which builds the wallet page: bin/obverse has $$( \
		test -e $(PACK_FILE) && echo 'the one that was built before' || echo none)" >&2
endif

# These files say what a step depends on besides files, and are written when that changes.
# Two makes may do so at once (make test), so each writes a file of its own first.
note = mkdir -p $(@D) && echo $(1) > $@.$$$$ && if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

web/.cache/go: FORCE
	@$(call note,"$$($(GO) version)")

web/.cache/version: FORCE
	@$(call note,'$(VERSION) $(COMMIT) $(BUILT)')

$(WASM_FILE): $(WASM_FROM) web/.cache/go | need-go need-node
	@mkdir -p $(@D)
	@echo "building the node for pages" >&2
	@GO='$(GO)' sh wasm/build.sh page $@
	@touch $@

$(FLOOR_FILE): $(FLOOR_FROM) web/.cache/go | need-go need-node
	@mkdir -p $(@D)
	@echo "building what the node for pages is weighed beside" >&2
	@GO='$(GO)' sh wasm/build.sh floor $@
	@touch $@

$(EDGE_WASM): $(WASM_FROM) web/.cache/go | need-go need-node
	@mkdir -p $(@D)
	@echo "building the node for the edge" >&2
	@GO='$(GO)' sh wasm/build.sh worker $@
	@touch $@

$(EDGE_FILE): $(EDGE_FROM) $(EDGE_WASM) web/.cache/go web/.cache/version | need-go web-packages
	@cd web && GO='$(GO)' VERSION='$(VERSION)' COMMIT='$(COMMIT)' BUILT='$(BUILT)' node worker/build.js
	@touch $@

$(JS_FILE): $(JS_FROM) web/.cache/go web/.cache/version | need-go web-packages
	@mkdir -p $(@D)
	@cd web && GO='$(GO)' VERSION='$(VERSION)' COMMIT='$(COMMIT)' BUILT='$(BUILT)' node build.js
	@touch $@

$(APP_FILE): $(APP_FROM) $(JS_FILE) $(WASM_FILE)
	@cd web && node_modules/.bin/vite build app --logLevel warn
	@touch $@

web/.cache/release: FORCE
	@$(call note,'$(RELEASE)')

$(PACK_FILE): $(APP_FILE) web/pack.js web/compress.js web/.cache/release
	@RELEASE='$(RELEASE)' node web/pack.js
	@touch $@

bench-web: page ## times in Chromium: the first answer, a round trip, gaps of the page's thread
	@sh web/test/chromium.sh
	@cd web && node test/bench.js

shots: need-node peer $(APP_FILE) ## pictures of the wallet page's states, in both themes and sizes, into the folder SHOTS
	@sh web/test/chromium.sh
	@mkdir -p "$(SHOTS)"
	cd web && SCREENSHOTS="$(abspath $(SHOTS))" node --test app/test/shots.js

lighthouse: build ## Lighthouse's scores of the page that bin/obverse serves, each at least 95 (LIGHTHOUSE=folder keeps the reports)
	@sh web/test/chromium.sh
	@$(MAKE) --no-print-directory peer PEERS=web/lighthouse
	@$(if $(LIGHTHOUSE),LIGHTHOUSE='$(abspath $(LIGHTHOUSE))') node web/lighthouse/run.js

size: page worker $(FLOOR_FILE) ## sizes of what a page and the edge load, within web/budget.json (node web/size.js --write rewrites that), and of the page's node by packages
	@cd web && node size.js --check

web-packages: need-node
	@sh web/packages.sh web

peer: need-node ## install what the tests' peers of others need from npm
	@set -e; for peer in $(PEERS); do sh web/packages.sh $$peer; done

lint: need-go ## formatting, vet and staticcheck, for both targets
	@files=$$(gofmt -l $(SOURCES)); test -z "$$files" || { echo "gofmt these: $$files" >&2; exit 1; }
	$(GO) vet ./...
	$(WASM) vet $(CORE) $(PAGE)
	$(GO) tool staticcheck $(CHECKS) ./...
	GOOS=js GOARCH=wasm $$($(GO) tool -n staticcheck) $(CHECKS) $(PAGE)

deadcode: need-go ## functions that no program reaches: a report, to be judged
	@{ $(GO) tool deadcode ./native; GOOS=js GOARCH=wasm $$($(GO) tool -n deadcode) ./wasm/page ./wasm/worker; } | \
		sort | awk '!/^core\// || seen[$$0]++' # what one target leaves unused may serve the other

ifneq ($(AGAINST),)
bench: need-go ## one table of ratios: server, edge, validators; PACKAGES=yes adds the packages' benchmarks; AGAINST=http://host:port CREDENTIAL=cookie or conf file compares calls with a running daemon
	@OBVERSE_AGAINST='$(AGAINST)' OBVERSE_AGAINST_CREDENTIAL='$(if $(CREDENTIAL),$(abspath $(CREDENTIAL)))' $(GO) test -run '^$$' -bench Against -benchtime 1x -timeout 0 ./native/e2e
else
bench: need-go need-node peer worker
	@rm -f $(BENCH_ROWS) && mkdir -p $(dir $(BENCH_ROWS))
	$(BENCH) -bench Ratios ./native/e2e
	$(BENCH) -bench Edge ./native/workertest
	$(BENCH) -bench Validators ./native/cometbft
	@$(GO) run ./native/benchtable/print $(BENCH_ROWS)
	$(if $(PACKAGES),$(GO) test -run '^$$' -bench . -benchmem -benchtime 200ms $(CORE))
endif

soak: need-go ## KILLS kills of a node under load, half of them with a compaction each COMPACT, CUTS power cuts of a store, a minute of 1,000 streams and of 200 Lightning peers, SIGNATURES verdicts beside btcec's, core's tests SOAK times under the race detector
	OBVERSE_POWER_CUTS=$(CUTS) $(GO) test -count=1 -v -run TestPowerCuts -timeout 0 ./core/store/bunt
	OBVERSE_KILLS=$(KILLS) OBVERSE_COMPACT=$(COMPACT) $(GO) test -count=1 -v -run TestKill -timeout 0 ./native/e2e
	OBVERSE_STREAM_SECONDS=60 $(GO) test -count=1 -v -run TestThousandStreams -timeout 0 ./native/e2e
	OBVERSE_PEER_SECONDS=60 $(GO) test -count=1 -v -run TestManyPeers -timeout 0 ./native/lightning
	OBVERSE_SIGNATURES=$(SIGNATURES) $(GO) test -count=1 -v -run TestDifference -timeout 0 ./native/ecdsa
	$(GO) test -race -count=$(SOAK) -timeout 0 $(CORE)

interop: need-go page peer ## tests against real chains, an EVM network and an lnd, which are built once and kept in the user's cache
	@sh web/test/chromium.sh
	$(GO) test -count=1 -timeout 0 ./native/interop/...

docs: need-go ## write web/openrpc.json, web/mmrpc.d.ts, web/daemon.d.ts and the references in native/docs from the methods and settings
	OBVERSE_WRITE_DOCS=1 $(GO) test -count=1 -run TestDocuments ./core/mmrpc/... ./core/daemon ./core/config

fuzz: need-go ## every fuzz target for FUZZTIME
	@GO='$(GO)' sh native/fuzz.sh $(FUZZTIME) $(NATIVE)

clean: ## remove what was built
	rm -rf bin web/dist web/.cache
	find native/webpage/dist -mindepth 1 ! -name README -delete

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

need-go:
	@command -v $(GO) >/dev/null || { echo "Go 1.26 is missing: install it from https://go.dev/dl" >&2; exit 1; }

need-node:
	@test "$(HAS_NODE)" = yes || \
		{ echo "Node is missing (20.19, 22.12 or newer): it builds the page, and runs the tests of its target" >&2; exit 1; }
