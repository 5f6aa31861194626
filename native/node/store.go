package node

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"obverse/core/chain"
	"obverse/core/clock"
	"obverse/core/store/bunt"
	"obverse/core/store/owner"
	"obverse/native/cometbft"
	"obverse/native/datalock"
	"obverse/native/storefile"
)

// tighten restricts the store's file to its owner. A failure is only logged, since some file
// systems have no modes.
func tighten(log *slog.Logger, path string) {
	if wide, err := storefile.Tighten(path); err != nil {
		log.Warn("cannot restrict the store's file to its owner", "file", path, "error", err.Error())
	} else if wide {
		log.Warn("other users could open the store's file; restricted it to its owner", "file", path)
	}
}

// logFindings logs what bunt found when it opened the store's file.
func logFindings(log *slog.Logger, path string, found bunt.Findings) {
	if found.Created {
		log.Info("created an empty store for a new chain", "file", path)
	}
	if found.Upgraded {
		log.Info("upgraded the store's file to the format with checksums", "file", path)
	}
	cut := found.Cut
	if cut.Bytes == 0 {
		return
	}
	pairs := []any{"file", path, "byte", cut.At, "bytes", cut.Bytes}
	if cut.SavedAs != "" {
		pairs = append(pairs, "kept", cut.SavedAs)
	}
	if cut.Why != nil {
		pairs = append(pairs, "not_kept", cut.Why.Error())
	}
	if found.Upgraded {
		log.Warn("truncated the end of the store, which was an incomplete write or damage; inspect the saved file", pairs...)
		return
	}
	log.Warn("truncated an incomplete write at the end of the store; it was never acknowledged", pairs...)
}

// ownerPolicy returns a policy that leaves out another node's rows, such as its identity and the servers of its
// coins, and keeps a copy of the store with them. Rows without an owner come from an earlier
// version and are kept, unless the file replaced one that this version has written, was put into the
// data folder of a config without a store, or came to validators before their first start.
func (b *backend) ownerPolicy(path string) (owner.Policy, error) {
	m, err := ReadStores(b.settings.DataDir)
	if err != nil {
		return owner.Policy{}, err
	}
	known := m.First || m.has(b.settings.DataDir, storePath(b.settings)) || b.validator != nil && !cometbft.HasData(cometbft.Home(b.settings.DataDir))
	return owner.Policy{Strict: b.settings.Config.Passphrase.IsSet(), Adopt: !known, LeftOut: func(c owner.Contents) error {
		copied, err := storefile.Keep(path)
		if err != nil {
			return err
		}
		b.log.Warn("skipped the data of another node in the store; `obverse store restore --all FILE` restores it",
			"identity", c.Identity, "coins", strings.Join(c.Coins, ","), "servers", strings.Join(c.Servers, ","), "rows", c.Rows, "file", copied)
		return nil
	}}, nil
}

// ExplainStore adds advice to the error of a store that cannot be opened.
func ExplainStore(err error) error {
	if errors.Is(err, bunt.ErrCorrupt) || errors.Is(err, chain.ErrCorrupt) {
		return fmt.Errorf("%w; nothing was changed: `obverse store check` shows details, `obverse store restore FILE` brings back a backup", err)
	}
	return err
}

// compactEvery is the pause between two compactions, such as "300ms". The linker sets it for tests that
// need frequent compactions. Otherwise the file is compacted when it has grown.
var compactEvery string

// compaction returns the work that rewrites the store's file without overwritten values. It calls replaced after
// it has replaced the file.
func compaction(log *slog.Logger, replaced func()) bunt.Compaction {
	c := bunt.Compaction{
		Interval: 10 * time.Minute, MaxRetry: 2 * time.Hour, Step: 64 << 20, Sleep: clock.Sleep,
		Shrunk: func(before, after int64) {
			replaced()
			log.Info("compacted the store", "before", before, "after", after)
		},
		Failed: func(err error, retry time.Duration) {
			log.Error("compacting the store failed, retrying later", "error", err.Error(), "retry", retry)
		},
	}
	if pause, err := time.ParseDuration(compactEvery); err == nil {
		c.Interval, c.Step = pause, math.MinInt64/4
	}
	return c
}

// StoreLock holds the locks of a process on a store, in addition to the lock of the data folder.
type StoreLock struct {
	folder *datalock.Lock // of the folder of the file; nil: this is the data folder
	file   storefile.Lock
}

// LockStore locks a store's file, which may have several names. If a symbolic link leads to the file, it also
// locks the file's folder, because another data folder may have such a link.
func LockStore(dir, path string) (l *StoreLock, err error) {
	l = &StoreLock{}
	here, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	there, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if !os.SameFile(here, there) {
		if l.folder, err = datalock.Acquire(filepath.Dir(path)); err != nil {
			return nil, err
		}
	}
	if err := l.file.Take(path); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l, nil
}

// Release releases both locks.
func (l *StoreLock) Release() error {
	err := l.file.Release()
	if l.folder != nil {
		err = errors.Join(err, l.folder.Release())
	}
	return err
}
