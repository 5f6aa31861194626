package daemon

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/script"
)

// TestPrintedResults checks that results with their own encoders have the same encoding as with
// encoding/json and appendCompact.
func TestPrintedResults(t *testing.T) {
	address := script.Address{Version: script.PubKeyHashVersion, Hash: [20]byte{1}}
	for _, r := range []tokenBalance{
		{},
		{Result: "success", CCAddress: address, TokenID: "00ff", Balance: math.MaxInt64},
		{Result: "<&>\"\\\x7f\x01", CCAddress: address, address: address.String(), TokenID: "é\u2028", Balance: -1},
		{Result: "success", Proof: json.RawMessage(`{ "a": "\/" }`)},
	} {
		text, err := encode(r)
		require.NoError(t, err)
		want := appendReply(nil, text, nil, json.RawMessage(" 7 "))
		got, printed := appendPrinted(nil, r, json.RawMessage(" 7 "))
		require.Equal(t, r.Proof == nil, printed)
		if printed {
			require.Equal(t, string(want), string(got))
		} else {
			require.Empty(t, got)
		}
	}
}
