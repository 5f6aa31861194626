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

// host is the object that the shell passes to the program. The library stores it as the context of
// the runtime. In addition to the members of the library, it has
//
//	env        CONFIG, the config as JSON, and the secrets under the names of their variables
//	obverse    log(level, line)       level is one of config.LogLevels
//	           failed(message)        reports that the node has failed
//	           events(gone)           returns a body of an event stream: {body, write(text), close()}.
//	                                  write returns false if its buffer is full; gone is called
//	                                  when the client has disconnected
//	           build                  {version, commit, built}
//	           offered                members that the program sets; see offer
//	outbound   fetch, AbortController and WebSocket for outgoing requests
type host struct{ context jsval.Value }

func newHost() *host { return &host{jsval.Global().Get("context")} }

func (h *host) shell() jsval.Value { return h.context.Get("obverse") }

// tell calls a function of the shell that has no result. If the function throws, the object no
// longer exists.
func (h *host) tell(function string, args ...any) { _, _ = h.shell().Call(function, args...) }

func (h *host) log(level, line string) { h.tell("log", level, line) }

func (h *host) outbound() jsval.Value { return h.context.Get("outbound") }

// build returns the version of the package that contains the program, and the time of its commit.
func (h *host) build() (version, built string) {
	b := h.shell().Get("build")
	return b.Get("version").TextOr("devel"), b.Get("built").TextOr("")
}

// offer sets the members that the shell uses:
//
//	failure()        returns the reason why the object must be started again, or ""
//	busy()           reports whether the node has work between requests
//	limit            maximum size of a request body, in bytes
//	time             maximum time to send a request body, in milliseconds
//	origin(address)  returns the group of addresses that are counted together; see auth.Origin
func (h *host) offer(s *server) {
	_ = h.shell().Set("offered", map[string]any{
		"failure": jsval.NewFunc(func([]jsval.Value) any { return s.failure() }),
		"busy":    jsval.NewFunc(func([]jsval.Value) any { return s.busy() }),
		"limit":   s.settings.Config.MaxRequestBytes,
		"time":    bodyTime.Milliseconds(),
		"origin":  jsval.NewFunc(func(args []jsval.Value) any { return auth.Origin(jsval.Arg(args, 0).TextOr("")) }),
	})
}

// config returns the config of the object. Secrets are variables of the Worker, as documented for
// the edge. No caller is local, so that methods for local callers are available to others unless
// the config forbids it.
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
