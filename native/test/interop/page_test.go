package interop_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/native/test/interop"
)

// TestPageWallet runs the tests of browser wallets, in Chromium, on a real chain. The wallet in the
// page signs, the node in the page sends, and the chain's program reports the results.
func TestPageWallet(t *testing.T) {
	web, err := filepath.Abs(filepath.Join("..", "..", "..", "web"))
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(web, "dist", "obverse.wasm"), "make page builds the page")
	c, err := interop.Settings{ID: "cosmoshub-4"}.Start(t.Context(), interop.Gaiad)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Stop()) })
	before, err := c.Balance(t.Context(), c.Other.Address, c.Denom)
	require.NoError(t, err)
	chain, err := json.Marshal(map[string]any{"url": c.URL, "balance": "1000",
		"accounts": map[string]string{"user": c.User.Address, "other": c.Other.Address}})
	require.NoError(t, err)

	tests := exec.CommandContext(t.Context(), "node", "--test", "--test-timeout=600000", "--test-reporter=spec", "test/wallet.test.js")
	tests.Dir = web
	tests.Env = append(os.Environ(), "OBVERSE_CHAIN="+string(chain))
	out, err := tests.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)

	var sent struct {
		Txs []struct {
			Code int
			Tx   struct {
				Body     struct{ Memo string }
				AuthInfo struct {
					Signers []struct {
						Mode struct{ Single struct{ Mode string } } `json:"mode_info"`
					} `json:"signer_infos"`
				} `json:"auth_info"`
			}
		}
	}
	require.NoError(t, c.Query(t.Context(), &sent, "txs", "--events", "message.sender="+c.User.Address))
	var modes []string
	for _, s := range sent.Txs {
		require.Zero(t, s.Code)
		require.Equal(t, "by Keplr", s.Tx.Body.Memo)
		require.Len(t, s.Tx.AuthInfo.Signers, 1)
		modes = append(modes, s.Tx.AuthInfo.Signers[0].Mode.Single.Mode)
	}
	require.Equal(t, []string{"SIGN_MODE_DIRECT", "SIGN_MODE_LEGACY_AMINO_JSON"}, modes)
	after, err := c.Balance(t.Context(), c.Other.Address, c.Denom)
	require.NoError(t, err)
	require.Equal(t, "1000000", difference(t, after, before), "twice 0.5 ATOM came in")
}

// difference subtracts amounts.
func difference(t testing.TB, after, before string) string {
	t.Helper()
	return amount(t, after).Sub(amount(t, before)).String()
}
