package ecdsa

import (
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/fp"
)

// affine is a point of the curve y² = x³ + 7 other than zero.
type affine struct{ x, y fp.Element }

// beta is a cube root of 1 with λ(x, y) = (βx, y).
var beta = func() (b fp.Element) {
	b.SetBytes([]byte("\x7a\xe9\x6a\x2b\x65\x7c\x07\x10\x6e\x64\x47\x9e\xac\x34\x34\xe9" +
		"\x9c\xf0\x49\x75\x12\xf5\x89\x95\xc1\x39\x6c\x28\x71\x95\x01\xee"))
	return b
}()

// negate returns -p if negative is set.
func (p affine) negate(negative bool) affine {
	if negative {
		p.y.Neg(&p.y)
	}
	return p
}

// endomorphism returns λp.
func (p affine) endomorphism() affine {
	p.x.Mul(&p.x, &beta)
	return p
}

// jacobian is the point (x/z², y/z³), or zero if z is zero. Doubling is fastest in this form.
type jacobian struct{ x, y, z fp.Element }

func (p *jacobian) set(a *affine) {
	p.x, p.y = a.x, a.y
	p.z.SetOne()
}

// double implements dbl-2009-l of the Explicit-Formulas Database. Zero stays zero, and no point of the
// curve is its own negative.
func (p *jacobian) double() {
	var a, b, c, d, e fp.Element
	a.Square(&p.x)
	b.Square(&p.y)
	c.Square(&b)
	d.Add(&p.x, &b)
	d.Square(&d)
	d.Sub(&d, &a)
	d.Sub(&d, &c)
	d.Double(&d)
	e.Double(&a)
	e.Add(&e, &a)
	p.z.Mul(&p.z, &p.y)
	p.z.Double(&p.z)
	p.x.Square(&e)
	p.x.Sub(&p.x, &d)
	p.x.Sub(&p.x, &d)
	d.Sub(&d, &p.x)
	c.Double(&c)
	c.Double(&c)
	c.Double(&c)
	p.y.Mul(&e, &d)
	p.y.Sub(&p.y, &c)
}

// add implements madd with Z2 = 1, in the form of Hankerson, Menezes and Vanstone.
func (p *jacobian) add(a *affine) {
	if p.z.IsZero() {
		p.set(a)
		return
	}
	var zz, h, r, hh, hhh, v fp.Element
	zz.Square(&p.z)
	h.Mul(&a.x, &zz)
	h.Sub(&h, &p.x)
	r.Mul(&zz, &p.z)
	r.Mul(&r, &a.y)
	r.Sub(&r, &p.y)
	if h.IsZero() {
		if !r.IsZero() {
			*p = jacobian{}
			return
		}
		p.double()
		return
	}
	hh.Square(&h)
	hhh.Mul(&h, &hh)
	v.Mul(&p.x, &hh)
	p.z.Mul(&p.z, &h)
	p.x.Square(&r)
	p.x.Sub(&p.x, &hhh)
	p.x.Sub(&p.x, &v)
	p.x.Sub(&p.x, &v)
	v.Sub(&v, &p.x)
	v.Mul(&v, &r)
	hhh.Mul(&hhh, &p.y)
	p.y.Sub(&v, &hhh)
}

// extended is the point (x/zz, y/zzz) with zz³ = zzz², or zero if zz is zero. Addition is fastest
// in this form.
type extended struct{ x, y, zz, zzz fp.Element }

func (p *extended) set(j *jacobian) {
	p.x, p.y = j.x, j.y
	p.zz.Square(&j.z)
	p.zzz.Mul(&p.zz, &j.z)
}

// add implements madd-2008-s of the Explicit-Formulas Database.
func (p *extended) add(a *affine) {
	if p.zz.IsZero() {
		p.x, p.y = a.x, a.y
		p.zz.SetOne()
		p.zzz.SetOne()
		return
	}
	var h, r, hh, hhh, q fp.Element
	h.Mul(&a.x, &p.zz)
	h.Sub(&h, &p.x)
	r.Mul(&a.y, &p.zzz)
	r.Sub(&r, &p.y)
	if h.IsZero() {
		if !r.IsZero() {
			*p = extended{}
			return
		}
		var j jacobian
		j.set(a)
		j.double()
		p.set(&j)
		return
	}
	hh.Square(&h)
	hhh.Mul(&h, &hh)
	q.Mul(&p.x, &hh)
	p.zz.Mul(&p.zz, &hh)
	p.zzz.Mul(&p.zzz, &hhh)
	p.x.Square(&r)
	p.x.Sub(&p.x, &hhh)
	p.x.Sub(&p.x, &q)
	p.x.Sub(&p.x, &q)
	q.Sub(&q, &p.x)
	q.Mul(&q, &r)
	hhh.Mul(&hhh, &p.y)
	p.y.Sub(&q, &hhh)
}

// toAffine converts points to affine form with one inversion for all of them. None of them may be
// zero.
func toAffine(points []jacobian) []affine {
	out := make([]affine, len(points))
	product := fp.One()
	for i := range points { // out[i].x is the product of the points before i
		out[i].x = product
		product.Mul(&product, &points[i].z)
	}
	product.Inverse(&product)
	for i := len(points) - 1; i >= 0; i-- {
		var z, zz fp.Element
		z.Mul(&product, &out[i].x)
		product.Mul(&product, &points[i].z)
		zz.Square(&z)
		out[i].x.Mul(&points[i].x, &zz)
		zz.Mul(&zz, &z)
		out[i].y.Mul(&points[i].y, &zz)
	}
	return out
}

func newAffine(k *btcec.PublicKey) (p affine) {
	b := k.SerializeUncompressed()
	p.x.SetBytes(b[1:33])
	p.y.SetBytes(b[33:])
	return p
}
