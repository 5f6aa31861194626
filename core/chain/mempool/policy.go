package mempool

import (
	"fmt"
	"math"
	"time"

	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// Limits of relaying (main.h, script/standard.h, init.cpp).
const (
	// DataCarrierSize is the default limit of an OP_RETURN script, in bytes (-datacarriersize
	// of an asset chain in komodod).
	DataCarrierSize = 208

	relayFee         = 100 // satoshis per 1000 bytes (-minrelaytxfee)
	absurdFeeFactor  = 10_000
	maxScriptSigSize = 1650 // in bytes
	maxTxSigOps      = params.MaxBlockSigOps / 5
	maxP2SHSigOps    = 15
	spendingSize     = 148 // bytes that spending an output adds to a transaction
)

// minFee returns the relay fee of a transaction with the given size, in satoshis
// (CFeeRate::GetFee).
func minFee(size int) int64 { return relayFee * int64(size) / 1000 }

// checkStandard refuses transactions in a form that nodes do not relay (IsStandardTx).
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

// checkStandardInputs refuses inputs that spend a script of an unknown form, or whose scriptSig
// does not have the number of values that the form requires (AreInputsStandard).
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
				// As in komodod, this also decides about all inputs that follow.
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

// argsExpected is like Class.ArgsExpected, for relaying, which does not support locked scripts.
func argsExpected(c script.Class) int {
	if c.Locked {
		return -1
	}
	return c.ArgsExpected()
}

// SigOps returns the number of signature operations of the transaction, including those of its
// redeem scripts.
func (e *Entry) SigOps() int {
	return consensus.SigOps(e.Tx) + consensus.SpentSigOps(e.Tx, e.Coins)
}

// checkFee refuses an absurdly high fee.
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

// Relay holds the fee rules for accepted transactions. They do not apply on regtest.
type Relay struct {
	// Fee is the minimum fee, in satoshis per 1000 bytes (-minrelaytxfee of komodod).
	Fee int64
	// Free is the limit for transactions with lower fees, in thousand bytes per minute. It
	// applies to transactions that spend a coin of the node's own key, and to those that other
	// nodes have accepted (-limitfreerelay).
	Free int
	// IsMine reports whether a script pays to the node's own key. It is nil if the node has no
	// key.
	IsMine func(pkScript []byte) bool
	// Shared is set if other nodes make blocks too. In their blocks, free transactions are
	// limited to MaxFreeBlock, whatever Fee is here.
	Shared bool
}

// DefaultRelay returns komodod's minimum fee and its limit of free transactions.
func DefaultRelay() Relay { return Relay{Fee: relayFee, Free: 15} }

const (
	// MaxFreeBlock limits the total size, in bytes, of the transactions below the default fee
	// in a proposed block, and MaxFreeSize limits the size of one of them. komodod reserves the
	// same space in a block for free transactions (-blockprioritysize, GetMinRelayFee).
	MaxFreeBlock = 50_000
	MaxFreeSize  = MaxFreeBlock - 1000

	// freeWindow is the time constant with which free transactions are forgotten (main.cpp,
	// AcceptToMemoryPool).
	freeWindow = 10 * time.Minute
)

// Pays reports whether a transaction pays the default fee and has no zero-value condition
// output, which would cost its maker nothing and remain unspent forever.
func Pays(tx *wire.Tx, size int, fee int64) bool {
	if fee < minFee(size) {
		return false
	}
	for i := range tx.Outputs {
		if isFreeOutput(&tx.Outputs[i]) {
			return false
		}
	}
	return true
}

// isFreeOutput reports whether an output is a crypto-condition with a value of zero. The marker
// that lists a token is the only such output that is allowed.
func isFreeOutput(out *wire.TxOut) bool {
	return out.Value == 0 && script.IsPayToCondition(out.Script) && !token.IsMarker(out.Script)
}

// checkRelayFee refuses a transaction that pays too little, unless it may be free and the limit
// of free transactions has not been reached. It changes nothing.
func (p *Pool) checkRelayFee(e *Entry, t terms) error {
	minimum := p.relay.Fee * int64(e.Size) / 1000
	if p.relay.Shared && e.Size >= MaxFreeSize {
		minimum = max(minimum, minFee(e.Size)) // no block could include it
	}
	if e.Fee >= minimum {
		return nil
	}
	if e.Size >= MaxFreeSize || !t.heard && !p.isMine(e) {
		return insufficientFee(fmt.Sprintf("insufficient fee: %d satoshis, the least for %d bytes is %d", e.Fee, e.Size, minimum))
	}
	e.free = true
	return p.checkFree(e)
}

// checkFree refuses a free transaction if the limit of free transactions has been reached.
func (p *Pool) checkFree(e *Entry) error {
	if e.free && p.free.count(e.Time)+float64(e.Size) > p.freeLimit() {
		return insufficientFee("rate limited free transaction: pay a fee, or send it again later")
	}
	return nil
}

func (p *Pool) freeLimit() float64 { return float64(p.relay.Free) * 1000 * freeWindow.Minutes() }

// isMine reports whether the transaction spends a coin of the node's own key.
func (p *Pool) isMine(e *Entry) bool {
	for i := range e.Coins {
		if p.relay.IsMine != nil && p.relay.IsMine(e.Coins[i].Script) {
			return true
		}
	}
	return false
}

func insufficientFee(reason string) *consensus.Rejection {
	return &consensus.Rejection{Code: consensus.RejectInsufficientFee, Reason: reason}
}

// freeBytes counts the bytes of free transactions. The count decays over time.
type freeBytes struct {
	bytes float64
	at    time.Time
}

// count returns the decayed count at a time.
func (f *freeBytes) count(now time.Time) float64 {
	elapsed := max(now.Sub(f.at), 0)
	return f.bytes * math.Pow(1-1/freeWindow.Seconds(), elapsed.Seconds())
}

func (f *freeBytes) add(now time.Time, size int) { f.bytes, f.at = f.count(now)+float64(size), now }
