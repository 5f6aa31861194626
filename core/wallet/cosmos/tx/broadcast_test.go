package tx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/coin"
)

func TestBroadcast(t *testing.T) {
	raw := []byte("signed")
	hash := Hash(raw)
	sequence := Verdict{codeSequence, "sdk", "account sequence mismatch, expected 27, got 21: incorrect account sequence"}
	for _, c := range []struct {
		name    string
		verdict Verdict
		fails   error
		found   *Found
		want    error // nil means sent
		refusal *coin.RefusedError
	}{
		{"taken", Verdict{}, nil, nil, nil, nil},
		{"known to the node", Verdict{}, fmt.Errorf("broadcast_tx_sync: %w", ErrKnown), nil, nil, nil},
		{"known to the chain's code", Verdict{19, "sdk", "tx already in mempool"}, nil, nil, nil, nil},
		{"in a block already", sequence, nil, &Found{Height: 9}, nil, nil},
		{"no node", Verdict{}, coin.ErrTransport, nil, coin.ErrTransport, nil},
		{"refused", Verdict{13, "sdk", "insufficient fees; got: 1uatom required: 3000uatom: insufficient fee"}, nil, nil, nil,
			&coin.RefusedError{Code: 13, Codespace: "sdk", Log: "insufficient fees; got: 1uatom required: 3000uatom: insufficient fee", Hash: hash,
				Help: "the node takes a fee of 0.003 ATOM or more, and the transaction pays 0.000001 ATOM"}},
		{"refused by another module", Verdict{19, "ibc", "x"}, nil, nil, nil, &coin.RefusedError{Code: 19, Codespace: "ibc", Log: "x", Hash: hash}},
		{"of the past", sequence, nil, nil, nil, &coin.RefusedError{Code: 32, Codespace: "sdk", Log: sequence.Log, Hash: hash,
			Help: "another transaction of the account came first; make it again"}},
		{"failed in a block", sequence, nil, &Found{Verdict{5, "sdk", "insufficient funds"}, 9}, nil,
			&coin.RefusedError{Code: 5, Codespace: "sdk", Log: "insufficient funds", Hash: hash, Height: 9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			chain := newChain()
			chain.verdict, chain.fails["broadcast"] = c.verdict, c.fails
			if c.found != nil {
				chain.found[hash] = *c.found
			}
			got, err := newWallet(t, chain).Broadcast(t.Context(), raw)
			require.Equal(t, raw, chain.sent)
			require.Equal(t, hash, got)
			switch {
			case c.refusal != nil:
				var refusal *coin.RefusedError
				require.ErrorAs(t, err, &refusal)
				require.Equal(t, c.refusal, refusal)
			case c.want != nil:
				require.ErrorIs(t, err, c.want)
			default:
				require.NoError(t, err)
			}
		})
	}
}

// TestRefusedInDoubt checks that a transaction that was signed elsewhere, which may be in a block
// already, is not reported as refused while too few servers say what became of it.
func TestRefusedInDoubt(t *testing.T) {
	for _, verdict := range []Verdict{
		{codeSequence, "sdk", "account sequence mismatch, expected 27, got 21: incorrect account sequence"},
		{codeFee, "sdk", "insufficient fees; got: 1uatom required: 3000uatom: insufficient fee"},
		{codeMempoolFull, "sdk", "mempool is full"},
	} {
		for _, problem := range []error{ErrAlone, coin.ErrTransport} {
			chain := newChain()
			w := newWallet(t, chain)
			chain.verdict, chain.findings = verdict, []error{problem}
			_, err := w.Broadcast(t.Context(), []byte("signed"))
			require.ErrorIs(t, err, coin.ErrResubmitted)
			require.NotErrorAs(t, err, new(*coin.RefusedError))
		}
		chain := newChain()
		w := newWallet(t, chain)
		raw := []byte("signed")
		_, err := w.Broadcast(t.Context(), raw)
		require.NoError(t, err)
		chain.verdict = verdict
		_, err = w.Broadcast(t.Context(), raw)
		require.ErrorIs(t, err, coin.ErrResubmitted, "a server has accepted it")
		chain.found[Hash(raw)] = Found{Height: 9}
		_, err = w.Broadcast(t.Context(), raw)
		require.NoError(t, err, "it is in a block")
	}
}

// mine makes a block every second, and puts a transaction into one of them.
func (c *fakeChain) mine(ctx context.Context, hash string, at uint64, verdict Verdict) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		c.mu.Lock()
		c.newest.Height++
		if c.newest.Height == at {
			c.found[hash] = Found{verdict, at}
		}
		c.mu.Unlock()
	}
}

func TestAwait(t *testing.T) {
	withdrawal, err := newWallet(t, newChain()).Withdraw(t.Context(), atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "1")})
	require.NoError(t, err) // valid until block 1100
	raw, hash := withdrawal.Raw, withdrawal.Hash
	down := fmt.Errorf("%w: down", coin.ErrTransport)
	for _, c := range []struct {
		name                    string
		at                      uint64 // block of the transaction
		verdict                 Verdict
		required, confirmations uint64 // confirmations that the coin and the call require
		findings                []error
		takes                   time.Duration
		want                    coin.Confirmed
		refusal                 string
		fails                   error
		before, limit           time.Duration
	}{
		{name: "one", at: 1003, confirmations: 1, takes: 3 * time.Second, want: coin.Confirmed{Height: 1003, Confirmations: 1}},
		{name: "the coin's own number", at: 1003, required: 3, takes: 5 * time.Second, want: coin.Confirmed{Height: 1003, Confirmations: 3}},
		{name: "no number at all", at: 1003, takes: 3 * time.Second, want: coin.Confirmed{Height: 1003, Confirmations: 1}},
		{name: "many", at: 1050, confirmations: 20, required: 3, takes: 69 * time.Second, want: coin.Confirmed{Height: 1050, Confirmations: 20}},
		{name: "nodes that are down meanwhile", at: 1003, confirmations: 1, findings: []error{down, down, down, down, down, down, down, down}, takes: 8 * time.Second,
			want: coin.Confirmed{Height: 1003, Confirmations: 6}},
		{name: "nodes that stay down", confirmations: 1, findings: []error{down, down, down, down, down, down, down, down, down, down, down, down}, takes: 10 * time.Second,
			fails: coin.ErrTransport},
		{name: "failed", at: 1003, verdict: Verdict{5, "sdk", "insufficient funds"}, confirmations: 3, takes: 3 * time.Second,
			refusal: "the transaction failed in block 1003: insufficient funds"},
		{name: "in the last block that may have it, found late", at: 1100, confirmations: 1, findings: nil, takes: 100 * time.Second,
			want: coin.Confirmed{Height: 1100, Confirmations: 1}},
		{name: "never", confirmations: 1, takes: 103 * time.Second,
			refusal: "the chain refuses the transaction: the transaction is too old; make it again (block height: 1103, timeout height: 1100)"},
		{name: "too long", at: 1050, confirmations: 1, limit: 10 * time.Second, takes: 10 * time.Second, fails: context.DeadlineExceeded},
	} {
		t.Run(c.name, func(t *testing.T) {
			chain := newChain()
			w := newWallet(t, chain)
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				defer end()
				go chain.mine(ctx, hash, c.at, c.verdict)
				time.Sleep(time.Millisecond) // queries are a little later than blocks
				w.Confirmations, chain.findings = c.required, c.findings
				limited := ctx
				if c.limit > 0 {
					var cancel context.CancelFunc
					limited, cancel = context.WithTimeout(ctx, c.limit)
					defer cancel()
				}
				began := time.Now()
				where, err := w.Await(limited, raw, c.confirmations)
				require.Equal(t, c.takes, time.Since(began))
				require.Equal(t, c.want, where)
				switch {
				case c.refusal != "":
					require.ErrorAs(t, err, new(*coin.RefusedError))
					require.EqualError(t, err, c.refusal)
				case c.fails != nil:
					require.ErrorIs(t, err, c.fails)
				default:
					require.NoError(t, err)
				}
			})
		})
	}
}

// TestAwaitResends checks that Await sends the transaction to the nodes again, so that a single
// node which accepted and dropped it, or lies, does not keep it from a block.
func TestAwaitResends(t *testing.T) {
	chain := newChain()
	w := newWallet(t, chain)
	made, err := w.Withdraw(t.Context(), atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "1"), Send: true})
	require.NoError(t, err)
	chain.sent = nil // dropped
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		go func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-time.After(time.Second):
				}
				chain.mu.Lock()
				chain.newest.Height++
				if bytes.Equal(chain.sent, made.Raw) {
					chain.found[made.Hash] = Found{Height: chain.newest.Height}
					chain.sent = nil
				}
				chain.mu.Unlock()
			}
		}()
		where, err := w.Await(ctx, made.Raw, 1)
		require.NoError(t, err)
		require.NotZero(t, where.Height)
		end()
	})
}

// Await waits for an invalid transaction, or one without a last block, until the caller's context
// ends.
func TestAwaitWithoutEnd(t *testing.T) {
	for _, raw := range []string{"rubbish", ""} {
		chain := newChain()
		w := newWallet(t, chain)
		chain.newest.Height = 1 << 40
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			_, err := w.Await(ctx, []byte(raw), 1)
			require.ErrorIs(t, err, context.DeadlineExceeded)
		})
	}
	chain := newChain()
	chain.fails["newest"] = errors.New("not the nodes' fault")
	_, err := newWallet(t, chain).Await(t.Context(), nil, 1)
	require.ErrorIs(t, err, chain.fails["newest"])
}

// TestRequiredFee checks that the reason of a refusal is taken from its code, and only the
// amounts from the log.
func TestRequiredFee(t *testing.T) {
	w := newWallet(t, newChain())
	const less = "the fee is less than the node takes"
	for log, want := range map[string]string{
		"insufficient fees; got: 1uatom required: 3000uatom: insufficient fee":                               "the node takes a fee of 0.003 ATOM or more, and the transaction pays 0.000001 ATOM",
		"insufficient fees; got:  required: 3000uatom: insufficient fee":                                     "the node takes a fee of 0.003 ATOM or more, and the transaction pays none",
		"error checking fee: got: 2925uatom required: 4400uatom, minGasPrice: 0.0376uatom: insufficient fee": "the node takes a fee of 0.0044 ATOM or more, and the transaction pays 0.002925 ATOM",
		"insufficient fees; got: 1uatom required: 3000uatom,5000ibc/ABC: insufficient fee":                   "the node takes a fee of 0.003 ATOM or 5000 ibc/ABC or more, and the transaction pays 0.000001 ATOM",
		"insufficient fees; got: 1uatom,2ibc/ABC required: 5000ibc/ABC: insufficient fee":                    "the node takes a fee of 5000 ibc/ABC or more, and the transaction pays 0.000001 ATOM and 2 ibc/ABC",
		"required: ":                 less,
		"required: much":             less,
		"required: 3000uatom,much, ": less,
		"pay more":                   less,
		"":                           less,
	} {
		require.Equal(t, want, w.Chain.help(Verdict{codeFee, codespace, log}), log)
		require.Empty(t, w.Chain.help(Verdict{codeFee, "feemarket", log}))
	}
}
