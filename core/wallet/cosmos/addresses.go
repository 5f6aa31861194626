package cosmos

import (
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
)

// ReadAddress refuses addresses of other chains. It implements coin.AddressReader.
func (a *asset) ReadAddress(text string) (string, error) {
	read, err := address.Check(text, a.params.Prefix)
	if err != nil {
		return "", &coin.InvalidError{Field: coin.FieldAddress, Reason: err}
	}
	return read.String(), nil
}
