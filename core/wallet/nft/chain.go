package nft

import (
	"errors"
	"strings"
)

// Chain is a chain by the indexer's name.
type Chain string

// The chains that have NFTs here.
const (
	Avalanche Chain = "AVALANCHE"
	BSC       Chain = "BSC"
	ETH       Chain = "ETH"
	Fantom    Chain = "FANTOM"
	Polygon   Chain = "POLYGON"
)

// ErrChain says that a text names no chain, or a coin is on none.
var ErrChain = errors.New("unsupported chain of NFTs")

// Chains lists all, by name.
func Chains() []Chain { return []Chain{Avalanche, BSC, ETH, Fantom, Polygon} }

// platforms are the tickers of their coins, in the same order.
var platforms = [...]string{"AVAX", "BNB", "ETH", "FTM", "MATIC"}

// ParseChain reads a name in capitals or small letters, not in both.
func ParseChain(text string) (Chain, error) {
	for _, c := range Chains() {
		if text == string(c) || text == strings.ToLower(string(c)) {
			return c, nil
		}
	}
	return "", ErrChain
}

// chainOf is the chain of a platform's ticker.
func chainOf(platform string) (Chain, error) {
	for i, ticker := range platforms {
		if ticker == platform {
			return Chains()[i], nil
		}
	}
	return "", ErrChain
}

// Prefix begins the tickers of networks of NFTs.
const Prefix = "NFT_"

// Ticker names the network of NFTs of a chain: NFT_MATIC for POLYGON.
func (c Chain) Ticker() string {
	for i, other := range Chains() {
		if other == c {
			return Prefix + platforms[i]
		}
	}
	return ""
}

// Platform is the ticker of the chain's coin: MATIC for POLYGON.
func (c Chain) Platform() string { return strings.TrimPrefix(c.Ticker(), Prefix) }

// Ticker names the network of NFTs on a platform: NFT_MATIC for MATIC. Its error is
// ErrChain.
func Ticker(platform string) (string, error) {
	c, err := chainOf(platform)
	return c.Ticker(), err
}
