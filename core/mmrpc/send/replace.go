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
			Summary: "Make and sign a transaction that takes the place of one that waits for its block",
			Detail: "Coins of EVM networks only. It has the nonce of the other one, which the coin's own address sent, and a fee that is an eighth higher at least: " +
				"the same transfer once more, or with cancel one of nothing to the own address. send_raw_transaction sends it. Either of the two may be confirmed, never both. Komodo DeFi Framework has no such method.",
			Category: wire.CategorySending,
		}, r.replace).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.CoinNotSupported, mmerr.PlatformShortage, mmerr.SigningError, mmerr.TransactionRefused,
			mmerr.ActivationTransport)...).Raises(wire.KeyKinds()...),
		rpc.Handle("is_contract", rpc.Doc{Reads: true,
			Summary: "Report whether an address of an EVM network is that of a contract",
			Detail: "A contract may be unable to give away what it receives. An account that a contract acts for (EIP-7702) is not one: its owner has the key. " +
				"Komodo DeFi Framework has no such method.",
			Category: wire.CategorySending,
		}, r.contract).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.CoinNotSupported, mmerr.InvalidAddress, mmerr.ActivationTransport)...),
	}
}

type replaceParams struct {
	Coin   string `json:"coin" doc:"ticker of an active coin or token, which the transaction sends"`
	Raw    string `json:"tx_hex" doc:"the signed transaction that waits, in hexadecimal"`
	Cancel bool   `json:"cancel" default:"false" doc:"send nothing in its place"`
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
