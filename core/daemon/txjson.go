package daemon

import (
	"fmt"

	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/number"
)

// shownTx is a transaction as all methods show it. What they add to one another is
// marked.
type txJSON struct {
	TxID           wire.Hash     `json:"txid"`
	Overwintered   bool          `json:"overwintered"`
	Version        uint32        `json:"version"`
	Notarized      *int          `json:"last_notarized_height,omitempty"` // getrawtransaction has it
	VersionGroupID string        `json:"versiongroupid,omitempty" doc:"of an overwintered transaction, like the expiry height"`
	LockTime       uint32        `json:"locktime"`
	ExpiryHeight   *uint32       `json:"expiryheight,omitempty" doc:"the last height at which a block may hold it, 0 for no limit"`
	Inputs         []inputJSON   `json:"vin"`
	Outputs        []outputJSON  `json:"vout"`
	JoinSplits     []splitJSON   `json:"vjoinsplit"`
	ValueBalance   *number.Coins `json:"valueBalance,omitempty" doc:"of a Sapling transaction, like the shielded lists"`
	Spends         []spendJSON   `json:"vShieldedSpend,omitzero"`
	Shielded       []shieldJSON  `json:"vShieldedOutput,omitzero"`
	BindingSig     hexBytes      `json:"bindingSig,omitempty"`
}

// shownInput is an input: the data of a coinbase, or what is spent. Address and
// value are getrawtransaction's.
type inputJSON struct {
	Coinbase  hexBytes        `json:"coinbase,omitzero"`
	TxID      *wire.Hash      `json:"txid,omitempty"`
	Index     *uint32         `json:"vout,omitempty"`
	Address   *script.Address `json:"address,omitempty"`
	ScriptSig *inputScript    `json:"scriptSig,omitempty"`
	Value     *number.Coins   `json:"value,omitempty"`
	ValueSat  *int64          `json:"valueSat,omitempty"`
	Sequence  uint32          `json:"sequence"`
}

type inputScript struct {
	Asm string   `json:"asm"`
	Hex hexBytes `json:"hex"`
}

// shownOutput is an output. decoderawtransaction names its satoshis valueZat,
// getrawtransaction valueSat, and adds who spent it.
type outputJSON struct {
	Value       number.Coins `json:"value"`
	ValueZat    *int64       `json:"valueZat,omitempty"`
	ValueSat    *int64       `json:"valueSat,omitempty"`
	N           int          `json:"n"`
	Script      outputScript `json:"scriptPubKey"`
	SpentTxID   *wire.Hash   `json:"spentTxId,omitempty"`
	SpentIndex  *int         `json:"spentIndex,omitempty"`
	SpentHeight *int         `json:"spentHeight,omitempty" doc:"-1 while the spending transaction waits for a block"`
}

// showTx describes a transaction from its bytes alone, as decoderawtransaction and
// getblock do [komodod rpc/rawtransaction.cpp TxToJSON].
func showTx(tx *wire.Tx, id wire.Hash, p *params.Params) txJSON {
	result := txJSON{
		TxID: id, Overwintered: tx.Overwintered, Version: tx.Version, LockTime: tx.LockTime,
		Inputs:     make([]inputJSON, len(tx.Inputs)),
		Outputs:    make([]outputJSON, len(tx.Outputs)),
		JoinSplits: showSplits(tx.JoinSplits),
	}
	if tx.Overwintered {
		result.VersionGroupID, result.ExpiryHeight = fmt.Sprintf("%08x", tx.VersionGroupID), &tx.ExpiryHeight
	}
	for i := range tx.Inputs {
		result.Inputs[i] = showInput(&tx.Inputs[i], tx.IsCoinbase())
	}
	for i := range tx.Outputs {
		out := &tx.Outputs[i]
		result.Outputs[i] = outputJSON{
			Value: number.Coins(out.Value), ValueZat: &out.Value, N: i, Script: showScript(out.Script, p),
		}
	}
	if tx.IsSapling() {
		result.showSapling(&tx.Shielded)
	}
	return result
}

func showInput(in *wire.TxIn, coinbase bool) inputJSON {
	if coinbase {
		return inputJSON{Coinbase: in.ScriptSig, Sequence: in.Sequence}
	}
	return inputJSON{
		TxID: &in.PrevOut.Hash, Index: &in.PrevOut.Index, Sequence: in.Sequence,
		ScriptSig: &inputScript{Asm: script.Disasm(in.ScriptSig, true), Hex: in.ScriptSig},
	}
}
