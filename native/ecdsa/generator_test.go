package ecdsa

import (
	"math/big"
	"math/rand/v2"

	"github.com/btcsuite/btcd/btcec/v2"
)

// signature is the input of a verifier.
type signature struct {
	pub        []byte
	hash, r, s [32]byte
}

type expectation int

const (
	always expectation = iota
	never
	either
)

// kinds are the kinds of compared signatures. An invalid one differs from a valid one in one field.
var kinds = []struct {
	name  string
	valid expectation
	make  func(*generator) signature
}{
	{"valid", always, (*generator).valid},
	{"valid, the key's secret and the nonce are small", always, (*generator).small},
	{"valid, r and s chosen and the key recovered", always, (*generator).recovered},
	{"valid, r without the order", always, (*generator).wrapped},
	{"other s", always, func(g *generator) signature {
		c := g.valid()
		c.s = bytes32(new(big.Int).Sub(btcec.S256().N, number(&c.s)))
		return c
	}},
	{"hash", never, func(g *generator) signature { return g.changed(func(c *signature) []byte { return c.hash[:] }) }},
	{"r", never, func(g *generator) signature { return g.changed(func(c *signature) []byte { return c.r[:] }) }},
	{"s", never, func(g *generator) signature { return g.changed(func(c *signature) []byte { return c.s[:] }) }},
	{"key", either, func(g *generator) signature { return g.changed(func(c *signature) []byte { return c.pub }) }},
	{"key of another signer", never, func(g *generator) signature {
		c := g.valid()
		c.pub = g.encode(g.fresh().point)
		return c
	}},
	{"key's form", either, func(g *generator) signature {
		c := g.valid()
		c.pub[0] = byte(g.IntN(9))
		return c
	}},
	{"key's length", never, func(g *generator) signature {
		c := g.valid()
		c.pub = append(c.pub, 0)[:g.IntN(len(c.pub))]
		return c
	}},
	{"r out of range", never, func(g *generator) signature {
		c := g.valid()
		c.r = g.outOfRange(&c.r)
		return c
	}},
	{"s out of range", never, func(g *generator) signature {
		c := g.valid()
		c.s = g.outOfRange(&c.s)
		return c
	}},
	{"sum is zero", never, (*generator).zeroSum},
	{"drawn", either, func(g *generator) signature {
		c := signature{pub: g.encode(g.key().point), hash: g.drawn()}
		c.r, c.s = g.drawn(), g.drawn()
		return c
	}},
}

// signer is a key with a known secret.
type signer struct {
	secret btcec.ModNScalar
	point  *btcec.PublicKey
}

func newSigner(secret btcec.ModNScalar) signer {
	return signer{secret, btcec.PrivKeyFromScalar(&secret).PubKey()}
}

func newSigners(r *rand.Rand, n int) []signer {
	g := &generator{Rand: r}
	keys := make([]signer, n)
	for i := range keys {
		keys[i] = g.fresh()
	}
	return keys
}

// generator generates random signatures. Its results depend only on the seed.
type generator struct {
	*rand.Rand
	keys []signer
}

func (g *generator) drawn() (b [32]byte) {
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

func (g *generator) scalar() (n btcec.ModNScalar) {
	b := g.drawn()
	n.SetBytes(&b)
	return n
}

func (g *generator) fresh() signer { return newSigner(g.scalar()) }

// key returns one of a few keys, which have tables, one of many keys, which may have tables, or a
// new key, which has no table.
func (g *generator) key() signer {
	switch g.IntN(4) {
	case 0:
		return g.keys[g.IntN(8)]
	case 1:
		return g.keys[g.IntN(len(g.keys))]
	}
	return g.fresh()
}

// encode encodes a key in one of its three forms.
func (g *generator) encode(p *btcec.PublicKey) []byte {
	form := g.IntN(8)
	if form > 1 {
		return p.SerializeCompressed()
	}
	b := p.SerializeUncompressed()
	if form == 0 {
		b[0] = 6 + b[64]&1
	}
	return b
}

func (g *generator) valid() signature { return g.sign(g.key(), g.scalar(), g.drawn()) }

// sign returns a signature with a given nonce.
func (g *generator) sign(by signer, nonce btcec.ModNScalar, hash [32]byte) signature {
	r := newSigner(nonce).point.X()
	return g.complete(by, nonce, hash, bytes32(r.Mod(r, btcec.S256().N)))
}

func (g *generator) complete(by signer, nonce btcec.ModNScalar, hash, r [32]byte) signature {
	var e, s btcec.ModNScalar
	s.SetBytes(&r)
	s.Mul(&by.secret)
	e.SetBytes(&hash)
	s.Add(&e).Mul(nonce.InverseNonConst())
	return signature{pub: g.encode(by.point), hash: hash, r: r, s: s.Bytes()}
}

// small returns signatures with intermediate points that are small multiples of the base point.
func (g *generator) small() signature {
	var secret, nonce btcec.ModNScalar
	secret.SetInt(1 + uint32(g.IntN(64)))
	nonce.SetInt(1 + uint32(g.IntN(64)))
	if g.IntN(2) == 0 {
		secret.Negate()
	}
	if g.IntN(4) == 0 {
		secret.Mul(lambda)
	}
	if g.IntN(4) == 0 {
		nonce.Mul(lambda)
	}
	c := g.sign(newSigner(secret), nonce, g.edge())
	if number(&c.s).Sign() == 0 { // small numbers may have the sum zero
		return g.small()
	}
	return c
}

var lambda = func() *btcec.ModNScalar {
	n, _ := new(big.Int).SetString("5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72", 16)
	b := bytes32(n)
	l := new(btcec.ModNScalar)
	l.SetBytes(&b)
	return l
}()

// edge returns a number near a limit, or a random number.
func (g *generator) edge() [32]byte {
	n, near := btcec.S256().N, big.NewInt(int64(g.IntN(3)))
	switch g.IntN(8) {
	case 0:
		return bytes32(near)
	case 1:
		return bytes32(near.Sub(n, near))
	case 2:
		return bytes32(near.Add(n, near))
	case 3:
		return bytes32(near.Add(near, new(big.Int).Rsh(n, 1)))
	case 4:
		return bytes32(near.Add(near, new(big.Int).Lsh(big.NewInt(1), uint(g.IntN(255)))))
	case 5:
		b := lambda.Bytes()
		return bytes32(near.Add(near, number(&b)))
	case 6:
		return bytes32(near.Sub(near.Lsh(big.NewInt(1), 256), big.NewInt(1)))
	}
	return g.drawn()
}

// recovered chooses r, s and the hash, and computes the key for which they are valid.
func (g *generator) recovered() signature {
	for {
		c := signature{hash: g.edge(), r: g.edge(), s: g.edge()}
		if inRange(&c.r) && inRange(&c.s) && g.recover(&c, number(&c.r)) {
			return c
		}
	}
}

// wrapped returns a signature with a point that has x = r + n. Only one x in 2^128 is that large,
// so the test chooses r and recovers a matching public key.
func (g *generator) wrapped() signature {
	for {
		r := new(big.Int).SetUint64(g.Uint64())
		r.Lsh(r, uint(g.IntN(66))).Add(r, big.NewInt(1))
		x := new(big.Int).Add(r, btcec.S256().N)
		c := signature{hash: g.edge(), r: bytes32(r), s: g.edge()}
		if x.Cmp(btcec.S256().P) < 0 && inRange(&c.s) && g.recover(&c, x) {
			return c
		}
	}
}

// recover sets the key to (s·R - e·G) / r, where R has the given x.
func (g *generator) recover(c *signature, x *big.Int) bool {
	xBytes := bytes32(x)
	at, err := btcec.ParsePubKey(append([]byte{2 + byte(g.IntN(2))}, xBytes[:]...))
	if err != nil {
		return false
	}
	var r, s, e btcec.ModNScalar
	r.SetBytes(&c.r)
	s.SetBytes(&c.s)
	e.SetBytes(&c.hash)
	r.InverseNonConst()
	var p, sum, a, b btcec.JacobianPoint
	at.AsJacobian(&p)
	btcec.ScalarMultNonConst(s.Mul(&r), &p, &a)
	btcec.ScalarBaseMultNonConst(e.Mul(&r).Negate(), &b)
	btcec.AddNonConst(&a, &b, &sum)
	if sum.Z.IsZero() || sum.X.IsZero() && sum.Y.IsZero() {
		return false
	}
	sum.ToAffine()
	c.pub = g.encode(btcec.NewPublicKey(&sum.X, &sum.Y))
	return true
}

// zeroSum returns a signature with u1·G = -u2·Q.
func (g *generator) zeroSum() signature {
	by, r := g.key(), g.scalar()
	e := by.secret
	e.Mul(&r).Negate()
	s := g.scalar()
	return signature{pub: g.encode(by.point), hash: e.Bytes(), r: r.Bytes(), s: s.Bytes()}
}

// changed flips a bit of a field.
func (g *generator) changed(field func(*signature) []byte) signature {
	c := g.valid()
	b := field(&c)
	i := g.IntN(8 * len(b))
	b[i/8] ^= 1 << (i % 8)
	return c
}

func (g *generator) outOfRange(b *[32]byte) [32]byte {
	n, all := btcec.S256().N, new(big.Int).Lsh(big.NewInt(1), 256)
	above := new(big.Int).Add(n, number(b))
	switch g.IntN(4) {
	case 0:
		return [32]byte{}
	case 1:
		return bytes32(n)
	case 2:
		return bytes32(all.Sub(all, big.NewInt(1+int64(g.IntN(1000)))))
	}
	if above.Cmp(all) >= 0 {
		return bytes32(n)
	}
	return bytes32(above)
}

func inRange(b *[32]byte) bool {
	n := number(b)
	return n.Sign() > 0 && n.Cmp(btcec.S256().N) < 0
}

func number(b *[32]byte) *big.Int { return new(big.Int).SetBytes(b[:]) }

func bytes32(n *big.Int) (b [32]byte) {
	n.FillBytes(b[:])
	return b
}
