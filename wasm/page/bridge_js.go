package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"obverse/core"
	"obverse/core/config"
	"obverse/core/daemon"
	"obverse/core/event"
	"obverse/core/mmrpc"
	"obverse/core/rpc"
	"obverse/wasm/fetch"
	"obverse/wasm/jsval"
	"obverse/wasm/session"
)

// bridge provides the node to the host. All its functions except exit return
// promises. The errors have a kind of package session or of a package below it.
type bridge struct {
	host   *host
	exit   chan struct{} // closed to end the program
	events events

	mu       sync.RWMutex // held for reading by every call, for writing to open and close
	settings *session.Settings
	session  *session.Session // nil: the node does not run
	ended    bool

	importing sync.Mutex // one at a time
}

func newBridge(h *host) *bridge {
	return &bridge{host: h, exit: make(chan struct{}), events: events{host: h, clients: map[int64]*event.Connection{}}}
}

// functions returns the functions of the bridge:
//
//	start(config, path)     opens the store at path and runs the node
//	rpc(body, client)       a request body of the node API as of a client on this machine: {status, body}
//	call(method, params, client)
//	                        one method of the node API with parameters as JSON, on behalf of the owner;
//	                        if a wallet is needed, it is that of the client, which may be missing
//	daemon(body)            a request body of the daemon API: {status, body}
//	sign(request, client)   a request for a program of others, and its reply: package dapp has both.
//	                        The caller displays the description to a person before it has anything executed
//	connect(client)         sends this client's events to host.event; a client is a whole number
//	disconnect(client)      no more of them
//	derive(password, salts, memory, passes, lanes)
//	                        two keys, as host.derive asks for them; needs no start
//	export()                the whole store, a Uint8Array
//	import(bytes)           replaces the store by an export and restarts the node
//	stop()                  ends the node
//	exit()                  ends the program, once stop's promise is settled; gives nothing
func (b *bridge) functions() map[string]any {
	return map[string]any{
		"start":      async(b.start),
		"rpc":        async(b.rpc),
		"call":       async(b.call),
		"daemon":     async(b.daemon),
		"sign":       async(b.sign),
		"connect":    async(b.connect),
		"disconnect": async(b.disconnect),
		"derive":     async(b.derive),
		"export":     async(b.export),
		"import":     async(b.load),
		"stop":       async(b.stop),
		"exit":       jsval.NewFunc(func([]jsval.Value) any { close(b.exit); return nil }),
	}
}

// async wraps a function that may wait. The function is never released, because it is needed as long as the
// program runs.
func async(do func(args []jsval.Value) (any, error)) *jsval.Func {
	return jsval.NewFunc(func(args []jsval.Value) any { return jsval.Promise(do, args) })
}

// Kinds of errors for calls at the wrong time, and their texts.
const (
	kindRunning = "AlreadyRunning" // start was called before
	kindStopped = "NotRunning"     // start was not called, or stop was
)

var (
	errRunning    = errors.New("the node was started before")
	errNotRunning = errors.New("the node is not running")
)

func (b *bridge) start(args []jsval.Value) (any, error) {
	text, err := jsval.Arg(args, 0).Text()
	if err != nil {
		return nil, session.Fail(session.ConfigError, fmt.Errorf("config: %w", err))
	}
	path, err := jsval.Arg(args, 1).Text()
	if err != nil {
		return nil, session.Fail(session.StoreError, fmt.Errorf("path: %w", err))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != nil || b.ended {
		return nil, session.Fail(kindRunning, errRunning)
	}
	random := session.Entropy{Crypto: jsval.Global().Get("crypto")}
	c, warnings, err := session.ReadConfig(config.Default(), text, nil, random)
	if err != nil {
		return nil, session.Fail(session.ConfigError, err)
	}
	if c.WalletConnect.AppURL == "" {
		c.WalletConnect.AppURL = pageURL()
	}
	log := session.NewLogger(b.host.log, c.LogLevel, c.Secrets()...)
	for _, line := range warnings {
		log.Warn(line)
	}
	client := fetch.New(jsval.Global())
	version, built := b.host.build()
	b.settings = &session.Settings{Config: c, Path: path, Medium: b.host.medium(), Log: log, Platform: core.Platform{
		Random: random, Stop: func() { b.host.call("stop") }, Fetch: client, Dial: client, Wallets: b.host.wallets(), Ledgers: b.host.ledgers(),
		ChainOnDemand: true, // the code of the chain is in a part
		Version:       version, Built: built,
	}}
	if err := b.signIn(context.Background(), b.settings); err != nil {
		return nil, err
	}
	return nil, b.open()
}

// pageURL returns the origin of the page that this program belongs to, if it is a web page.
func pageURL() string {
	origin := jsval.Global().Get("location").Get("origin").TextOr("")
	if !strings.HasPrefix(origin, "http") { // a file has the origin null
		return ""
	}
	return origin
}

// open opens a session with the settings. b.mu must be held.
func (b *bridge) open() (err error) {
	b.session, err = session.Start(b.settings, func(reason string) { b.host.call("failed", reason) })
	return err
}

// running returns the session, which is not closed before release is called.
func (b *bridge) running() (s *session.Session, release func(), err error) {
	b.mu.RLock()
	if b.session == nil {
		b.mu.RUnlock()
		return nil, nil, session.Fail(kindStopped, errNotRunning)
	}
	return b.session, b.mu.RUnlock, nil
}

// tooLarge returns why a body is too large; empty: it is not.
func (b *bridge) tooLarge(body string) string {
	if limit := b.settings.Config.MaxRequestBytes; int64(len(body)) > limit {
		return fmt.Sprintf("request body too large: the limit is %d bytes", limit)
	}
	return ""
}

const (
	statusBadRequest = 400
	statusTooLarge   = 413
)

// answer returns an answer of an API in the form for the host.
func answer(status int, reply []byte) map[string]any {
	return map[string]any{"status": status, "body": string(reply)}
}

func (b *bridge) rpc(args []jsval.Value) (any, error) {
	body, err := jsval.Arg(args, 0).Text()
	if err != nil {
		return nil, err
	}
	s, release, err := b.running()
	if err != nil {
		return nil, err
	}
	defer release()
	if reason := b.tooLarge(body); reason != "" {
		return answer(statusTooLarge, mmrpc.Refusal(reason)), nil
	}
	return answer(s.Node.RPC(calledBy(s.Ctx, jsval.Arg(args, 1)), rpc.Caller{Address: "127.0.0.1", Local: true}, []byte(body))), nil
}

// call serves the owner, who needs no password and is not locked out by wrong passwords in bodies.
func (b *bridge) call(args []jsval.Value) (any, error) {
	method, err := jsval.Arg(args, 0).Text()
	if err != nil {
		return nil, err
	}
	s, release, err := b.running()
	if err != nil {
		return nil, err
	}
	defer release()
	params := jsval.Arg(args, 1).TextOr("{}")
	if reason := b.tooLarge(params); reason != "" {
		return answer(statusTooLarge, mmrpc.Refusal(reason)), nil
	}
	body, err := json.Marshal(struct {
		Version string          `json:"mmrpc"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}{"2.0", method, json.RawMessage(params)})
	if err != nil {
		return answer(statusBadRequest, mmrpc.Refusal("params are not valid JSON")), nil
	}
	return answer(s.Node.RPC(calledBy(s.Ctx, jsval.Arg(args, 2)), rpc.Caller{Local: true, Authorized: true}, body)), nil
}

func (b *bridge) daemon(args []jsval.Value) (any, error) {
	body, err := jsval.Arg(args, 0).Text()
	if err != nil {
		return nil, err
	}
	s, release, err := b.running()
	if err != nil {
		return nil, err
	}
	defer release()
	if reason := b.tooLarge(body); reason != "" {
		return answer(statusTooLarge, daemon.Refusal(daemon.CodeRequest, reason)), nil
	}
	return answer(s.Node.Daemon(s.Ctx, rpc.Caller{Local: true, Authorized: true}, []byte(body))), nil
}

func (b *bridge) sign(args []jsval.Value) (any, error) {
	request, err := jsval.Arg(args, 0).Text()
	if err != nil {
		return nil, err
	}
	s, release, err := b.running()
	if err != nil {
		return nil, err
	}
	defer release()
	return string(s.Node.DApps(calledBy(s.Ctx, jsval.Arg(args, 1)), []byte(request))), nil
}

func (b *bridge) export([]jsval.Value) (any, error) {
	s, release, err := b.running()
	if err != nil {
		return nil, err
	}
	defer release()
	return s.Bytes()
}

// load implements import. The node continues to run until the bytes have proven to be a store that it can
// use. Calls that are waiting then, for example for a wallet, end. With the option all,
// it also imports the rows that another node has written in addition to the chain.
func (b *bridge) load(args []jsval.Value) (any, error) {
	data, err := jsval.Arg(args, 0).Bytes()
	if err != nil {
		return nil, session.Fail(session.ImportError, err)
	}
	b.importing.Lock()
	defer b.importing.Unlock()
	path, err := b.ready(data, jsval.Arg(args, 1).Get("all").Is())
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session == nil { // stop was called in the meantime
		return nil, errors.Join(session.Fail(kindStopped, errNotRunning), os.Remove(path))
	}
	err = b.session.Close()
	b.session = nil
	if err == nil {
		err = session.Fail(session.StoreError, os.Rename(path, b.settings.Path))
	}
	return nil, errors.Join(err, b.open())
}

// ready writes the bytes of an import to a file in the folder of the store, and ends the session's calls.
func (b *bridge) ready(data []byte, all bool) (path string, err error) {
	s, release, err := b.running()
	if err != nil {
		return "", err
	}
	defer release()
	if path, err = b.settings.Check(context.Background(), data, all); err == nil {
		s.End()
	}
	return path, err
}

func (b *bridge) stop([]jsval.Value) (any, error) {
	b.mu.RLock()
	if b.session != nil {
		b.session.End() // calls that wait end soon
	}
	b.mu.RUnlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	if b.session == nil {
		return nil, nil
	}
	err := b.session.Close()
	b.session = nil
	return nil, err
}
