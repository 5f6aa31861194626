package tendermint

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/tendermint/node"
)

// Params are what a user asks of the activation of a platform.
type Params struct {
	Ticker string
	Nodes  []node.Node
	Policy key.Policy // whose key it is
	Path   AddressPath
	// Expected refuses an entry that the request makes no sense with, after the entry's
	// protocol is known to fit; nil takes all. Its error is Activate's.
	Expected      func(*coin.Entry) error
	Tokens        []TokenParams
	History       bool   // load the transactions of the past
	Confirmations uint64 // that a transaction needs before others rely on it
	Notarization  bool   // wait for one too, where a chain has some
	Balances      bool   // tell them

	public *[33]byte // of a wallet that showed it once; nil: the key's keeper is asked
}

// TokenParams are what a user asks of the activation of a token.
type TokenParams struct {
	Ticker        string
	Confirmations *uint64    // nil: as the coins file says, or else as the platform needs
	Policy        key.Policy // that the platform has to have; nil: any. Not looked at with a platform
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
	PublicKey     string          `json:"public_key,omitempty"` // of a wallet outside the node, in hexadecimal
	Account       uint32          `json:"account"`
	Chain         key.Chain       `json:"chain"`
	Address       uint32          `json:"address"`
	History       bool            `json:"history"`
	Confirmations uint64          `json:"confirmations"`
	Notarization  bool            `json:"notarization"`
}

type savedNode struct {
	URL     string `json:"url"`
	Gateway bool   `json:"gateway,omitempty"`
	API     string `json:"api,omitempty"`
	GRPC    string `json:"grpc,omitempty"`
	WS      string `json:"ws,omitempty"`
}

// savedToken is what brings a token back.
type savedToken struct {
	Confirmations *uint64 `json:"confirmations,omitempty"`
}

func (p Params) save() (json.RawMessage, error) {
	policy, err := key.EncodePolicy(p.Policy)
	if err != nil {
		return nil, err
	}
	s := savedPlatform{Policy: policy, Account: p.Path.Account, Chain: p.Path.Chain, Address: p.Path.Address,
		History: p.History, Confirmations: p.Confirmations, Notarization: p.Notarization}
	if p.public != nil {
		s.PublicKey = hex.EncodeToString(p.public[:])
	}
	for _, n := range p.Nodes {
		s.Nodes = append(s.Nodes, savedNode{n.URL, n.GatewayProxy, n.APIURL, n.GRPCURL, n.WSURL})
	}
	return json.Marshal(s)
}

// restored reads what save wrote.
func restored(ticker string, raw json.RawMessage) (Params, error) {
	var s savedPlatform
	if err := json.Unmarshal(raw, &s); err != nil {
		return Params{}, fmt.Errorf("what is kept of %s: %w", ticker, err)
	}
	policy, err := key.DecodePolicy(s.Policy)
	p := Params{Ticker: ticker, Policy: policy, Path: AddressPath{s.Account, s.Chain, s.Address},
		History: s.History, Confirmations: s.Confirmations, Notarization: s.Notarization}
	for _, n := range s.Nodes {
		p.Nodes = append(p.Nodes, node.Node{URL: n.URL, GatewayProxy: n.Gateway, APIURL: n.API, GRPCURL: n.GRPC, WSURL: n.WS})
	}
	if err == nil && s.PublicKey != "" {
		p.public, err = publicKey(s.PublicKey)
	}
	return p, err
}

func publicKey(text string) (*[33]byte, error) {
	raw, err := hex.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("what is kept of a wallet: %w", err)
	}
	external, err := key.NewExternalKey(key.Secp256k1, raw)
	if err != nil {
		return nil, fmt.Errorf("what is kept of a wallet: %w", err)
	}
	return (*[33]byte)(external.Bytes()), nil
}
