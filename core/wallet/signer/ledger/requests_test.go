package ledger_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/ledger/ledgertest"
)

// TestCommandsOfLedgersLibraries checks that commands equal those of Ledger's libraries byte
// for byte. The client additionally queries the open app, its settings, and the key before it
// signs.
func TestCommandsOfLedgersLibraries(t *testing.T) {
	commands := ledgertest.Commands(t)
	for _, r := range ledgertest.Requests(t) {
		t.Run(r.Name, func(t *testing.T) {
			d, client := open(t, r.App)
			d.Set(func(s *ledgertest.Settings) { s.BlindSigning, s.Versions["Cosmos"] = true, [3]byte{2, 34, 9} })
			r.Make(t.Context(), t, client, d)
			if r.Method == "version" {
				return
			}
			want, received := commands[r.Name], d.Requests()
			require.NotEmpty(t, want)
			require.Greater(t, len(received), len(want))
			var got []string
			for _, apdu := range received[len(received)-len(want):] {
				got = append(got, hex.EncodeToString(apdu))
			}
			require.Equal(t, want, got)
		})
	}
}
