package key

import "testing"

func BenchmarkOpenHD(b *testing.B) {
	for b.Loop() {
		ring, err := Open(mnemonic, true)
		if err != nil {
			b.Fatal(err)
		}
		ring.Wipe()
	}
}

func BenchmarkAt(b *testing.B) {
	ring, err := Open(mnemonic, true)
	if err != nil {
		b.Fatal(err)
	}
	path := Path{44 + Hardened, 118 + Hardened, Hardened, 0, 0}
	for b.Loop() {
		if _, err := ring.At(path); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSign(b *testing.B) {
	p, err := FromPassphrase("bob passphrase")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p.SignDER([32]byte{1})
	}
}
