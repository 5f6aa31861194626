package dapp

import (
	"context"
	"encoding/json"
	"math/big"
	"strings"

	"obverse/core/number"
	"obverse/core/text"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/dapp"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
)

// order is the parameter of eth_sendTransaction. The nonce of the program is ignored, since the
// wallet may know of transactions that the program does not know.
type order struct {
	From     string  `json:"from"`
	To       *string `json:"to,omitempty"` // nil means that a contract is created
	Value    string  `json:"value,omitempty"`
	Data     string  `json:"data,omitempty"`
	Input    string  `json:"input,omitempty"` // another name of Data
	Gas      string  `json:"gas,omitempty"`
	GasLimit string  `json:"gasLimit,omitempty"` // another name of Gas
	Price    string  `json:"gasPrice,omitempty"`
	MaxFee   string  `json:"maxFeePerGas,omitempty"`
	Tip      string  `json:"maxPriorityFeePerGas,omitempty"`
	ChainID  string  `json:"chainId,omitempty"`
	Type     string  `json:"type,omitempty"`

	// The following members are not supported.
	Access         []json.RawMessage `json:"accessList,omitempty"`
	Authorizations []json.RawMessage `json:"authorizationList,omitempty"`
	Blobs          []json.RawMessage `json:"blobs,omitempty"`
	BlobHashes     []json.RawMessage `json:"blobVersionedHashes,omitempty"`
}

// maxData limits the data of a transaction, in bytes. Nodes accept transactions of up to 128
// KiB.
const maxData = 128 << 10

// order parses a transaction. legacy reports whether it has a single gas price.
func (w *Wallet) order(params json.RawMessage) (t *wire.Transaction, legacy bool, err error) {
	var list []order
	if err := dapp.Decode("params, a list of one transaction,", params, &list); err != nil {
		return nil, false, err
	}
	if len(list) != 1 {
		return nil, false, dapp.Invalid("params must be a list of one transaction, got %d", len(list))
	}
	o := &list[0]
	if err := w.requireAccount(o.From); err != nil {
		return nil, false, err
	}
	if len(o.Access)+len(o.Authorizations)+len(o.Blobs)+len(o.BlobHashes) > 0 || o.Type == "0x3" || o.Type == "0x4" {
		return nil, false, dapp.Unsupported("access lists, blobs and authorizations in transactions are not supported")
	}
	t = &wire.Transaction{ChainID: w.ChainID, Deploys: o.To == nil}
	if o.To != nil {
		if t.To, err = address.ParseOn(w.ChainID, *o.To); err != nil {
			return t, false, dapp.Invalid("to: %w", err)
		}
	}
	if t.Data, err = o.data(); err != nil {
		return t, false, err
	}
	if t.Deploys && len(t.Data) == 0 {
		return t, false, dapp.Invalid("to and data are missing, want one of them")
	}
	legacy, err = o.numbers(t)
	return t, legacy, err
}

func (o *order) data() ([]byte, error) {
	if o.Data != "" && o.Input != "" && !strings.EqualFold(o.Data, o.Input) {
		return nil, dapp.Invalid("data and input differ")
	}
	given := max(o.Data, o.Input) // one is empty, or both are the same
	if given == "" {
		return nil, nil
	}
	b, err := text.ParseHex(given)
	if err != nil || len(b) > maxData {
		return nil, dapp.Invalid("data must be 0x and the hexadecimal digits of at most %d bytes", maxData)
	}
	return b, nil
}

// numbers parses the numbers into a transaction.
func (o *order) numbers(t *wire.Transaction) (legacy bool, err error) {
	if o.Gas != "" && o.GasLimit != "" && o.Gas != o.GasLimit || o.Price != "" && o.MaxFee+o.Tip != "" {
		return false, dapp.Invalid("gas and gasLimit, or gasPrice and maxFeePerGas: want one of them")
	}
	var r quantities
	r.read("value", o.Value, 256, &t.Value)
	r.read("gasPrice", o.Price, 128, &t.MaxFee)
	r.read("maxFeePerGas", o.MaxFee, 128, &t.MaxFee)
	r.read("maxPriorityFeePerGas", o.Tip, 128, &t.Tip)
	gas, chain := new(big.Int), new(big.Int).SetUint64(t.ChainID)
	r.read("gas", max(o.Gas, o.GasLimit), 64, &gas) // one is empty, or both are the same
	r.read("chainId", o.ChainID, 64, &chain)
	if r.err != nil {
		return false, r.err
	}
	if t.Value == nil {
		t.Value = new(big.Int)
	}
	t.Gas = gas.Uint64()
	switch {
	case chain.Uint64() != t.ChainID:
		return false, dapp.Invalid("chainId is %s, want %d", chain, t.ChainID)
	case t.Tip != nil && t.MaxFee != nil && t.Tip.Cmp(t.MaxFee) > 0:
		return false, dapp.Invalid("%w", coin.ErrTip)
	}
	return o.Price != "", nil
}

// quantities parses numbers. err keeps the first error.
type quantities struct{ err error }

// read parses an optional number of at most the given number of bits.
func (r *quantities) read(name, text string, bits int, into **big.Int) {
	if text == "" || r.err != nil {
		return
	}
	digits, found := strings.CutPrefix(text, "0x")
	if found && digits != "" && len(digits) <= 64 && strings.Trim(digits, "0123456789abcdefABCDEF") == "" {
		number, _ := new(big.Int).SetString(digits, 16) // cannot fail, since all characters are digits
		if *into = number; number.BitLen() <= bits {
			return
		}
	}
	r.err = dapp.Invalid("%s must be 0x and a hexadecimal number of at most %d bits", name, bits)
}

// complete returns the order of a transaction with all parameters set.
func (w *Wallet) complete(t *wire.Transaction) (json.RawMessage, error) {
	o := order{From: w.Address.String(), Value: text.HexNumber(t.Value), Gas: text.HexNumber(new(big.Int).SetUint64(t.Gas)), ChainID: text.HexNumber(new(big.Int).SetUint64(t.ChainID))}
	if !t.Deploys {
		to := t.To.String()
		o.To = &to
	}
	if len(t.Data) > 0 {
		o.Data = text.Hex(t.Data)
	}
	if t.Tip == nil {
		o.Price = text.HexNumber(t.MaxFee)
	} else {
		o.MaxFee, o.Tip = text.HexNumber(t.MaxFee), text.HexNumber(t.Tip)
	}
	return json.Marshal([]order{o})
}

func (w *Wallet) describeOrder(ctx context.Context, d *dapp.Description, params json.RawMessage) error {
	t, legacy, err := w.order(params)
	if err != nil {
		return err
	}
	p, err := w.Prepare(ctx, *t, legacy)
	if err != nil {
		return err
	}
	if d.Params, err = w.complete(&p.Transaction); err != nil {
		return err
	}
	w.describeTransaction(ctx, d, t)
	fee := p.TotalFee()
	d.Fee = &dapp.Fee{Coin: w.Native.Ticker, Amount: w.coins(fee)}
	if w.CheckUnseenFee(p) != nil {
		d.Warn("The network fee is unusually high.")
	}
	if p.BelowBaseFee() {
		d.Warn("The offered price of gas is below the network's own. The transaction waits until that falls.")
	}
	if p.Fails != nil {
		d.Warn("The network says that the transaction would fail: " + p.Fails.Error())
	}
	if p.Funds.Cmp(fee.Add(fee, t.Value)) < 0 {
		d.Warn("You only have " + w.coins(p.Funds) + " " + w.Native.Ticker + ", which is not enough for the amount and the fee.")
	}
	return nil
}

func (w *Wallet) coins(units *big.Int) string {
	return number.Scaled(units, w.Native.Decimals).String()
}

func (w *Wallet) send(params json.RawMessage) (signing, error) {
	t, legacy, err := w.order(params)
	if err != nil {
		return nil, err
	}
	if t.Gas == 0 || t.MaxFee == nil || !legacy && t.Tip == nil {
		return nil, dapp.Invalid("the transaction has no gas or no price: execute the params of its description")
	}
	return func(ctx context.Context, opened *tx.Wallet) ([]byte, error) {
		if t.Deploys {
			if err := tx.CanDeploy(opened.Account); err != nil {
				return nil, err
			}
		}
		hash, err := opened.Send(ctx, *t)
		return hash[:], err
	}, nil
}
