package coin

// AddressReader is a coin that validates addresses of its chain.
type AddressReader interface {
	// ReadAddress gives an address in the spelling that the chain's wallets show. The error
	// is an *InvalidError.
	ReadAddress(text string) (string, error)
}
