// Package directory holds metadata of coins: public nodes, explorers and price ids for the
// networks that the node can activate and for their tokens. The package only holds data and
// makes no connections. The wallet page loads directory.json itself when it needs it, so only
// the native node embeds it.
//
// Source: the public coins list, github.com/KomodoPlatform/coins. web/directory.js generates
// the file from it.
//
// Invariant: every network is a built-in coin, and every node has an https URL.
package directory

import (
	_ "embed" // the directory
	"encoding/json"
	"fmt"
	"sync"

	"obverse/core/wallet/coin"
)

//go:embed directory.json
var embedded []byte

// Explorer holds the URL templates of a block explorer. {} stands for the address, transaction
// or token.
type Explorer struct {
	Tx      string `json:"tx"`
	Address string `json:"address"`
}

// Node is the address of a public node of a network.
type Node struct {
	URL string `json:"url"`
	WS  string `json:"ws"` // empty if unknown
}

// Network describes a chain and its native coin.
type Network struct {
	Coin      string    `json:"coin"`
	Symbol    string    `json:"symbol"` // the usual ticker, such as ETH for ETH-ARB20
	Name      string    `json:"name"`
	Network   string    `json:"network"`
	Kind      string    `json:"kind"` // evm or cosmos
	ChainID   string    `json:"chain_id"`
	Decimals  uint8     `json:"decimals"`
	Usual     bool      `json:"usual"` // shown before the user has chosen
	Testnet   bool      `json:"testnet"`
	Explorer  *Explorer `json:"explorer"` // nil if unknown
	CoinGecko string    `json:"coingecko"`
	Nodes     []Node    `json:"nodes"`
}

// Token is a token on a network of the directory.
type Token struct {
	Coin      string `json:"coin"`
	Symbol    string `json:"symbol"`
	Name      string `json:"name"`
	Platform  string `json:"platform"`
	Contract  string `json:"contract,omitempty"` // contract address of an ERC-20 token; empty for an IBC token
	Denom     string `json:"denom,omitempty"`    // denom of an IBC token
	Decimals  *uint8 `json:"decimals"`           // nil means that it is read from the contract
	Usual     bool   `json:"usual"`
	CoinGecko string `json:"coingecko"`
}

// Directory holds the networks and tokens. It is immutable.
type Directory struct {
	Source   string    `json:"source"`
	Networks []Network `json:"networks"`
	Tokens   []Token   `json:"tokens"`

	networks map[string]*Network // by canonical ticker
	prices   map[string]string   // by canonical ticker
}

// Embedded returns the directory that is embedded in the program.
var Embedded = sync.OnceValue(func() *Directory {
	d, err := Parse(embedded)
	if err != nil {
		panic(err) // cannot happen, since a test parses it
	}
	return d
})

// Default is the embedded directory. It is parsed on first use.
type Default struct{}

// PriceID is like [Directory.PriceID].
func (Default) PriceID(ticker string) string { return Embedded().PriceID(ticker) }

// Entries is like [Directory.Entries].
func (Default) Entries() []*coin.Entry { return Embedded().Entries() }

// Parse decodes a directory.
func Parse(raw []byte) (*Directory, error) {
	d := &Directory{networks: map[string]*Network{}, prices: map[string]string{}}
	if err := json.Unmarshal(raw, d); err != nil {
		return nil, fmt.Errorf("directory of coins: %w", err)
	}
	for i, n := range d.Networks {
		d.networks[coin.Canonical(n.Coin)] = &d.Networks[i]
		d.prices[coin.Canonical(n.Coin)] = n.CoinGecko
	}
	for _, t := range d.Tokens {
		d.prices[coin.Canonical(t.Coin)] = t.CoinGecko
	}
	return d, nil
}

// PriceID returns the CoinGecko id of a coin, or "" if it is unknown.
func (d *Directory) PriceID(ticker string) string { return d.prices[coin.Canonical(ticker)] }

// Entries returns the ERC-20 tokens of the directory as entries of a coins file.
func (d *Directory) Entries() (entries []*coin.Entry) {
	for _, t := range d.Tokens {
		if t.Contract == "" {
			continue
		}
		if entry, err := t.entry(); err == nil { // entries with errors are reported by a test
			entries = append(entries, entry)
		}
	}
	return entries
}

func (t Token) entry() (*coin.Entry, error) {
	type data struct {
		Platform string `json:"platform"`
		Contract string `json:"contract_address"`
	}
	type protocol struct {
		Type string `json:"type"`
		Data data   `json:"protocol_data"`
	}
	raw, err := json.Marshal(struct {
		Coin     string   `json:"coin"`
		Name     string   `json:"fname"`
		MM2      int      `json:"mm2"`
		Decimals *uint8   `json:"decimals,omitempty"`
		Protocol protocol `json:"protocol"`
	}{t.Coin, t.Name, 1, t.Decimals, protocol{string(coin.TypeERC20), data{t.Platform, t.Contract}}})
	if err != nil {
		return nil, err
	}
	return coin.ParseEntry(raw)
}
