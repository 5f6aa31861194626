package main

import (
	"context"
	"errors"

	"obverse/core/store/bunt"
	"obverse/wasm/jsval"
)

// host is the object that started the program. It has these functions:
//
//	ready(functions)       once, with those of the bridge
//	log(level, line)       level is one of config.LogLevels
//	event(client, text)    an event for a client that connect named
//	disconnected(client)   its events have ended, because the node was restarted
//	stop()                 a client of the node API asks for the end; call the bridge's stop
//	failed(message)        a part of the node has failed, and the node with it
//	build                  not a function: {version, commit, built} of the package that the program is
//	                       part of. They are not in the program, which is the same bytes, and
//	                       downloaded once, for all versions between which it has not changed
//	transactions           not a function: true if all that was written until a sync of a file of
//	                       the store lasts as a whole or not at all
//	part(number)           loads a part of the program; a promise. Programs that are not split call it
//	                       never
//	opening(name)          the wallet of this name is being opened, which takes about a second
//	walletFiles            not a function: the wallet files, with names() (JSON), read(name) (null:
//	                       no such file), create(name, text) (false: there is one), replace(name,
//	                       text), remove(name) (false: no such file) and store(folder), the path of the
//	                       store of the wallet whose data are in that folder; all give promises
//	derive(password, salts, memory, passes, lanes)
//	                       has another instance of this program derive two keys by Argon2id: a promise
//	                       of a Uint8Array. Hosts that have no thread for it have no such function
//	wallet(client, text)   has a wallet in the client's page do what the text, JSON, says; a promise
//	                       of its answer, JSON too. Kinds of errors: see key.WalletFaults.
//	                       Hosts that serve no pages have no such function
type host struct{ object jsval.Value }

// call calls a function without a result. It ignores exceptions, which mean that the page of the host is gone.
func (h *host) call(function string, args ...any) { _, _ = h.object.Call(function, args...) }

// log writes a log line.
func (h *host) log(level, line string) { h.call("log", level, line) }

func (h *host) ready(functions map[string]any) { h.call("ready", functions) }

// build returns the version of the package that the program is part of, and the time of its commit.
func (h *host) build() (version, built string) {
	b := h.object.Get("build")
	return b.Get("version").TextOr("devel"), b.Get("built").TextOr("")
}

func (h *host) medium() bunt.Medium {
	if h.object.Get("transactions").Is() {
		return bunt.Transactions
	}
	return bunt.Files
}

// loadPart loads a part of this program through the host.
func (h *host) loadPart(number int64) error {
	loading, err := h.object.Call("part", number)
	if err == nil {
		_, err = jsval.Await(context.Background(), loading)
	}
	var thrown *jsval.Error
	if errors.As(err, &thrown) {
		return errors.New(thrown.Text) // without the name of the JavaScript class
	}
	return err
}
