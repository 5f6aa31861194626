package wallet

import (
	"errors"
	"math"

	"obverse/core/chain/wire"
)

// Send builds a payment of amount satoshis to an output script. It fails with an
// Error.
//
// Upstream pays from all keys of its wallet at random and makes a new key for the
// change; here it is built like the other transactions.
func (w *Wallet) Send(from Source, pkScript []byte, amount int64) (*wire.Tx, error) {
	const maxInputs = 500 // inputs of some 115 bytes: well below the limit of a legacy transaction
	switch {
	case amount <= 0:
		return nil, ErrSendAmount
	case amount > math.MaxInt64-Fee:
		return nil, ErrFunds
	}
	need := amount + Fee
	coins, err := w.chooseCoins(from, need, maxInputs, need/maxInputs)
	if errors.Is(err, errShort) { // small coins count as well when only they make it up
		coins, err = w.chooseCoins(from, need, maxInputs, 0)
	}
	if errors.Is(err, errShort) {
		return nil, ErrFunds
	} else if err != nil {
		return nil, err
	}
	return w.finish(&draft{plain: coins, outputs: []wire.TxOut{{Value: amount, Script: pkScript}}}, from.NextHeight())
}
