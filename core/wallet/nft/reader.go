package nft

import (
	"context"
	"errors"
)

// Reader reads the NFTs of a platform's address from the platform's nodes.
type Reader interface {
	// NFTTransfers returns the transfers to or from the address in a range of blocks, with all
	// members except Chain. more reports that it left some out. Nodes refuse requests that are too
	// large, so any error except those of ctx may be such a refusal.
	NFTTransfers(ctx context.Context, from, to uint64) (list []Transfer, more bool, err error)
	// NFTAmounts returns the address's current balance of each NFT.
	NFTAmounts(ctx context.Context, list []NFT) ([]Amount, error)
	// NFTTexts returns the texts of the contracts about each NFT, of at most limit bytes. Missing
	// texts are "". A contract that fails does not affect the others.
	NFTTexts(ctx context.Context, list []NFT, limit int) ([]Texts, error)
	// NFTsOf returns up to limit ids of an ERC-721 contract that the address has. more reports
	// that there are others. It fails with ErrNoEnumeration.
	NFTsOf(ctx context.Context, contract string, limit int) (ids []string, more bool, err error)
}

// Amount is a balance of an NFT. It is unknown if Err is set.
type Amount struct {
	Number string // decimal
	Err    error
}

// Texts holds the texts of a contract about an NFT. Some are unknown if Err is set.
type Texts struct {
	Name, Symbol, URI string
	Err               error
}

// Errors of reading NFTs from the chain.
var (
	// ErrNoEnumeration reports that a contract cannot list the NFTs of an address.
	ErrNoEnumeration = errors.New("the contract does not list the NFTs of an address (ERC-721's enumeration)")
	// ErrNoIndexer reports a call without an indexer for a network that was activated with one.
	ErrNoIndexer = errors.New("the network of NFTs was activated with an indexer, which has to be named")
	errNoReader  = errors.New("the platform does not read NFTs")
)

// ContractError reports a contract named by the user that cannot be listed.
type ContractError struct {
	Address string
	Err     error
}

func (e *ContractError) Error() string { return "contract " + e.Address + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ContractError) Unwrap() error { return e.Err }

// MaxContracts is the maximum number of contracts that a user may name on a chain.
const MaxContracts = 20

// ErrContracts reports that a user named more contracts than MaxContracts.
var ErrContracts = errors.New("more than 20 contracts are named")
