package script

import (
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/wire"
)

// BenchmarkRawVerify measures the lower bound of the cost of a spend: parsing the key and
// verifying one signature.
func BenchmarkRawVerify(b *testing.B) {
	hash := wire.HashOf([]byte("message"))
	sig := ecdsa.Sign(testKey(1), hash[:])
	pub := pubKey(1)
	b.ReportAllocs()
	for b.Loop() {
		key, err := btcec.ParsePubKey(pub)
		if err != nil || !sig.Verify(hash[:], key) {
			b.Fatal("not valid")
		}
	}
}

func BenchmarkVerifyP2PK(b *testing.B) {
	pk := PayToPubKey(pubKey(1))
	s := spending()
	s.Hashes = NewSigHashes(s.Tx)
	s.setScriptSig(PushData(s.sign(b, 1, pk, SigHashAll)))
	benchmarkVerify(b, s, pk)
}

func BenchmarkVerifyCC(b *testing.B) {
	pk := PayToCondition(tokenTree(1).Condition())
	s := spending()
	s.Hashes = NewSigHashes(s.Tx)
	s.setScriptSig(FulfillCondition(s.fulfill(b, tokenTree(1), SigHashAll, 1), SigHashAll))
	benchmarkVerify(b, s, pk)
}

func benchmarkVerify(b *testing.B, s *Spend, pk []byte) {
	for name, cache := range map[string]*SigCache{"signature": nil, "cached": NewSigCache(1000, nil)} {
		b.Run(name, func(b *testing.B) {
			s.Cache = cache
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, s.Verify(pk, StandardFlags))
			}
		})
	}
}

func BenchmarkClassifyCondition(b *testing.B) {
	script := unhex(b, tokenScript)
	b.ReportAllocs()
	for b.Loop() {
		Classify(script)
	}
}
