package account

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// Request is a request to activate a platform of any family.
type Request struct {
	Ticker string
	Nodes  []nodepool.Node
	Policy key.Policy // of the key that signs
	Path   AddressPath
	// Expected, if not nil, checks that the request fits the entry, after the entry's protocol was
	// checked. Activate returns its error.
	Expected func(*coin.Entry) error
	Tokens   []TokenRequest
	Extras   []Extra
	Balances bool // query the balances
	// HD requests all accounts, if the key is the key of an HD wallet; nil requests only the
	// coin's own address.
	HD *hd.Options

	// Custom makes the entry of a platform that the coins file may not have; nil means the coins
	// file has the platform.
	Custom func(*coin.Registry) (*coin.Entry, error)

	known savedAccount // account of an earlier run
	entry *coin.Entry  // entry of an earlier run; nil means the entry of the coins file
}

// TokenRequest is a request to activate a token.
type TokenRequest struct {
	Ticker        string
	Confirmations *uint64    // nil means as in the coins file, or otherwise as the platform
	Policy        key.Policy // required of the platform; nil means any. Ignored with a platform
	// Protocol is the protocol of a token that the coins file lacks, see
	// coin.Registry.CustomToken; nil means that the coins file has the token.
	Protocol json.RawMessage

	// Saved holds the stored parameters of an earlier run; nil means none.
	Saved json.RawMessage
	// entry is the entry of an earlier run; nil means the entry of the coins file.
	entry *coin.Entry
}

// AddressPath selects the coin's own address of an HD wallet.
type AddressPath struct {
	Account uint32    `json:"account"`
	Chain   key.Chain `json:"chain"`
	Address uint32    `json:"address"`
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
	Failed  []FailedToken        // tokens of the request that are not active
	// Accounts holds the accounts of an HD wallet, if the request asked for them, with the tokens of the
	// request. Balances are absent then; nil means a single address.
	Accounts []hd.Account
}

// FailedToken is a token that cannot be activated because nodes do not return its data.
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

// tickers returns the tickers of the tokens and extras of the request.
func (r Request) tickers() (list []string) {
	for _, t := range r.Tokens {
		list = append(list, t.Ticker)
	}
	for _, x := range r.Extras {
		list = append(list, x.Ticker)
	}
	return list
}

// savedPlatform holds the stored parameters of a platform of any family. The family's options
// follow in the same JSON object.
type savedPlatform struct {
	Nodes     []nodepool.Node `json:"nodes"`
	Policy    json.RawMessage `json:"policy"`
	Wallet    string          `json:"wallet,omitempty"`     // address of an external wallet
	PublicKey string          `json:"public_key,omitempty"` // its key, in hexadecimal
	AddressPath
	Gap uint32 `json:"gap,omitempty"` // gap limit of an HD wallet
}

// savedToken holds the stored parameters of a token of any family. The family's members follow in
// the same JSON object.
type savedToken struct {
	Confirmations *uint64 `json:"confirmations,omitempty"`
}

// save encodes the parameters that restore a platform.
func save(r Request, options any) (json.RawMessage, error) {
	policy, err := key.EncodePolicy(r.Policy)
	if err != nil {
		return nil, err
	}
	s := savedPlatform{Nodes: r.Nodes, Policy: policy, Wallet: r.known.wallet, AddressPath: r.Path, Gap: r.HD.GapLimit()}
	if r.known.public != nil {
		s.PublicKey = hex.EncodeToString(r.known.public[:])
	}
	return join(s, options)
}

// join encodes the members of structs as one object. A struct may be nil.
func join(structs ...any) (json.RawMessage, error) {
	var members [][]byte
	for _, one := range structs {
		object, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		if one != nil && len(object) > len("{}") {
			members = append(members, object[1:len(object)-1])
		}
	}
	return append(append([]byte{'{'}, bytes.Join(members, []byte{','})...), '}'), nil
}

// restored decodes the result of save. options is a pointer.
func restored(ticker string, raw json.RawMessage, options any) (Request, error) {
	r := Request{Ticker: ticker}
	var s savedPlatform
	err := cmp.Or(json.Unmarshal(raw, &s), json.Unmarshal(raw, options))
	if err == nil {
		r.Policy, err = key.DecodePolicy(s.Policy)
	}
	if err == nil && s.PublicKey != "" {
		r.known.public, err = publicKey(s.PublicKey)
	}
	if err != nil {
		return r, unreadable(ticker, err)
	}
	r.Nodes, r.Path, r.known.wallet = s.Nodes, s.AddressPath, s.Wallet
	if s.Gap > 0 {
		r.HD = &hd.Options{Gap: s.Gap}
	}
	return r, nil
}

func unreadable(ticker string, err error) error {
	return fmt.Errorf("saved parameters of %s: %w", ticker, err)
}

func publicKey(text string) (*[33]byte, error) {
	raw, err := hex.DecodeString(text)
	external, invalid := key.NewExternalKey(key.Secp256k1, raw)
	if err := cmp.Or(err, invalid); err != nil {
		return nil, fmt.Errorf("public_key: %w", err)
	}
	return (*[33]byte)(external.Bytes()), nil
}
