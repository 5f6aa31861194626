package core

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever follows the error of a pinned store can open it.
func TestOtherChainSaysHowToGoOn(t *testing.T) {
	for _, started := range []map[string]string{
		{"chain.ac_name": "OTHER", "chain.ac_cc": "2", "chain.ac_supply": "7", "chain.regtest": "true"},
		{},
		{"chain.ac_nk": "48,5", "chain.ac_reward": "5,6", "chain.ac_end": "10,0"},
	} {
		first, kv := valid(t), memoryStore(t)
		require.NoError(t, first.Override(started))
		_, err := newNode(t, kv, first)
		require.NoError(t, err)
		other := valid(t)
		require.NoError(t, other.Override(map[string]string{"chain.ac_name": "ANOTHER"}))
		_, err = newNode(t, kv, other)
		require.ErrorIs(t, err, ErrOtherChain)
		_, way, found := strings.Cut(err.Error(), "; start with ")
		require.True(t, found)
		settings, _, found := strings.Cut(way, ", or use another data folder")
		require.True(t, found)
		again := map[string]string{}
		for word := range strings.FieldsSeq(settings) {
			key, value, _ := strings.Cut(word, "=")
			again[key] = value
		}
		require.NoError(t, other.Override(again))
		_, err = newNode(t, kv, other)
		require.NoError(t, err)
	}
}
