package evm

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

const customAt = "0x52908400098527886E0F7030069857D2E4169EE7"

var customProtocol = json.RawMessage(`{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + customAt + `"}}`)

// TestCustomTokenIsRestored checks that a custom token is restored after a restart, regardless
// of the coins file.
func TestCustomTokenIsRestored(t *testing.T) {
	b := newBench(t)
	b.eth.Deploy(customAt, 2).GiveToken(customAt, walletAddress, "150")
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	done, err := b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "MINE", Protocol: customProtocol})
	require.NoError(t, err)
	require.Equal(t, "1.5", done.Balance.Spendable.String())

	later := openBench(t, b.kv)
	later.eth.Deploy(customAt, 2).GiveToken(customAt, walletAddress, "275")
	entry, err := coin.ParseEntry([]byte(`{"coin":"MINE","protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + sixAt + `"}}}`))
	require.NoError(t, err)
	later.Registry.Replace([]*coin.Entry{entry})
	restorer := coin.Restorer{Active: later.Active, Registry: later.Registry, Kinds: map[coin.ProtocolType]func(ctx context.Context, saved coin.SavedCoin) error{
		coin.TypeETH: later.Restore, coin.TypeERC20: later.Restore}}
	require.NoError(t, restorer.Run(t.Context()))
	require.Equal(t, []string{"ETH", "MINE"}, later.active())
	balance, err := get[*Token](t, later, "MINE").Balance(t.Context())
	require.NoError(t, err)
	require.Equal(t, "2.75", balance.Spendable.String(), "of the contract that was activated")

	_, err = later.Active.Disable(t.Context(), "MINE", false)
	require.NoError(t, err)
	_, err = later.ActivateToken(t.Context(), account.TokenRequest{Ticker: "MINE", Protocol: customProtocol})
	require.ErrorAs(t, err, new(*coin.DuplicateError))
}
