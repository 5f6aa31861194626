package main

import (
	"errors"
	"fmt"
	"net/http"

	"obverse/core/daemon"
	"obverse/core/net/route"
	"obverse/core/rpc/auth"
)

// daemonCall serves a call of the daemon API. As in komodod, the path is checked first, then the
// credential, then the body. The body is not received while a caller waits because of a wrong
// credential.
func (s *server) daemonCall(w http.ResponseWriter, r *http.Request) {
	s.admitPage(w, r)
	if err := s.excluded(route.Daemon, r); err != nil {
		send(w, http.StatusForbidden, jsonType, daemon.Refusal(daemon.CodeRequest, err.Error()))
		return
	}
	if s.calls.Check(r) != nil {
		send(w, http.StatusForbidden, jsonType, daemon.Refusal(daemon.CodeRequest, fmt.Sprintf("%s: %.100q", errPage, r.Header.Get("Origin"))))
		return
	}
	err := s.daemonAuth.Check(r.Context(), r.RemoteAddr, r.Header.Values("Authorization"))
	switch {
	case errors.Is(err, auth.ErrBusy):
		w.Header().Set("Retry-After", "1")
		send(w, http.StatusTooManyRequests, jsonType, daemon.Refusal(daemon.CodeRequest, err.Error()))
		return
	case err != nil:
		challenge(w)
		send(w, http.StatusUnauthorized, htmlType, nil)
		return
	}
	given := bodyOf(r)
	given.prove()
	body, err := given.receive(r.Context(), s.settings.Config.MaxRequestBytes, bodyTime)
	if err != nil {
		send(w, notReceived(w, err), jsonType, daemon.Refusal(daemon.CodeRequest, err.Error()))
		return
	}
	session, release := s.use(w)
	if session == nil {
		return
	}
	defer release()
	status, reply := session.Node.Daemon(given.transport(session.Ctx), callerOf(r, true), body)
	send(w, status, jsonType, reply)
}

// admitPage allows a page of the configured origin to read the response. It reports whether the
// request is from such a page.
func (s *server) admitPage(w http.ResponseWriter, r *http.Request) bool {
	w.Header().Set("Vary", "Origin")
	origin := s.settings.Config.CallOrigin()
	if origin == "" || r.Header.Get("Origin") != origin {
		return false
	}
	w.Header().Set("Access-Control-Allow-Origin", origin)
	return true
}

// notPosted responds to other verbs on the path of the daemon API as komodod does, and to preflight
// requests of browsers.
func (s *server) notPosted(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodOptions:
		if r.Header.Get("Access-Control-Request-Method") != http.MethodPost || !s.admitPage(w, r) {
			send(w, http.StatusMethodNotAllowed, htmlType, nil)
			return
		}
		route.PermitDaemon(w.Header())
		send(w, http.StatusOK, htmlType, nil)
	case http.MethodGet, http.MethodHead, http.MethodPut:
		send(w, http.StatusMethodNotAllowed, htmlType, []byte("JSONRPC server handles only POST requests"))
	default:
		send(w, http.StatusMethodNotAllowed, htmlType, nil)
	}
}
