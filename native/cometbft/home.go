package cometbft

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cometbft/cometbft/crypto"
	"github.com/cometbft/cometbft/crypto/ed25519"
	cmtjson "github.com/cometbft/cometbft/libs/json"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/privval"
	"github.com/cometbft/cometbft/types"
)

// Files in a folder of CometBFT's, by its own names.
const (
	genesisFile = "config/genesis.json"
	nodeKeyFile = "config/node_key.json"
	signKeyFile = "config/priv_validator_key.json"
	signedFile  = "data/priv_validator_state.json"
)

// Home is the folder of CometBFT's files in a data folder.
func Home(dataDir string) string { return filepath.Join(dataDir, "cometbft") }

// Identity identifies a node to others: its id and its validator key.
type Identity struct {
	NodeID    string // the part before @ in peers
	Validator types.GenesisValidator
}

// Entry is the node among a genesis' validators, as JSON.
func (id Identity) Entry() string {
	text, err := cmtjson.Marshal(id.Validator)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Prepare creates the folder and missing keys, and returns their ids.
func Prepare(home string) (id Identity, err error) {
	for _, folder := range []string{"config", "data"} {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o700); err != nil {
			return id, err
		}
	}
	path := filepath.Join(home, nodeKeyFile)
	node, err := p2p.LoadOrGenNodeKey(path)
	if err != nil {
		return id, fmt.Errorf("%s: %w", path, err)
	}
	if err := usable(node.PrivKey); err != nil {
		return id, fmt.Errorf("%s is damaged: %w", path, err)
	}
	signer, err := newSigner(home)
	if errors.Is(err, fs.ErrExist) {
		signer, err = loadSigner(home)
	}
	if err != nil {
		return id, err
	}
	pub, err := signer.GetPubKey()
	if err != nil {
		return id, err
	}
	return Identity{string(node.ID()), types.GenesisValidator{Address: pub.Address(), PubKey: pub, Power: 1}}, nil
}

// newSigner makes a validator's key where there is nothing of one; otherwise it fails with
// fs.ErrExist.
func newSigner(home string) (*privval.FilePV, error) {
	key, state := filepath.Join(home, signKeyFile), filepath.Join(home, signedFile)
	for _, path := range []string{key, state} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, fs.ErrExist)
		}
	}
	pv := privval.GenFilePV(key, state)
	pv.Save()
	return pv, nil
}

// loadSigner reads the validator's key and what it signed last. Without the latter it might
// sign twice at one height. CometBFT's own reader ends the process when a file is damaged, so
// both are read here first.
func loadSigner(home string) (*privval.FilePV, error) {
	key, state := filepath.Join(home, signKeyFile), filepath.Join(home, signedFile)
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if err := readJSON(state, new(privval.FilePVLastSignState)); err != nil {
		return nil, fmt.Errorf("what the validator signed last, without which it could sign twice: %w", err)
	}
	return privval.LoadFilePV(key, state), nil
}

// checkKey reads a validator's key, which CometBFT takes as it is.
func checkKey(path string) error {
	var key privval.FilePVKey
	if err := readJSON(path, &key); err != nil {
		return fmt.Errorf("the validator's key: %w", err)
	}
	if err := usable(key.PrivKey); err != nil {
		return fmt.Errorf("the validator's key: %s is damaged: %w", path, err)
	}
	return nil
}

// usable refuses a key with which CometBFT would panic.
func usable(key crypto.PrivKey) error {
	if k, ok := key.(ed25519.PrivKey); !ok || len(k) != ed25519.PrivateKeySize {
		return fmt.Errorf("want an ed25519 key of %d bytes", ed25519.PrivateKeySize)
	}
	return nil
}

func readJSON(path string, into any) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := cmtjson.Unmarshal(content, into); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}

// Reset renames CometBFT's data and genesis of a chain, and returns their new names. It keeps the
// keys. Signatures of a chain do not count for another, so their record is reset. The genesis is
// renamed last: as long as it exists, Reset can be called again after a failure.
func Reset(home string) (renamedFiles []string, err error) {
	for _, step := range []func() ([]string, error){
		func() ([]string, error) { return renamed(home, "data") },
		func() ([]string, error) { return nil, resetSigned(home) },
		func() ([]string, error) { return renamed(home, genesisFile) },
	} {
		names, err := step()
		renamedFiles = append(renamedFiles, names...)
		if err != nil {
			return renamedFiles, err
		}
	}
	return renamedFiles, nil
}

// renamed gives a file or folder a name that is free, if it exists.
func renamed(home, name string) ([]string, error) {
	path := filepath.Join(home, name)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s.before-%d", path, n)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.Rename(path, to); err != nil {
			return nil, err
		}
		return []string{to}, nil
	}
}

// resetSigned begins the record of what the validator's key signed, if there is a key.
func resetSigned(home string) error {
	key := filepath.Join(home, signKeyFile)
	if _, err := os.Lstat(key); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := checkKey(key); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(home, "data"), 0o700); err != nil {
		return err
	}
	privval.LoadFilePVEmptyState(key, filepath.Join(home, signedFile)).Save()
	return nil
}

// HasData reports whether a node has run in a folder.
func HasData(home string) bool {
	found, err := filepath.Glob(filepath.Join(home, "data", "*.db"))
	return err == nil && len(found) > 0
}
