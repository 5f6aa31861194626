package params_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
)

func TestEveryOptionIsExplained(t *testing.T) {
	for _, key := range params.Keys() {
		require.NotEmpty(t, params.Meaning(key), key)
		require.NotEmpty(t, params.Allowed(key), key)
	}
	require.Equal(t, "unsupported, since this node does not keep the rules of proof of stake", params.Meaning("ac_staked"))
	require.Equal(t, "a whole number from 0 to 100", params.Allowed("ac_staked"))
	require.Empty(t, params.Meaning("ac_nosuch"))
	require.Empty(t, params.Allowed("ac_nosuch"))
}
