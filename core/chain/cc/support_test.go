package cc

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc/recording"
)

// vectors reads all recordings with a name. Each recording is a JSON list.
func vectors[V any](t testing.TB, name string) (all []V) {
	t.Helper()
	for _, file := range recording.Read(t, "testdata", "OBVERSE_VECTORS", name) {
		var list []V
		require.NoError(t, json.Unmarshal(file, &list))
		all = append(all, list...)
	}
	require.NotEmpty(t, all)
	return all
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

// hash32 returns the message that komodod's library signs for secp256k1.
func hash32(msg []byte) []byte {
	sum := sha256.Sum256(msg)
	return sum[:]
}

func accept([]byte) bool { return true }

// treeJSON is a tree in the JSON format of the vectors.
type treeJSON struct {
	Type             string     `json:"type"`
	Preimage         string     `json:"preimage"`
	Prefix           string     `json:"prefix"`
	MaxMessageLength uint64     `json:"maxMessageLength"`
	Subfulfillment   *treeJSON  `json:"subfulfillment"`
	Threshold        int        `json:"threshold"`
	Subfulfillments  []treeJSON `json:"subfulfillments"`
	Modulus          string     `json:"modulus"`
	PublicKey        string     `json:"publicKey"`
	Signature        string     `json:"signature"`
	Code             string     `json:"code"`
}

func (j *treeJSON) node(t testing.TB) *Node {
	t.Helper()
	unbase64 := func(s string) []byte {
		b, err := base64.RawURLEncoding.DecodeString(s)
		require.NoError(t, err)
		return b
	}
	switch j.Type {
	case "preimage-sha-256":
		return &Node{Kind: Preimage, Data: unbase64(j.Preimage)}
	case "prefix-sha-256":
		sub := j.Subfulfillment.node(t)
		return &Node{Kind: Prefix, Data: unbase64(j.Prefix), MaxMessageLen: j.MaxMessageLength, Subs: []*Node{sub}}
	case "threshold-sha-256":
		n := NewThreshold(j.Threshold)
		for i := range j.Subfulfillments {
			n.Subs = append(n.Subs, j.Subfulfillments[i].node(t))
		}
		return n
	case "rsa-sha-256":
		modulus := unbase64(j.Modulus)
		size := uint64(len(modulus))
		hidden := Condition{Kind: RSA, Fingerprint: fingerprint(appendElement(nil, tagPrimitive, modulus)), Cost: size * size}
		return &Node{Kind: RSA, Hidden: &hidden}
	case "ed25519-sha-256":
		return &Node{Kind: Ed25519, PublicKey: unbase64(j.PublicKey), Signature: unbase64(j.Signature)}
	case "secp256k1-sha-256":
		return &Node{Kind: Secp256k1, PublicKey: unhex(t, j.PublicKey), Signature: unhex(t, j.Signature)}
	case "eval-sha-256":
		return NewEval(unbase64(j.Code)...)
	}
	require.FailNow(t, "unknown type", j.Type)
	return nil
}
