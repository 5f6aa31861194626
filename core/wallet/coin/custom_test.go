package coin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCustomNetwork(t *testing.T) {
	r := NewRegistry(nil)
	entry, err := r.CustomNetwork("MINE", "My chain", 31337)
	require.NoError(t, err)
	require.True(t, entry.Custom)
	require.Equal(t, []any{"MINE", "My chain", On, "m/44'/60'"}, []any{entry.Ticker, entry.FullName, entry.MM2, entry.DerivationPath})
	network, err := As[ETH](entry)
	require.NoError(t, err)
	require.EqualValues(t, 31337, network.ChainID)
	_, err = r.Lookup("MINE")
	require.ErrorIs(t, err, ErrNotConfigured, "the activation keeps it, the registry does not")

	known, err := r.CustomNetwork("BNB", "whatever", 56)
	require.NoError(t, err)
	require.False(t, known.Custom, "the entry of the coins file is taken")
	for _, c := range []struct {
		ticker string
		chain  uint64
		want   string
	}{
		{"BNB", 31337, "the coins file has the ticker already: BNB"},
		{"ATOM", 31337, "the coins file has the ticker already: ATOM"},
		{"OSMO", 31337, "the coins file has the ticker already: OSMOSIS"},
		{"MINE", 137, "the coins file has the network of chain id 137 already, as MATIC"},
	} {
		_, err := r.CustomNetwork(c.ticker, "", c.chain)
		require.EqualError(t, err, c.want)
	}
	_, err = r.CustomNetwork("two words", "", 31337)
	require.ErrorIs(t, err, ErrEntry)
}

// A client that names the contract of a known token gets the known token.
func TestCustomTokenThatIsKnown(t *testing.T) {
	r := NewRegistry(nil)
	protocol := func(contract string) []byte {
		return []byte(`{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + contract + `"}}`)
	}
	entry, err := r.CustomToken("USDT-ERC20", protocol("0xdac17f958d2ee523a2206206994597c13d831ec7"))
	require.NoError(t, err)
	require.False(t, entry.Custom)
	_, err = r.CustomToken("USDT-ERC20", protocol("0x0D8775F648430679A709E98d2b0Cb6250d2887EF"))
	require.EqualError(t, err, "the coins file has the ticker already: USDT-ERC20")
	_, err = r.CustomToken("TETHER", protocol("0xdac17f958d2ee523a2206206994597c13d831ec7"))
	require.EqualError(t, err, "the coins file has the contract already, as USDT-ERC20")
}
