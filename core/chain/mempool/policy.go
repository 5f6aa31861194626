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

// minFee returns the relay fee of that many bytes, in satoshis (CFeeRate::GetFee).
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

// Relay holds the fee rules for accepted transactions. They do not apply under regtest.
type Relay struct {
	// Fee is the least fee, in satoshis for 1000 bytes (-minrelaytxfee of komodod).
	Fee int64
	// Free is how many thousand bytes a minute may pay less: of transactions that spend a coin
	// of the node's own key, and of those that other nodes have taken (-limitfreerelay).
	Free int
	// IsMine reports whether a script pays to the node's own key; nil: it has no key.
	IsMine func(pkScript []byte) bool
	// Shared is set where other nodes make blocks too, in which free transactions have MaxFreeBlock
	// whatever Fee is here.
	Shared bool
}

// DefaultRelay returns komodod's fee and its limit of free transactions.
func DefaultRelay() Relay { return Relay{Fee: relayFee, Free: 15} }

const (
	// MaxFreeBlock is how many bytes of transactions below the default fee a proposal of a block
	// may have, and MaxFreeSize how long one of them may be. komodod leaves as much room in a block
	// to free transactions (-blockprioritysize, GetMinRelayFee).
	MaxFreeBlock = 50_000
	MaxFreeSize  = MaxFreeBlock - 1000

	// freeWindow is for how long free transactions count [main.cpp, AcceptToMemoryPool].
	freeWindow = 10 * time.Minute
)

// Pays reports whether a transaction pays the default fee, and has no output that costs its maker
// nothing and stays unspent for ever.
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

// isFreeOutput reports whether an output is a crypto-condition without value. Only the marker
// that lists a token may be one.
func isFreeOutput(out *wire.TxOut) bool {
	return out.Value == 0 && script.IsPayToCondition(out.Script) && !token.IsMarker(out.Script)
}

// checkRelayFee refuses a transaction that pays too little, unless it may be free and there is
// room for free ones. It changes nothing.
func (p *Pool) checkRelayFee(e *Entry, t terms) error {
	minimum := p.relay.Fee * int64(e.Size) / 1000
	if p.relay.Shared && e.Size >= MaxFreeSize {
		minimum = max(minimum, minFee(e.Size)) // no block could have it
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

// checkFree asks for room for a free transaction.
func (p *Pool) checkFree(e *Entry) error {
	if e.free && p.free.count(e.Time)+float64(e.Size) > p.freeLimit() {
		return insufficientFee("rate limited free transaction: pay a fee, or send it again later")
	}
	return nil
}

func (p *Pool) freeLimit() float64 { return float64(p.relay.Free) * 1000 * freeWindow.Minutes() }

// isOwn reports whether the node's own key has signed the transaction.
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

// freeBytes counts the bytes of free transactions, of which older ones count less and less.
type freeBytes struct {
	bytes float64
	at    time.Time
}

// count returns the bytes that count at a time.
func (f *freeBytes) count(now time.Time) float64 {
	elapsed := max(now.Sub(f.at), 0)
	return f.bytes * math.Pow(1-1/freeWindow.Seconds(), elapsed.Seconds())
}

func (f *freeBytes) add(now time.Time, size int) { f.bytes, f.at = f.count(now)+float64(size), now }
