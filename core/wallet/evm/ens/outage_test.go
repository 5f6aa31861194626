package ens

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/nodetest"
)

// holding returns a node on which all names belong to an address, which ends in last.
func holding(last string) network.Behaviour {
	word := strings.Repeat("0", 62) + last
	at, all := "0x"+word[24:], `"0x`+word+`"`
	return nodetest.New(Ethereum, 100).Deploy(registry.String(), 18).Break(registry.String(), all).Deploy(at, 18).Break(at, all).Well
}

// TestResolveAmongOutages checks that two servers of five do not decide to whom a name belongs
// while the honest three are limited.
func TestResolveAmongOutages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := network.NewNet()
		c := node.Config{ChainID: Ethereum, Block: 12 * time.Second, Fetcher: net, Now: time.Now}
		honest := []string{"https://a.example/", "https://c.example/", "https://e.example/"}
		for _, url := range []string{honest[0], "https://b.example/", honest[1], "https://d.example/", honest[2]} {
			c.Nodes = append(c.Nodes, nodepool.Node{URL: url})
			net.Set(url, holding("09"))
		}
		serve := func(b network.Behaviour) {
			for _, url := range honest {
				net.Set(url, b)
			}
		}
		serve(holding("07"))
		pool, err := node.New(c)
		require.NoError(t, err)
		owner, err := Resolve(t.Context(), pool, "alice.eth", Ethereum)
		require.NoError(t, err)
		require.EqualValues(t, 7, owner[19])
		serve(network.Says(429, ""))
		_, err = Resolve(t.Context(), pool, "alice.eth", Ethereum)
		require.ErrorIs(t, err, nodepool.ErrAlone)
		require.ErrorIs(t, err, coin.ErrTransport)
		serve(holding("07"))
		time.Sleep(time.Minute)
		owner, err = Resolve(t.Context(), pool, "alice.eth", Ethereum)
		require.NoError(t, err)
		require.EqualValues(t, 7, owner[19])
	})
}
