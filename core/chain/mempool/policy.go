package mempool

import (
	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

// Limits of relay (main.h, script/standard.h, init.cpp).
const (
	// DataCarrierSize is the default limit of an OP_RETURN script, in bytes
	// (-datacarriersize of an asset chain).
	DataCarrierSize = 208

	relayFee         = 100 // satoshis for 1000 bytes (-minrelaytxfee)
	absurdFeeFactor  = 10_000
	maxScriptSigSize = 1650 // bytes
	maxTxSigOps      = params.MaxBlockSigOps / 5
	maxP2SHSigOps    = 15
	spendingSize     = 148 // bytes that spending an output adds to a transaction
)

// minFee is the relay fee of that many bytes, in satoshis (CFeeRate::GetFee).
func minFee(size int) int64 { return relayFee * int64(size) / 1000 }

// checkStandard asks for a form that nodes relay (IsStandardTx).
func (p *Pool) checkStandard(tx *wire.Tx, height int) error {
	if err := checkVersion(tx, height, p.params); err != nil {
		return err
	}
	for i := range tx.Inputs {
		switch scriptSig := tx.Inputs[i].ScriptSig; {
		case len(scriptSig) > maxScriptSigSize:
			return ErrScriptSigSize
		case !script.IsPushOnly(scriptSig):
			return ErrNotPushOnly
		}
	}
	data := 0
	for i := range tx.Outputs {
		kind, err := p.checkOutput(&tx.Outputs[i])
		if err != nil {
			return err
		}
		if kind == script.TypeNullData {
			data++
		}
	}
	if data > 1 {
		return ErrMultiOpReturn
	}
	return nil
}

func checkVersion(tx *wire.Tx, height int, p *params.Params) error {
	switch {
	case p.SaplingActive(height):
		if tx.Version != wire.SaplingVersion {
			return ErrTxSapling
		}
	case p.OverwinterActive(height):
		if tx.Version != wire.OverwinterVersion {
			return ErrTxOverwinter
		}
	case tx.Version < 1 || tx.Version > 2:
		return ErrTxVersion
	}
	return nil
}

func (p *Pool) checkOutput(out *wire.TxOut) (script.Type, error) {
	class := script.Classify(out.Script, consensus.Flags(0, p.params))
	switch {
	case !class.IsStandard():
		return class.Type, ErrScriptPubKey
	case class.Type == script.TypeNullData:
		if len(out.Script) > p.dataCarrierSize {
			return class.Type, ErrScriptPubKey
		}
	case class.Type != script.TypeCryptoCondition && isDust(out), isFreeOutput(out):
		return class.Type, ErrDust
	}
	return class.Type, nil
}

// isDust reports whether the output is worth less than three times the fee of creating and
// spending it (CTxOut::IsDust).
func isDust(out *wire.TxOut) bool {
	size := len(out.Append(nil)) + spendingSize
	return out.Value < 3*minFee(size)
}

// checkStandardInputs asks for spent scripts of a known form, and for as many
// values in the scriptSig as the form takes (AreInputsStandard).
func (p *Pool) checkStandardInputs(e *Entry) error {
	flags := consensus.Flags(0, p.params)
	for i := range e.Tx.Inputs {
		scriptSig, pkScript := e.Tx.Inputs[i].ScriptSig, e.Coins[i].Script
		class := script.Classify(pkScript, flags)
		want := argsExpected(class)
		pushed, err := script.Pushes(scriptSig)
		if want < 0 || err != nil {
			return ErrNonstandardInputs
		}
		if class.Type == script.TypeScriptHash {
			if len(pushed) == 0 {
				return ErrNonstandardInputs
			}
			redeem := script.Classify(pushed[len(pushed)-1], flags)
			if redeem.Locked || redeem.Type == script.TypeNonStandard {
				// As upstream, this settles the matter for all inputs that follow.
				if script.P2SHSigOps(scriptSig, pkScript) > maxP2SHSigOps {
					return ErrNonstandardInputs
				}
				return nil
			}
			if argsExpected(redeem) < 0 {
				return ErrNonstandardInputs
			}
			want += argsExpected(redeem)
		}
		if len(pushed) != want {
			return ErrNonstandardInputs
		}
	}
	return nil
}

// argsExpected is Class.ArgsExpected for relay, which does not look behind a lock.
func argsExpected(c script.Class) int {
	if c.Locked {
		return -1
	}
	return c.ArgsExpected()
}

// SigOps counts what a transaction makes its verifier do.
func (e *Entry) SigOps() int {
	return consensus.SigOps(e.Tx) + consensus.SpentSigOps(e.Tx, e.Coins)
}

// checkFee refuses a fee that looks like a mistake.
func (e *Entry) checkFee() error {
	var in, out int64
	for i := range e.Coins {
		in += e.Coins[i].Value
	}
	for i := range e.Tx.Outputs {
		out += e.Tx.Outputs[i].Value
	}
	limit := absurdFeeFactor * minFee(e.Size)
	if fee := in - out; fee > limit && fee > out/19 {
		return absurdFee(e.ID, fee, limit)
	}
	return nil
}
