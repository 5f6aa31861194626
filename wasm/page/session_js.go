package main

import (
	"context"
	"errors"
	"os"
	"time"

	"obverse/core"
	"obverse/core/key"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/wasm/fetch"
	"obverse/wasm/jsval"
)

// session is a node at work on its store.
type session struct {
	db   *bunt.DB
	node *core.Node
	ctx  context.Context // of everything that the node does; ends with the session
	end  context.CancelFunc
	done chan struct{} // closed when the node's own work has ended
	err  error         // what it ended with, once done is closed
}

// settings is what a session is made of.
type settings struct {
	config core.Config
	path   string // of the store, in the file system that the host offers
	medium bunt.Medium
	log    *logger
	random entropy
	build  build
	stop   func()

	wallets key.Wallets
}

// open opens the store and the node on it. Nothing runs yet.
func open(ctx context.Context, s *settings, path string) (*session, error) {
	db, err := bunt.OpenOn(path, s.medium)
	if err != nil {
		return nil, fail(kindStore, err)
	}
	if cut := db.Findings().Cut; cut.Bytes > 0 {
		s.log.Warn("cut an incomplete write off the store; it was never acknowledged", "byte", cut.At, "bytes", cut.Bytes)
	}
	ctx, end := context.WithCancel(ctx)
	client := fetch.New(jsval.Global())
	node, err := core.New(ctx, s.config, core.Platform{
		Store: db, Now: time.Now, Random: s.random, Log: s.log, Fetch: client, Dial: client, Wallets: s.wallets,
		Stop: s.stop, Version: s.build.version, Commit: s.build.commit, Built: s.build.built,
	})
	if err != nil {
		end()
		kind := kindStart
		if errors.Is(err, store.ErrFailed) {
			kind = kindStore // there is no room for the node's first writes
		}
		return nil, errors.Join(fail(kind, err), db.Close())
	}
	return &session{db: db, node: node, ctx: ctx, end: end, done: make(chan struct{})}, nil
}

// run starts the node's own work. failed is told if it ends before the session does.
func (s *session) run(log *logger, failed func(error)) {
	go func() {
		defer close(s.done)
		if s.err = s.node.Run(s.ctx); s.err != nil && s.ctx.Err() == nil {
			failed(s.err)
		}
	}()
	go compaction(log).Run(s.ctx, s.db)
}

// close ends the session. Nobody uses it any more.
func (s *session) close() error {
	s.end()
	<-s.done
	s.node.Close()
	return fail(kindStore, s.db.Close())
}

// discard closes a session that was opened and never run.
func (s *session) discard() error {
	s.end()
	s.node.Close()
	return s.db.Close()
}

// bytes is the store as a file, as it is now.
func (s *session) bytes() ([]byte, error) {
	data, err := s.db.Export()
	return data, fail(kindStore, err)
}

// errCutOff: unlike a crash, nobody cuts an export off at its end for good reason.
var errCutOff = errors.New("the bytes are not a whole export: some are missing, or it is empty")

// check writes the bytes of a store beside the one at s.path and opens a node on them,
// so that what cannot be used replaces nothing.
func (s *settings) check(ctx context.Context, data []byte) (path string, err error) {
	if len(data) == 0 {
		return "", fail(kindImport, errCutOff)
	}
	path = s.path + ".import"
	if err := write(path, data); err != nil {
		return "", fail(kindStore, err)
	}
	if err := s.try(ctx, path); err != nil {
		return "", errors.Join(fail(kindImport, err), os.Remove(path))
	}
	return path, nil
}

// try opens and closes a node on the store at path.
func (s *settings) try(ctx context.Context, path string) error {
	quiet := *s
	quiet.log = newLogger(s.log.host, "error")
	trial, err := open(ctx, &quiet, path)
	if err != nil {
		return err
	}
	if cut := trial.db.Findings().Cut; cut.Bytes > 0 {
		err = errCutOff
		if cut.Kept != "" {
			err = errors.Join(err, os.Remove(cut.Kept))
		}
	}
	return errors.Join(err, trial.discard())
}

func write(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(data, 0)
	return errors.Join(err, file.Sync(), file.Close())
}

// compaction rewrites the store without what was overwritten since.
func compaction(log *logger) bunt.Compaction {
	return bunt.Compaction{
		Interval: 10 * time.Minute, MaxRetry: 2 * time.Hour, Step: 16 << 20, Sleep: sleep,
		Shrunk: func(before, after int64) { log.Info("compacted the store", "before", before, "after", after) },
		Failed: func(err error, retry time.Duration) {
			log.Error("compacting the store failed, it goes on as it is", "error", err.Error(), "retry", retry)
		},
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
