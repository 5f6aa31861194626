// Command worker is the node at the edge: one program in each Durable Object, which its
// shell (web/worker) starts once and which then serves all requests of that object. It puts
// both interfaces on paths of one host, with the checks of credential and origin; it knows
// no method and reads no request body.
//
// It is built with github.com/syumai/workers. That library makes a new program for every
// request; reply_js.go and, for the runtime, web/worker/program.js avoid the parts that break
// in a program that stays, each with its reason.
//
// Sources: developers.cloudflare.com/durable-objects; RFC 9110 and 7617; as in
// native/httpd for the forms of answers.
//
// Invariant: an answer is sent once the changes that it acknowledges are in the object's
// storage.
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

// main opens the node, hands its handler to the shell and stays.
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
	select {} // an object gets no signal before it ends
}

// An object has 128 MB. A store of this size takes 75 MB in memory, more while it is made, and the collector lets
// that grow by so much before it collects.
const (
	maxStore  = 40 << 20
	gcPercent = 25
	// memoryGoal makes the collector work harder than that before the object is full.
	memoryGoal = 88 << 20
)

// compaction comes sooner than elsewhere: an object lives for seconds, and has little room.
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

// storeName is the file of the store in the object's storage.
const storeName = "/store"
