package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"obverse/core/chain/pin"
	"obverse/core/store/bunt"
	"obverse/native/atomicfile"
	"obverse/native/settings"
	"obverse/native/storefile"
	"obverse/native/walletdir"
)

// A start that finds no store begins a new chain. If a disk is lost or
// not mounted, this would hide the loss of the chain. Therefore a config that Obverse writes requires
// a store (key require_store), and the file StoresFile in the data folder records
// whether the config is so new that no store can exist, and which stores were
// created. A config that the operator wrote requires no store at its first start.

// StoresFile is the file that records which stores were created in the data folder.
const StoresFile = "obverse.stores"

// Stores is the content of that file.
type Stores struct {
	First bool     `json:"first,omitempty"` // the config was written, and no store has been created since
	Made  []string `json:"made,omitempty"`  // paths in the data folder
}

func ReadStores(dir string) (m Stores, err error) {
	text, err := os.ReadFile(filepath.Join(dir, StoresFile))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		path := filepath.Join(dir, StoresFile)
		if errors.As(err, new(*json.SyntaxError)) || errors.As(err, new(*json.UnmarshalTypeError)) {
			return m, settings.ConfigError{Err: fmt.Errorf(`%s is damaged: restore it from a copy, or write {} into it if the store is in its place`, path)}
		}
		return m, fmt.Errorf("read %s: %w", path, err)
	}
	return m, nil
}

func (m Stores) Save(dir string) error {
	text, err := json.Marshal(m)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = atomicfile.Replace(filepath.Join(dir, StoresFile), append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", StoresFile, err)
	}
	return nil
}

// has reports whether the store was made in the data folder.
func (m Stores) has(dir, store string) bool {
	return slices.Contains(m.Made, relative(dir, store))
}

// relative returns a store's path relative to the data folder, because the folder can be moved.
func relative(dir, store string) string {
	if path, err := filepath.Rel(dir, store); err == nil {
		return path
	}
	return store
}

// SaveNew writes new settings. From then on, a config in the data folder requires a store, once a
// start has created it.
func SaveNew(s *settings.Settings) error {
	if s.IsNew() && s.DataDir == filepath.Dir(s.ConfigFile) {
		s.RequireStore()
		m, err := ReadStores(s.DataDir)
		if err != nil {
			return err
		}
		// A lost config is written again with the passphrase that its store was made with.
		m.First = len(m.Made) == 0 && !IsStore(filepath.Join(s.DataDir, StoreFile)) && len(walletdir.StoreFolders(s.DataDir, StoreFile)) == 0
		if err := m.Save(s.DataDir); err != nil {
			return err
		}
	}
	return s.Save()
}

// storePath returns the path of the store's file for settings with an open wallet, or without one.
func storePath(s *settings.Settings) string { return filepath.Join(s.StoreDir, StoreFile) }

// IsStore reports whether a file has a store. An empty file has no store.
func IsStore(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

// hasProducer reports whether a store's file has the chain of a node with a key.
func hasProducer(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	found, err := storefile.Mentions(file, pin.KeyProducer)
	return err == nil && found
}

// RefuseNewWallet refuses to create the wallet that the config names if its store was created
// before, because then only the wallet file is missing.
func RefuseNewWallet(s *settings.Settings) error {
	if s.NewChain || s.IsNew() || !s.Config.RequireStore {
		return nil
	}
	m, err := ReadStores(s.DataDir)
	if err != nil || m.First {
		return err
	}
	return settings.ConfigError{Err: fmt.Errorf("the file %s of the wallet that %s names is missing: copy it from a backup, "+
		"or start with --new-chain, which makes a wallet with a new key and begins an empty chain: without a backup, "+
		"what the wallet held and the tokens and the history of its store are lost", filepath.Join(s.DataDir, s.Config.WalletName+".json"), s.ConfigFile)}
}

// checkStore refuses a start that would begin a new chain instead of using a missing store. shared
// reports that other nodes have the chain.
func checkStore(s *settings.Settings, shared bool) error {
	path := storePath(s)
	m, err := ReadStores(s.DataDir)
	if err != nil {
		return err
	}
	unused := filepath.Join(s.DataDir, StoreFile)
	// A store of a node without a wallet is allowed, because wallets on the KDF SDK start in this way.
	if s.StoreDir != s.DataDir && !m.has(s.DataDir, unused) && IsStore(unused) && hasProducer(unused) {
		return settings.ConfigError{Err: fmt.Errorf("the store %s is not used: the wallet %q has its store in %s. If it is a backup, move it out of the folder, "+
			"and `obverse store restore FILE` puts it there", unused, s.Config.WalletName, path)}
	}
	if IsStore(bunt.File(path)) || s.NewChain || shared {
		return nil
	}
	if m.First {
		return nil
	}
	if m.has(s.DataDir, path) || s.Config.RequireStore {
		return settings.ConfigError{Err: fmt.Errorf("the store %s is missing: mount its disk if it is on another one, or bring back a backup with `obverse store restore FILE`, "+
			"or start with --new-chain, which begins an empty chain: without a backup, the tokens and the history of the store are lost", path)}
	}
	return nil
}

// RecordStore records that the store was created.
func RecordStore(s *settings.Settings) error {
	m, err := ReadStores(s.DataDir)
	if err != nil || !m.First && m.has(s.DataDir, storePath(s)) {
		return err
	}
	m.First = false
	if !m.has(s.DataDir, storePath(s)) {
		m.Made = append(m.Made, relative(s.DataDir, storePath(s)))
	}
	return m.Save(s.DataDir)
}
