package cc

import "testing"

// BenchmarkStandardSpend measures all the work of this package for the spend of a token output.
// The sub-benchmarks exclude the elliptic curve operations.
func BenchmarkStandardSpend(b *testing.B) {
	fulfillment, hash := standardSpend(b)
	run := func(name string, c Checker) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n, err := DecodeFulfillment(fulfillment)
				if err != nil || n.Condition().Cost == 0 || !n.Verify(hash, c) {
					b.Fatal("the spend is valid")
				}
			}
		})
	}
	run("verified", Checker{Eval: accept})
	run("cached", Checker{Eval: accept, Secp256k1: func(_, _, _ []byte) bool { return true }})
}

func BenchmarkStandardCondition(b *testing.B) {
	fulfillment, _ := standardSpend(b)
	n, err := DecodeFulfillment(fulfillment)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		n.Condition()
	}
}
