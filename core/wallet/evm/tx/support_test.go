package tx

import (
	"context"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
)

const (
	payee         = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	contract      = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
	walletAddress = "0xbAB36286672fbdc7B250804bf6D14Be0dF69fa29"
	phrase        = "spice describe gravity federal blast come thank unfair canal monkey style afraid"
)

func parse(t testing.TB, text string) address.Address {
	t.Helper()
	a, err := address.Parse(text)
	require.NoError(t, err)
	return a
}

func whole(text string) *big.Int {
	n, _ := new(big.Int).SetString(text, 10)
	return n
}

// stub is a simulated network.
type stub struct {
	mu            sync.Mutex
	coins, tokens *big.Int
	allowed       *big.Int
	fees          node.Fees
	gas           uint64
	waiting, done uint64 // nonces
	receipt       *node.Receipt
	still         bool // whether transactions transfer no tokens
	knows         bool
	found         node.Found
	height        uint64
	fails         map[string]error // by method
	calls         map[string]int
	estimated     node.Call
	sent          [][]byte
	owner         address.Address        // owner of NFTs
	decimals      *uint8                 // decimals of tokens; nil means that the contract has no decimals
	takes         func(raw []byte) error // if not nil, replaces the failure of "send"
}

// now changes the state of the network.
func (s *stub) now(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *stub) say(method string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	s.calls[method]++
	return s.fails[method]
}

func (s *stub) AgreedBalances(_ context.Context, l node.BalanceQuery) (node.BalanceResult, error) {
	err := s.say("look")
	result := node.BalanceResult{Height: s.height, Coin: s.coins}
	for range l.Balances {
		result.Balances = append(result.Balances, node.TokenBalance{Units: s.tokens})
	}
	return result, err
}

func (s *stub) NFTOwner(context.Context, address.Address, *big.Int) (address.Address, error) {
	return s.owner, s.say("owner")
}

func (s *stub) NFTBalance(context.Context, address.Address, address.Address, *big.Int) (*big.Int, error) {
	return s.tokens, s.say("owner")
}

func (s *stub) Decimals(_ context.Context, contracts []address.Address) ([]uint8, error) {
	if s.decimals == nil {
		return nil, &node.ContractError{Contract: contracts[0]}
	}
	return []uint8{*s.decimals}, s.say("decimals")
}

func (s *stub) Fees(context.Context, node.Call) (node.Fees, error) { return s.fees, s.say("fees") }

func (s *stub) Simulate(_ context.Context, c node.Call) (node.Simulation, error) {
	s.now(func() { s.estimated = c })
	return node.Simulation{Gas: s.gas, Succeeded: true}, s.say("gas")
}

func (s *stub) Allowance(context.Context, address.Address, address.Address, address.Address) (*big.Int, error) {
	return s.allowed, s.say("allowance")
}

func (s *stub) Nonce(context.Context, address.Address) (uint64, error) {
	err := s.say("done")
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done, err
}

func (s *stub) Nonces(context.Context, address.Address) (coin.Counts, error) {
	err := s.say("waiting")
	s.mu.Lock()
	defer s.mu.Unlock()
	return coin.Counts{Spent: s.done, Pending: s.waiting, Answers: "https://a.example: 0"}, err
}

func (s *stub) MajorityKnows(ctx context.Context, hash [32]byte) (bool, error) {
	return s.Knows(ctx, hash)
}

func (s *stub) Send(_ context.Context, raw []byte, _ [32]byte) error {
	err := s.say("send")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.takes != nil {
		err = s.takes(raw)
	}
	if err == nil || s.takes == nil {
		s.sent = append(s.sent, raw)
	}
	return err
}

func (s *stub) Receipt(_ context.Context, _ [32]byte, pays *node.Payment) (node.Receipt, error) {
	if err := s.say("receipt"); err != nil {
		return node.Receipt{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.receipt == nil {
		return node.Receipt{}, node.NotFoundError{}
	}
	r := *s.receipt
	r.Moved = pays != nil && !s.still
	return r, nil
}

func (s *stub) Knows(context.Context, [32]byte) (bool, error) {
	err := s.say("knows")
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.knows, err
}

func (s *stub) Transaction(context.Context, [32]byte) (node.Found, error) {
	if err := s.say("transaction"); err != nil {
		return node.Found{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found, nil
}

func (s *stub) AgreedHeight(context.Context) (uint64, error) {
	err := s.say("height")
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.height, err
}

const gwei1 = 1_000_000_000

// wallet returns a wallet with the phrase's key, 2 coins, 5.5 tokens with six decimals, and a gas
// price of 20 gwei.
func wallet(t testing.TB) (*Wallet, *stub) {
	t.Helper()
	ring, err := key.Open(phrase, false)
	require.NoError(t, err)
	account, err := ring.Account(t.Context(), key.ContextPrivKey{}, nil)
	require.NoError(t, err)
	s := &stub{coins: whole("2000000000000000000"), tokens: big.NewInt(5_500_000), gas: 21_000, height: 100,
		fees: node.Fees{GasPrice: big.NewInt(21 * gwei1), BaseFee: big.NewInt(20 * gwei1), Tip: big.NewInt(gwei1)}}
	return &Wallet{ChainID: 1, Native: Asset{Ticker: "ETH", Decimals: Decimals}, Node: s, Queue: coin.NewSendQueue(time.Now),
		Account: account, Address: parse(t, walletAddress)}, s
}

// token returns a token with six decimals.
func token(t testing.TB) Asset {
	at := parse(t, contract)
	return Asset{Ticker: "SIX", Decimals: 6, Contract: &at}
}
