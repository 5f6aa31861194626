// Command worker is the node at the edge. The shell of a Durable Object (web/worker) starts the
// program once, and the program then serves all requests of the object. It serves both APIs on
// paths of one host and checks credentials and origins. It contains no methods and does not
// interpret request bodies.
//
// It is built with github.com/syumai/workers. That library starts a new program for every request.
// reply_js.go and, for the runtime, web/worker/program.js avoid the parts of the library that do
// not work in a program that serves multiple requests, and explain each.
//
// Sources: developers.cloudflare.com/durable-objects; RFC 9110 and 7617; responses
// have the formats of native/httpd.
//
// Invariant: a response is sent once the changes that it acknowledges are in the object's storage.
package main

import (
	"runtime/debug"
	"time"

	"github.com/syumai/workers"

	"obverse/core"
	"obverse/core/clock"
	"obverse/core/rpc/auth"
	"obverse/core/store/bunt"
	"obverse/wasm/fetch"
	"obverse/wasm/jsval"
	"obverse/wasm/session"
	"obverse/wasm/sockets"
)

// main opens the node, passes its handler to the shell, and waits forever.
func main() {
	h := newHost()
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryGoal)
	s, err := newServer(h)
	if err != nil {
		h.tell("failed", err.Error())
		return
	}
	h.offer(s)
	workers.ServeNonBlock(s)
	workers.Ready()
	select {} // an object receives no signal before it ends
}

// An object has 128 MB of memory. A store with the size maxStore needs 75 MB, and more while it is
// loaded. The heap may grow by gcPercent before the garbage collector starts.
const (
	maxStore  = 40 << 20
	gcPercent = 25
	// memoryGoal is the heap size above which the garbage collector works harder, before the memory
	// of the object is exhausted.
	memoryGoal = 88 << 20
)

// Stores are compacted earlier than on other platforms, since an object lives for seconds and has
// little memory.
func compaction() bunt.Compaction {
	return bunt.Compaction{Interval: 20 * time.Second, Growth: 20, Step: 2 << 20}
}

// settingsOf returns the settings of the node's sessions.
func settingsOf(h *host) (*session.Settings, error) {
	random := session.Entropy{Crypto: jsval.Global().Get("crypto")}
	config, warnings, err := h.config(random)
	if err != nil {
		return nil, err
	}
	log := session.NewLogger(h.log, config.LogLevel, config.Secrets()...)
	for _, line := range warnings {
		log.Warn(line)
	}
	client := fetch.NewAtEdge(h.outbound())
	version, built := h.build()
	return &session.Settings{
		Config: config, Path: storeName, Medium: bunt.Transactions, MaxBytes: maxStore, Compaction: compaction(), Log: log,
		Platform: core.Platform{
			Random: random, Guesses: auth.New(auth.Strong(config.RPCPassword.Reveal()), clock.Wall(time.Now)), Fetch: client, Dial: client,
			Lightning: sockets.Opener{Random: random, Now: time.Now}.Open, Version: version, Built: built,
		},
	}, nil
}

// storeName is the name of the store's file in the object's storage.
const storeName = "/store"
