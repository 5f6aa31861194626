package wallet

import (
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// draft is a transaction in the making.
type draft struct {
	plain   []Coin
	tokens  []Coin
	holder  []byte // the eval codes of the condition that holds the tokens
	outputs []wire.TxOut
	payload *token.Payload // nil for a payment
}

// finish orders the inputs, adds change and payload, and signs (FinalizeCCTx).
func (w *Wallet) finish(d *draft, height int) (*wire.Tx, error) {
	format := w.params.TxFormat(height)
	tx := &wire.Tx{Overwintered: format.Overwintered, Version: format.Version, VersionGroupID: format.VersionGroupID,
		ExpiryHeight: w.params.TxExpiry(height), Outputs: d.outputs}
	coins := d.inputs()
	for i := range coins {
		tx.Inputs = append(tx.Inputs, wire.TxIn{PrevOut: coins[i].Out, Sequence: finalSequence})
	}
	if left := value(coins) - spent(d.outputs); left >= 2*Fee {
		tx.Outputs = append(tx.Outputs, wire.TxOut{Value: left - Fee, Script: w.payToSelf()})
	}
	if d.payload != nil {
		tx.Outputs = append(tx.Outputs, wire.TxOut{Script: d.payload.Script()})
	}
	if err := w.sign(tx, coins, d.holder, w.params.BranchID(height)); err != nil {
		return nil, err
	}
	return tx, nil
}

const finalSequence = 0xffffffff

// inputs puts the tokens behind the first plain coin: modules have always been
// allowed to expect no more than one before theirs.
func (d *draft) inputs() []Coin {
	first := d.plain[:1:1]
	return append(append(first, d.tokens...), d.plain[1:]...)
}

func value(coins []Coin) (sum int64) {
	for i := range coins {
		sum += coins[i].Value
	}
	return sum
}

func spent(outputs []wire.TxOut) (sum int64) {
	for i := range outputs {
		sum += outputs[i].Value
	}
	return sum
}
