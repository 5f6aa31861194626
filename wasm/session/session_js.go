package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"obverse/core"
	"obverse/core/clock"
	"obverse/core/config"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/store/owner"
)

// Session is a running node with its store.
type Session struct {
	DB   *bunt.DB
	Node *core.Node
	Ctx  context.Context // of all work of the node; ends with the session
	End  context.CancelFunc
	done chan struct{} // closed when the node's own work has ended
	err  error         // error of the node's own work, once done is closed
}

// Settings holds the parameters of a session.
type Settings struct {
	Config config.Config
	// Platform contains the node's ports, except Store, Now and Log, which Start sets.
	Platform core.Platform
	Path     string // of the store, in the host's file system
	Medium   bunt.Medium
	MaxBytes int64 // size of the store's file above which writes are refused, in bytes; 0: no limit
	// Compaction determines when the store is compacted; zero fields have defaults.
	Compaction bunt.Compaction
	Log        *Logger
}

// errNoWallets refuses a config with a wallet. Without the key of the wallet, the node would seem to have lost it.
var errNoWallets = errors.New("wallet_name is set, but wallets cannot be stored here: set passphrase")

// open opens the store at path and creates the node, without running it.
func open(ctx context.Context, s *Settings, path string) (*Session, error) {
	if s.Config.WalletName != "" && s.Platform.NamedWallets == nil {
		return nil, Fail(ConfigError, errNoWallets)
	}
	db, err := bunt.OpenOn(path, s.Medium)
	if err != nil {
		return nil, Fail(StoreError, err)
	}
	if cut := db.Findings().Cut; cut.Bytes > 0 {
		s.Log.Warn("truncated an incomplete write at the end of the store; it was never acknowledged", "byte", cut.At, "bytes", cut.Bytes)
	}
	ctx, end := context.WithCancel(ctx)
	p := s.Platform
	p.Store, p.Now, p.Log = limited{db, s.MaxBytes}, time.Now, s.Log
	n, err := core.New(ctx, s.Config, p)
	if err != nil {
		end()
		kind := StartError
		if errors.Is(err, store.ErrFailed) {
			kind = StoreError // there is no room for the node's first writes
		}
		return nil, errors.Join(Fail(kind, err), db.Close())
	}
	return &Session{DB: db, Node: n, Ctx: ctx, End: end, done: make(chan struct{})}, nil
}

// Start opens a session and runs it. It calls failed with the reason if the node's work ends
// before the session does.
func Start(settings *Settings, failed func(reason string)) (*Session, error) {
	s, err := open(context.Background(), settings, settings.Path)
	if err != nil {
		return nil, err
	}
	s.run(settings, failed)
	return s, nil
}

func (s *Session) run(settings *Settings, failed func(reason string)) {
	go func() {
		defer close(s.done)
		if s.err = s.Node.Run(s.Ctx); s.err != nil && s.Ctx.Err() == nil {
			settings.Log.Error("node failed", "error", s.err.Error())
			failed(s.err.Error())
		}
	}()
	go compaction(settings.Log, settings.Compaction).Run(s.Ctx, s.DB)
}

// Close ends the session, which must not be used afterwards.
func (s *Session) Close() error {
	s.End()
	<-s.done
	s.Node.Close()
	return Fail(StoreError, s.DB.Close())
}

// discard closes a session that was opened and never ran.
func (s *Session) discard() error {
	s.End()
	s.Node.Close()
	return s.DB.Close()
}

// Bytes returns the store as a file, as it is now.
func (s *Session) Bytes() ([]byte, error) {
	data, err := s.DB.Export()
	return data, Fail(StoreError, err)
}

// limited refuses writes once the store's file exceeds a size, since all of it is in memory.
type limited struct {
	*bunt.DB
	maxSize int64 // bytes; 0: no limit
}

// Stage implements store.KV.
func (l limited) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	if size := l.Size(); l.maxSize > 0 && size > l.maxSize && len(b.Ops) > 0 {
		return nil, fmt.Errorf("%w: its file has %d bytes, the limit is %d", store.ErrFailed, size, l.maxSize)
	}
	return l.DB.Stage(ctx, b)
}

// errCutOff: a crash can truncate a store, but never an export.
var errCutOff = errors.New("the bytes are not a whole export: truncated or empty")

// Check writes the bytes of a store next to the one at s.Path and opens a node on them, so that
// an unusable store replaces nothing. path is the path of the written store. all is that of
// Try.
func (s *Settings) Check(ctx context.Context, data []byte, all bool) (path string, err error) {
	if path, err = s.Put(data); err != nil {
		return "", err
	}
	return path, s.Try(ctx, path, all)
}

// Put writes the bytes of a store next to the one at s.Path. There is one such place: the caller
// holds a lock until the store is in use or Try has failed.
func (s *Settings) Put(data []byte) (path string, err error) {
	if len(data) == 0 {
		return "", Fail(ImportError, errCutOff)
	}
	path = s.Path + ".import"
	if err := write(path, data); err != nil {
		_ = os.Remove(path) // there may be none
		return "", Fail(StoreError, err)
	}
	return path, nil
}

// Try opens and closes a node on the store that Put wrote, and removes an unusable one. Rows
// that another node has written into it in addition to the chain are left out, unless all is
// true.
func (s *Settings) Try(ctx context.Context, path string, all bool) error {
	if err := s.try(ctx, path, all); err != nil {
		return errors.Join(Fail(ImportError, err), os.Remove(path))
	}
	return nil
}

// try opens and closes a node on the store at path.
func (s *Settings) try(ctx context.Context, path string, all bool) error {
	if info, err := os.Stat(path); err != nil {
		return err
	} else if info.Size() == 0 { // which would be opened as a new store
		return errCutOff
	}
	quiet := *s
	quiet.Platform.Owner = owner.Policy{Strict: true, All: all}
	quiet.Platform.ChainOnDemand = false // damage is found before the store replaces another one
	quiet.Log = NewLogger(s.Log.write, "error")
	trial, err := open(ctx, &quiet, path)
	if err != nil {
		return err
	}
	cut := trial.DB.Findings().Cut
	if trial.DB.Findings().Created {
		err = errCutOff
	}
	if cut.Bytes > 0 {
		err = errCutOff
		if cut.SavedAs != "" {
			err = errors.Join(err, os.Remove(cut.SavedAs))
		}
	}
	return errors.Join(err, trial.discard())
}

func write(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	const step = 4 << 20 // bytes that are not synced may be in memory a second time
	for at := 0; at < len(data) && err == nil; at += step {
		_, err = file.WriteAt(data[at:min(at+step, len(data))], int64(at))
		err = errors.Join(err, file.Sync())
	}
	return errors.Join(err, file.Close())
}

// compaction rewrites the store without what was overwritten since.
func compaction(log *Logger, c bunt.Compaction) bunt.Compaction {
	return bunt.Compaction{
		Interval: cmp.Or(c.Interval, 10*time.Minute), MaxRetry: 2 * time.Hour, Growth: c.Growth, Step: cmp.Or(c.Step, 16<<20), Sleep: clock.Sleep,
		Shrunk: func(before, after int64) { log.Info("compacted the store", "before", before, "after", after) },
		Failed: func(err error, retry time.Duration) {
			log.Error("compacting the store failed, retrying later", "error", err.Error(), "retry", retry)
		},
	}
}
