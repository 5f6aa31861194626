package key

import (
	"fmt"
	"io"
)

// Generate makes a key of 32 bytes from random, for what lives no longer than a
// connection. Bytes that are no key are passed over, which happens once in 2^128.
func Generate(random io.Reader) (*Private, error) {
	var secret [32]byte
	defer clear(secret[:])
	for {
		if _, err := io.ReadFull(random, secret[:]); err != nil {
			return nil, fmt.Errorf("make a key: source of randomness: %w", err)
		}
		if p, err := newPrivate(secret); err == nil {
			return p, nil
		}
	}
}

// LightningNode returns the Lightning node key of p, which is always the same: m/0' of the
// wallet with p's secret as its seed. LDK's KeysManager derives a node's key the same way, and
// Komodo DeFi Framework (coins/lightning/ln_utils.rs) passes the node's secret as its seed, so
// that its users keep their node id. The error is ErrNoChild.
func (p *Private) LightningNode() (*Private, error) {
	seed := p.Secret()
	defer clear(seed[:])
	root, err := masterKey(seed[:])
	if err != nil {
		return nil, err
	}
	defer root.wipe()
	return root.at(Path{Hardened})
}
