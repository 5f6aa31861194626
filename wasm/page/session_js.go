package main

import (
	"context"
	"errors"
	"fmt"
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
	log    *logger
	random entropy
	build  build
	stop   func()

	wallets key.Wallets
}

// open opens the store and the node on it. Nothing runs yet.
func open(ctx context.Context, s *settings, path string) (*session, error) {
	db, err := bunt.Open(path)
	if err != nil {
		return nil, fail(kindStore, err)
	}
	if cut := db.Cut(); cut > 0 {
		s.log.Warn("the store ended in the midst of a write, which was taken off", "bytes", cut)
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
	go shrinkWhenGrown(s.ctx, s.db, log)
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

// bytes is the store as a file, as it is now: the log of whole batches up to here.
func (s *session) bytes(path string) ([]byte, error) {
	size := s.db.Size()
	file, err := os.Open(path)
	if err != nil {
		return nil, fail(kindStore, err)
	}
	defer file.Close()
	data := make([]byte, size)
	if _, err := file.ReadAt(data, 0); err != nil {
		return nil, fail(kindStore, err)
	}
	return data, nil
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
	if trial.db.Cut() > 0 {
		err = errCutOff
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

// Shrinking rewrites the store without what was overwritten since: when it has doubled
// and grown by shrinkStep, looked at every shrinkCheck.
const (
	shrinkCheck = 10 * time.Minute
	shrinkStep  = 16 << 20
)

func shrinkWhenGrown(ctx context.Context, db *bunt.DB, log *logger) {
	ticker := time.NewTicker(shrinkCheck)
	defer ticker.Stop()
	for last := db.Size(); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		before := db.Size()
		if before < 2*last+shrinkStep {
			continue
		}
		if err := db.Shrink(ctx); err != nil {
			log.Error("the store could not be shrunk", "error", fmt.Sprint(err))
		}
		last = db.Size()
		log.Info("shrank the store", "before", before, "after", last)
	}
}
