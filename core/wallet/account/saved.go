package account

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/hd"
)

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
