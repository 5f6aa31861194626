package evm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/nft"
)

func (a Activated) show() string {
	text := fmt.Sprintf("%s at %d: %s", a.Owner.Address, a.Height, a.Balance.Spendable)
	for _, t := range a.Tokens {
		text += fmt.Sprintf(", %s %s", t.Ticker, t.Balance.Spendable)
	}
	return text
}

// TestActivateWithNodesThatDisagree checks that a single node that lies about decimals has no
// effect, regardless of the order of the nodes.
func TestActivateWithNodesThatDisagree(t *testing.T) {
	b := newBench(t)
	const otherURL, thirdURL = "https://other.example/", "https://third.example/"
	liar := nodetest.New(1, 100).Deploy(sixAt, 18).Deploy(hugeAt, 0)
	b.net.Set(otherURL, liar.Well)
	b.net.Set(thirdURL, b.eth.Well)
	p := eth("SIX-ERC20")
	p.Nodes = at(otherURL, ethURL)
	done, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.Len(t, done.Failed, 1)
	require.ErrorIs(t, done.Failed[0].Err, coin.ErrTransport)
	require.ErrorContains(t, done.Failed[0].Err, "nodes do not agree on its decimals (https://other.example: 18; https://eth.example: 6)")
	require.Equal(t, []string{"ETH"}, b.active())
	_, err = b.Active.Disable(t.Context(), "ETH", true)
	require.NoError(t, err)
	p.Nodes = at(otherURL, ethURL, thirdURL)
	_, err = b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.EqualValues(t, 6, get[*Token](t, b, "SIX-ERC20").txAsset().Decimals)

	again := openBench(t, b.kv)
	again.net.Set(otherURL, liar.Well)
	again.net.Set(ethURL, network.Dead)
	for _, s := range again.Active.Saved() {
		require.NoError(t, again.Restore(t.Context(), s))
	}
	require.EqualValues(t, 6, get[*Token](t, again, "SIX-ERC20").txAsset().Decimals, "the agreed decimals are saved")
}

func TestActivate(t *testing.T) {
	for _, c := range []struct {
		name   string
		params func(*Params)
		want   string
		active []string
	}{
		{"alone", func(*Params) {}, walletAddress + " at 100: 2.500000000000000001", []string{"ETH"}},
		{"with tokens", func(p *Params) { p.Tokens = eth("SIX-ERC20", "HUGE-ERC20", "SIX-ERC20").Tokens },
			walletAddress + " at 100: 2.500000000000000001, SIX-ERC20 12.345678, HUGE-ERC20 115792089237316195423570985008687907853269984665640564039457.584007913129639935", []string{"ETH", "SIX-ERC20", "HUGE-ERC20"}},
		{"with decimals of 0", func(p *Params) { p.Tokens = eth("ZERO-ERC20").Tokens }, walletAddress + " at 100: 2.500000000000000001, ZERO-ERC20 " + maxUint256, []string{"ETH", "ZERO-ERC20"}},
		{"without balances", func(p *Params) { p.Tokens, p.Balances = eth("SIX-ERC20").Tokens, false }, walletAddress + " at 100: 0, SIX-ERC20 0", []string{"ETH", "SIX-ERC20"}},
		{"an older entry", func(p *Params) { p.Ticker = "OLD" }, walletAddress + " at 100: 2.500000000000000001", []string{"OLD"}},
		{"a fallback contract", func(p *Params) { p.Contracts.Fallback = strings.ToLower(swaps) }, walletAddress + " at 100: 2.500000000000000001", []string{"ETH"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			p := eth()
			c.params(&p)
			done, err := b.Activate(t.Context(), p)
			require.NoError(t, err)
			require.Equal(t, c.want, done.show())
			require.Equal(t, c.active, b.active())
			requests := 2 // the health check, and all balances
			if len(p.Tokens) > 0 && p.Tokens[0].Ticker != "ZERO-ERC20" {
				requests++ // to query decimals that no entry has
			}
			require.Equal(t, requests, b.eth.Requests())
			require.NotNil(t, done.Owner.PublicKey)
			require.Nil(t, done.Owner.Path)
			_, err = b.Activate(t.Context(), p)
			require.ErrorIs(t, err, coin.ErrAlreadyActive)
		})
	}
}

// TestActivateRefuses checks the order of the checks, and that a failure changes nothing.
func TestActivateRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		params func(*Params)
		check  func(*testing.T, error)
		text   string
	}{
		{"no entry", func(p *Params) { p.Ticker, p.Nodes = "XYZ", nil }, is(coin.ErrNotConfigured), "XYZ"},
		{"no protocol", func(p *Params) { p.Ticker = "NONE" }, as[*coin.ParseError](), "invalid type: null"},
		{"another protocol", func(p *Params) { p.Ticker = "KMD" }, as[*coin.UnexpectedError](), "UTXO"},
		{"a token's", func(p *Params) { p.Ticker = "SIX-ERC20" }, as[*coin.UnexpectedError](), "ERC20"},
		{"not expected", func(p *Params) { p.Expected = func(*coin.Entry) error { return errTest }; p.Contracts.Swap = "" }, is(errTest), ""},
		{"no contract of swaps", func(p *Params) { p.Contracts.Swap, p.Nodes = "", nil }, as[*PayloadError](), "swap contract: an address is 0x"},
		{"the zero address as swap contract", func(p *Params) { p.Contracts.Swap = "0x" + strings.Repeat("0", 40) }, as[*PayloadError](), "swap contract: address is zero"},
		{"the zero address as fallback", func(p *Params) { p.Contracts.Fallback = "0x" + strings.Repeat("0", 40) }, as[*PayloadError](), "fallback swap contract: address is zero"},
		{"an invalid fallback", func(p *Params) { p.Contracts.Fallback = "x" }, as[*PayloadError](), "fallback swap contract: "},
		{"an invalid path", func(p *Params) { p.Ticker = "LOST" }, as[*account.CreationError](), "coin entry: invalid derivation path"},
		{"an unavailable policy", func(p *Params) { p.Policy, p.Nodes = key.HardwareWallet{}, nil }, as[*key.NotAllowedError](), "HardwareWallet is not available"},
		{"no nodes", func(p *Params) { p.Nodes = nil; p.Tokens = eth("XYZ").Tokens }, is(ErrNoNodes), "needs a node"},
		{"an invalid URL", func(p *Params) { p.Nodes = at("ftp://user:s3cret@a.example") }, as[*PayloadError](), "Url ftp://a.example is invalid"},
		{"a gateway without an identity", func(p *Params) { p.Nodes[0].GatewayProxy = true }, as[*account.CreationError](), "identity"},
		{"a token without entry", func(p *Params) { p.Tokens = eth("XYZ").Tokens; p.Nodes = at("https://dead.example") }, is(coin.ErrNotConfigured), "token XYZ"},
		{"a token of another platform", func(p *Params) { p.Tokens = eth("SIX-PLG20").Tokens }, as[*coin.UnexpectedError](), "ERC20"},
		{"a token of another protocol", func(p *Params) { p.Tokens = eth("QRC").Tokens }, as[*coin.UnexpectedError](), "QRC20"},
		{"a token without address", func(p *Params) { p.Tokens = eth("WRONG-ERC20").Tokens }, as[*coin.UnexpectedError](), "ERC20"},
		{"dead nodes", func(p *Params) { p.Nodes = at("https://user:s3cret@dead.example/?key=s3cret", maticURL) }, is(coin.ErrTransport),
			"Failed to get client version for all nodes (https://dead.example: unreachable: no such host; https://matic.example: chain id is \"137\", want \"1\")"},
		{"NFTs without support", func(p *Params) { p.NFTs = &nft.Provider{Indexer: nft.Server{URL: "https://i.example"}} }, is(ErrNoNFTs), "NFT_ETH"},
		{"a key of another curve", func(p *Params) {
			public, err := key.NewExternalKey(key.Ed25519, make([]byte, 32))
			if err == nil {
				p.Policy = key.WithPubkey{Key: public}
			}
		}, is(key.ErrUnsupported), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			p := eth()
			c.params(&p)
			done, err := b.Activate(t.Context(), p)
			c.check(t, err)
			require.ErrorContains(t, err, c.text)
			require.NotContains(t, err.Error(), "s3cret")
			require.Zero(t, done)
			require.Empty(t, b.active())
			state, _ := b.Active.State(p.Ticker)
			require.Equal(t, coin.StateInactive, state)
		})
	}
}

var errTest = errors.New("not this time")

func is(want error) func(*testing.T, error) {
	return func(t *testing.T, err error) { require.ErrorIs(t, err, want) }
}

func as[E error]() func(*testing.T, error) {
	return func(t *testing.T, err error) {
		var e E
		require.ErrorAs(t, err, &e)
	}
}

func TestSkippedNodes(t *testing.T) {
	b := newBench(t)
	p := eth()
	p.Nodes = at(maticURL, "https://dead.example", ethURL)
	_, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, []string{`ETH https://matic.example: chain id is "137", want "1"`, "ETH https://dead.example: unreachable: no such host"}, b.out)
	states := get[*Platform](t, b, "ETH").Nodes()
	require.Equal(t, []bool{false, false, true}, []bool{states[0].Healthy, states[1].Healthy, states[2].Healthy})
	require.Equal(t, `chain id is "137", want "1"`, states[0].Reason)
}

// TestWithoutPassphrase checks that a node without a passphrase has no key.
func TestWithoutPassphrase(t *testing.T) {
	b := newBench(t)
	var none *key.Ring
	b.Providers = key.Providers{none}
	_, err := b.Activate(t.Context(), eth())
	as[*account.CreationError]()(t, err)
	require.EqualError(t, err, "'CryptoCtx' is not initialized")
}

func TestHD(t *testing.T) {
	b := newBench(t)
	ring, err := key.Open("february soldier message acid member jump shadow walk novel impose puppy tornado", true)
	require.NoError(t, err)
	b.Providers, b.HD = key.Providers{ring}, true
	b.eth.Give("0x26cE5D1cD4CC673a1b0b980371C7c862B9503452", "5")
	done, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	require.Equal(t, "0x26cE5D1cD4CC673a1b0b980371C7c862B9503452", done.Owner.Address)
	require.Equal(t, "m/44'/60'/0'/0/0", done.Owner.Path.String())
	require.Equal(t, "0.000000000000000005", done.Balance.Spendable.String())
	_, err = b.Active.Disable(t.Context(), "ETH", false)
	require.NoError(t, err)
	p := eth()
	p.Path = account.AddressPath{Account: 1 << 31}
	_, err = b.Activate(t.Context(), p)
	as[*account.CreationError]()(t, err)
	p.Path = account.AddressPath{Account: 2, Chain: key.Internal, Address: 7}
	done, err = b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, "m/44'/60'/2'/1/7", done.Owner.Path.String())
	p.Ticker = "OLD"
	_, err = b.Activate(t.Context(), p)
	require.EqualError(t, err, "the coin has no derivation path")
}

// TestWatchOnly checks that a coin with only a public key cannot sign.
func TestWatchOnly(t *testing.T) {
	b := newBench(t)
	ring, err := key.Open(phrase, false)
	require.NoError(t, err)
	bytes := ring.Node().PublicKey()
	public, err := key.NewExternalKey(key.Secp256k1, bytes[:])
	require.NoError(t, err)
	p := eth("SIX-ERC20")
	p.Policy = key.WithPubkey{Key: public}
	done, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, walletAddress, done.Owner.Address)
	c := get[*Token](t, b, "SIX-ERC20")
	_, err = c.SpendingCost(t.Context())
	require.NoError(t, err)
	_, err = c.Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Max: true})
	require.ErrorIs(t, err, key.ErrUnsupported)
	_, err = c.SignMessage(t.Context(), "hello")
	require.ErrorIs(t, err, key.ErrUnsupported)
}

// A watch-only address works, also after a restart.
func TestWatchedAddress(t *testing.T) {
	b := newBench(t)
	at, err := address.Parse(walletAddress)
	require.NoError(t, err)
	watched, err := key.NewExternalKey(key.AccountID, at[:])
	require.NoError(t, err)
	p := eth("SIX-ERC20")
	p.Policy = key.WithPubkey{Key: watched}
	done, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, walletAddress, done.Owner.Address)
	require.Nil(t, done.Owner.PublicKey)
	c := get[*Token](t, b, "SIX-ERC20")
	_, err = c.Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Max: true})
	require.ErrorIs(t, err, key.ErrUnsupported)
	_, err = c.SignMessage(t.Context(), "hello")
	require.ErrorIs(t, err, key.ErrUnsupported)
}

// browser is a wallet in a page of which only the address is known.
type browser struct {
	address  string
	fails    error
	network  tx.Network
	requests int
}

func (*browser) Policy() key.PolicyName { return key.NameBrowserWallet }

func (*browser) Account(context.Context, key.Policy, key.Path) (key.Account, error) {
	return nil, key.ErrUnsupported
}

func (b *browser) OnChain(_ context.Context, _ key.Policy, _ key.Place, n tx.Network) (key.Account, error) {
	b.network, b.requests = n, b.requests+1
	return holder{b.address}, b.fails
}

func TestBrowserWallet(t *testing.T) {
	kv := bunttest.Memory(t)
	b := openBench(t, kv)
	wallet := &browser{address: walletAddress}
	b.Providers = append(b.Providers, wallet)
	p := eth()
	p.Policy = key.BrowserWallet{}
	wallet.fails = &key.WalletError{Fault: key.WalletRefused, Text: "no"}
	_, err := b.Activate(t.Context(), p)
	as[*key.WalletError]()(t, err)
	wallet.fails = nil
	done, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, tx.Network{ChainID: 1, Name: "Ethereum", Ticker: "ETH", RPC: ethURL}, wallet.network)
	require.Equal(t, walletAddress, done.Owner.Address)
	require.Nil(t, done.Owner.PublicKey)
	require.Equal(t, "2.500000000000000001", done.Balance.Spendable.String())
	platform := get[*Platform](t, b, "ETH")
	wallet.address = payee
	_, err = platform.Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Max: true})
	require.ErrorIs(t, err, coin.ErrSigning)
	as[*key.WalletError]()(t, err)

	again := openBench(t, kv)
	wallet = &browser{address: walletAddress, fails: errTest}
	again.Providers = append(again.Providers, wallet)
	require.NoError(t, again.Restore(t.Context(), again.Active.Saved()[0]))
	require.Equal(t, walletAddress, get[*Platform](t, again, "ETH").Address())
	require.Zero(t, wallet.requests, "the wallet is not used at a restart")
}

// nfts implements NFTs and can fail.
type nfts struct {
	fails    error
	requests nft.Provider
}

type nftNetwork struct{ platform coin.Coin }

func (n nftNetwork) Ticker() string                    { return nft.Prefix + n.platform.Ticker() }
func (n nftNetwork) Entry() *coin.Entry                { return n.platform.Entry() }
func (n nftNetwork) Platform() string                  { return n.platform.Ticker() }
func (n nftNetwork) OnPlatform(p coin.Coin) coin.Token { return nftNetwork{p} }

func (n *nfts) Join(_ context.Context, platform coin.Coin, p nft.Provider) (coin.Item, []nft.NFT, error) {
	n.requests = p
	if n.fails != nil {
		return coin.Item{}, nil, n.fails
	}
	return coin.Item{Coin: nftNetwork{platform}, Params: json.RawMessage(`{}`)}, []nft.NFT{{Owner: platform.(coin.Addresser).Address()}}, nil
}

func TestNFTs(t *testing.T) {
	b := newBench(t)
	makes := &nfts{fails: fmt.Errorf("%w: the indexer", coin.ErrTransport)}
	b.NFTs = makes
	p := eth("SIX-ERC20")
	p.NFTs = &nft.Provider{Indexer: nft.Server{URL: "https://i.example", Gateway: true}}
	_, err := b.Activate(t.Context(), p)
	require.ErrorIs(t, err, coin.ErrTransport)
	require.Empty(t, b.active())
	makes.fails = nil
	done, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, []nft.NFT{{Owner: walletAddress}}, done.NFTs)
	require.Equal(t, nft.Provider{Indexer: nft.Server{URL: "https://i.example", Gateway: true}}, makes.requests)
	require.Equal(t, []string{"ETH", "SIX-ERC20", "NFT_ETH"}, b.active())
	_, err = b.Active.Disable(t.Context(), "ETH", true)
	require.NoError(t, err)
	require.Empty(t, b.active())
}

// A platform that is passive for its tokens is made active again unchanged.
func TestPassivePlatform(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth("SIX-ERC20"))
	require.NoError(t, err)
	disabled, err := b.Active.Disable(t.Context(), "ETH", false)
	require.NoError(t, err)
	require.True(t, disabled.Passive)
	p := eth("HUGE-ERC20")
	p.Nodes = at("https://dead.example")
	done, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, walletAddress+" at 100: 2.500000000000000001, HUGE-ERC20 115792089237316195423570985008687907853269984665640564039457.584007913129639935", done.show())
	require.Equal(t, []string{"ETH", "SIX-ERC20", "HUGE-ERC20"}, b.active())
}

// holder is an account with a known address.
type holder struct{ address string }

func (holder) Policy() key.PolicyName     { return key.NameBrowserWallet }
func (holder) Close()                     {}
func (h holder) Address() address.Address { a, _ := address.Parse(h.address); return a }
