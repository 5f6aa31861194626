package nft

import (
	"errors"
	"strings"
)

// Chain is a chain, named as the indexer names it.
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

// platforms are the tickers of the chains' coins, in the order of Chains.
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
