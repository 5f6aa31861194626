package evm

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/evm/wire"
)

// TestNetworkOfOnePrice checks that no transactions of EIP-1559 are sent to a network whose
// entry does not support them, although its nodes have a history of fees.
func TestNetworkOfOnePrice(t *testing.T) {
	b := newBench(t)
	const url = "https://bnb.example/"
	gwei := big.NewInt(1_000_000_000)
	n := nodetest.New(56, 100).Give(walletAddress, "1000000000000000000").Price(gwei, gwei)
	b.net.Set(url, n.Well)
	p := eth()
	p.Ticker, p.Nodes = "BNB", at(url)
	_, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	platform := get[*Platform](t, b, "BNB")
	done, err := platform.Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Amount: number.Scaled(gwei, 18)})
	require.NoError(t, err)
	sent, err := wire.Decode(done.Raw)
	require.NoError(t, err)
	require.Nil(t, sent.Tip)
	require.Equal(t, "2000000000", sent.MaxFee.String())
	require.Nil(t, done.Fee.MaxTip)
}

// The minimum tip of a node is explained to the user.
func TestMinimumTip(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	platform := get[*Platform](t, b, "ETH")
	for log, want := range map[string]string{
		"transaction underpriced: gas tip cap 100000000, minimum needed 1000000000":               "the network takes a priority fee of 1 or more, in billionths of a coin for a unit of gas: choose a higher fee",
		"transaction gas price below minimum: gas tip cap 1500000000, minimum needed 25500000000": "the network takes a priority fee of 25.5 or more, in billionths of a coin for a unit of gas: choose a higher fee",
		"gas tip cap 1, minimum needed x":                                                         "",
		"minimum needed 5":                                                                        "",
	} {
		b.eth.Refuse(log)
		_, err := platform.Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Amount: number.Scaled(big.NewInt(1), 9), Send: true})
		var refused *coin.RefusedError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, want, refused.Help)
		require.ErrorContains(t, err, log)
	}
}

// The contracts of swaps may have Rootstock's checksum (EIP-1191) on Rootstock only.
func TestChecksumOfContracts(t *testing.T) {
	const checksummed = "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD"
	require.NoError(t, Contracts{checksummed, checksummed}.check(30))
	var refused *PayloadError
	require.ErrorAs(t, Contracts{checksummed, ""}.check(1), &refused)
	require.ErrorAs(t, Contracts{swaps, checksummed}.check(31), &refused)
}
