package keyring

import (
	"slices"

	"obverse/core/chain"
	"obverse/core/chain/script"
)

// Relation says whether an output belongs to the wallet.
type Relation byte

// The relations, in ascending order.
const (
	Foreign   Relation = iota
	WatchOnly          // its script was added by Watch
	Mine               // the wallet's keys can spend it
)

// Relation judges an output script [komodod wallet/wallet_ismine.cpp]: coins of a key whatever
// their form, scripts of which the wallet has the redeem script and all keys, and what is watched.
// Scripts with a lock time and outputs of modules are not the wallet's.
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
	if class := script.Classify(pkScript); class.Type == script.TypePubKey && !class.Locked { // upstream watches none of the key's but P2PKH
		if _, is := r.watched[string(class.Addresses[0].PkScript())]; is {
			return WatchOnly
		}
	}
	return Foreign
}

// spends reports whether the keys of the ring alone spend an output. In a redeem script multisig
// counts too.
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

// belongings are the places in the address index where coins of the wallet may be.
type belongings struct {
	version   uint64
	addresses []chain.Address
	set       map[chain.Address]bool
}

// Places lists where the coins of the wallet are in the address index, and the same as a set. What
// is found there has to be judged by Relation.
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
