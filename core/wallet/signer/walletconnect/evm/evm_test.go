package evm

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/tx"
	evmwire "obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/walletconnect"
	"obverse/core/wallet/signer/walletconnect/relay"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// wallet answers every request with a fixed text, and records the last request.
type wallet struct {
	answer string
	err    error
	last   string
}

func (w *wallet) Request(_ context.Context, topic, chain, method string, params any) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	w.last = topic + " " + chain + " " + method + " " + string(raw)
	return json.RawMessage(w.answer), w.err
}

const message = "Hello"

// signed returns an account and its signature of message.
func signed(t testing.TB) (address.Address, [65]byte) {
	t.Helper()
	private, err := key.FromPassphrase("a passphrase of the tests")
	require.NoError(t, err)
	a, err := address.FromKey(private.PublicKey())
	require.NoError(t, err)
	s := private.Sign(address.Keccak([]byte("\x19Ethereum Signed Message:\n5"), []byte(message)))
	signature := s.Recoverable()
	if signature[64] < anyV {
		signature[64] += anyV
	}
	return a, signature
}

func quoted(b []byte) string { return `"0x` + hex.EncodeToString(b) + `"` }

func TestSignText(t *testing.T) {
	a, signature := signed(t)
	plain := signature
	plain[64] -= anyV
	for _, given := range [][65]byte{signature, plain} {
		w := &wallet{answer: quoted(given[:])}
		s, err := SignText(t.Context(), w, "topic", 1, a, message)
		require.NoError(t, err)
		require.Equal(t, signature, s)
		require.Equal(t, `topic eip155:1 personal_sign ["0x48656c6c6f","`+a.String()+`"]`, w.last)
	}
	for n := range signature {
		flipped := signature
		flipped[n] ^= 4
		_, err := SignText(t.Context(), &wallet{answer: quoted(flipped[:])}, "topic", 1, a, message)
		require.ErrorIs(t, err, walletconnect.ErrAnswer, n)
	}
	for _, answer := range []string{``, `null`, `{}`, `"0x"`, `"x"`, quoted(signature[:64]), quoted(append(signature[:], 0)), quoted(make([]byte, 65)), `"` + strings.Repeat("00", 1<<19) + `"`} {
		_, err := SignText(t.Context(), &wallet{answer: answer}, "topic", 1, a, message)
		require.ErrorIs(t, err, walletconnect.ErrAnswer)
	}
	_, err := SignText(t.Context(), &wallet{answer: quoted(signature[:])}, "topic", 1, a, "another text")
	require.ErrorIs(t, err, walletconnect.ErrAnswer)
	_, err = SignText(t.Context(), &wallet{answer: quoted(signature[:])}, "topic", 1, address.Address{1}, message)
	require.ErrorIs(t, err, walletconnect.ErrAnswer)
	_, err = SignText(t.Context(), &wallet{err: walletconnect.ErrRejected}, "topic", 1, a, message)
	require.ErrorIs(t, err, walletconnect.ErrRejected)
}

func TestSendTransaction(t *testing.T) {
	hash := [32]byte{1, 2}
	w := &wallet{answer: quoted(hash[:])}
	got, err := SendTransaction(t.Context(), w, "topic", 137, map[string]string{"to": "0x"})
	require.NoError(t, err)
	require.Equal(t, hash, got)
	require.Equal(t, `topic eip155:137 eth_sendTransaction [{"to":"0x"}]`, w.last)
	for _, answer := range []string{``, `null`, `1`, `"0x01"`, quoted(make([]byte, 33))} {
		_, err := SendTransaction(t.Context(), &wallet{answer: answer}, "topic", 1, nil)
		require.ErrorIs(t, err, walletconnect.ErrAnswer)
	}
	_, err = SendTransaction(t.Context(), &wallet{err: walletconnect.ErrTimeout}, "topic", 1, nil)
	require.ErrorIs(t, err, walletconnect.ErrTimeout)
}

// talking is a session with a wallet.
type talking struct{ *wallet }

func (talking) Session(string) (walletconnect.Session, error) { return walletconnect.Session{}, nil }

// TestTransactionThatMayBeSent checks that an error reports that the transaction may have been
// sent, unless the request cannot have reached the wallet or the wallet refused it.
func TestTransactionThatMayBeSent(t *testing.T) {
	for _, c := range []struct {
		err    error
		unsure bool
	}{
		{walletconnect.ErrNoSession, false}, {walletconnect.ErrBusy, false}, {wire.ErrNotInSession, false}, {&walletconnect.WalletError{Code: 5000}, false}, {&walletconnect.WalletError{Code: 4200}, false},
		{&walletconnect.WalletError{Code: -32000, Text: "internal"}, true},
		{walletconnect.ErrTimeout, true}, {walletconnect.ErrDisconnected, true}, {walletconnect.ErrAnswer, true},
		{relay.ErrUnanswered, true}, {&relay.RefusedError{Code: -32000, Text: "a lie"}, true},
	} {
		a := &opened{sessions: talking{&wallet{err: c.err}}, chain: 1}
		_, err := a.SendTransaction(t.Context(), evmwire.Transaction{ChainID: 1, MaxFee: new(big.Int), Value: new(big.Int)})
		require.ErrorContains(t, err, c.err.Error())
		require.Equal(t, c.unsure, strings.HasSuffix(err.Error(), tx.MaybeSent), err)
	}
}

func TestAccounts(t *testing.T) {
	a, _ := signed(t)
	s := walletconnect.Session{Namespaces: wire.Namespaces{"eip155": {Accounts: []string{"eip155:1:" + a.String(), "eip155:1:x", "eip155:2:0x0000000000000000000000000000000000000001"}}}}
	require.Equal(t, []address.Address{a}, Accounts(s, 1))
	require.Empty(t, Accounts(s, 3))
}

func FuzzSignature(f *testing.F) {
	a, signature := signed(f)
	f.Add([]byte(quoted(signature[:])))
	f.Fuzz(func(t *testing.T, answer []byte) {
		if s, err := decodeSignature(answer, a, message); err != nil {
			require.ErrorIs(t, err, walletconnect.ErrAnswer)
			require.Zero(t, s)
		}
	})
}
