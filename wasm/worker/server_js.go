package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"

	"obverse/core/clock"
	"obverse/core/daemon"
	"obverse/core/guard"
	"obverse/core/net/route"
	"obverse/core/rpc"
	"obverse/core/rpc/auth"
	"obverse/wasm/session"
)

const (
	jsonType = "application/json"
	htmlType = "text/html; charset=ISO-8859-1" // media type that libevent sets for responses without a type
)

// server is the node's handler.
type server struct {
	host     *host
	settings *session.Settings
	router   http.Handler

	restoring sync.Mutex // held by a running restore

	mu      sync.RWMutex     // held for reading by requests that use the session, and for writing by a restore
	session *session.Session // nil if it could not be opened again after a restore

	nodeAuth   *daemon.Authorizer // accepts the RPC password with any user
	daemonAuth *daemon.Authorizer
	calls      *http.CrossOriginProtection
	events     *http.CrossOriginProtection
}

// newServer opens the node.
func newServer(h *host) (*server, error) {
	settings, err := settingsOf(h)
	if err != nil {
		return nil, err
	}
	c := &settings.Config
	s := &server{
		host: h, settings: settings,
		nodeAuth:   daemon.NewPasswordAuthorizer(c.RPCPassword.Reveal(), settings.Platform.Guesses),
		daemonAuth: daemon.NewAuthorizer(c.Daemon.RPCUser, c.Daemon.RPCPassword.Reveal(), clock.Wall(time.Now)),
		calls:      guardOf(c.CallOrigin()), events: guardOf(c.EventOrigin()),
	}
	s.router = s.routes()
	return s, s.open()
}

// open creates a session and runs it.
func (s *server) open() (err error) {
	s.session, err = session.Start(s.settings, func(reason string) { s.host.tell("failed", reason) })
	return err
}

// failure returns the reason why the object must be started again, or "". The store of a failed
// object accepts no more writes until it is started again.
func (s *server) failure() string {
	if !s.mu.TryRLock() { // a restore is in progress
		return ""
	}
	defer s.mu.RUnlock()
	if s.session == nil {
		return errNotRunning.Error()
	}
	if err := s.session.DB.Healthy(); err != nil && s.session.Ctx.Err() == nil {
		return err.Error()
	}
	return ""
}

// busy reports whether there is work between requests.
func (s *server) busy() bool {
	if !s.mu.TryRLock() { // a restore is in progress
		return true
	}
	defer s.mu.RUnlock()
	return s.session != nil && s.session.Node.Busy()
}

func (s *server) routes() http.Handler {
	router := &httprouter.Router{}
	router.HandlerFunc(http.MethodPost, "/*path", s.post)
	router.HandlerFunc(http.MethodPut, route.Backup.Path, s.admitting(route.Backup, s.restore))
	for at, handler := range map[route.Route]http.HandlerFunc{
		route.Events: s.stream, route.Live: s.livez, route.Ready: s.readyz, route.Metrics: s.metrics, route.Backup: s.backup,
	} {
		handler = s.admitting(at, handler)
		router.HandlerFunc(http.MethodGet, at.Path, handler)
		router.HandlerFunc(http.MethodHead, at.Path, handler)
	}
	router.NotFound = http.HandlerFunc(s.elsewhere)
	return router
}

// admitting returns a handler that rejects callers that may not use a route.
func (s *server) admitting(at route.Route, do http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.excluded(at, r); err != nil {
			s.refuse(w, http.StatusForbidden, err)
			return
		}
		do(w, r)
	}
}

// excluded returns an error for a caller that may not use a route.
func (s *server) excluded(at route.Route, r *http.Request) error {
	return at.Check(callerOf(r, false).Local, s.settings.Config.RPCLocalOnly)
}

// guardOf returns a guard that detects requests from pages of other sites than this host and the
// allowed one.
func guardOf(allowed string) *http.CrossOriginProtection {
	guard := http.NewCrossOriginProtection()
	if allowed != "" {
		_ = guard.AddTrustedOrigin(allowed) // a malformed origin is not the origin of a page
	}
	return guard
}

// ServeHTTP recovers from panics, since the program serves all requests of the object.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if v := recover(); v != nil {
			s.settings.Log.Error("recovered from a panic", "work", "a handler", "panic", guard.Tell(context.Background(), "a handler", v))
			s.refuse(w, http.StatusInternalServerError, errInternal)
		}
	}()
	s.router.ServeHTTP(w, r)
}

// use returns the session, which is not replaced until release is called. If the session does not
// run, use responds to the request and returns nil. A caller must receive the body before use,
// since a restore waits for release.
func (s *server) use(w http.ResponseWriter) (node *session.Session, release func()) {
	s.mu.RLock()
	if s.session == nil {
		s.mu.RUnlock()
		s.refuse(w, http.StatusServiceUnavailable, errNotRunning)
		return nil, nil
	}
	return s.session, s.mu.RUnlock
}

// Reasons why a request does not reach its API.
var (
	errInternal   = errors.New("internal error, see the log of the Worker")
	errNotRunning = errors.New("the node is not running, see the log of the Worker")
	errPage       = errors.New("pages of this web origin may not call the node, rpccors names the one whose pages may")
)

// post rejects calls that a browser makes for a page of another site.
func (s *server) post(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == route.Daemon.Path {
		s.daemonCall(w, r)
		return
	}
	if s.calls.Check(r) != nil {
		s.refuse(w, http.StatusForbidden, fmt.Errorf("%w: %.100q", errPage, r.Header.Get("Origin")))
		return
	}
	route.AllowOrigin(w.Header(), s.settings.Config.CallOrigin())
	given := bodyOf(r)
	body, err := given.receive(r.Context(), s.settings.Config.MaxRequestBytes, bodyTime)
	if err != nil {
		s.refuse(w, notReceived(w, err), err)
		return
	}
	session, release := s.use(w)
	if session == nil {
		return
	}
	defer release()
	caller := callerOf(r, false)
	status, reply := session.Node.RPC(given.transport(session.Ctx), caller, body)
	if status >= http.StatusBadRequest {
		retryAfter(w, session.Node.RetryAfter(caller))
	}
	send(w, status, jsonType, reply)
}

// callerOf returns the caller with the address that the edge reports. The caller is never local.
func callerOf(r *http.Request, authorized bool) rpc.Caller {
	return rpc.Caller{Address: r.RemoteAddr, Authorized: authorized}
}

// receiveAgain is the time after which a client may send a body again for which there was no
// memory.
const receiveAgain = 2 * time.Second

// notReceived returns the HTTP status of a request whose body was not received.
func notReceived(w http.ResponseWriter, err error) int {
	var e *bodyError
	if !errors.As(err, &e) {
		return http.StatusBadRequest
	}
	if e.status == http.StatusServiceUnavailable {
		retryAfter(w, receiveAgain)
	}
	return e.status
}

// elsewhere responds to requests for paths without a route.
func (s *server) elsewhere(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == route.Daemon.Path:
		s.notPosted(w, r)
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		s.refuse(w, http.StatusNotFound, errors.New("there is nothing at this path"))
	case r.Method == http.MethodOptions:
		s.preflight(w, r)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST, OPTIONS")
		s.refuse(w, http.StatusMethodNotAllowed, errors.New("only POST requests are calls"))
	}
}

// preflight responds to the preflight request of a browser.
func (s *server) preflight(w http.ResponseWriter, r *http.Request) {
	c := &s.settings.Config
	origins := route.Origins{Calls: c.CallOrigin(), Events: c.EventOrigin()}
	origins.Preflight(w.Header(), r.URL.Path == route.Events.Path, r.Header.Get("Access-Control-Request-Method"))
	send(w, http.StatusOK, jsonType, nil)
}

// refuse sends an error in the format of the node API.
func (s *server) refuse(w http.ResponseWriter, status int, err error) {
	send(w, status, jsonType, object(map[string]string{"error": err.Error()}))
}

func challenge(w http.ResponseWriter) { w.Header().Set("WWW-Authenticate", `Basic realm="jsonrpc"`) }

// admit requires the RPC password, with any user. Without it, it responds with the reason.
func (s *server) admit(w http.ResponseWriter, r *http.Request, reason error) bool {
	err := s.nodeAuth.Check(r.Context(), r.RemoteAddr, r.Header.Values("Authorization"))
	switch {
	case err == nil:
		return true
	case errors.Is(err, auth.ErrBusy):
		w.Header().Set("Retry-After", "1")
		s.refuse(w, http.StatusTooManyRequests, err)
	default:
		challenge(w)
		s.refuse(w, http.StatusUnauthorized, reason)
	}
	return false
}
