package walletdir

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// IsFolder reports whether a name is the name of a wallet's store folder.
func IsFolder(path string) bool {
	const hashSize = 20
	hash, err := hex.DecodeString(filepath.Base(path))
	return err == nil && len(hash) == hashSize
}

// StoreFolders lists the folders of wallets in a data folder that have a store of this name.
func StoreFolders(dir, store string) (folders []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // opening the store returns the error
	}
	for _, entry := range entries {
		folder := filepath.Join(dir, entry.Name())
		if !IsFolder(folder) {
			continue
		}
		if _, err := os.Stat(filepath.Join(folder, store)); err == nil {
			folders = append(folders, folder)
		}
	}
	return folders
}

// StoreFolder returns the folder of the store with this name in a data folder with an unknown
// config: the data folder itself or, if that has no store, the folder of the only wallet
// with one. Without any store it is the data folder.
func StoreFolder(dir, store string) (string, error) {
	if _, err := os.Stat(filepath.Join(dir, store)); err == nil {
		return dir, nil
	}
	folders := StoreFolders(dir, store)
	switch len(folders) {
	case 0:
		return dir, nil
	case 1:
		return folders[0], nil
	}
	return "", AmbiguousStore(dir, folders)
}

// AmbiguousStore returns the error for a data folder with more than one store.
func AmbiguousStore(dir string, folders []string) error {
	return fmt.Errorf("data folder %s has the stores of %d wallets: name the folder of one with --datadir: %s", dir, len(folders), strings.Join(folders, ", "))
}
