package daemon

import (
	"context"
	"crypto/sha256"

	"obverse/core/chain/script"
)

type validateParams struct {
	Address Text `json:"komodoaddress" doc:"the address to look at"`
}

// addressValidity is the result of validateaddress. For a text that is not an address of this
// chain family, it only reports that. The key is included if it belongs to the wallet.
type addressValidity struct {
	IsValid      bool            `json:"isvalid"`
	Address      *script.Address `json:"address,omitempty"`
	ScriptPubKey hexBytes        `json:"scriptPubKey,omitempty"`
	SegID        *int            `json:"segid,omitempty" doc:"the staking segment, 0 to 63"`
	IsMine       *bool           `json:"ismine,omitempty"`
	IsWatchOnly  *bool           `json:"iswatchonly,omitempty"`
	IsScript     *bool           `json:"isscript,omitempty"`
	PubKey       hexBytes        `json:"pubkey,omitempty"`
	IsCompressed *bool           `json:"iscompressed,omitempty"`
	Account      *string         `json:"account,omitempty"`
}

func (b *Backend) validateAddress(_ context.Context, p validateParams) (addressValidity, error) {
	a, err := script.ParseAddress(string(p.Address))
	if err != nil {
		return addressValidity{}, nil
	}
	mine := b.Wallet != nil && b.Wallet.Address() == a
	result := addressValidity{
		IsValid: true, Address: &a, ScriptPubKey: a.PkScript(), SegID: new(segment(a)),
		IsMine: &mine, IsWatchOnly: new(false), IsScript: new(a.Version == script.ScriptHashVersion),
	}
	if mine {
		key := b.Wallet.PublicKey()
		result.PubKey, result.IsCompressed, result.Account = key[:], new(true), new("")
	}
	return result, nil
}

// segment is the staking segment of an address [komodod komodo_segid32].
func segment(a script.Address) int {
	sum := sha256.Sum256([]byte(a.String()))
	return int(sum[0] & 63)
}
