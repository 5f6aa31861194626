package cosmos

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/cosmos/wire"
)

// A validator with a malformed key does not fail the list.
func TestValidatorWithMalformedKey(t *testing.T) {
	good := wire.Any{TypeURL: "/cosmos.crypto.ed25519.PubKey", Value: wire.Encode(&wire.PubKey{Key: []byte{1, 2}})}
	list := validators([]wire.Validator{{Operator: "a", Key: wire.Any{TypeURL: good.TypeURL, Value: good.Value[:3]}}, {Operator: "b", Key: good}})
	require.Len(t, list, 2)
	require.Equal(t, "a", list[0].Address)
	require.Empty(t, list[0].Key)
	require.Equal(t, []byte{1, 2}, list[1].Key)
}
