package wire

import "filippo.io/edwards25519/field"

// x25519 is the X25519 function of RFC 7748, section 5, in constant time. The standard
// library's crypto/ecdh also provides it, but includes tables of other curves, which are a
// sixteenth of a page's download.
func x25519(scalar, point [32]byte) (product [32]byte, err error) {
	scalar[0] &= 248
	scalar[31] = scalar[31]&127 | 64
	u, err := new(field.Element).SetBytes(point[:]) // ignores the highest bit, as the RFC requires
	if err != nil {
		return product, err
	}
	l := ladder{u: u, z3: new(field.Element).One(), x3: new(field.Element).Set(u), x2: new(field.Element).One(), z2: new(field.Element).Zero()}
	swapped := 0
	for bit := 254; bit >= 0; bit-- {
		now := int(scalar[bit/8]>>(bit%8)) & 1
		l.swap(swapped ^ now)
		swapped = now
		l.step()
	}
	l.swap(swapped)
	copy(product[:], l.x2.Multiply(l.x2, l.z2.Invert(l.z2)).Bytes())
	return product, nil
}

// ladder is the state of the Montgomery ladder, with the names of the RFC.
type ladder struct{ u, x2, z2, x3, z3 *field.Element }

func (l ladder) swap(condition int) {
	l.x2.Swap(l.x3, condition)
	l.z2.Swap(l.z3, condition)
}

// a24 is (486662 - 2) / 4.
const a24 = 121665

func (l ladder) step() {
	var a, aa, b, bb, e, c, d, da, cb field.Element
	aa.Square(a.Add(l.x2, l.z2))
	bb.Square(b.Subtract(l.x2, l.z2))
	e.Subtract(&aa, &bb)
	c.Add(l.x3, l.z3)
	d.Subtract(l.x3, l.z3)
	da.Multiply(&d, &a)
	cb.Multiply(&c, &b)
	l.x3.Square(l.x3.Add(&da, &cb))
	l.z3.Multiply(l.u, l.z3.Square(l.z3.Subtract(&da, &cb)))
	l.x2.Multiply(&aa, &bb)
	l.z2.Multiply(&e, l.z2.Add(&aa, l.z2.Mult32(&e, a24)))
}
