package account

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// Request is what a user asks of the activation of a platform, of whatever family.
type Request struct {
	Ticker string
	Nodes  []nodepool.Node
	Policy key.Policy // whose key signs
	Path   AddressPath
	// Expected refuses an entry that the request does not fit, after the entry's protocol
	// is known to fit; nil: all fit. Its error is Activate's.
	Expected func(*coin.Entry) error
	Tokens   []TokenRequest
	Extras   []Extra
	Balances bool // query them
	// HD asks for all accounts, if the key is of an HD wallet; nil: for the coin's own address.
	HD *hd.Options

	// Custom makes the entry of a platform that the coins file may not have; nil: the coins
	// file has the platform.
	Custom func(*coin.Registry) (*coin.Entry, error)

	known known       // of an earlier run
	entry *coin.Entry // of an earlier run; nil: the coins file's
}

// TokenRequest is what a user asks of the activation of a token.
type TokenRequest struct {
	Ticker        string
	Confirmations *uint64    // nil: as the coins file says, or else as the platform needs
	Policy        key.Policy // required of the platform; nil: any. Ignored with a platform
	// Protocol is that of a token which the coins file does not have, see
	// coin.Registry.CustomToken; nil: the coins file has the token.
	Protocol json.RawMessage

	// Saved is what an earlier run saved of the token; nil: nothing.
	Saved json.RawMessage
	// entry is the one of the earlier run; nil: the coins file's.
	entry *coin.Entry
}

// AddressPath says which address of an HD wallet is the coin's own.
type AddressPath struct {
	Account uint32
	Chain   key.Chain
	Address uint32
}

// Extra is another coin that is committed with a platform. Make runs when everything else
// has succeeded; its error becomes a *TokenError.
type Extra struct {
	Ticker string
	Make   func(ctx context.Context, platform coin.Coin) (coin.Item, error)
}

// Activated is the result of an activation.
type Activated struct {
	Owner   Owner
	Height  uint64 // of the newest block
	Balance coin.Balance
	Tokens  []coin.TickerBalance // in the order of the request, each once
	Failed  []FailedToken        // those of the request that are not active
	// Accounts are those of an HD wallet, if the request asked for them, with the tokens of the
	// request. There are no balances then; nil: there is one address.
	Accounts []hd.Account
}

// FailedToken is a token that cannot be activated, since the chain does not say what it has to.
type FailedToken struct {
	Ticker string // as in the request
	Err    error
}

// TokenActivated is the result of the activation of a token.
type TokenActivated struct {
	Platform, Address string
	Confirmations     uint64
	Balance           coin.Balance
}

// gap is the gap limit that is saved; 0: the default.
func (r Request) gap() uint32 {
	if r.HD == nil {
		return 0
	}
	return r.HD.Gap
}

// tickers lists what is activated with the platform.
func (r Request) tickers() (list []string) {
	for _, t := range r.Tokens {
		list = append(list, t.Ticker)
	}
	for _, x := range r.Extras {
		list = append(list, x.Ticker)
	}
	return list
}

// PublicNode is the first node whose URLs hold no secret, which an external wallet may be
// told of; the zero value if all do. With api, the node has an APIURL too.
func (r Request) PublicNode(api bool) nodepool.Node {
	for _, n := range r.Nodes {
		if n.Public() && (!api || n.APIURL != "") {
			return n
		}
	}
	return nodepool.Node{}
}

// Confirmations is the last of the choices that is not nil, or else the default.
func Confirmations(otherwise uint64, choices ...*uint64) uint64 {
	for _, choice := range choices {
		if choice != nil {
			otherwise = *choice
		}
	}
	return otherwise
}

// Errors of Blocktime.
var (
	ErrNoBlocktime = errors.New("the coin has no time between blocks")
	ErrBlocktime   = errors.New("invalid time between blocks of the coin")
)

// Blocktime is the average time between two blocks by an entry, up to a maximum in
// seconds. Errors are ErrNoBlocktime and ErrBlocktime.
func Blocktime(entry *coin.Entry, maximum int64) (time.Duration, error) {
	text := entry.AvgBlocktime.String()
	if text == "" {
		return 0, ErrNoBlocktime
	}
	seconds, err := number.ParseRational(text)
	if err != nil || seconds.Sign() < 0 || seconds.Cmp(number.Int(maximum)) > 0 {
		return 0, ErrBlocktime
	}
	nanoseconds := seconds.Mul(number.Int(int64(time.Second)))
	return time.Duration(new(big.Int).Quo(nanoseconds.Numer(), nanoseconds.Denom()).Int64()), nil
}

// savedPlatform is what restores a platform of any family. The family's own members follow
// in the same JSON object.
type savedPlatform struct {
	Nodes     []savedNode     `json:"nodes"`
	Policy    json.RawMessage `json:"policy"`
	Wallet    string          `json:"wallet,omitempty"`     // address of an external wallet
	PublicKey string          `json:"public_key,omitempty"` // its key, in hexadecimal
	Account   uint32          `json:"account"`
	Chain     key.Chain       `json:"chain"`
	Address   uint32          `json:"address"`
	Gap       uint32          `json:"gap,omitempty"` // gap limit of an HD wallet
}

type savedNode struct {
	URL     string `json:"url"`
	Gateway bool   `json:"gateway,omitempty"`
	API     string `json:"api,omitempty"`
	GRPC    string `json:"grpc,omitempty"`
	WS      string `json:"ws,omitempty"`
}

// savedToken is what restores a token of any family; the family's own members follow.
type savedToken struct {
	Confirmations *uint64 `json:"confirmations,omitempty"`
}

// save writes what restores a platform.
func save(r Request, own any) (json.RawMessage, error) {
	policy, err := key.EncodePolicy(r.Policy)
	if err != nil {
		return nil, err
	}
	s := savedPlatform{Policy: policy, Wallet: r.known.wallet, Account: r.Path.Account, Chain: r.Path.Chain, Address: r.Path.Address, Gap: r.gap()}
	if r.known.public != nil {
		s.PublicKey = hex.EncodeToString(r.known.public[:])
	}
	for _, n := range r.Nodes {
		s.Nodes = append(s.Nodes, savedNode{n.URL, n.GatewayProxy, n.APIURL, n.GRPCURL, n.WSURL})
	}
	return join(s, own)
}

// join writes the members of two structs as one object.
func join(common, own any) (json.RawMessage, error) {
	first, err := json.Marshal(common)
	if own == nil || err != nil {
		return first, err
	}
	second, err := json.Marshal(own)
	const empty = "{}"
	switch {
	case err != nil:
		return nil, err
	case string(second) == empty:
		return first, nil
	case string(first) == empty:
		return second, nil
	}
	return append(append(first[:len(first)-1], ','), second[1:]...), nil
}

// restored reads what save wrote; own is a pointer.
func restored(ticker string, raw json.RawMessage, own any) (Request, error) {
	r := Request{Ticker: ticker}
	var s savedPlatform
	err := json.Unmarshal(raw, &s)
	if err == nil {
		err = json.Unmarshal(raw, own)
	}
	if err == nil {
		r.Policy, err = key.DecodePolicy(s.Policy)
	}
	if err == nil && s.PublicKey != "" {
		r.known.public, err = publicKey(s.PublicKey)
	}
	if err != nil {
		return r, unreadable(ticker, err)
	}
	r.Path, r.known.wallet = AddressPath{s.Account, s.Chain, s.Address}, s.Wallet
	if s.Gap > 0 {
		r.HD = &hd.Options{Gap: s.Gap}
	}
	for _, n := range s.Nodes {
		r.Nodes = append(r.Nodes, nodepool.Node{URL: n.URL, GatewayProxy: n.Gateway, APIURL: n.API, GRPCURL: n.GRPC, WSURL: n.WS})
	}
	return r, nil
}

func unreadable(ticker string, err error) error {
	return fmt.Errorf("saved parameters of %s: %w", ticker, err)
}

func publicKey(text string) (*[33]byte, error) {
	raw, err := hex.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("public_key: %w", err)
	}
	external, err := key.NewExternalKey(key.Secp256k1, raw)
	if err != nil {
		return nil, fmt.Errorf("public_key: %w", err)
	}
	return (*[33]byte)(external.Bytes()), nil
}
