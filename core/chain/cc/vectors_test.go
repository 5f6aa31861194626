package cc

import (
	"crypto/sha256"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc/recording"
)

// conditionVector is a vector from the tests of the RFC draft or of komodod.
type conditionVector struct {
	Name        string   `json:"name"`
	Tree        treeJSON `json:"json"`
	Condition   string   `json:"condition_binary"`
	URI         string   `json:"condition_uri"`
	Fulfillment string   `json:"fulfillment_binary"`
	Message     string   `json:"message"`
	Contents    string   `json:"fingerprint_contents"`
	Cost        uint64   `json:"cost"`
	Supported   bool     `json:"supported_by_komodo"`
}

func TestVectorsConditions(t *testing.T) {
	for _, v := range vectors[conditionVector](t, "cryptocondition.json") {
		t.Run(v.Name, func(t *testing.T) {
			condition := v.Tree.node(t).Condition()
			require.Equal(t, unhex(t, v.Condition), condition.Encode())
			require.Equal(t, v.URI, condition.URI())
			require.Equal(t, v.Cost, condition.Cost)
			if v.Contents != "" {
				require.Equal(t, sha256.Sum256(unhex(t, v.Contents)), condition.Fingerprint)
			}
			decoded, err := DecodeCondition(condition.Encode())
			if condition.Kind == RSA {
				require.ErrorIs(t, err, ErrUnsupported)
				return
			}
			require.NoError(t, err)
			require.Equal(t, condition, decoded)
		})
	}
}

func TestVectorsFulfillments(t *testing.T) {
	for _, v := range vectors[conditionVector](t, "cryptocondition.json") {
		t.Run(v.Name, func(t *testing.T) {
			fulfillment, tree := unhex(t, v.Fulfillment), v.Tree.node(t)
			decoded, err := DecodeFulfillment(fulfillment)
			if !v.Supported {
				require.ErrorIs(t, err, ErrUnsupported)
				return
			}
			require.NoError(t, err)
			require.Equal(t, unhex(t, v.Condition), decoded.Condition().Encode())
			require.Equal(t, tree.Kinds(), decoded.Kinds())
			for _, n := range []*Node{decoded, tree} {
				again, err := n.Encode()
				require.NoError(t, err)
				require.Equal(t, fulfillment, again)
			}
			msg := unhex(t, v.Message)
			if decoded.Kind == Secp256k1 {
				msg = hash32(msg)
			}
			require.True(t, decoded.Verify(msg, Checker{Eval: accept}))
			const signed = 1<<Ed25519 | 1<<Secp256k1
			msg = hash32([]byte("another message"))
			require.Equal(t, decoded.Kinds()&signed == 0, decoded.Verify(msg, Checker{Eval: accept}))
		})
	}
}

// TestVectorsSpends verifies the fulfillments of condition outputs in documented transactions.
func TestVectorsSpends(t *testing.T) {
	type vector struct {
		Name        string `json:"name"`
		ScriptCode  string `json:"script_code"`
		SigHash     string `json:"sighash"`
		PubKey      string `json:"pubkey"`
		Compact     string `json:"signature_compact"`
		Fulfillment string `json:"fulfillment"`
	}
	spends := 0
	for _, v := range vectors[vector](t, "signature.json") {
		if v.Fulfillment == "" {
			continue // the input spends another kind of output
		}
		spends++
		t.Run(v.Name, func(t *testing.T) {
			fulfillment, hash := unhex(t, v.Fulfillment), unhex(t, v.SigHash)
			pub, sig := unhex(t, v.PubKey), unhex(t, v.Compact)
			n, err := DecodeFulfillment(fulfillment)
			require.NoError(t, err)
			require.Equal(t, unhex(t, v.ScriptCode), pkScript(n.Condition()))
			require.True(t, n.Verify(hash, Checker{Eval: accept}))
			require.True(t, VerifySecp256k1(pub, hash, sig))
			hash[0] ^= 1
			require.False(t, n.Verify(hash, Checker{Eval: accept}))

			require.Equal(t, 1, n.Fill(pub, nil))
			_, err = n.Encode()
			require.ErrorIs(t, err, ErrUnfulfilled)
			require.Equal(t, 1, n.Fill(pub, sig))
			again, err := n.Encode()
			require.NoError(t, err)
			require.Equal(t, fulfillment, again)
		})
	}
	require.NotZero(t, spends)
}

// pkScript returns the output script of a condition: a push of the condition, followed by
// OP_CHECKCRYPTOCONDITION.
func pkScript(c Condition) []byte {
	b := c.Encode()
	return append(append([]byte{byte(len(b))}, b...), 0xcc)
}

// komododVector is a tree that komodod's library encoded, signed and decoded.
type komododVector struct {
	Name    string   `json:"name"`
	Tree    treeJSON `json:"condition_json"`
	Encoded struct {
		URI string `json:"uri"`
		Bin string `json:"bin"`
	} `json:"encodeCondition"`
	PkScript string `json:"scriptPubKey"`
	Decoded  struct {
		URI       string `json:"uri"`
		Bin       string `json:"bin"`
		Condition struct {
			Cost     uint64 `json:"cost"`
			Subtypes Mask   `json:"subtypes"`
		} `json:"condition"`
	} `json:"decodeCondition"`
	Signed []komododSigned `json:"signed"`
}

type komododSigned struct {
	Tree    treeJSON `json:"condition_signed"`
	Encoded struct {
		Fulfillment string `json:"fulfillment"`
	} `json:"encodeFulfillment"`
	Decoded struct {
		URI string `json:"uri"`
		Bin string `json:"bin"`
	} `json:"decodeFulfillment"`
	SignedHash string `json:"signed_hash"`
}

func komododVectors(t testing.TB) (all []komododVector) {
	for _, file := range recording.Read(t, "testdata/komodod", "OBVERSE_KOMODOD", "cc-vectors.json") {
		var content struct {
			Vectors []komododVector `json:"vectors"`
		}
		require.NoError(t, json.Unmarshal(file, &content))
		all = append(all, content.Vectors...)
	}
	require.NotEmpty(t, all)
	return all
}

func TestKomododVectorsConditions(t *testing.T) {
	for _, v := range komododVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			condition := v.Tree.node(t).Condition()
			require.Equal(t, unhex(t, v.Encoded.Bin), condition.Encode())
			require.Equal(t, unhex(t, v.PkScript), pkScript(condition))
			require.Equal(t, v.Encoded.URI, condition.URI())

			decoded, err := DecodeCondition(unhex(t, v.Decoded.Bin))
			require.NoError(t, err)
			require.Equal(t, v.Decoded.URI, decoded.URI())
			require.Equal(t, v.Decoded.Condition.Cost, decoded.Cost)
			require.Equal(t, v.Decoded.Condition.Subtypes, decoded.Subtypes)
		})
	}
}

func TestKomododVectorsSigned(t *testing.T) {
	for _, v := range komododVectors(t) {
		for _, s := range v.Signed {
			t.Run(v.Name, func(t *testing.T) { s.check(t, v.Tree.node(t)) })
		}
	}
}

func (s komododSigned) check(t *testing.T, unsigned *Node) {
	tree, hash := s.Tree.node(t), unhex(t, s.SignedHash)
	tree.Walk(func(leaf *Node) {
		if len(leaf.Signature) > 0 {
			require.Positive(t, unsigned.Fill(leaf.PublicKey, leaf.Signature))
		}
	})
	got, err := tree.Encode()
	filled, errFilled := unsigned.Encode()
	if s.Encoded.Fulfillment == "" {
		require.ErrorIs(t, err, ErrUnfulfilled)
		require.ErrorIs(t, errFilled, ErrUnfulfilled)
		require.False(t, tree.Verify(hash, Checker{Eval: accept}))
		return
	}
	require.NoError(t, err)
	require.NoError(t, errFilled)
	want := unhex(t, s.Encoded.Fulfillment)
	require.Equal(t, want, got)
	require.Equal(t, want, filled)

	decoded, err := DecodeFulfillment(want)
	require.NoError(t, err)
	require.Equal(t, unhex(t, s.Decoded.Bin), decoded.Condition().Encode())
	require.Equal(t, s.Decoded.URI, decoded.Condition().URI())
	require.Equal(t, tree.Kinds(), decoded.Kinds())
	for _, n := range []*Node{tree, decoded} {
		require.True(t, n.Verify(hash, Checker{Eval: accept}))
		require.False(t, n.Verify(hash32(hash), Checker{Eval: accept}))
	}
}
