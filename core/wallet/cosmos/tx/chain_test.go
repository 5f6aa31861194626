package tx

import (
	"context"
	"fmt"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/wire"
)

const voucherDenom = "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2"

var (
	atom    = Asset{"ATOM", "uatom", 6}
	voucher = Asset{"OSMO-IBC_ATOM", voucherDenom, 6}
)

// fakeChain is a chain with one account.
type fakeChain struct {
	mu       sync.Mutex
	balances map[string]string // units by denom
	gas      uint64
	newest   Block
	channels map[string]wire.Channel
	client   wire.IdentifiedClient
	status   string
	fails    map[string]error // by the name of the call
	verdict  Verdict
	found    map[string]Found // by hash
	findings []error          // errors of the next calls of Find

	calls     []string
	simulated []byte
	sent      []byte
}

func newChain() *fakeChain {
	state := wire.ClientState{ChainID: "osmosis-1"}
	return &fakeChain{
		balances: map[string]string{"uatom": "5000000", voucherDenom: "7000000"},
		gas:      77777, newest: Block{Height: 1000, Time: time.Date(2025, 4, 2, 10, 0, 0, 0, time.UTC)},
		channels: map[string]wire.Channel{"channel-141": {State: wire.ChannelOpen}, "channel-12": {State: wire.ChannelClosed}, "channel-13": {State: wire.ChannelInit}},
		client:   wire.IdentifiedClient{ID: "07-tendermint-1", State: wire.Pack(&state)}, status: wire.ClientActive,
		fails: map[string]error{}, found: map[string]Found{},
	}
}

// call records a call and returns its configured error.
func (c *fakeChain) call(ctx context.Context, name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, name)
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.fails[name]
}

func (c *fakeChain) Account(ctx context.Context, _ string) (Account, error) {
	return Account{Number: 7, Sequence: 42}, c.call(ctx, "account")
}

func (c *fakeChain) Balance(ctx context.Context, _, denom string) (*big.Int, error) {
	n, _ := new(big.Int).SetString(c.balances[denom], 10)
	if n == nil {
		n = new(big.Int)
	}
	return n, c.call(ctx, "balance of "+denom)
}

func (c *fakeChain) Newest(ctx context.Context) (Block, error) {
	err := c.call(ctx, "newest")
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.newest, err
}

func (c *fakeChain) Simulate(ctx context.Context, raw []byte) (uint64, error) {
	c.simulated = raw
	return c.gas, c.call(ctx, "simulate")
}

func (c *fakeChain) Channel(ctx context.Context, id string) (wire.Channel, error) {
	if err := c.call(ctx, "channel"); err != nil {
		return wire.Channel{}, err
	}
	channel, known := c.channels[id]
	if !known {
		return channel, fmt.Errorf("%w: %s", ErrNoChannel, id)
	}
	return channel, nil
}

func (c *fakeChain) ChannelClient(ctx context.Context, _ string) (wire.IdentifiedClient, error) {
	return c.client, c.call(ctx, "client")
}

func (c *fakeChain) ClientStatus(ctx context.Context, _ string) (string, error) {
	return c.status, c.call(ctx, "status")
}

func (c *fakeChain) Broadcast(ctx context.Context, raw []byte) (Verdict, error) {
	c.mu.Lock()
	c.sent = raw
	c.mu.Unlock()
	return c.verdict, c.call(ctx, "broadcast")
}

func (c *fakeChain) Find(ctx context.Context, hash string, _ bool) (Found, error) {
	if err := c.call(ctx, "find"); err != nil {
		return Found{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.findings) > 0 {
		err := c.findings[0]
		c.findings = c.findings[1:]
		return Found{}, err
	}
	found, known := c.found[hash]
	if !known {
		return found, ErrNotFound
	}
	return found, nil
}

// newWallet returns a wallet with the account of the vectors on the Cosmos Hub.
func newWallet(t testing.TB, chain *fakeChain) *Wallet {
	t.Helper()
	_, account := readWallets(t)
	params, err := ChainOf("ATOM", coin.Cosmos{Decimals: 6, Denom: "uatom", AccountPrefix: "cosmos", ChainID: "cosmoshub-4",
		IBCChannels: map[string]uint64{"osmo": 141, "iaa": 12}})
	require.NoError(t, err)
	public, err := publicKey(account)
	require.NoError(t, err)
	signer, err := address.FromKey("cosmos", public)
	require.NoError(t, err)
	return &Wallet{Chain: params, Node: chain, Account: account, Address: signer, Now: func() time.Time { return chain.newest.Time.Add(-time.Hour) },
		Queue: coin.NewSendQueue(time.Now)}
}

func rat(t testing.TB, text string) number.Rational {
	t.Helper()
	r, err := number.ParseRational(text)
	require.NoError(t, err)
	return r
}

func TestValidatorPrefix(t *testing.T) {
	for prefix, want := range map[string]string{"cosmos": "cosmosvaloper", "iaa": "iva", "cro": "crocncl"} {
		require.Equal(t, want, Chain{Prefix: prefix}.ValidatorPrefix())
	}
}

// refusedBy returns the refusal of a simulation by all nodes.
func refusedBy(v Verdict) *AnswerError {
	refused := &AnswerError{Verdict: v}
	if sequence, is := Expected(v.Log); is {
		refused.Sequence = &sequence
	}
	return refused
}
