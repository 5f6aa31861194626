package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"obverse/core/key"
	"obverse/core/text"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/walletconnect"
)

// Provider is the provider of SessionWallet for EVM networks.
type Provider struct{ Sessions walletconnect.Asker }

var _ key.ChainProvider[tx.Network] = Provider{}

// Policy implements key.Provider.
func (Provider) Policy() key.PolicyName { return key.NameSessionWallet }

// OnChain implements key.ChainProvider. It returns the first account of the session on the
// network.
func (k Provider) OnChain(_ context.Context, p key.Policy, _ key.Place, n tx.Network) (key.Account, error) {
	s, err := walletconnect.SessionOf(k.Sessions, p)
	if err != nil {
		return nil, err
	}
	accounts := Accounts(s, n.ChainID)
	if len(accounts) == 0 {
		return nil, &key.WalletError{Fault: key.WalletWrongChain,
			Text: fmt.Sprintf("WalletConnect: the session has no account on %s: pair the wallet again, with this chain (wc_new_connection)", tx.CAIP2(n.ChainID))}
	}
	return &opened{k.Sessions, s.Topic, n.ChainID, accounts[0]}, nil
}

// opened is the wallet's account on a network.
type opened struct {
	sessions walletconnect.Asker
	topic    string
	chain    uint64
	address  address.Address
}

var (
	_ tx.Holder     = (*opened)(nil)
	_ tx.Sender     = (*opened)(nil)
	_ tx.TextSigner = (*opened)(nil)
)

// Policy implements key.Account.
func (*opened) Policy() key.PolicyName { return key.NameSessionWallet }

// Close implements key.Account.
func (*opened) Close() {}

// Address implements tx.Holder.
func (a *opened) Address() address.Address { return a.address }

// order is a transaction to send, in the format of eth_sendTransaction.
type order struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Value    string `json:"value"`
	Data     string `json:"data"`
	Gas      string `json:"gas"`
	GasPrice string `json:"gasPrice,omitempty"`
	MaxFee   string `json:"maxFeePerGas,omitempty"`
	Tip      string `json:"maxPriorityFeePerGas,omitempty"`
}

// SendTransaction implements tx.Sender. The wallet chooses the nonce, since it may know of
// transactions that this node does not know.
func (a *opened) SendTransaction(ctx context.Context, t wire.Transaction) (hash [32]byte, err error) {
	if t.ChainID != a.chain {
		return hash, &key.WalletError{Fault: key.WalletFailed, Text: "WalletConnect: the transaction is for another network"}
	}
	o := order{From: a.address.String(), To: t.To.String(), Value: text.HexNumber(t.Value), Data: text.Hex(t.Data),
		Gas: text.HexNumber(new(big.Int).SetUint64(t.Gas))}
	if t.Tip == nil {
		o.GasPrice = text.HexNumber(t.MaxFee)
	} else {
		o.MaxFee, o.Tip = text.HexNumber(t.MaxFee), text.HexNumber(t.Tip)
	}
	hash, err = SendTransaction(ctx, a.sessions, a.topic, a.chain, o)
	if errors.Is(err, walletconnect.ErrBusy) || errors.Is(err, walletconnect.ErrUnsupported) { // the wallet did not accept the request
		return hash, walletconnect.Fault(err)
	}
	return hash, tx.Unsure(walletconnect.Fault(err))
}

// SignText implements tx.TextSigner.
func (a *opened) SignText(ctx context.Context, text string) ([65]byte, error) {
	signature, err := SignText(ctx, a.sessions, a.topic, a.chain, a.address, text)
	return signature, walletconnect.Fault(err)
}
