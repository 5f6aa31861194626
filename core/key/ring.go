package key

import "fmt"

// Ring holds the keys of one passphrase: a single key or, for an HD wallet, a key for every
// path. It is safe for concurrent use until it is wiped. A nil Ring represents a node without a
// passphrase: its Node is nil, and its Account returns an error.
type Ring struct {
	unprintable
	node *Private
	root *extended // nil unless the ring is an HD wallet
}

// Open returns the ring of a passphrase. If hd is set, the passphrase must be a BIP 39
// mnemonic. Otherwise it can be any text that FromPassphrase accepts, and all coins use the
// same key.
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

// nodePath returns the path of an HD node's key in Komodo DeFi Framework
// (crypto/src/global_hd_ctx.rs): coin type 141 is Komodo's, and the account and the following
// numbers are not hardened.
func nodePath() Path { return Path{44 + Hardened, 141 + Hardened, Hardened - 1, 0, 0} }

// IsHD reports whether each coin has its own keys.
func (r *Ring) IsHD() bool { return r != nil && r.root != nil }

// Node returns the key of the node, which makes blocks and owns the coins of the token chain.
// Its public key is the result of get_public_key. The key belongs to the ring.
func (r *Ring) Node() *Private {
	if r == nil {
		return nil
	}
	return r.node
}

// At returns the key at a path. Without an HD wallet, it returns a copy of the node's key for
// every path. The caller owns the key, and must wipe it after use. The error is ErrNoChild.
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
