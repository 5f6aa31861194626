package e2e

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"

	"obverse/core/chain/cc"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/wire"
	"obverse/native/test/benchtable"
)

const (
	feeders      = 64 // goroutines or connections that send transfers
	fewFeeders   = 4
	fundsAtOnce  = 1500 // outputs of a funding transaction, which stays below 200 kB
	perBenchTurn = 1200 // transfers per turn
	signatures   = 2    // signatures per transfer: one for the coin, one for the tokens
)

// measureTransfers compares the rate of transfers that are accepted, stored and acknowledged with
// the rate at which the same cores verify signatures.
func measureTransfers(b *testing.B, t *benchtable.Table) {
	n := newBenchNode(b)
	web := n.serve(b)
	bodies := n.signTransfers(newWallet(b), 3*rounds*perBenchTurn)
	work := signedHashes(b)
	var raw, direct, rawWithHTTP, http, few []float64
	for range rounds {
		raw = append(raw, verifyRate(work))
		turn := bodies[:perBenchTurn]
		direct = append(direct, rate(len(turn), feeders, func(i int) { n.mustAccept(turn[i]) }))
		n.mine()
		rawWithHTTP = append(rawWithHTTP, verifyRate(work))
		turn = bodies[perBenchTurn : 2*perBenchTurn]
		http = append(http, web.rate(b, web.address, turn, feeders))
		n.mine()
		turn = bodies[2*perBenchTurn : 3*perBenchTurn]
		few = append(few, web.rate(b, web.address, turn, fewFeeders))
		n.mine()
		bodies = bodies[3*perBenchTurn:]
	}
	t.Add(benchtable.Row{What: "signatures of accepted transfers, of bare checks", Unit: "/s", Ours: direct, Reference: raw, Each: signatures, Aim: ">= 0.70"})
	t.Add(benchtable.Row{What: "the same over HTTP", Unit: "/s", Ours: http, Reference: rawWithHTTP, Each: signatures})
	t.Add(benchtable.Row{What: "transfers accepted from 4 connections, of those from 64", Unit: "/s", Ours: few, Reference: http, Aim: ">= 0.80"})
}

// signTransfers creates independent transfers, and confirms the outputs that they spend.
func (n *benchNode) signTransfers(p *chaintest.Wallet, count int) (bodies [][]byte) {
	n.b.Helper()
	premine := n.premine()
	for len(bodies) < count {
		txs, funds := p.Fund(premine, fundsAtOnce, 1_000_000, 10)
		for _, tx := range txs {
			n.send(tx)
		}
		premine = chaintest.Output(txs[0], fundsAtOnce+1)
		for _, l := range funds {
			tx, _ := p.Transfer(l, txs[1].ID(), other(n.b), 3)
			bodies = append(bodies, request("sendrawtransaction", encoded(tx)))
		}
	}
	n.mine()
	return bodies
}

// mustAccept sends a transaction. It may be called from any goroutine.
func (n *benchNode) mustAccept(body []byte) {
	if _, answer := n.core.Daemon(context.Background(), caller, body); !bytes.Contains(answer, []byte(`"error":null`)) {
		panic(fmt.Sprintf("refused: %s", answer))
	}
}

// rate calls a function count times on multiple goroutines and returns the number of calls per
// second.
func rate(count, workers int, do func(i int)) float64 {
	var next atomic.Int64
	var group sync.WaitGroup
	start := time.Now()
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
	return float64(count) / time.Since(start).Seconds()
}

// signed is a hash with both kinds of signatures of it.
type signed struct {
	pub     [33]byte
	hash    wire.Hash
	der     []byte
	compact [64]byte
}

func signedHashes(b testing.TB) []signed {
	b.Helper()
	key := signer(b)
	work := make([]signed, 500)
	for i := range work {
		hash := wire.HashOf([]byte{byte(i), byte(i >> 8)})
		work[i] = signed{key.PublicKey(), hash, key.SignDER(hash), key.SignCompact(hash)}
	}
	return work
}

func (s *signed) verifyDER() bool {
	key, err := btcec.ParsePubKey(s.pub[:])
	if err != nil {
		return false
	}
	sig, err := ecdsa.ParseDERSignature(s.der)
	return err == nil && sig.Verify(s.hash[:], key)
}

// verifyRate returns the number of signatures of alternating kinds that all cores verify per
// second.
func verifyRate(work []signed) float64 {
	return signatures * rate(4*len(work), runtime.GOMAXPROCS(0), func(i int) {
		s := &work[i%len(work)]
		if !s.verifyDER() || !cc.VerifySecp256k1(s.pub[:], s.hash[:], s.compact[:]) {
			panic("a good signature is refused")
		}
	})
}
