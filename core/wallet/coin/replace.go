package coin

import "context"

// Replacer is a coin whose transactions can be replaced for as long as they are in no block.
type Replacer interface {
	// Replace makes and signs a transaction with the number of another one, which was sent from the
	// coin's own address, and a higher fee: the same once more, or with cancel one that moves
	// nothing. Which of the two the chain takes is up to its miners. Errors are those of Withdrawer.
	Replace(ctx context.Context, raw []byte, cancel bool) (Transaction, error)
}

// ContractReader is a coin whose addresses may be those of contracts.
type ContractReader interface {
	// IsContract asks the coin's nodes. Errors are an *InvalidError for the address, and ErrTransport.
	IsContract(ctx context.Context, address string) (bool, error)
}
