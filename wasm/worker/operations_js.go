package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"

	"obverse/wasm/session"
)

// Reasons to reject an operation although the RPC password is valid.
var (
	errMetrics = errors.New("metrics need the RPC password (Basic authentication, any user)")
	errBackup  = errors.New("a backup needs the RPC password (Basic authentication, any user)")
	errRestore = errors.New("a restore needs the RPC password (Basic authentication, any user)")
	// errRestoring is returned by an operation during a restore. A client that timed out may have
	// started the restore.
	errRestoring = errors.New("another restore is in progress: wait for its end, then look at the node")
)

func (s *server) livez(w http.ResponseWriter, _ *http.Request) {
	s.state(w, http.StatusOK, "alive")
}

// readyz reports whether the object accepts and stores transactions.
func (s *server) readyz(w http.ResponseWriter, _ *http.Request) {
	session, release := s.use(w)
	if session == nil {
		return
	}
	defer release()
	if err := session.DB.Healthy(); err != nil || session.Ctx.Err() != nil {
		s.state(w, http.StatusServiceUnavailable, "unavailable")
		return
	}
	s.state(w, http.StatusOK, "ready")
}

func (s *server) state(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Cache-Control", "no-store")
	send(w, status, jsonType, object(map[string]string{"status": text}))
}

// metrics returns the metrics of the node in the Prometheus text format.
func (s *server) metrics(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, errMetrics) {
		return
	}
	session, release := s.use(w)
	if session == nil {
		return
	}
	defer release()
	send(w, http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", figuresOf(session))
}

func figuresOf(session *session.Session) []byte {
	var text bytes.Buffer
	for _, g := range session.Node.Gauges() {
		kind := "gauge"
		if g.Grows {
			kind = "counter"
		}
		fmt.Fprintf(&text, "# HELP obverse_%[1]s %[2]s\n# TYPE obverse_%[1]s %[3]s\nobverse_%[1]s %[4]v\n", g.Name, g.Help, kind, g.Read())
	}
	fmt.Fprintf(&text, "# HELP go_goroutines Number of goroutines that currently exist.\n# TYPE go_goroutines gauge\ngo_goroutines %d\n", runtime.NumGoroutine())
	fmt.Fprintf(&text, "# HELP obverse_store_bytes Size of the store.\n# TYPE obverse_store_bytes gauge\nobverse_store_bytes %d\n", session.DB.Size())
	return text.Bytes()
}

// backup returns the store as a file that a native node can use.
func (s *server) backup(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, errBackup) {
		return
	}
	if r.Method == http.MethodHead {
		send(w, http.StatusOK, "application/octet-stream", nil)
		return
	}
	session, release := s.use(w)
	if session == nil {
		return
	}
	defer release()
	data, err := session.Bytes()
	if err != nil {
		s.settings.Log.Error("backup failed", "error", err.Error())
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Disposition", `attachment; filename="obverse.db"`)
	send(w, http.StatusOK, "application/octet-stream", data)
}

// restore replaces the store with such a file under a lock. If no node can run on the new store,
// the previous one is restored. The node is closed meanwhile, since two stores do not fit into the
// object's memory.
func (s *server) restore(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, errRestore) {
		return
	}
	given := bodyOf(r)
	given.prove()
	data, err := given.receive(r.Context(), maxRestore, restoreTime)
	if err != nil {
		s.refuse(w, notReceived(w, err), err)
		return
	}
	if !s.restoring.TryLock() {
		s.refuse(w, http.StatusConflict, errRestoring)
		return
	}
	defer s.restoring.Unlock()
	path, err := s.settings.Put(data)
	if err != nil {
		s.refuse(w, http.StatusBadRequest, err)
		return
	}
	if err := s.replace(path, r.URL.Query().Get("all") == "true"); err != nil {
		s.settings.Log.Error("restore failed", "error", err.Error())
		s.refuse(w, http.StatusBadRequest, err)
		return
	}
	s.settings.Log.Info("restored the store", "bytes", len(data))
	send(w, http.StatusOK, jsonType, object(map[string]string{"result": "restored"}))
}

// replace opens the node on another store. all has the meaning of the parameter of
// session.Settings.Try.
func (s *server) replace(path string, all bool) (err error) {
	s.mu.RLock()
	if s.session != nil {
		s.session.End() // ends running calls early
	}
	s.mu.RUnlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { err = errors.Join(err, s.open()) }() // reopens the session even if the trial panics because of the file
	if s.session != nil {
		if err := s.session.Close(); err != nil {
			return err
		}
	}
	if err := s.settings.Try(context.Background(), path, all); err != nil {
		return err
	}
	return os.Rename(path, storeName)
}
