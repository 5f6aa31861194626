package keyring

import (
	"slices"

	"obverse/core/chain"
	"obverse/core/chain/script"
)

// Relation is the relation of an output to the wallet.
type Relation byte

// Relations in ascending order.
const (
	Foreign   Relation = iota
	WatchOnly          // its script was added by Watch
	Mine               // the wallet's keys can spend it
)

// Relation returns the relation of an output script to the wallet [komodod
// wallet/wallet_ismine.cpp]. The wallet can spend coins of a key in any form, and scripts of
// which it has the redeem script and all keys. Scripts with a lock time and outputs of modules
// do not belong to the wallet.
func (r *Ring) Relation(pkScript []byte) Relation {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.relation(pkScript)
}

func (r *Ring) relation(pkScript []byte) Relation {
	if r.spends(pkScript, false) {
		return Mine
	}
	if _, is := r.watched[string(pkScript)]; is {
		return WatchOnly
	}
	if class := script.Classify(pkScript); class.Type == script.TypePubKey && !class.Locked { // komodod watches only the P2PKH script of the key
		if _, is := r.watched[string(class.Addresses[0].PkScript())]; is {
			return WatchOnly
		}
	}
	return Foreign
}

// spends reports whether the keys of the ring alone can spend an output. In a redeem script,
// multisig is allowed too.
func (r *Ring) spends(pkScript []byte, redeem bool) bool {
	class := script.Classify(pkScript)
	if class.Locked {
		return false
	}
	switch class.Type {
	case script.TypePubKey:
		return r.keys[script.Hash160(class.PubKeys[0])] != nil
	case script.TypePubKeyHash:
		return r.keys[class.Addresses[0].Hash] != nil
	case script.TypeScriptHash:
		inner, has := r.scripts[class.Addresses[0].Hash]
		return has && !redeem && r.spends(inner, true)
	case script.TypeMultiSig:
		return redeem && !slices.ContainsFunc(class.PubKeys, func(public []byte) bool { return r.keys[script.Hash160(public)] == nil })
	}
	return false
}

// belongings holds the places in the address index at which coins of the wallet may be.
type belongings struct {
	version   uint64
	addresses []chain.Address
	set       map[chain.Address]bool
}

// Places returns the places in the address index at which coins of the wallet may be, as a list
// and as a set. The coins at these places must be checked with Relation.
func (r *Ring) Places() ([]chain.Address, map[chain.Address]bool) {
	r.mu.RLock()
	b := r.cached
	current := b.set != nil && b.version == r.version
	r.mu.RUnlock()
	if current {
		return b.addresses, b.set
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	b = belongings{version: r.version, set: map[chain.Address]bool{}}
	add := func(a chain.Address) {
		if !b.set[a] {
			b.set[a], b.addresses = true, append(b.addresses, a)
		}
	}
	for hash := range r.keys {
		add(chain.Address{Kind: chain.KeyAddress, Hash: hash})
	}
	for hash := range r.scripts {
		add(chain.Address{Kind: chain.ScriptAddress, Hash: hash})
	}
	for _, w := range r.watched {
		for _, a := range chain.AddressesOf(w.Script) {
			add(a)
		}
	}
	r.cached = b
	return b.addresses, b.set
}
