// Package keplrtest implements a browser's wallet for tests. It signs with real keys, and
// simulates the actions of a user.
package keplrtest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
)

// Wallet is a key.Wallets of one user. Its methods are safe for concurrent use.
type Wallet struct {
	t  testing.TB
	mu sync.Mutex

	ring     *key.Ring
	device   bool
	fails    error
	rewrite  func(do string, answer map[string]any)
	direct   func(*wire.SignDoc)
	amino    func(*tx.AminoDoc)
	requests []string
	network  tx.Network
}

// New returns a wallet with the key of a passphrase.
func New(t testing.TB, passphrase string) *Wallet {
	w := &Wallet{t: t}
	w.Switch(passphrase)
	return w
}

// Switch changes the key of the wallet.
func (w *Wallet) Switch(passphrase string) {
	ring, err := key.Open(passphrase, false)
	require.NoError(w.t, err)
	w.set(func() { w.ring = ring })
}

// Device sets whether the key is in a device.
func (w *Wallet) Device(is bool) { w.set(func() { w.device = is }) }

// Fail makes all requests fail; nil makes them succeed.
func (w *Wallet) Fail(err error) { w.set(func() { w.fails = err }) }

// Rewrite sets a function that changes answers, as a malicious wallet could.
func (w *Wallet) Rewrite(change func(do string, answer map[string]any)) {
	w.set(func() { w.rewrite = change })
}

// Edit sets functions that change documents before they are signed, as a user could.
func (w *Wallet) Edit(direct func(*wire.SignDoc), amino func(*tx.AminoDoc)) {
	w.set(func() { w.direct, w.amino = direct, amino })
}

func (w *Wallet) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// Requests returns the requests since its last call, such as "key cosmoshub-4".
func (w *Wallet) Requests() (list []string) {
	w.set(func() { list, w.requests = w.requests, nil })
	return list
}

// Network returns the chain of the last request.
func (w *Wallet) Network() (n tx.Network) {
	w.set(func() { n = w.network })
	return n
}

type directDoc struct {
	Body     []byte `json:"body"`
	AuthInfo []byte `json:"auth_info"`
	ChainID  string `json:"chain_id"`
	Account  string `json:"account_number"`
}

// Ask implements key.Wallets.
func (w *Wallet) Ask(ctx context.Context, request []byte) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var asked struct {
		Wallet, Do string
		With       json.RawMessage
	}
	var params struct {
		ChainID string `json:"chain_id"`
		Prefix  string
		Signer  string
		Doc     json.RawMessage
	}
	if err := json.Unmarshal(request, &asked); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(asked.With, &params); err != nil {
		return nil, err
	}
	w.requests = append(w.requests, asked.Do+" "+params.ChainID)
	if w.fails != nil {
		return nil, w.fails
	}
	answer, err := w.do(asked.Do, params.Prefix, params.Signer, asked.With, params.Doc)
	if err != nil {
		return nil, err
	}
	if w.rewrite != nil {
		w.rewrite(asked.Do, answer)
	}
	return json.Marshal(answer)
}

func (w *Wallet) do(do, prefix, signer string, with, doc json.RawMessage) (map[string]any, error) {
	public := w.ring.Node().PublicKey()
	switch do {
	case "key":
		addr, err := address.FromKey(prefix, public)
		if err != nil {
			return nil, err
		}
		answer := map[string]any{"algo": "secp256k1", "public_key": public[:], "address": addr.String(), "amino": w.device}
		return answer, json.Unmarshal(with, &w.network)
	case "sign_direct":
		return w.signDirect(signer, doc)
	case "sign_amino":
		return w.signAmino(signer, doc)
	}
	return nil, fmt.Errorf("no wallet does %q", do)
}

func (w *Wallet) signDirect(signer string, raw json.RawMessage) (map[string]any, error) {
	var doc directDoc
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	number, err := strconv.ParseUint(doc.Account, 10, 64)
	if err != nil {
		return nil, err
	}
	signed := wire.SignDoc{Body: doc.Body, AuthInfo: doc.AuthInfo, ChainID: doc.ChainID, Account: number}
	if w.direct != nil {
		w.direct(&signed)
	}
	done := directDoc{signed.Body, signed.AuthInfo, signed.ChainID, strconv.FormatUint(signed.Account, 10)}
	return w.proof(signer, done, wire.Encode(&signed))
}

func (w *Wallet) signAmino(signer string, raw json.RawMessage) (map[string]any, error) {
	doc, err := tx.ParseAminoDoc(raw)
	if err != nil {
		return nil, err
	}
	if w.amino != nil {
		w.amino(&doc)
	}
	text, err := doc.Bytes()
	if err != nil {
		return nil, err
	}
	return w.proof(signer, json.RawMessage(text), text)
}

// proof signs a document if the signer is the wallet's account.
func (w *Wallet) proof(signer string, doc any, text []byte) (map[string]any, error) {
	own := w.ring.Node()
	public := own.PublicKey()
	of, err := address.Parse(signer)
	if err != nil {
		return nil, err
	}
	if mine, err := address.FromKey(of.Prefix(), public); err != nil || mine != of {
		return nil, &key.WalletError{Fault: key.WalletSwitched, Text: "Keplr: Signer mismatched"}
	}
	signature := own.SignCompact(sha256.Sum256(text))
	return map[string]any{"doc": doc, "public_key": public[:], "signature": signature[:]}, nil
}
