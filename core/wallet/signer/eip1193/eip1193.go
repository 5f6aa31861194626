// Package eip1193 implements accounts in EIP-1193 wallets, which are browser extensions such as
// MetaMask. Through the page it asks the wallet for its account on a network, for signatures of
// texts and to send transactions, and verifies the results as far as possible. It contains no
// browser code. The page's part, which finds the wallet by EIP-6963, is
// web/src/wallet/eip1193.js.
//
// Sources: EIP-1193, EIP-1102 (eth_requestAccounts), EIP-3326 and EIP-3085 (switching to
// and adding networks), EIP-191 (personal_sign).
//
// Invariant: Every returned signature of a text is by the account, and every transaction that
// is passed to the wallet is for the account's network.
package eip1193

import (
	"context"
	"encoding/hex"
	"math/big"

	"obverse/core/key"
	"obverse/core/text"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
)

// Provider is the provider of BrowserWallet for EVM networks.
type Provider struct{ Wallets key.Wallets }

var _ key.ChainProvider[tx.Network] = Provider{}

// Policy implements key.Provider.
func (Provider) Policy() key.PolicyName { return key.NameBrowserWallet }

// OnChain implements key.ChainProvider. The wallet may ask its user for permission to connect,
// to switch to the network and to add it.
func (k Provider) OnChain(ctx context.Context, _ key.Policy, _ key.Place, n tx.Network) (key.Account, error) {
	var answer struct {
		Address string `json:"address"`
	}
	if err := k.page().Ask(ctx, "account", n, &answer); err != nil {
		return nil, err
	}
	parsed, err := address.ParseOn(n.ChainID, answer.Address)
	if err != nil {
		return nil, failed("invalid address: %w", err)
	}
	return &opened{provider: k, network: n, address: parsed}, nil
}

// maxResponse is the maximum size of a response in bytes. Hashes, addresses and signatures are
// short.
const maxResponse = 4 << 10

// page returns the interface to the functions in web/src/wallet/eip1193.js.
func (k Provider) page() key.PageWallet {
	return key.PageWallet{Wallets: k.Wallets, ID: "eip1193", Name: "the browser's wallet", MaxResponse: maxResponse}
}

// failed returns the error for an invalid response.
func failed(format string, args ...any) error { return Provider{}.page().Failed(format, args...) }

// opened is the wallet's account on a network.
type opened struct {
	provider Provider
	network  tx.Network
	address  address.Address
}

var (
	_ tx.Holder     = (*opened)(nil)
	_ tx.Sender     = (*opened)(nil)
	_ tx.TextSigner = (*opened)(nil)
)

// Policy implements key.Account.
func (*opened) Policy() key.PolicyName { return key.NameBrowserWallet }

// Close implements key.Account.
func (*opened) Close() {}

// Address implements tx.Holder.
func (a *opened) Address() address.Address { return a.address }

// order is a transaction to send, with numbers and bytes in the format of JSON-RPC.
type order struct {
	Network  tx.Network `json:"network"`
	From     string     `json:"from"`
	To       string     `json:"to"`
	Value    string     `json:"value"`
	Data     string     `json:"data,omitempty"`
	Gas      string     `json:"gas"`
	GasPrice string     `json:"gas_price,omitempty"`
	MaxFee   string     `json:"max_fee,omitempty"`
	Tip      string     `json:"tip,omitempty"`
}

// SendTransaction implements tx.Sender. The wallet chooses the nonce, since it may know of
// transactions that this node does not know.
func (a *opened) SendTransaction(ctx context.Context, t wire.Transaction) (hash [32]byte, err error) {
	if t.ChainID != a.network.ChainID {
		return hash, failed("the transaction is for another network")
	}
	o := order{Network: a.network, From: a.address.String(), To: t.To.String(), Value: text.HexNumber(t.Value), Gas: text.HexNumber(new(big.Int).SetUint64(t.Gas))}
	if len(t.Data) > 0 {
		o.Data = text.Hex(t.Data)
	}
	if t.Tip == nil {
		o.GasPrice = text.HexNumber(t.MaxFee)
	} else {
		o.MaxFee, o.Tip = text.HexNumber(t.MaxFee), text.HexNumber(t.Tip)
	}
	var answer struct {
		Hash string `json:"hash"`
	}
	if err := a.provider.page().Ask(ctx, "send", o, &answer); err != nil {
		return hash, tx.Unsure(err)
	}
	b, err := text.ParseHexOf(answer.Hash, len(hash))
	if err != nil {
		return hash, failed("no transaction hash in the response: %w%s", err, tx.MaybeSent)
	}
	return [32]byte(b), nil
}

// SignText implements tx.TextSigner.
func (a *opened) SignText(ctx context.Context, message string) (signature [65]byte, err error) {
	var answer struct {
		Signature string `json:"signature"`
	}
	if err := a.provider.page().Ask(ctx, "sign", map[string]string{"from": a.address.String(), "text": message}, &answer); err != nil {
		return signature, err
	}
	b, err := text.ParseHexOf(answer.Signature, len(signature))
	if err != nil {
		return signature, failed("invalid signature: %w", err)
	}
	signature = [65]byte(b)
	if last := &signature[64]; *last < 27 { // some wallets omit the 27
		*last += 27
	}
	valid, err := tx.VerifyMessage(a.network.ChainID, coin.MessageProof{Message: message, Signature: hex.EncodeToString(signature[:]), Address: a.address.String()})
	if err != nil || !valid {
		return signature, failed("the signature is not by %s", a.address)
	}
	return signature, nil
}
