package wire

import (
	"obverse/core/mmrpc/mmerr"
	"obverse/core/wallet/coin"
)

// DisabledMeanwhile says that a call disabled the coin while it was activated.
func DisabledMeanwhile(err error) error {
	return mmerr.InternalError.From(err, coin.ErrDisabled.Error(), "Internal error: "+coin.ErrDisabled.Error())
}
