package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
)

func (s *server) livez(w http.ResponseWriter, _ *http.Request) {
	s.state(w, http.StatusOK, "alive")
}

// readyz tells whether the object takes and keeps work.
func (s *server) readyz(w http.ResponseWriter, _ *http.Request) {
	if err := s.session.DB.Healthy(); err != nil || s.session.Ctx.Err() != nil {
		s.state(w, http.StatusServiceUnavailable, "unavailable")
		return
	}
	s.state(w, http.StatusOK, "ready")
}

func (s *server) state(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Cache-Control", "no-store")
	send(w, status, jsonType, object(map[string]string{"status": text}))
}

// metrics are the node's figures in Prometheus' text format.
func (s *server) metrics(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, "metrics need") {
		return
	}
	var text bytes.Buffer
	for _, g := range s.session.Node.Gauges() {
		kind := "gauge"
		if g.Grows {
			kind = "counter"
		}
		fmt.Fprintf(&text, "# HELP obverse_%s %s\n# TYPE obverse_%[1]s %s\nobverse_%[1]s %v\n", g.Name, g.Help, kind, g.Read())
	}
	fmt.Fprintf(&text, "# HELP obverse_store_bytes Size of the store.\n# TYPE obverse_store_bytes gauge\nobverse_store_bytes %d\n", s.session.DB.Size())
	send(w, http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", text.Bytes())
}

// backup gives the store as the file that a native node works on.
func (s *server) backup(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, "a backup needs") {
		return
	}
	data, err := s.session.Bytes()
	if err != nil {
		s.settings.Log.Error("backup failed", "error", err.Error())
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Disposition", `attachment; filename="obverse.db"`)
	send(w, http.StatusOK, "application/octet-stream", data)
}

// restore replaces the store by such a file, once the node is known to work on it, and
// ends the node: the object's next request starts one on the new store.
func (s *server) restore(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, "a restore needs") {
		return
	}
	data, err := readBody(r)
	if err != nil {
		s.refuse(w, http.StatusBadRequest, err)
		return
	}
	path, err := s.settings.Check(r.Context(), data)
	if err != nil {
		s.refuse(w, http.StatusBadRequest, err)
		return
	}
	if err := os.Rename(path, storeName); err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	send(w, http.StatusOK, jsonType, object(map[string]string{"result": "restored"}))
	go s.restart()
}

// restart has the shell end the object. The store that is open is no longer the one under
// its name, so what is written to it from now on is lost.
func (s *server) restart() { s.host.tell("restart") }
