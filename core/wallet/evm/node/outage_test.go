package node

import (
	"math/big"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/nodetest"
)

// TestContractsAmongOutages checks that two servers of five do not decide about values on which
// payments depend while the honest three fail.
func TestContractsAmongOutages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		knowing := func(decimals uint8, units, holder string) network.Behaviour {
			return nodetest.New(1, 100).Deploy(tokenA, decimals).GiveToken(tokenA, owner, units).Allow(tokenA, units).SetOwner(tokenA, holder).Well
		}
		lies, truth := knowing(9, "9", tokenB), knowing(7, "7", owner)
		p, net := pool(t, truth, lies, truth, lies, truth)
		token, holder, id := parse(t, tokenA), parse(t, owner), big.NewInt(1)
		questions := map[string]func() (any, error){
			"decimals": func() (any, error) {
				list, err := p.Decimals(t.Context(), []address.Address{token})
				if err != nil {
					return nil, err
				}
				return list[0], nil
			},
			"allowance":   func() (any, error) { return p.Allowance(t.Context(), token, holder, holder) },
			"NFT balance": func() (any, error) { return p.NFTBalance(t.Context(), token, holder, id) },
			"NFT owner":   func() (any, error) { return p.NFTOwner(t.Context(), token, id) },
		}
		for name, want := range map[string]any{"decimals": uint8(7), "allowance": big.NewInt(7), "NFT balance": big.NewInt(7), "NFT owner": holder} {
			got, err := questions[name]()
			require.NoError(t, err, name)
			require.Equal(t, want, got, name)
		}
		for _, url := range []string{urlA, "https://c.example/", "https://e.example/"} {
			net.Set(url, network.Dead)
		}
		for name, ask := range questions {
			_, err := ask()
			require.ErrorIs(t, err, nodepool.ErrAlone, name)
			require.ErrorIs(t, err, coin.ErrTransport, name)
		}
	})
}
