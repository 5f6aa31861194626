# Rules for the node for pages, the JS package, the wallet page and the Worker. A step runs again if
# one of its sources is newer than its output. Included by the Makefile.
PROGRAM   := go.mod go.sum wasm/build.sh web/parts.js $(wildcard web/slim/*.js)
WASM_FROM := $(PROGRAM) $(shell find core wasm -type f ! -name '*_test.go' ! -path '*/testdata/*')
WASM_FILE := web/dist/obverse.wasm
EDGE_WASM := web/dist/edge/node.wasm
FLOOR_FILE := web/.cache/floor.wasm
DECLARED  := web/mmrpc.d.ts web/daemon.d.ts
JS_FROM   := web/build.js web/made.js web/package-lock.json web/tsconfig.json $(DECLARED) $(shell find web/src -type f)
JS_FILE   := web/dist/index.js
EDGE_FROM := web/made.js $(wildcard web/worker/*) web/src/engine.js $(wildcard web/src/storage/*.js) web/package-lock.json
EDGE_FILE := web/dist/edge/index.js
APP_FROM  := web/openrpc.json $(shell find web/app -type f ! -path '*/test/*')
APP_FILE  := web/dist/app/index.html
PACK_FILE := native/webpage/dist/index.html.gz

.PHONY: page worker wallet-page web-packages
page: need-node $(APP_FILE) ## build web/dist: the JS package, the node for it, and the wallet page

worker: need-node $(EDGE_FILE) ## build web/dist/edge, the Cloudflare Worker (web/worker/README.md)

ifeq ($(WALLET),no)
wallet-page:
else ifeq ($(NODE),yes)
wallet-page: $(PACK_FILE)
else
wallet-page:
	@echo "Node is missing (20.19, 22.12 or newer), which builds the wallet page: bin/obverse has $$( \
		test -e $(PACK_FILE) && echo 'the one that was built before' || echo none)" >&2
endif

web-packages: need-node
	@sh web/packages.sh web

# These files contain the variables on which a step depends. A file is written only if its content
# changes. Two makes may do so at the same time (make test), so each writes a temporary file first.
note = mkdir -p $(@D) && echo $(1) > $@.$$$$ && if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

web/.cache/go: FORCE
	@$(call note,"$$($(GO) version)")

web/.cache/version: FORCE
	@$(call note,'$(VERSION) $(COMMIT) $(BUILT)')

web/.cache/release: FORCE
	@$(call note,'$(RELEASE)')

$(WASM_FILE): PART := page
$(EDGE_WASM): PART := worker
$(FLOOR_FILE): PART := floor
$(WASM_FILE) $(EDGE_WASM): $(WASM_FROM)
$(FLOOR_FILE): $(PROGRAM) $(wildcard wasm/floor/*.go)
$(WASM_FILE) $(EDGE_WASM) $(FLOOR_FILE): web/.cache/go | need-go need-node
	@mkdir -p $(@D)
	@echo "building $@" >&2
	@sh wasm/build.sh $(PART) $@
	@touch $@

$(EDGE_FILE): $(EDGE_FROM) $(EDGE_WASM) web/.cache/go web/.cache/version | need-go web-packages
	@cd web && node worker/build.js
	@touch $@

# The declarations of the methods change less often than their sources.
$(DECLARED): web/.cache/declared
	@test -e $@ || $(GO) run ./native/declarations web

web/.cache/declared: $(WASM_FROM) $(wildcard native/declarations/*) | need-go
	@mkdir -p $(@D)
	@$(GO) run ./native/declarations web
	@touch $@

$(JS_FILE): $(JS_FROM) web/.cache/go web/.cache/version | need-go web-packages
	@mkdir -p $(@D)
	@cd web && node build.js
	@touch $@

$(APP_FILE): $(APP_FROM) $(JS_FILE) $(WASM_FILE)
	@cd web && node_modules/.bin/vite build app --logLevel warn
	@touch $@

$(PACK_FILE): $(APP_FILE) web/pack.js web/compress.js web/.cache/release
	@RELEASE='$(RELEASE)' node web/pack.js
	@touch $@

.PHONY: size bench-web shots lighthouse
size: page worker $(FLOOR_FILE) ## check the sizes of what pages and the edge load (node web/size.js --write sets web/budget.json)
	@cd web && node size.js --check

bench-web: page peer ## measure in Chromium: the first answer, a round trip, tasks with 1,000 tokens
	@sh web/test/chromium.sh
	@cd web && node test/bench.js && node --test --test-name-pattern="1,000 tokens" app/test/many.test.js | sed -n 's/^# \\*#* *\(1,000 tokens\)/\1/p'

shots: need-node peer $(APP_FILE) ## take pictures of the wallet page's states into the folder SHOTS (web/dist/shots)
	@sh web/test/chromium.sh
	@mkdir -p $(or $(SHOTS),web/dist/shots)
	cd web && SCREENSHOTS='$(abspath $(or $(SHOTS),web/dist/shots))' node --test app/test/shots.js

lighthouse: build ## require 95 in Lighthouse's scores of the page (LIGHTHOUSE=folder keeps the reports)
	@sh web/test/chromium.sh
	@sh web/packages.sh web/lighthouse
	@$(if $(LIGHTHOUSE),LIGHTHOUSE='$(abspath $(LIGHTHOUSE))') node web/lighthouse/run.js
