package send

import (
	"context"
	"errors"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// Replacing is the area of the methods for unconfirmed transactions and for receipts.
type Replacing struct {
	Active *coin.Active
}

// Methods implements Area.
func (r Replacing) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("replace_transaction", rpc.Doc{
			Summary: "Create and sign a transaction that replaces a pending one",
			Detail: "Only for coins of EVM networks. The transaction has the nonce of the pending one, which the coin's own address sent, and a fee that is at least an eighth higher: " +
				"it repeats the transfer, or with cancel sends nothing to the own address. Use send_raw_transaction to send it. Only one of the two can be confirmed. Komodo DeFi Framework has no such method.",
			Category: wire.CategorySending,
		}, r.replace).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.CoinNotSupported, mmerr.PlatformShortage, mmerr.SigningError, mmerr.TransactionRefused,
			mmerr.ActivationTransport)...).Raises(wire.KeyKinds()...),
		rpc.Handle("is_contract", rpc.Doc{Reads: true,
			Summary: "Report whether an address of an EVM network belongs to a contract",
			Detail: "A contract may be unable to send the coins that it receives. An account that delegates to a contract (EIP-7702) is not a contract, because its owner has the key. " +
				"Komodo DeFi Framework has no such method.",
			Category: wire.CategorySending,
		}, r.contract).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.CoinNotSupported, mmerr.InvalidAddress, mmerr.ActivationTransport)...),
	}
}

type replaceParams struct {
	Coin   string `json:"coin" doc:"ticker of the active coin or token that the transaction sends"`
	Raw    string `json:"tx_hex" doc:"the pending signed transaction, in hexadecimal"`
	Cancel bool   `json:"cancel" default:"false" doc:"replace the transaction with one that sends nothing"`
}

func (r Replacing) replace(ctx context.Context, p replaceParams) (wire.TransactionView, error) {
	active, err := r.Active.Get(p.Coin)
	if err != nil {
		return wire.TransactionView{}, wire.NoSuchCoin(err, p.Coin)
	}
	replacer, can := active.(coin.Replacer)
	if !can {
		return wire.TransactionView{}, mmerr.CoinNotSupported.New(mmerr.None{}, "transactions of "+wire.Clip(p.Coin)+" cannot be replaced")
	}
	raw, err := parseRaw(p.Raw)
	if err != nil {
		return wire.TransactionView{}, err
	}
	t, err := replacer.Replace(ctx, raw, p.Cancel)
	if err != nil {
		return wire.TransactionView{}, wire.SendingFailure(err)
	}
	return wire.ViewTransaction(t), nil
}

type contractParams struct {
	Coin    string `json:"coin" doc:"ticker of an active coin or token of an EVM network"`
	Address string `json:"address"`
}

type contractResult struct {
	Contract bool `json:"is_contract"`
}

func (r Replacing) contract(ctx context.Context, p contractParams) (contractResult, error) {
	active, err := r.Active.Get(p.Coin)
	if err != nil {
		return contractResult{}, wire.NoSuchCoin(err, p.Coin)
	}
	reader, can := active.(coin.ContractReader)
	if !can {
		return contractResult{}, mmerr.CoinNotSupported.New(mmerr.None{}, wire.Clip(p.Coin)+" has no contracts that receive it")
	}
	is, err := reader.IsContract(ctx, p.Address)
	var invalid *coin.InvalidError
	switch {
	case errors.As(err, &invalid):
		return contractResult{}, wire.InvalidField(err, invalid)
	case err != nil:
		return contractResult{}, mmerr.ActivationTransport.From(err, wire.Text(err), "Transport error: "+wire.Text(err))
	}
	return contractResult{is}, nil
}
