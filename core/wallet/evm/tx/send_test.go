package tx

import (
	"context"
	"encoding/hex"
	"math/big"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// signed returns a transaction signed by the phrase's key, with a nonce.
func signed(t testing.TB, chain, nonce uint64) []byte {
	t.Helper()
	ring, err := key.Open(phrase, false)
	require.NoError(t, err)
	x := wire.Transaction{ChainID: chain, Nonce: nonce, MaxFee: big.NewInt(1), Tip: big.NewInt(1), Gas: 21000, Value: big.NewInt(1)}
	return x.Signed(ring.Node().Sign(x.SigningHash()).Recoverable())
}

func TestBroadcast(t *testing.T) {
	w, s := wallet(t)
	raw := signed(t, 1, 5)
	sum := wire.Hash(raw)
	hash, err := w.Broadcast(t.Context(), raw)
	require.NoError(t, err)
	require.Equal(t, hex.EncodeToString(sum[:]), hash)
	require.Equal(t, [][]byte{raw}, s.sent)

	var invalid *coin.InvalidError
	for _, wrong := range [][]byte{{1, 2}, signed(t, 137, 5)} {
		_, err = w.Broadcast(t.Context(), wrong)
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, coin.FieldRaw, invalid.Field)
	}
	require.ErrorContains(t, err, "it is for the network with the chain id 137, and ETH is on 1")
	require.Len(t, s.sent, 1)

	s.fails = map[string]error{"send": &coin.RefusedError{Code: 32000, Log: "insufficient funds"}}
	_, err = w.Broadcast(t.Context(), raw)
	require.ErrorIs(t, err, coin.ErrResubmitted, "a node has accepted it")
	var refused *coin.RefusedError
	require.NotErrorAs(t, err, &refused)
	for _, log := range []string{"Nonce too low: next nonce 7", "Transaction nonce is too low. Try incrementing the nonce.", "OldNonce, Current nonce: 7, nonce of rejected tx: 5"} {
		w.Queue = coin.NewSendQueue(time.Now)
		s.fails, s.knows = map[string]error{"send": &coin.RefusedError{Code: 32000, Log: log}}, false
		_, err = w.Broadcast(t.Context(), raw)
		require.ErrorAs(t, err, &refused)
		require.Equal(t, hash, refused.Hash)
		for _, problem := range []error{coin.ErrTransport, node.ErrUnsure} {
			w.Queue = coin.NewSendQueue(time.Now)
			s.fails["knows"] = problem
			_, err = w.Broadcast(t.Context(), raw)
			require.ErrorIs(t, err, coin.ErrResubmitted, "it may be in a block already")
			require.NotErrorAs(t, err, &refused)
		}
		delete(s.fails, "knows")
		s.knows = true
		_, err = w.Broadcast(t.Context(), raw)
		require.NoError(t, err, "it is in a block already")
	}
	s.fails = map[string]error{"send": coin.ErrTransport}
	_, err = w.Broadcast(t.Context(), raw)
	require.NoError(t, err, "it has arrived all the same")
	s.knows = false
	_, err = w.Broadcast(t.Context(), raw)
	require.ErrorIs(t, err, coin.ErrTransport)
}

func TestAwait(t *testing.T) {
	raw := signed(t, 1, 5)
	for _, c := range []struct {
		name  string
		need  uint64
		story func(*stub)
		want  coin.Confirmed
		fails string
		takes time.Duration
	}{
		{"at once", 1, func(s *stub) { s.receipt, s.done = &node.Receipt{Height: 100}, 6 }, coin.Confirmed{Height: 100, Confirmations: 1}, "", 0},
		{"later", 1, func(s *stub) {
			time.Sleep(2500 * time.Millisecond)
			s.now(func() { s.receipt, s.done = &node.Receipt{Height: 100}, 6 })
		}, coin.Confirmed{Height: 100, Confirmations: 1}, "", 3 * time.Second},
		{"deeper", 0, func(s *stub) {
			s.receipt, s.done = &node.Receipt{Height: 100}, 6
			time.Sleep(1500 * time.Millisecond)
			s.now(func() { s.height = 102 })
		}, coin.Confirmed{Height: 100, Confirmations: 3}, "", 2 * time.Second},
		{"a node behind", 1, func(s *stub) { s.receipt, s.done, s.height = &node.Receipt{Height: 100}, 6, 99 }, coin.Confirmed{Height: 100, Confirmations: 1}, "", 0},
		{"a failure", 1, func(s *stub) { s.receipt = &node.Receipt{Height: 100, Failed: true} }, coin.Confirmed{}, "the transaction failed in block 100: execution reverted", 0},
		{"replaced", 1, func(s *stub) {
			time.Sleep(1500 * time.Millisecond)
			s.now(func() { s.done = 6 })
		}, coin.Confirmed{}, "replaced by another transaction of the account", 2 * time.Second},
		{"used up, and known", 1, func(s *stub) {
			s.done, s.knows = 6, true
			time.Sleep(1500 * time.Millisecond)
			s.now(func() { s.receipt = &node.Receipt{Height: 100} })
		}, coin.Confirmed{Height: 100, Confirmations: 1}, "", 2 * time.Second},
		{"silence, and a word", 1, func(s *stub) {
			s.fails = map[string]error{"done": coin.ErrTransport}
			time.Sleep(4500 * time.Millisecond)
			s.now(func() { s.fails, s.receipt = nil, &node.Receipt{Height: 100} })
		}, coin.Confirmed{Height: 100, Confirmations: 1}, "", 5 * time.Second},
		{"silence", 1, func(s *stub) { s.fails = map[string]error{"receipt": coin.ErrTransport} }, coin.Confirmed{}, "are unreachable", 10 * time.Second},
		{"nothing", 1, func(*stub) {}, coin.Confirmed{}, "context deadline exceeded", time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, s := wallet(t)
				w.Confirmations = 3
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				go c.story(s)
				synctest.Wait()
				begin := time.Now()
				where, err := w.Await(ctx, raw, c.need)
				require.Equal(t, c.takes, time.Since(begin))
				require.Equal(t, c.want, where)
				if c.fails != "" {
					require.ErrorContains(t, err, c.fails)
					return
				}
				require.NoError(t, err)
			})
		})
	}
	w, _ := wallet(t)
	_, err := w.Await(t.Context(), []byte("x"), 1)
	require.ErrorContains(t, err, "invalid transaction")
}

// TestAwaitToken checks a token with a contract that returns false instead of failing, so that
// the transaction succeeds but transfers nothing.
func TestAwaitToken(t *testing.T) {
	w, s := wallet(t)
	made, err := w.Withdraw(t.Context(), token(t), coin.WithdrawRequest{To: payee, Amount: number.Int(1)})
	require.NoError(t, err)
	s.receipt, s.done = &node.Receipt{Height: 100}, 1
	where, err := w.Await(t.Context(), made.Raw, 1)
	require.NoError(t, err)
	require.Equal(t, coin.Confirmed{Height: 100, Confirmations: 1}, where)
	s.still = true
	_, err = w.Await(t.Context(), made.Raw, 1)
	require.Equal(t, &coin.RefusedError{Code: CodeNotMoved, Codespace: CodespaceEVM, Hash: made.Hash, Height: 100,
		Log: "the contract of the token logged no transfer from the account, so that the token moved nothing; compare the balance before you send again"}, err)
	_, err = w.Await(t.Context(), signed(t, 1, 5), 1)
	require.NoError(t, err, "a payment of the coin has no logs")
}

// compact returns a signature in the form of EIP-2098.
func compact(t *testing.T, signature string) string {
	b, err := hex.DecodeString(signature[2:])
	require.NoError(t, err)
	b[32] |= (b[64] - 27) << 7
	return "0x" + hex.EncodeToString(b[:64])
}

func TestMessages(t *testing.T) {
	const text, other = "hello", "hallo"
	w, _ := wallet(t)
	m, err := w.SignMessage(t.Context(), text)
	require.NoError(t, err)
	require.Nil(t, m.PublicKey)
	verify := func(p coin.MessageProof) (bool, error) { return VerifyMessage(1, p) }
	for _, c := range []struct {
		name  string
		proof coin.MessageProof
		want  bool
		field coin.Field
	}{
		{"own", coin.MessageProof{Message: text, Address: walletAddress, Signature: m.Signature}, true, ""},
		{"in small letters, without 0x", coin.MessageProof{Message: text, Address: strings.ToLower(walletAddress), Signature: m.Signature[2:]}, true, ""},
		{"another text", coin.MessageProof{Message: other, Address: walletAddress, Signature: m.Signature}, false, ""},
		{"another address", coin.MessageProof{Message: text, Address: payee, Signature: m.Signature}, false, ""},
		{"of no key", coin.MessageProof{Message: text, Address: walletAddress, Signature: strings.Repeat("0", 128) + "1b"}, false, ""},
		{"no address", coin.MessageProof{Message: text, Address: "bob", Signature: m.Signature}, false, coin.FieldAddress},
		{"no signature", coin.MessageProof{Message: text, Address: walletAddress, Signature: "0x12"}, false, coin.FieldSignature},
		{"in the compact form", coin.MessageProof{Message: text, Address: walletAddress, Signature: compact(t, m.Signature)}, true, ""},
		{"in the compact form, of another text", coin.MessageProof{Message: other, Address: walletAddress, Signature: compact(t, m.Signature)}, false, ""},
		{"no digits", coin.MessageProof{Message: text, Address: walletAddress, Signature: "xyz"}, false, coin.FieldSignature},
		{"another end", coin.MessageProof{Message: text, Address: walletAddress, Signature: m.Signature[:130] + "1d"}, false, coin.FieldSignature},
	} {
		t.Run(c.name, func(t *testing.T) {
			valid, err := verify(c.proof)
			require.Equal(t, c.want, valid)
			var invalid *coin.InvalidError
			if c.field != "" {
				require.ErrorAs(t, err, &invalid)
				require.Equal(t, c.field, invalid.Field)
				return
			}
			require.NoError(t, err)
		})
	}
	// The signature is the same as anvil's for personal_sign.
	ring, err := key.Open("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80", false)
	require.NoError(t, err)
	w.Account, err = ring.Account(t.Context(), key.ContextPrivKey{}, nil)
	require.NoError(t, err)
	m, err = w.SignMessage(t.Context(), text)
	require.NoError(t, err)
	require.Equal(t, "0xf16ea9a3478698f695fd1401bfe27e9e4a7e8e3da94aa72b021125e31fa899cc573c48ea3fe1d4ab61a9db10c19032026e3ed2dbccba5a178235ac27f94504311c", m.Signature)
	_, err = w.SignMessage(t.Context(), "")
	require.ErrorContains(t, err, "invalid message: text is empty")
}
