package nft

import (
	"context"
	"errors"
)

// Reader reads the NFTs of a platform's own address from the platform's nodes.
type Reader interface {
	// NFTTransfers finds those to the address or from it in the blocks from one to another,
	// with all but Chain. more: there are others, which were left out. Nodes refuse what is too
	// much for them: any error but those of ctx may be such a refusal.
	NFTTransfers(ctx context.Context, from, to uint64) (list []Transfer, more bool, err error)
	// NFTAmounts are how many the address has of each now, as decimal numbers.
	NFTAmounts(ctx context.Context, list []NFT) ([]string, error)
	// NFTTexts are what the contracts say of each, of at most so many bytes; "": nothing.
	NFTTexts(ctx context.Context, list []NFT, most int) ([]Texts, error)
	// NFTsOf lists the ids of an ERC-721 contract that the address has, at most so many. more: there
	// are others. It fails with ErrNoEnumeration.
	NFTsOf(ctx context.Context, contract string, most int) (ids []string, more bool, err error)
}

// Texts are what a contract says of an NFT.
type Texts struct{ Name, Symbol, URI string }

// Reasons for which NFTs are not read from the chain.
var (
	// ErrNoEnumeration: a contract does not have what lists the NFTs of an address.
	ErrNoEnumeration = errors.New("the contract does not list the NFTs of an address (ERC-721's enumeration)")
	// ErrNoIndexer: the network was activated with an indexer, and none is named.
	ErrNoIndexer = errors.New("the network of NFTs was activated with an indexer, which has to be named")
	errNoReader  = errors.New("the platform does not read NFTs")
)

// ContractError says which contract a user named that cannot be listed.
type ContractError struct {
	Address string
	Err     error
}

func (e *ContractError) Error() string { return "contract " + e.Address + ": " + e.Err.Error() }

// Unwrap gives the reason.
func (e *ContractError) Unwrap() error { return e.Err }

// MaxContracts is how many contracts a user may name on a chain.
const MaxContracts = 20

// ErrContracts says that a user named more contracts than MaxContracts.
var ErrContracts = errors.New("more than 20 contracts are named")
