package main

import (
	"cmp"
	"io"

	"github.com/syumai/workers/cloudflare"

	"obverse/core/config"
	"obverse/core/rpc/auth"
	"obverse/wasm/jsval"
	"obverse/wasm/session"
)

// host is the shell's object for the program, which the library keeps as the context of
// the runtime. In addition to the library's own members it has
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

// tell calls a function of the shell that has no result. A function that throws has lost its
// object.
func (h *host) tell(function string, args ...any) { _, _ = h.shell().Call(function, args...) }

func (h *host) log(level, line string) { h.tell("log", level, line) }

func (h *host) outbound() jsval.Value { return h.context.Get("outbound") }

// build returns the version of the package that the program is part of, and when its commit was made.
func (h *host) build() (version, built string) {
	b := h.shell().Get("build")
	return b.Get("version").TextOr("devel"), b.Get("built").TextOr("")
}

// offer lets the shell call
//
//	failure()  why the object must be started again, or nothing
//	busy()     whether the node has work to go on with between requests
//	limit      bytes of a request body
//	time       milliseconds in which a client must send one
//	origin(address)  what is counted together, see auth.Origin
func (h *host) offer(s *server) {
	_ = h.shell().Set("offered", map[string]any{
		"failure": jsval.NewFunc(func([]jsval.Value) any { return s.failure() }),
		"busy":    jsval.NewFunc(func([]jsval.Value) any { return s.busy() }),
		"limit":   s.settings.Config.MaxRequestBytes,
		"time":    bodyTime.Milliseconds(),
		"origin":  jsval.NewFunc(func(args []jsval.Value) any { return auth.Origin(jsval.Arg(args, 0).TextOr("")) }),
	})
}

// config returns the one of the object; secrets are variables of the Worker, see the document
// of the edge. Callers are never on this machine, so the methods for these alone are open to
// others unless the config says otherwise.
func (h *host) config(random io.Reader) (config.Config, []string, error) {
	c := config.Default()
	c.RPCLocalOnly = false
	secrets := map[string]string{}
	for _, key := range config.SecretKeys() {
		if secret := cloudflare.Getenv(key.Env()); secret != "" {
			secrets[key.Name] = secret
		}
	}
	c, warnings, err := session.ReadConfig(c, cmp.Or(cloudflare.Getenv("CONFIG"), "{}"), secrets, random)
	return c, warnings, session.Fail(session.ConfigError, err)
}
