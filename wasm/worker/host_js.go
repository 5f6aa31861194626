package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/syumai/workers/cloudflare"

	"obverse/core/config"
	"obverse/wasm/jsval"
	"obverse/wasm/session"
)

// host is the shell's object for the program, which the library keeps as the context of
// the runtime. Beside the library's own members it has
//
//	env        CONFIG, the config as JSON, and the secrets under the names of their variables
//	obverse    log(level, line)       level is one of config.LogLevels
//	           failed(message)        the node cannot go on
//	           events(gone)           a body of an event stream: {body, write(text), close()}.
//	                                  write gives false when too much waits in it; gone is
//	                                  called once its client is gone
//	           build                  {version, commit, built}
//	           offered                set by the program: what offer says
//	outbound   fetch, AbortController and WebSocket for requests to others
type host struct{ context jsval.Value }

func newHost() *host { return &host{jsval.Global().Get("context")} }

func (h *host) shell() jsval.Value { return h.context.Get("obverse") }

// tell calls a function of the shell that has no result. One that throws has lost its object.
func (h *host) tell(function string, args ...any) { _, _ = h.shell().Call(function, args...) }

func (h *host) log(level, line string) { h.tell("log", level, line) }

func (h *host) outbound() jsval.Value { return h.context.Get("outbound") }

func (h *host) build() session.Build {
	b := h.shell().Get("build")
	return session.Build{Version: b.Get("version").TextOr("devel"), Commit: b.Get("commit").TextOr("unknown"), Built: b.Get("built").TextOr("")}
}

// offer lets the shell call
//
//	failure()  why the object must be started again, or nothing
//	busy()     whether the node has work to go on with between requests
//	limit      bytes of a request body; longer ones come without it
func (h *host) offer(s *server) {
	_ = h.shell().Set("offered", map[string]any{
		"failure": jsval.NewFunc(func([]jsval.Value) any { return s.failure() }),
		"busy":    jsval.NewFunc(func([]jsval.Value) any { return s.busy() }),
		"limit":   s.settings.Config.MaxRequestBytes,
	})
}

// Secrets are variables of the Worker; see the document of the edge.
const (
	rpcPasswordVariable    = "OBVERSE_RPC_PASSWORD"
	passphraseVariable     = "OBVERSE_PASSPHRASE"
	daemonPasswordVariable = "OBVERSE_DAEMON_RPCPASSWORD"
)

// config is the one of the object. Callers are never on this machine, so the methods for
// these alone are open to others unless the config says otherwise.
func (h *host) config(random io.Reader) (c config.Config, warnings []string, err error) {
	c = config.Default()
	c.RPCLocalOnly = false
	text := cloudflare.Getenv("CONFIG")
	if text == "" {
		text = "{}"
	}
	keys := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &keys); err != nil {
		return c, nil, session.Fail(session.ConfigError, fmt.Errorf("the config of the object is not a JSON object: %w", err))
	}
	if err := addSecrets(keys); err != nil {
		return c, nil, err
	}
	merged, err := json.Marshal(keys)
	if err != nil {
		return c, nil, err
	}
	c, warnings, err = session.ReadConfig(c, string(merged), random)
	return c, warnings, session.Fail(session.ConfigError, err)
}

// addSecrets puts the secrets in the place of keys of the config.
func addSecrets(keys map[string]json.RawMessage) error {
	daemon := map[string]json.RawMessage{}
	if text, given := keys["daemon"]; given {
		if err := json.Unmarshal(text, &daemon); err != nil {
			return session.Fail(session.ConfigError, fmt.Errorf("daemon is not a JSON object: %w", err))
		}
	}
	for _, s := range []struct {
		variable, key string
		in            map[string]json.RawMessage
	}{{rpcPasswordVariable, "rpc_password", keys}, {passphraseVariable, "passphrase", keys}, {daemonPasswordVariable, "rpcpassword", daemon}} {
		if secret := cloudflare.Getenv(s.variable); secret != "" {
			text, err := json.Marshal(secret)
			if err != nil {
				return err
			}
			s.in[s.key] = text
		}
	}
	if len(daemon) == 0 {
		return nil
	}
	text, err := json.Marshal(daemon)
	keys["daemon"] = text
	return err
}
