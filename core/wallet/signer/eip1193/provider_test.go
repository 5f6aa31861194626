package eip1193

import (
	"context"
	"encoding/hex"
	"errors"
	"math/big"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/eip1193/eip1193test"
)

const (
	passphrase = "evm test seed"
	receiver   = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
)

var network = tx.Network{ChainID: 137, Name: "Matic", Ticker: "MATIC", RPC: "https://rpc.example"}

func open(t testing.TB, w key.Wallets) *opened {
	t.Helper()
	acc, err := Provider{w}.OnChain(t.Context(), key.BrowserWallet{}, key.Place{}, network)
	require.NoError(t, err)
	return acc.(*opened)
}

func newWallet(t testing.TB) (*eip1193test.Wallet, *nodetest.Node) {
	node := nodetest.New(137, 5)
	return eip1193test.New(t, passphrase, node), node
}

func TestProvider(t *testing.T) {
	w, _ := newWallet(t)
	k := Provider{w}
	require.Equal(t, key.NameBrowserWallet, k.Policy())
	_, err := key.Providers{k}.Account(t.Context(), key.BrowserWallet{}, nil)
	require.ErrorIs(t, err, key.ErrUnsupported)
	require.Empty(t, w.Requests())

	opened := open(t, w)
	defer opened.Close()
	require.Equal(t, []string{"account 137"}, w.Requests())
	require.Equal(t, network, w.Network(), "the wallet gets the whole network")
	require.Equal(t, key.NameBrowserWallet, opened.Policy())
	addr, public, err := tx.AddressOf(opened)
	require.NoError(t, err)
	require.Equal(t, w.Address(), addr.String())
	require.Nil(t, public)
	_, hashes := key.Account(opened).(key.HashSigner)
	require.False(t, hashes, "a wallet shows its user what it signs")
}

func transaction(t testing.TB, tip *big.Int) wire.Transaction {
	to, err := address.Parse(receiver)
	require.NoError(t, err)
	return wire.Transaction{ChainID: 137, Nonce: 99, MaxFee: big.NewInt(16), Tip: tip, Gas: 21_000, To: to, Value: big.NewInt(0), Data: []byte{0, 1}}
}

// TestSending checks that the wallet sends the requested transaction, except for the nonce.
func TestSending(t *testing.T) {
	for name, tip := range map[string]*big.Int{"EIP-1559": big.NewInt(0), "one price": nil} {
		t.Run(name, func(t *testing.T) {
			w, node := newWallet(t)
			var got wire.Transaction
			w.Edit(func(t *wire.Transaction) { got = *t })
			want := transaction(t, tip)
			hash, err := open(t, w).SendTransaction(t.Context(), want)
			require.NoError(t, err)
			require.NotZero(t, hash)
			want.Nonce = 0
			require.Equal(t, want.SigningHash(), got.SigningHash())
			require.Equal(t, 1, node.Sent())
			require.Equal(t, []string{"account 137", "send 137"}, w.Requests())
			require.Equal(t, network, w.Network())
		})
	}
	w, node := newWallet(t)
	other := transaction(t, nil)
	other.ChainID = 1
	_, err := open(t, w).SendTransaction(t.Context(), other)
	requireFault(t, key.WalletFailed, err)
	require.Zero(t, node.Sent())
}

func requireFault(t *testing.T, want key.WalletFault, err error) {
	t.Helper()
	var fault *key.WalletError
	require.ErrorAs(t, err, &fault)
	require.Equal(t, want, fault.Fault, fault.Text)
}

// TestSendingThatFails checks that a transaction that may have been sent is not reported as
// failed.
func TestSendingThatFails(t *testing.T) {
	for _, c := range []struct {
		fault  key.WalletFault
		unsure bool
	}{{key.WalletRefused, false}, {key.WalletWrongChain, false}, {key.WalletSwitched, false}, {key.WalletFailed, true}, {key.WalletTimeout, true}, {key.WalletGone, true}} {
		w, _ := newWallet(t)
		opened := open(t, w)
		w.Fail(&key.WalletError{Fault: c.fault, Text: "words"})
		_, err := opened.SendTransaction(t.Context(), transaction(t, nil))
		requireFault(t, c.fault, err)
		require.Equal(t, c.unsure, strings.Contains(err.Error(), "may have been sent"), c.fault)
		w.Fail(context.Canceled)
		_, err = opened.SendTransaction(t.Context(), transaction(t, nil))
		require.ErrorIs(t, err, context.Canceled)
	}
	for _, hash := range []any{nil, 7, "", "0x", "0x12", "0x" + strings.Repeat("0", 63) + "g", strings.Repeat("0", 66)} {
		w, _ := newWallet(t)
		opened := open(t, w)
		w.Rewrite(func(_ string, answer map[string]any) { answer["hash"] = hash })
		_, err := opened.SendTransaction(t.Context(), transaction(t, nil))
		requireFault(t, key.WalletFailed, err)
	}
}

func TestTexts(t *testing.T) {
	w, _ := newWallet(t)
	opened := open(t, w)
	for _, text := range []string{"hello", `<text> & "more"`, "\ufeffsnow ☃ 🚀"} {
		signed, err := tx.SignMessage(t.Context(), opened, text)
		require.NoError(t, err)
		valid, err := tx.VerifyMessage(1, coin.MessageProof{Message: text, Signature: signed.Signature, Address: w.Address()})
		require.NoError(t, err)
		require.True(t, valid)
	}
	old, err := opened.SignText(t.Context(), "hello")
	require.NoError(t, err)
	old[64] -= 27
	w.Rewrite(func(_ string, answer map[string]any) { answer["signature"] = hex.EncodeToString(old[:]) })
	signed, err := opened.SignText(t.Context(), "hello")
	require.NoError(t, err)
	require.Contains(t, []byte{27, 28}, signed[64], "as others write it")

	for name, signature := range map[string]any{
		"nothing": nil, "a number": 7, "no hex": "0xzz", "short": strings.Repeat("00", 64), "long": strings.Repeat("00", 66),
		"zeros": strings.Repeat("00", 65), "of a contract": "0x" + strings.Repeat("ab", 65),
	} {
		w.Rewrite(func(_ string, answer map[string]any) { answer["signature"] = signature })
		_, err := opened.SignText(t.Context(), "hello")
		requireFault(t, key.WalletFailed, err)
		require.NotContains(t, err.Error(), "may have been sent", name)
	}
	w.Rewrite(func(_ string, answer map[string]any) { answer["signature"] = hex.EncodeToString(old[:]) })
	_, err = opened.SignText(t.Context(), "another text")
	requireFault(t, key.WalletFailed, err)
	w.Switch("bob passphrase")
	_, err = opened.SignText(t.Context(), "hello")
	requireFault(t, key.WalletSwitched, err)
}

func TestWalletsThatFail(t *testing.T) {
	for name, response := range map[string]any{"nothing": nil, "a number": 7, "short": "0x12", "a wrong checksum": "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "too much": strings.Repeat("x", maxResponse)} {
		w, _ := newWallet(t)
		w.Rewrite(func(_ string, answer map[string]any) { answer["address"] = response })
		_, err := Provider{w}.OnChain(t.Context(), key.BrowserWallet{}, key.Place{}, network)
		requireFault(t, key.WalletFailed, err)
		require.NotEmpty(t, name)
	}
	w, _ := newWallet(t)
	declined := &key.WalletError{Fault: key.WalletRefused, Text: "no"}
	w.Fail(declined)
	_, err := Provider{w}.OnChain(t.Context(), key.BrowserWallet{}, key.Place{}, network)
	require.ErrorIs(t, err, declined)
}

// silent is a page that never answers.
type silent struct{}

func (silent) Ask(ctx context.Context, _ []byte) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestWalletTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := Provider{silent{}}.OnChain(t.Context(), key.BrowserWallet{}, key.Place{}, network)
		requireFault(t, key.WalletTimeout, err)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = Provider{silent{}}.OnChain(ctx, key.BrowserWallet{}, key.Place{}, network)
		require.ErrorIs(t, err, context.Canceled, "the caller has disconnected")
	})
}

// says is a page that always returns the same answer.
type says []byte

func (s says) Ask(context.Context, []byte) ([]byte, error) { return s, nil }

// FuzzAnswers checks that any answer of a page results in a valid value or a *key.WalletError.
func FuzzAnswers(f *testing.F) {
	w, _ := newWallet(f)
	own := open(f, w)
	for _, request := range []string{
		`{"wallet":"eip1193","do":"account","with":{"chain_id":137}}`,
		`{"wallet":"eip1193","do":"sign","with":{"from":"` + w.Address() + `","text":"hello"}}`,
		`{"wallet":"eip1193","do":"send","with":{"network":{"chain_id":137},"from":"` + w.Address() + `","to":"` + receiver + `","value":"0x0","gas":"0x0","gas_price":"0x0"}}`,
	} {
		answer, err := w.Ask(f.Context(), []byte(request))
		require.NoError(f, err)
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		page := Provider{says(answer)}
		var fault *key.WalletError
		if _, err := page.OnChain(t.Context(), key.BrowserWallet{}, key.Place{}, network); err != nil {
			require.ErrorAs(t, err, &fault)
		}
		of := &opened{page, network, own.address}
		if _, err := of.SendTransaction(t.Context(), transaction(t, nil)); err != nil {
			require.True(t, errors.As(err, &fault))
		}
		if signature, err := of.SignText(t.Context(), "hello"); err == nil {
			valid, err := tx.VerifyMessage(1, coin.MessageProof{Message: "hello", Signature: hex.EncodeToString(signature[:]), Address: of.address.String()})
			require.True(t, valid && err == nil)
		} else {
			require.ErrorAs(t, err, &fault)
		}
	})
}
