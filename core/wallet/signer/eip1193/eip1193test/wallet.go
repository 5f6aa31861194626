// Package eip1193test implements a browser's wallet for tests. It signs with real keys, sends
// transactions to a simulated network, and simulates the actions of a user.
package eip1193test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/text"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
)

// Wallet is a key.Wallets of one user. Its methods are safe for concurrent use.
type Wallet struct {
	t  testing.TB
	mu sync.Mutex

	ring     *key.Ring
	node     *nodetest.Node // node to which it sends transactions
	nonce    uint64
	fails    error
	rewrite  func(do string, answer map[string]any)
	edit     func(*wire.Transaction)
	requests []string
	network  tx.Network
}

// New returns a wallet with the key of a passphrase. It sends transactions to a node.
func New(t testing.TB, passphrase string, node *nodetest.Node) *Wallet {
	w := &Wallet{t: t, node: node}
	w.Switch(passphrase)
	return w
}

// Switch changes the key of the wallet.
func (w *Wallet) Switch(passphrase string) {
	ring, err := key.Open(passphrase, false)
	require.NoError(w.t, err)
	w.set(func() { w.ring = ring })
}

// Fail makes all requests fail; nil makes them succeed.
func (w *Wallet) Fail(err error) { w.set(func() { w.fails = err }) }

// Rewrite sets a function that changes answers, as a malicious wallet could.
func (w *Wallet) Rewrite(change func(do string, answer map[string]any)) {
	w.set(func() { w.rewrite = change })
}

// Edit sets a function that changes transactions before they are signed, as a user could.
func (w *Wallet) Edit(change func(*wire.Transaction)) { w.set(func() { w.edit = change }) }

func (w *Wallet) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// Requests returns the requests since its last call, such as "account 1", with the id of the
// network.
func (w *Wallet) Requests() (list []string) {
	w.set(func() { list, w.requests = w.requests, nil })
	return list
}

// Network returns the network of the last request.
func (w *Wallet) Network() (n tx.Network) {
	w.set(func() { n = w.network })
	return n
}

// Address returns the address of its account.
func (w *Wallet) Address() string {
	a, err := address.FromKey(w.ring.Node().PublicKey())
	require.NoError(w.t, err)
	return a.String()
}

// with holds the parameters of all functions.
type with struct {
	tx.Network
	Selected                   tx.Network `json:"network"`
	From, To, Value, Data, Gas string
	Price                      string `json:"gas_price"`
	MaxFee                     string `json:"max_fee"`
	Tip                        string
	Text                       string
}

// Ask implements key.Wallets.
func (w *Wallet) Ask(_ context.Context, request []byte) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var asked struct {
		Wallet, Do string
		With       with
	}
	if err := json.Unmarshal(request, &asked); err != nil {
		return nil, err
	}
	if asked.Wallet != "eip1193" {
		return nil, fmt.Errorf("no wallet %q", asked.Wallet)
	}
	network := asked.With.Network
	if asked.Do == "send" {
		network = asked.With.Selected
	}
	if asked.Do == "sign" {
		w.requests = append(w.requests, asked.Do)
	} else {
		w.requests, w.network = append(w.requests, asked.Do+" "+strconv.FormatUint(network.ChainID, 10)), network
	}
	if w.fails != nil {
		return nil, w.fails
	}
	answer, err := w.do(asked.Do, asked.With)
	if err != nil {
		return nil, err
	}
	if w.rewrite != nil {
		w.rewrite(asked.Do, answer)
	}
	return json.Marshal(answer)
}

func (w *Wallet) do(do string, p with) (map[string]any, error) {
	if do == "account" {
		return map[string]any{"address": w.Address()}, nil
	}
	if p.From != w.Address() {
		return nil, &key.WalletError{Fault: key.WalletSwitched, Text: "the wallet uses another account"}
	}
	switch do {
	case "sign":
		hash := address.Keccak([]byte("\x19Ethereum Signed Message:\n"+strconv.Itoa(len(p.Text))), []byte(p.Text))
		signature := w.ring.Node().Sign(hash).Recoverable()
		signature[64] += 27
		return map[string]any{"signature": text.Hex(signature[:])}, nil
	case "send":
		return w.send(p)
	}
	return nil, fmt.Errorf("no wallet does %q", do)
}

func (w *Wallet) send(p with) (map[string]any, error) {
	to, err := address.Parse(p.To)
	require.NoError(w.t, err)
	data, err := hex.DecodeString(strings.TrimPrefix(p.Data, "0x"))
	require.NoError(w.t, err)
	t := wire.Transaction{ChainID: p.Selected.ChainID, Nonce: w.nonce, Gas: w.number(p.Gas).Uint64(), To: to, Value: w.number(p.Value), Data: data}
	if p.Price != "" {
		t.MaxFee = w.number(p.Price)
	} else {
		t.MaxFee, t.Tip = w.number(p.MaxFee), w.number(p.Tip)
	}
	if w.edit != nil {
		w.edit(&t)
	}
	w.nonce++
	hash := w.node.Take(t, w.ring.Node().Sign(t.SigningHash()).Recoverable())
	return map[string]any{"hash": text.Hex(hash[:])}, nil
}

// number parses a quantity, as strictly as wallets do.
func (w *Wallet) number(text string) *big.Int {
	require.Regexp(w.t, `^0x(0|[1-9a-f][0-9a-f]*)$`, text)
	n, _ := new(big.Int).SetString(text, 0)
	return n
}
