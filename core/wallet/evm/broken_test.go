package evm

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/nft"
)

// outcomes holds results of contract calls that violate ERC-20.
var outcomes = map[string]string{
	"a revert":              `{"code":3,"message":"execution reverted: paused","data":"0x08c379a0"}`,
	"a revert of old nodes": `{"code":-32000,"message":"VM execution error: revert"}`,
	"an error of the node":  `{"code":-32000,"message":"execution aborted (timeout = 5s)"}`,
	"out of gas":            `{"code":-32000,"message":"out of gas"}`,
	"nothing":               `"0x"`,
	"a short word":          `"0x01"`,
	"too much":              `"0x` + strings.Repeat("0", nodepool.LightLimit+100) + `"`,
}

// A broken token is reported, and the network and the other tokens are active.
func TestBrokenTokens(t *testing.T) {
	for name, outcome := range outcomes {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.eth.Deploy(payee, 6).Break(payee, outcome)
			done, err := b.Activate(t.Context(), eth("SIX-ERC20", "GONE-ERC20", "ZERO-ERC20"))
			require.NoError(t, err)
			require.Equal(t, walletAddress+" at 100: 2.500000000000000001, SIX-ERC20 12.345678, ZERO-ERC20 "+maxUint256, done.show())
			require.Equal(t, []string{"ETH", "SIX-ERC20", "ZERO-ERC20"}, b.active())
			require.Len(t, done.Failed, 1)
			require.Equal(t, "GONE-ERC20", done.Failed[0].Ticker)
			require.Error(t, done.Failed[0].Err)
			_, err = b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "GONE-ERC20"})
			require.Error(t, err)
			b.eth.Break(payee, "")
			_, err = b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "GONE-ERC20"})
			require.NoError(t, err, "it works later")
		})
	}
}

// If all tokens are broken, the network is active.
func TestAllTokensBroken(t *testing.T) {
	b := newBench(t)
	done, err := b.Activate(t.Context(), eth("GONE-ERC20"))
	require.NoError(t, err)
	require.Len(t, done.Failed, 1)
	require.ErrorIs(t, done.Failed[0].Err, coin.ErrContract)
	require.Equal(t, []string{"ETH"}, b.active())
}

// TestTokenBreaksLater checks that a token which breaks while it is active has an unknown
// balance, and that queries about other tokens succeed, also after a restart.
func TestTokenBreaksLater(t *testing.T) {
	for name, outcome := range outcomes {
		t.Run(name, func(t *testing.T) {
			kv := bunttest.Memory(t)
			b := openBench(t, kv)
			_, err := b.Activate(t.Context(), eth("SIX-ERC20", "HUGE-ERC20"))
			require.NoError(t, err)
			check := func(b *bench) {
				t.Helper()
				_, err := get[*Token](t, b, "HUGE-ERC20").Balance(t.Context())
				require.ErrorIs(t, err, coin.ErrTransport)
				platform := get[*Platform](t, b, "ETH")
				r, err := platform.Query(t.Context(), account.Query{Assets: append(platform.Tokens(), &platform.native)})
				require.NoError(t, err)
				require.Equal(t, "12.345678", r.Balances[0].Spendable.String())
				require.Error(t, r.Balances[1].Unknown)
				require.True(t, r.Balances[0].Unknown == nil && r.Balances[2].Unknown == nil)
				require.Equal(t, "2.500000000000000001", r.Balances[2].Spendable.String())
				many, err := platform.Owners(t.Context(), []string{walletAddress, payee}, platform.Tokens())
				require.NoError(t, err)
				require.Equal(t, "12.345678", many[0][0].Spendable.String())
				require.Error(t, many[0][1].Unknown)
				used, err := platform.Used(t.Context(), []string{walletAddress, swaps}, platform.Tokens())
				require.NoError(t, err)
				require.Equal(t, []bool{true, false}, used)
			}
			b.eth.Break(hugeAt, outcome)
			get[*Platform](t, b, "ETH").nodes.Invalidate()
			check(b)

			again := openBench(t, kv)
			again.eth.Break(hugeAt, outcome)
			restorer := &coin.Restorer{Active: again.Active, Registry: again.Registry,
				Kinds: map[coin.ProtocolType]func(context.Context, coin.SavedCoin) error{coin.TypeETH: again.Restore, coin.TypeERC20: again.Restore}}
			require.NoError(t, restorer.Run(t.Context()))
			check(again)
		})
	}
}

// TestTokenWithoutDecimals checks that decimals of 0 in the coins file are valid, so that the
// contract is not queried.
func TestTokenWithoutDecimals(t *testing.T) {
	b := newBench(t)
	b.net.Set(ethURL, func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		require.NotContains(t, string(r.Body), "313ce567", "decimals()")
		return b.eth.Well(ctx, r)
	})
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	_, err = b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "ZERO-ERC20"})
	require.NoError(t, err)
	require.Zero(t, get[*Token](t, b, "ZERO-ERC20").txAsset().Decimals)
}

// Symbols are optional in ERC-20.
func TestTokenWithoutSymbol(t *testing.T) {
	for name, symbol := range map[string][]byte{"none": nil, "not a text": []byte("\x00\x01")} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.net.Set(ethURL, nodetest.New(1, 100).Deploy(sixAt, 6).Name(sixAt, symbol).Well)
			_, err := b.Activate(t.Context(), eth())
			require.NoError(t, err)
			info, err := get[*Platform](t, b, "ETH").TokenInfo(t.Context(), sixAt)
			require.NoError(t, err)
			require.Equal(t, TokenInfo{Decimals: 6}, info)
		})
	}
}

// TestBrokenNFTs checks that a contract with failing calls does not exclude NFTs of other
// contracts from a list, and that its missing data is unknown.
func TestBrokenNFTs(t *testing.T) {
	const mine, broken = swaps, payee
	failures := map[string]struct {
		answer string
		known  bool // whether the contract itself has failed, which means that it has no such NFT
	}{
		"a revert":            {outcomes["a revert"], true},
		"out of gas":          {outcomes["out of gas"], true},
		"bad memory access":   {`{"code":-32000,"message":"return data out of bounds"}`, true},
		"endless memory":      {`{"code":-32000,"message":"gas uint64 overflow"}`, true},
		"a halt of Reth":      {`{"code":-32603,"message":"EVM error: OutOfOffset"}`, true},
		"an answer too large": {outcomes["too much"], true},
		"a timeout":           {outcomes["an error of the node"], false},
		"another error":       {`{"code":-32000,"message":"missing trie node"}`, false},
	}
	for name, c := range failures {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.eth.Deploy(broken, 0).Break(broken, c.answer).Deploy(mine, 0).SetOwner(mine, walletAddress).Name(mine, append(make([]byte, 31), 1))
			_, err := b.Activate(t.Context(), eth())
			require.NoError(t, err)
			p := get[*Platform](t, b, "ETH").NFTReader()
			list := []nft.NFT{{Token: nft.Token{Address: strings.ToLower(mine), ID: "1"}, Type: nft.ERC721}, {Token: nft.Token{Address: strings.ToLower(broken), ID: "1"}, Type: nft.ERC721}}
			amounts, err := p.NFTAmounts(t.Context(), list)
			require.NoError(t, err)
			require.Equal(t, nft.Amount{Number: "1"}, amounts[0])
			require.Equal(t, c.known, amounts[1].Err == nil, amounts[1])
			if c.known {
				require.Equal(t, "0", amounts[1].Number)
			}
			texts, err := p.NFTTexts(t.Context(), list, 1000)
			require.NoError(t, err)
			require.NoError(t, texts[0].Err)
			require.Equal(t, c.known, texts[1].Err == nil, texts[1])
			amounts, err = p.NFTAmounts(t.Context(), list[1:])
			require.NoError(t, err, "alone")
			require.Equal(t, c.known, amounts[0].Err == nil)
		})
	}
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	b.net.Set(ethURL, func(context.Context, fetch.Request) (fetch.Response, error) {
		return fetch.Response{}, fetch.ErrUnreachable
	})
	_, err = get[*Platform](t, b, "ETH").NFTReader().NFTAmounts(t.Context(), []nft.NFT{{Token: nft.Token{Address: strings.ToLower(mine), ID: "1"}, Type: nft.ERC721}})
	require.ErrorIs(t, err, coin.ErrTransport, "a node that does not answer is no fault of a contract")
}

// TestLargeNFTs checks that a contract with large responses needs only a few requests,
// regardless of its number of NFTs.
func TestLargeNFTs(t *testing.T) {
	b := newBench(t)
	b.eth.Deploy(payee, 0).Break(payee, `"0x`+strings.Repeat("0", 5<<20)+`"`).Deploy(swaps, 0).SetOwner(swaps, walletAddress)
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	list := []nft.NFT{{Token: nft.Token{Address: strings.ToLower(swaps), ID: "1"}, Type: nft.ERC721}}
	for n := range 200 {
		list = append(list, nft.NFT{Token: nft.Token{Address: strings.ToLower(payee), ID: strconv.Itoa(n)}, Type: nft.ERC721})
	}
	before := b.net.Calls(ethURL)
	amounts, err := get[*Platform](t, b, "ETH").NFTReader().NFTAmounts(t.Context(), list)
	require.NoError(t, err)
	require.Equal(t, nft.Amount{Number: "1"}, amounts[0])
	require.Equal(t, nft.Amount{Number: "0"}, amounts[200])
	require.Less(t, b.net.Calls(ethURL)-before, 40)
}

// TestSlowNFTs checks that a contract with functions that time out does not exclude NFTs of
// other contracts from a list, regardless of its number of NFTs.
func TestSlowNFTs(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		b.eth.Deploy(payee, 0).Deploy(swaps, 0).SetOwner(swaps, walletAddress)
		_, err := b.Activate(t.Context(), eth())
		require.NoError(t, err)
		b.net.Set(ethURL, func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
			if strings.Contains(string(r.Body), strings.ToLower(payee)) {
				return network.Hangs(ctx, r)
			}
			return b.eth.Well(ctx, r)
		})
		var list []nft.NFT
		for n := range 200 {
			list = append(list, nft.NFT{Token: nft.Token{Address: strings.ToLower(payee), ID: strconv.Itoa(n)}, Type: nft.ERC721})
		}
		list = append(list, nft.NFT{Token: nft.Token{Address: strings.ToLower(swaps), ID: "1"}, Type: nft.ERC721})
		p := get[*Platform](t, b, "ETH").NFTReader()
		amounts, err := p.NFTAmounts(t.Context(), list)
		require.NoError(t, err)
		require.Equal(t, nft.Amount{Number: "1"}, amounts[200])
		for _, a := range amounts[:200] {
			require.ErrorIs(t, a.Err, coin.ErrTransport)
		}
		_, err = p.NFTAmounts(t.Context(), list[:200])
		require.ErrorIs(t, err, coin.ErrTransport, "failures of nodes are not failures of a contract")
	})
}
