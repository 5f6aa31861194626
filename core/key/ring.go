package key

import "fmt"

// Ring holds the keys of one passphrase: one key, or with an HD wallet as many as
// there are paths. It may be used by many goroutines until it is wiped. A nil Ring is
// that of a node without a passphrase: its Node is nil, and its Account refuses.
type Ring struct {
	unprintable
	node *Private
	root *extended // nil unless this is an HD wallet
}

// Open makes the ring of a passphrase. With hd it must be a BIP 39 mnemonic; otherwise any text
// that FromPassphrase accepts, and all coins use one key.
func Open(passphrase string, hd bool) (*Ring, error) {
	if !hd || passphrase == "" {
		node, err := FromPassphrase(passphrase)
		if err != nil {
			return nil, err
		}
		return &Ring{node: node}, nil
	}
	seed, err := seedFromMnemonic(passphrase, "")
	if err != nil {
		return nil, err
	}
	defer clear(seed)
	root, err := masterKey(seed)
	if err != nil {
		return nil, err
	}
	node, err := root.at(nodePath())
	if err != nil {
		root.wipe()
		return nil, fmt.Errorf("key of the node: %w", err)
	}
	return &Ring{node: node, root: root}, nil
}

// nodePath is where Komodo DeFi Framework (crypto/src/global_hd_ctx.rs) has the key
// of an HD node: coin type 141 is Komodo's, account and what follows are not hardened.
func nodePath() Path { return Path{44 + Hardened, 141 + Hardened, Hardened - 1, 0, 0} }

// IsHD reports whether each coin has its own keys.
func (r *Ring) IsHD() bool { return r != nil && r.root != nil }

// Node returns the key of the node: get_public_key shows it, and it makes
// blocks and holds the coins of the token chain. It belongs to the ring.
func (r *Ring) Node() *Private {
	if r == nil {
		return nil
	}
	return r.node
}

// At returns the key at a path: with an HD wallet the derived one, otherwise the node's,
// whatever the path. The caller owns it and wipes it when it is no longer needed.
// The error is ErrNoChild.
func (r *Ring) At(p Path) (*Private, error) {
	if r.root != nil {
		return r.root.at(p)
	}
	return newPrivate(r.node.Secret())
}

// Wipe overwrites every secret of the ring. It does not overwrite keys that At returned, nor
// data that Go code cannot reach: the text of the passphrase, and copies that the runtime or
// the hash functions made.
func (r *Ring) Wipe() {
	if r == nil {
		return
	}
	r.node.Wipe()
	if r.root != nil {
		r.root.wipe()
	}
}
