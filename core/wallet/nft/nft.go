// Package nft manages the NFTs of the wallet's EVM addresses. It lists the NFTs of an address
// with an indexer, stores them with their metadata, and checks contracts and domains with an
// anti-spam service. It makes the NFT networks that core/wallet/coin holds as active coins.
//
// Without an indexer, a Reader finds the NFTs. It searches the logs of the chain's contracts
// for transfers to the address, range by range from the newest block down, and then checks
// which of the tokens the address still has. The package itself calls no node, and has no
// methods and no error kinds of the node API.
//
// Sources: spec, enable_nft and refresh_nft_metadata; Komodo DeFi Framework coins/nft (nft.rs,
// nft_structs.rs, nft_errors.rs) for the calls of both services, the order of steps and the
// rules about spam; Moralis, Web3 Data API, for the format of the indexer's answers.
//
// Invariant: Texts of an indexer and of the author of an NFT are limited in size, and are not
// passed on as documents that a page could run, such as SVG or HTML. Requests for their URLs
// only go to the public internet or to hosts that the config allows.
package nft

import (
	"errors"
	"math/big"
	"strings"

	"obverse/core/text"
)

// Token standards of contracts.
const (
	ERC721  = "ERC721"
	ERC1155 = "ERC1155"
)

// unequal makes structs incomparable. They are never compared, and without the generated
// functions a page's download is smaller.
type unequal [0]func()

// Token identifies an NFT on its chain.
type Token struct {
	Chain   Chain  `json:"chain"`
	Address string `json:"address"` // contract: 0x and 40 lower-case hexadecimal digits
	ID      string `json:"id"`      // decimal, up to 256 bits
}

// Key returns the token in the format of the node API: address and id.
func (t Token) Key() string { return t.Address + "," + t.ID }

// NFT is a stored NFT of an address of the wallet. Unknown texts are "".
type NFT struct {
	_ unequal
	Token
	Owner    string `json:"owner"` // 0x and 40 lower-case hexadecimal digits
	Type     string `json:"type"`
	Amount   string `json:"amount"` // decimal, up to 256 bits
	Block    uint64 `json:"block"`  // block of the last change of amount or owner
	Minted   uint64 `json:"minted,omitempty"`
	Hash     string `json:"hash,omitempty"`
	Name     string `json:"name,omitempty"` // name of the collection
	Symbol   string `json:"symbol,omitempty"`
	URI      string `json:"uri,omitempty"`
	Domain   string `json:"domain,omitempty"`   // domain of URI
	Metadata string `json:"metadata,omitempty"` // JSON
	URISync  string `json:"uri_sync,omitempty"` // RFC 3339
	MetaSync string `json:"meta_sync,omitempty"`
	Minter   string `json:"minter,omitempty"`
	Spam     bool   `json:"spam,omitempty"`
	Phishing bool   `json:"phishing,omitempty"`
	Meta     Meta   `json:"meta"`
}

// Meta is the author's metadata of an NFT.
type Meta struct {
	_               unequal
	Image           string `json:"image,omitempty"` // not validated
	ImageURL        string `json:"image_url,omitempty"`
	ImageDomain     string `json:"image_domain,omitempty"`
	Name            string `json:"name,omitempty"`
	Description     string `json:"description,omitempty"`
	Attributes      string `json:"attributes,omitempty"` // JSON
	AnimationURL    string `json:"animation_url,omitempty"`
	AnimationDomain string `json:"animation_domain,omitempty"`
	ExternalURL     string `json:"external_url,omitempty"`
	ExternalDomain  string `json:"external_domain,omitempty"`
	ImageDetails    string `json:"image_details,omitempty"` // JSON
}

// Transfer is a stored transfer of an NFT to or from an address of the wallet, with the
// metadata of the NFT.
type Transfer struct {
	_ unequal
	Token
	Wallet      string `json:"wallet"` // address of the wallet, like the owner of an NFT
	Type        string `json:"type"`
	Amount      string `json:"amount"`
	From        string `json:"from"`
	To          string `json:"to"`
	Hash        string `json:"hash"` // hash of the transaction
	TxIndex     uint64 `json:"tx_index"`
	LogIndex    uint64 `json:"log_index"`
	Block       uint64 `json:"block"`
	BlockHash   string `json:"block_hash,omitempty"`
	Time        int64  `json:"time"`            // Unix, in seconds
	Value       string `json:"value,omitempty"` // decimal
	Kind        string `json:"kind,omitempty"`  // as named by the indexer
	Operator    string `json:"operator,omitempty"`
	Verified    uint64 `json:"verified,omitempty"`
	Spam        bool   `json:"spam,omitempty"`
	Phishing    bool   `json:"phishing,omitempty"`
	URI         string `json:"uri,omitempty"`
	Domain      string `json:"domain,omitempty"`
	Name        string `json:"name,omitempty"` // name of the collection
	ImageURL    string `json:"image_url,omitempty"`
	ImageDomain string `json:"image_domain,omitempty"`
	TokenName   string `json:"token_name,omitempty"`
}

// Received reports whether the wallet received the NFT. A transfer from the wallet to itself
// counts as received.
func (t Transfer) Received() bool { return t.To == t.Wallet }

// describe copies the brief metadata of the NFT.
func (t *Transfer) describe(n *NFT) {
	n = n.brief()
	t.URI, t.Domain, t.Name = n.URI, n.Domain, n.Name
	t.ImageURL, t.ImageDomain, t.TokenName = n.Meta.ImageURL, n.Meta.ImageDomain, n.Meta.Name
	t.Spam, t.Phishing = t.Spam || n.Spam, t.Phishing || n.Phishing
}

// maxCopied limits a URI in a transfer, in bytes. An author can log thousands of transfers of one
// NFT, whose URIs may contain documents.
const maxCopied = 1 << 10

// brief returns the metadata that a transfer has of its NFT. It has no URIs longer than maxCopied.
func (n *NFT) brief() *NFT {
	short := func(uri string) string {
		if len(uri) > maxCopied {
			return ""
		}
		return uri
	}
	return &NFT{URI: short(n.URI), Domain: n.Domain, Name: n.Name, Spam: n.Spam, Phishing: n.Phishing,
		Meta: Meta{ImageURL: short(n.Meta.ImageURL), ImageDomain: n.Meta.ImageDomain, Name: n.Meta.Name}}
}

// ParseAddress parses an address of 0x and 40 hexadecimal digits, and returns it in lower case.
// Like Komodo DeFi Framework, it ignores the checksum.
func ParseAddress(given string) (address string, ok bool) { return text.LowerHex(given, 20) }

// maxDigits is the number of decimal digits of the largest 256-bit number.
const maxDigits = 78

// ParseUint256 parses a decimal number of up to 256 bits, and returns it without leading zeros.
func ParseUint256(text string) (number string, ok bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return "", false
	}
	digits := strings.TrimLeft(text[:len(text)-1], "0") + text[len(text)-1:]
	if len(digits) > maxDigits {
		return "", false
	}
	n, ok := new(big.Int).SetString(digits, 10)
	if !ok || n.BitLen() > 256 {
		return "", false
	}
	return detach(digits, text), true
}

// Chain is a chain, by its name in the indexer's API.
type Chain string

// The supported chains.
const (
	Avalanche Chain = "AVALANCHE"
	BSC       Chain = "BSC"
	ETH       Chain = "ETH"
	Fantom    Chain = "FANTOM"
	Polygon   Chain = "POLYGON"
)

// ErrChain reports an unknown chain name, or a coin of a chain that is not supported.
var ErrChain = errors.New("unsupported chain of NFTs")

// Chains returns all chains in the order of their names.
func Chains() []Chain { return []Chain{Avalanche, BSC, ETH, Fantom, Polygon} }

// platforms holds the tickers of the chains' coins, in the order of Chains.
var platforms = [...]string{"AVAX", "BNB", "ETH", "FTM", "MATIC"}

// ParseChain parses the name of a chain, all in upper or all in lower case.
func ParseChain(text string) (Chain, error) {
	for _, c := range Chains() {
		if text == string(c) || text == strings.ToLower(string(c)) {
			return c, nil
		}
	}
	return "", ErrChain
}

// chainOf returns the chain of a platform's ticker.
func chainOf(platform string) (Chain, error) {
	for i, ticker := range platforms {
		if ticker == platform {
			return Chains()[i], nil
		}
	}
	return "", ErrChain
}

// Prefix is the prefix of the tickers of NFT networks.
const Prefix = "NFT_"

// Ticker returns the ticker of a chain's NFT network: NFT_MATIC for POLYGON.
func (c Chain) Ticker() string {
	for i, other := range Chains() {
		if other == c {
			return Prefix + platforms[i]
		}
	}
	return ""
}

// Platform returns the ticker of the chain's coin: MATIC for POLYGON.
func (c Chain) Platform() string { return strings.TrimPrefix(c.Ticker(), Prefix) }

// Ticker returns the ticker of a platform's NFT network: NFT_MATIC for MATIC. Its error is
// ErrChain.
func Ticker(platform string) (string, error) {
	c, err := chainOf(platform)
	return c.Ticker(), err
}
