package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"obverse/core/key"
	"obverse/core/key/wallets"
	"obverse/native/node"
	"obverse/native/settings"
	"obverse/native/walletdir"
)

// storePlace says where a command finds a store.
type storePlace struct {
	dir    string // the data folder, which a node locks
	folder string // of the store: the data folder, or a wallet's in it
	unused string // a file in the data folder that looks like the store, but is not the wallet's
	// keys are the node's, for a restore; nil if the node has none, or isOpen is false.
	keys   *key.Ring
	isOpen bool // the node's key, or that it has none, is known
}

func (w storePlace) path() string { return filepath.Join(w.folder, node.StoreFile) }

// record notes that the store is there.
func (w storePlace) record() error {
	return node.RecordStore(&settings.Settings{DataDir: w.dir, StoreDir: w.folder})
}

// findStore finds the store of a node that exists, without its password.
func (p *program) findStore(src settings.Sources) (w storePlace, err error) {
	s, err := settings.Read(src)
	if errors.Is(err, settings.ErrNoConfig) {
		return findWithoutConfig(src)
	}
	if err != nil {
		return w, settings.ConfigError{Err: err}
	}
	w.dir = s.DataDir
	if s.Config.WalletName == "" {
		w.folder, err = walletdir.StoreFolder(w.dir, node.StoreFile)
		return w, err
	}
	if unused := filepath.Join(w.dir, node.StoreFile); node.IsStore(unused) {
		w.unused = unused
	}
	switch folders := walletdir.StoreFolders(w.dir, node.StoreFile); len(folders) {
	case 0:
		return w, fmt.Errorf("data folder %s has no store of the wallet %q%s", w.dir, s.Config.WalletName, w.butUnused())
	case 1:
		w.folder = folders[0]
		return w, nil
	default:
		return w, walletdir.SeveralStores(w.dir, folders)
	}
}

// butUnused names a file that looks like the store.
func (w storePlace) butUnused() string {
	if w.unused == "" {
		return ""
	}
	return fmt.Sprintf("; %s is not used: move it out of the folder, and restore it with `obverse store restore FILE`", w.unused)
}

// findWithoutConfig finds a store in a data folder, or in the folder of a wallet.
func findWithoutConfig(src settings.Sources) (w storePlace, err error) {
	if w.dir, err = settings.Folder(src); err != nil {
		return w, settings.ConfigError{Err: err}
	}
	w.folder, err = walletdir.StoreFolder(w.dir, node.StoreFile)
	if walletdir.IsFolder(w.dir) {
		w.dir = filepath.Dir(w.dir)
	}
	return w, err
}

// placeOfRestore returns where a backup belongs: where the next start looks for the store.
func (p *program) placeOfRestore(ctx context.Context, src settings.Sources) (w storePlace, err error) {
	s, err := settings.Read(src)
	if errors.Is(err, settings.ErrNoConfig) {
		if w, err = findWithoutConfig(src); err == nil && w.folder == w.dir {
			return w, settings.ConfigError{Err: fmt.Errorf("the config of the data folder %s is missing, so that the place of its store is not known: "+
				"copy obverse.json back first, and with a named wallet its NAME.json", w.dir)}
		}
		return w, err
	}
	if err != nil {
		return w, settings.ConfigError{Err: err}
	}
	return p.openStorePlace(ctx, s)
}

// openStorePlace finds the store by the node's key. It may ask for the wallet's password.
func (p *program) openStorePlace(ctx context.Context, s *settings.Settings) (w storePlace, err error) {
	c := &s.Config
	w.dir = s.DataDir
	if c.WalletName != "" {
		if _, err := walletFile(ctx, s, c.WalletName); errors.Is(err, wallets.ErrNotFound) {
			return w, settings.ConfigError{Err: fmt.Errorf("the file %s of the wallet that the config names is missing: copy it back first, since its key names the folder of the store",
				filepath.Join(s.DataDir, c.WalletName+".json"))}
		} else if err != nil {
			return w, wallets.OpenError{Cause: err}
		}
		if _, terminal := p.findTerminal(); !terminal && !c.WalletPassword.IsSet() {
			return w.withoutPassword(ctx, s)
		}
	}
	if err := p.forWallet(ctx, s); err != nil {
		return w, err
	}
	if err := openWallet(ctx, s); err != nil {
		return w, err
	}
	w.folder, w.isOpen = s.StoreDir, true
	if c.Passphrase.IsSet() {
		w.keys, err = key.Open(c.Passphrase.Reveal(), c.EnableHD)
	}
	return w, err
}

// withoutPassword takes the one folder that can be the wallet's.
func (w storePlace) withoutPassword(ctx context.Context, s *settings.Settings) (storePlace, error) {
	folders := walletdir.StoreFolders(s.DataDir, node.StoreFile)
	names, err := walletdir.New(s.DataDir, settings.FileName).Names(ctx)
	if err != nil {
		return w, err
	}
	if len(folders) != 1 || len(names) != 1 {
		return w, settings.ConfigError{Err: fmt.Errorf("the folder of the store of the wallet %q is named by its key: run this at a terminal, which asks for its password, "+
			"or set OBVERSE_WALLET_PASSWORD_FILE to the path of a file that holds it", s.Config.WalletName)}
	}
	w.folder = folders[0]
	return w, nil
}
