package send

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"strconv"
	"strings"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/signer/device"
)

// RawTransactions is the area of the methods for raw transactions.
type RawTransactions struct {
	Active *coin.Active
}

// Methods implements Area.
func (r RawTransactions) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("get_raw_transaction", rpc.Doc{Reads: true,
			Summary:  "Return a signed transaction by its hash",
			Detail:   "The node verifies that the transaction matches the hash.",
			Category: wire.CategorySending,
		}, r.get).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.InvalidHash, mmerr.HashNotExist, mmerr.NotImplemented, mmerr.InternalError, mmerr.ActivationTransport)...),
		rpc.Handle("sign_raw_transaction", rpc.Doc{
			Summary: "Sign a transaction of an EVM network with given fields",
			Detail: "The transaction has the next nonce of the address, which is not reserved. Use send_raw_transaction to send it. The method does not check " +
				"the balance, or whether a contract accepts the call. Without pay_for_gas, it rejects fees above the limit of withdraw with broadcast.",
			Category: wire.CategorySending,
		}, r.sign).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.InvalidParam, mmerr.NotImplemented, mmerr.RawSigningError,
			mmerr.ActivationTransport)...).Raises(wire.KeyKinds()...),
	}
}

type rawTransactionParams struct {
	Coin string `json:"coin" doc:"ticker of an active coin"`
	Hash string `json:"tx_hash" doc:"64 hexadecimal digits, with or without 0x"`
}

type rawTransaction struct {
	Hex string `json:"tx_hex" doc:"the signed transaction, in hexadecimal"`
}

func (r RawTransactions) get(ctx context.Context, p rawTransactionParams) (rawTransaction, error) {
	active, err := r.Active.Get(p.Coin)
	if err != nil {
		return rawTransaction{}, wire.NoSuchCoin(err, p.Coin)
	}
	reader, can := active.(coin.RawReader)
	if !can {
		return rawTransaction{}, notImplemented(p.Coin)
	}
	hash, err := wire.ReadHex(p.Hash)
	if err != nil || len(hash) != 32 {
		text := "tx_hash is " + strconv.Quote(wire.Clip(p.Hash)) + ", want 64 hexadecimal digits"
		return rawTransaction{}, mmerr.InvalidHash.New(text, "Invalid  hash: "+text) // Komodo DeFi Framework has two spaces
	}
	raw, err := reader.RawTransaction(ctx, [32]byte(hash))
	text := ""
	if err != nil {
		text = wire.Text(err)
	}
	switch {
	case errors.Is(err, coin.ErrNoTransaction):
		return rawTransaction{}, mmerr.HashNotExist.From(err, p.Hash, "Hash does not exist: "+p.Hash)
	case errors.Is(err, coin.ErrTransactionKind):
		return rawTransaction{}, mmerr.InternalError.From(err, text, "Internal error: "+text)
	case errors.Is(err, coin.ErrTransport):
		return rawTransaction{}, mmerr.ActivationTransport.From(err, text, "Transport error: "+text)
	}
	return rawTransaction{hex.EncodeToString(raw)}, err
}

func notImplemented(ticker string) error {
	return mmerr.NotImplemented.New(mmerr.Coin{Coin: ticker}, "Not implemented for this coin "+wire.Clip(ticker))
}

type signRawParams struct {
	Coin string     `json:"coin" doc:"ticker of an active coin of an EVM network"`
	Type rawType    `json:"type" doc:"ETH"`
	Tx   unsignedTx `json:"tx"`
}

// rawType is a family of coins with raw transactions.
type rawType string

const rawETH rawType = "ETH"

// Values implements rpc.Enum.
func (rawType) Values() []string { return []string{string(rawETH), "UTXO"} }

type unsignedTx struct {
	To    string     `json:"to" rpc:"optional" doc:"address of the recipient; if absent, the transaction creates a contract"`
	Value coinAmount `json:"value" rpc:"optional" doc:"amount of the network's coin in whole coins, a decimal number; by default 0"`
	Data  string     `json:"data" rpc:"optional" doc:"data for a contract, in hexadecimal"`
	Gas   gasNumber  `json:"gas_limit" doc:"gas limit of the transaction"`
	Pay   payForGas  `json:"pay_for_gas" rpc:"optional" doc:"gas price; by default from the nodes, in which case the result has fee_details"`
}

// gasNumber is an amount of gas: a number, or a string with a number, which is hexadecimal if
// it begins with 0x.
type gasNumber uint64

// UnmarshalParam implements rpc.Unmarshaler.
func (g *gasNumber) UnmarshalParam(raw json.RawMessage) error {
	text := string(raw)
	if rpc.KindOf(raw) == rpc.KindString {
		text, _ = rpc.Unquote(raw)
	}
	base := 10
	if digits, is := strings.CutPrefix(text, "0x"); is {
		text, base = digits, 16
	}
	n, ok := new(big.Int).SetString(text, base)
	if !ok || n.Sign() <= 0 || !n.IsUint64() {
		return &rpc.ParamError{Want: wantGas, Got: rpc.KindOf(raw), Err: rpc.ErrRange, Value: raw}
	}
	*g = gasNumber(n.Uint64())
	return nil
}

// JSONSchema implements rpc.Described.
func (gasNumber) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Description: wantGas, OneOf: []*rpc.Schema{{Type: "integer", Minimum: "1"}, {Type: "string"}}}
}

// payForGas is the fee of a raw transaction (PayForGasParams in Komodo DeFi Framework).
type payForGas struct{ policy coin.FeePolicy }

const wantPay = "an object with the tx_type Legacy and gas_price, or Eip1559, max_fee_per_gas and max_priority_fee_per_gas"

// UnmarshalParam implements rpc.Unmarshaler.
func (g *payForGas) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	members, err := wire.Object(raw, wantPay, "tx_type", feePrice, feeMax, feeTip)
	if err != nil {
		return err
	}
	kind, err := wire.Unquote(members["tx_type"], wantPay)
	if err != nil {
		return wire.Below("tx_type", err)
	}
	switch kind {
	case "Legacy":
		var fee coin.EthGas
		fee.Price, err = readPrice(members, feePrice)
		g.policy = fee
	case "Eip1559":
		var fee coin.EthGasEIP1559
		if fee.MaxFee, err = readPrice(members, feeMax); err == nil {
			fee.MaxTip, err = readPrice(members, feeTip)
		}
		g.policy = fee
	default:
		err = &rpc.ParamError{Path: "tx_type", Want: wantPay, Got: rpc.KindString, Err: rpc.ErrVariant, Value: members["tx_type"], Allowed: []string{"Legacy", "Eip1559"}}
	}
	return err
}

// JSONSchema implements rpc.Described.
func (payForGas) JSONSchema() *rpc.Schema {
	price := &rpc.Schema{Description: "billionths of a coin", OneOf: []*rpc.Schema{{Type: "string"}, {Type: "number"}}}
	form := func(name string, members ...string) *rpc.Schema {
		s := &rpc.Schema{Type: "object", Properties: rpc.Properties{{Name: "tx_type", Schema: &rpc.Schema{Type: "string", Enum: []string{name}}}}, Required: append([]string{"tx_type"}, members...)}
		for _, m := range members {
			s.Properties = append(s.Properties, rpc.Property{Name: m, Schema: price})
		}
		return s
	}
	return &rpc.Schema{Description: wantPay, OneOf: []*rpc.Schema{form("Legacy", feePrice), form("Eip1559", feeMax, feeTip)}}
}

// signedTransaction is the result of sign_raw_transaction: that of Komodo DeFi Framework, and
// the fee.
type signedTransaction struct {
	rawTransaction
	Fee *wire.FeeView `json:"fee_details,omitempty" doc:"maximum fee of the transaction; absent with pay_for_gas"`
}

func (r RawTransactions) sign(ctx context.Context, p signRawParams) (result signedTransaction, err error) {
	active, err := r.Active.Get(p.Coin)
	if err != nil {
		return result, wire.NoSuchCoin(err, p.Coin)
	}
	signer, can := active.(coin.RawSigner)
	if !can {
		return result, notImplemented(p.Coin)
	}
	if p.Type != rawETH {
		return result, mmerr.InvalidParam.New("eth type expected", "Invalid param: eth type expected")
	}
	data, err := wire.ReadHex(p.Tx.Data)
	if err != nil || len(data) > MaxRaw {
		return result, &rpc.ParamError{Path: "tx.data", Want: "hexadecimal digits, of at most 1 MiB", Got: rpc.KindString, Err: err}
	}
	if p.Tx.To == "" && len(data) == 0 {
		return result, &rpc.ParamError{Path: "tx.to", Want: "an address, or data of a contract to make", Err: rpc.ErrMissing}
	}
	raw, fee, err := signer.SignRaw(ctx, coin.UnsignedTransaction{To: p.Tx.To, Value: p.Tx.Value.Rational, Data: data, Gas: uint64(p.Tx.Gas), Fee: p.Tx.Pay.policy})
	if err != nil {
		return result, signRawFailure(err)
	}
	result.Hex = hex.EncodeToString(raw)
	if p.Tx.Pay.policy == nil {
		details := wire.ViewFee(fee)
		result.Fee = &details
	}
	return result, nil
}

func signRawFailure(err error) error {
	var invalid *coin.InvalidError
	var wallet *key.WalletError
	text := wire.Text(err)
	switch {
	case errors.As(err, &wallet), device.Is(err, device.Faults()...):
		return wire.KeyFailure(err)
	case errors.As(err, &invalid), errors.Is(err, key.ErrUnsupported):
		return mmerr.InvalidParam.From(err, text, "Invalid param: "+text)
	case errors.Is(err, coin.ErrSigning):
		return mmerr.RawSigningError.From(err, text, "Signing error: "+text)
	case errors.Is(err, coin.ErrTransport):
		return mmerr.ActivationTransport.From(err, text, "Transport error: "+text)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return wire.KeyFailure(err)
}
