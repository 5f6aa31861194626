package wire

import (
	"obverse/core/mmrpc/mmerr"
	"obverse/core/wallet/coin"
)

// DisabledMeanwhile returns the error for a coin that was disabled during its activation.
func DisabledMeanwhile(err error) error {
	return mmerr.InternalError.From(err, coin.ErrDisabled.Error(), "Internal error: "+coin.ErrDisabled.Error())
}
