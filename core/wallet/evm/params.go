package evm

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
)

// Params are what a user asks of the activation of a platform.
type Params struct {
	Ticker string
	Nodes  []nodepool.Node
	Policy key.Policy // whose key it is
	Path   AddressPath
	// Expected refuses an entry that the request makes no sense with, after the entry's
	// protocol is known to fit; nil takes all. Its error is Activate's.
	Expected      func(*coin.Entry) error
	Contracts     Contracts
	Tokens        []TokenParams
	NFTs          *NFTProvider // nil: no network of NFTs
	Confirmations *uint64      // that a transaction needs before others rely on it; nil: as the coins file says, or else 1
	Balances      bool         // tell them

	wallet *address.Address // the account of a wallet that showed it once; nil: the key's keeper is asked
	public *[33]byte        // its key, if it showed that too
}

// Contracts are those by which swaps are made: they are checked, kept and shown.
type Contracts struct {
	Swap, Fallback string // addresses; Fallback may be ""
}

// TokenParams are what a user asks of the activation of a token.
type TokenParams struct {
	Ticker        string
	Confirmations *uint64    // nil: as the coins file says, or else as the platform needs
	Policy        key.Policy // that the platform has to have; nil: any. Not looked at with a platform

	decimals *uint8 // as the contract told before
}

// AddressPath says which address of an HD wallet is the coin's own.
type AddressPath struct {
	Account uint32
	Chain   key.Chain
	Address uint32
}

// savedPlatform is what brings a platform back.
type savedPlatform struct {
	Nodes         []savedNode     `json:"nodes"`
	Policy        json.RawMessage `json:"policy"`
	Wallet        string          `json:"wallet,omitempty"`     // address of an account outside the node
	PublicKey     string          `json:"public_key,omitempty"` // its key, in hexadecimal
	Account       uint32          `json:"account"`
	Chain         key.Chain       `json:"chain"`
	Address       uint32          `json:"address"`
	Swap          string          `json:"swap_contract,omitempty"`
	Fallback      string          `json:"fallback_swap_contract,omitempty"`
	Confirmations *uint64         `json:"confirmations,omitempty"`
}

type savedNode struct {
	URL     string `json:"url"`
	Gateway bool   `json:"gateway,omitempty"`
	WS      string `json:"ws,omitempty"`
}

// savedToken is what brings a token back.
type savedToken struct {
	Confirmations *uint64 `json:"confirmations,omitempty"`
	Decimals      uint8   `json:"decimals"`
}

func (p Params) save() (json.RawMessage, error) {
	policy, err := key.EncodePolicy(p.Policy)
	if err != nil {
		return nil, err
	}
	s := savedPlatform{Policy: policy, Account: p.Path.Account, Chain: p.Path.Chain, Address: p.Path.Address,
		Swap: p.Contracts.Swap, Fallback: p.Contracts.Fallback, Confirmations: p.Confirmations}
	if p.wallet != nil {
		s.Wallet = p.wallet.String()
	}
	if p.public != nil {
		s.PublicKey = hex.EncodeToString(p.public[:])
	}
	for _, n := range p.Nodes {
		s.Nodes = append(s.Nodes, savedNode{n.URL, n.GatewayProxy, n.WSURL})
	}
	return json.Marshal(s)
}

// restored reads what save wrote.
func restored(ticker string, raw json.RawMessage) (Params, error) {
	wrong := func(err error) (Params, error) {
		return Params{}, fmt.Errorf("what is kept of %s: %w", ticker, err)
	}
	var s savedPlatform
	if err := json.Unmarshal(raw, &s); err != nil {
		return wrong(err)
	}
	policy, err := key.DecodePolicy(s.Policy)
	if err != nil {
		return wrong(err)
	}
	p := Params{Ticker: ticker, Policy: policy, Path: AddressPath{s.Account, s.Chain, s.Address},
		Contracts: Contracts{s.Swap, s.Fallback}, Confirmations: s.Confirmations}
	for _, n := range s.Nodes {
		p.Nodes = append(p.Nodes, nodepool.Node{URL: n.URL, GatewayProxy: n.Gateway, WSURL: n.WS})
	}
	if s.Wallet != "" {
		a, err := address.Parse(s.Wallet)
		if err != nil {
			return wrong(err)
		}
		p.wallet = &a
	}
	if s.PublicKey != "" {
		b, err := hex.DecodeString(s.PublicKey)
		if err != nil || len(b) != 33 {
			return wrong(address.ErrKey)
		}
		p.public = (*[33]byte)(b)
	}
	return p, nil
}
