package cc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzDecodeFulfillment(f *testing.F) {
	for _, v := range vectors[conditionVector](f, "cryptocondition.json") {
		f.Add(unhex(f, v.Fulfillment))
	}
	for _, v := range komododVectors(f) {
		for _, s := range v.Signed {
			f.Add(unhex(f, s.Encoded.Fulfillment))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := DecodeFulfillment(b)
		if err != nil {
			require.Nil(t, n)
			return
		}
		again, err := n.Encode()
		require.NoError(t, err)
		require.Equal(t, b, again)
		condition := n.Condition()
		require.Equal(t, n.Kinds(), condition.kinds()|n.Kind.mask())
		n.Verify(make([]byte, 32), Checker{Eval: accept})
	})
}

func FuzzDecodeCondition(f *testing.F) {
	for _, v := range vectors[conditionVector](f, "cryptocondition.json") {
		f.Add(unhex(f, v.Condition))
	}
	for _, v := range komododVectors(f) {
		f.Add(unhex(f, v.Encoded.Bin))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := DecodeCondition(b)
		if err != nil {
			require.Zero(t, c)
			return
		}
		require.Equal(t, b, c.Encode())
		require.NotEmpty(t, c.URI())
	})
}
