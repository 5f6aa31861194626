package mempool

import (
	"fmt"
	"math"
	"time"

	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// Relay holds the fee rules for accepted transactions. They do not apply under regtest.
type Relay struct {
	// Fee is the least fee, in satoshis for 1000 bytes (-minrelaytxfee of komodod).
	Fee int64
	// Free is how many thousand bytes a minute may pay less: of transactions that spend a coin
	// of the node's own key, and of those that other nodes have taken (-limitfreerelay).
	Free int
	// Own reports whether a script is one of the node's own key; nil: it has none.
	IsMine func(pkScript []byte) bool
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
	minFee := p.relay.Fee * int64(e.Size) / 1000
	if e.Fee >= minFee {
		return nil
	}
	if e.Size >= MaxFreeSize || !t.heard && !p.isMine(e) {
		return insufficientFee(fmt.Sprintf("insufficient fee: %d satoshis, the least for %d bytes is %d", e.Fee, e.Size, minFee))
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

// count is the bytes that count at a time.
func (f *freeBytes) count(now time.Time) float64 {
	elapsed := max(now.Sub(f.at), 0)
	return f.bytes * math.Pow(1-1/freeWindow.Seconds(), elapsed.Seconds())
}

func (f *freeBytes) add(now time.Time, size int) { f.bytes, f.at = f.count(now)+float64(size), now }
