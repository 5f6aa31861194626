package daemon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon/daemontest"
)

// TestKomododRawTransactions decodes whatever komodod's token methods built, sent
// or not, and expects its own decoding, every byte.
func TestKomododRawTransactions(t *testing.T) {
	s, _ := newTokenStation(t)
	decoded := 0
	for _, path := range daemontest.Recordings(t, recordings, daemontest.Named("rawtx.json")) {
		var built map[string]struct {
			Hex     string
			Decoded string `json:"decoderawtransaction_body"`
		}
		if !readsAs(t, path, &built) {
			continue // the vector file of that name is a list
		}
		for label, tx := range built {
			require.Equal(t, tx.Decoded, s.ask("decoderawtransaction", tx.Hex), label)
			decoded++
		}
	}
	require.GreaterOrEqual(t, decoded, 39)
}
