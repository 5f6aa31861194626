package evm

import (
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
)

// ReadAddress gives an address with the checksum of EIP-55. It implements coin.AddressReader.
func (a *asset) ReadAddress(text string) (string, error) {
	read, err := address.ParseOn(a.id, text)
	if err != nil {
		return "", &coin.InvalidError{Field: coin.FieldAddress, Reason: err}
	}
	return read.String(), nil
}
