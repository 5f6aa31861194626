package ecdsa

import (
	"bytes"
	"math/big"
	"sync"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/fp"
)

// Window sizes of the tables. The table of the base point has 425 kB, that of a key 45 kB.
const (
	baseWindow = 10
	keyWindow  = 6
)

// Verifier verifies signatures, and caches data about their keys. It is safe for
// concurrent use.
type Verifier struct {
	base func() *table
	keys keys
}

// New returns a verifier. The first signature computes the table of the base point, which takes some
// milliseconds.
func New() *Verifier {
	return &Verifier{base: sync.OnceValue(func() *table {
		g := newAffine(btcec.Generator())
		return newTable(&g, baseWindow)
	})}
}

// Verify implements script.ECDSA.
func (v *Verifier) Verify(pub []byte, hash, r, s *[32]byte) bool {
	k := v.keys.find(pub)
	if k == nil || !v.verify(k, hash, r, s) {
		return false
	}
	v.keys.verified(k)
	return true
}

// verify is Verify with a parsed key.
func (v *Verifier) verify(k *key, hash, r, s *[32]byte) bool {
	var rn, sn, e btcec.ModNScalar
	if rn.SetBytes(r) != 0 || sn.SetBytes(s) != 0 || rn.IsZero() || sn.IsZero() {
		return false
	}
	e.SetBytes(hash) // mod n
	sn.InverseNonConst()
	e.Mul(&sn)
	sn.Mul(&rn)
	sum := k.times(&sn)
	v.base().addTo(&sum, &e)
	return !sum.zz.IsZero() && sum.hasX(r)
}

// Some points have an x between the order n and the field's prime p.
var (
	order = func() (n fp.Element) {
		n.SetBigInt(btcec.S256().N)
		return n
	}()
	pMinusN = new(big.Int).Sub(btcec.S256().P, btcec.S256().N).FillBytes(make([]byte, 32))
)

// hasX reports whether the x of a point is r mod n.
func (p *extended) hasX(r *[32]byte) bool {
	var x, scaled fp.Element
	x.SetBytes(r[:])
	if scaled.Mul(&x, &p.zz).Equal(&p.x) {
		return true
	}
	if bytes.Compare(r[:], pMinusN) >= 0 {
		return false // r + n is no x
	}
	x.Add(&x, &order)
	return scaled.Mul(&x, &p.zz).Equal(&p.x)
}
