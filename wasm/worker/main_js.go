package main

import (
	"context"
	"time"

	"github.com/syumai/workers"

	"obverse/core/clock"
	"obverse/core/guess"
	"obverse/wasm/fetch"
	"obverse/wasm/jsval"
	"obverse/wasm/session"
	"obverse/wasm/sockets"
)

// main opens the node, hands its handler to the shell and stays.
func main() {
	h := newHost()
	s, err := open(context.Background(), h)
	if err != nil {
		h.tell("failed", err.Error())
		return
	}
	h.offer(s)
	workers.ServeNonBlock(s)
	workers.Ready()
	select {} // an object is never told that it ends
}

// open makes the server around a session.
func open(ctx context.Context, h *host) (*server, error) {
	random := session.Entropy{Crypto: jsval.Global().Get("crypto")}
	config, warnings, err := h.config(random)
	if err != nil {
		return nil, err
	}
	log := session.NewLogger(h.log, config.LogLevel, config.RPCPassword, config.Passphrase, config.Daemon.RPCPassword)
	for _, line := range warnings {
		log.Warn(line)
	}
	client := fetch.New(h.outbound())
	limiter := guess.New(guess.Strong(config.RPCPassword.Reveal()), clock.Wall(time.Now))
	settings := &session.Settings{
		Config: config, Path: storeName, Medium: h.medium(), Log: log, Random: random, Build: h.build(), Guesses: limiter,
		Fetch: client, Dial: client, Lightning: sockets.Opener{Random: random, Now: time.Now}.Open,
	}
	running, err := session.Open(ctx, settings)
	if err != nil {
		return nil, err
	}
	running.Run(log, func(err error) {
		log.Error("the node has failed", "error", err.Error())
		h.tell("failed", err.Error())
	})
	return newServer(h, settings, running, limiter), nil
}

// storeName is the file of the store in the object's storage.
const storeName = "/store"
