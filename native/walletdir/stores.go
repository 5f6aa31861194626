package walletdir

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// IsFolder reports whether a name is that of a wallet's folder.
func IsFolder(path string) bool {
	const hashSize = 20
	hash, err := hex.DecodeString(filepath.Base(path))
	return err == nil && len(hash) == hashSize
}

// StoreFolder is the folder of the store of this name in a data folder: the data folder
// itself or, if it has none, the one wallet's that has. Without any it is the data folder.
func StoreFolder(dir, store string) (string, error) {
	if _, err := os.Stat(filepath.Join(dir, store)); err == nil {
		return dir, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return dir, nil // opening the store reports it
	}
	var folders []string
	for _, entry := range entries {
		folder := filepath.Join(dir, entry.Name())
		if !IsFolder(folder) {
			continue
		}
		if _, err := os.Stat(filepath.Join(folder, store)); err == nil {
			folders = append(folders, folder)
		}
	}
	switch len(folders) {
	case 0:
		return dir, nil
	case 1:
		return folders[0], nil
	}
	return "", fmt.Errorf("data folder %s has the stores of %d wallets: name the folder of one with --datadir: %s", dir, len(folders), strings.Join(folders, ", "))
}
