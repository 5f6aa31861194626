package tx

import (
	"bytes"
	"math/big"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// offer returns the fee that a transaction offers for a unit of gas. On networks with a base
// fee it is twice the base fee plus the tip, which is sufficient for at least five full blocks
// in a row.
func offer(f node.Fees) (maxFee, tip *big.Int) {
	if f.BaseFee == nil {
		return f.GasPrice, nil
	}
	maxFee = new(big.Int).Lsh(f.BaseFee, 1)
	return maxFee.Add(maxFee, f.Tip), f.Tip
}

// totalFee returns the highest fee of a transaction, including the data fee of a rollup, which
// may be nil.
func totalFee(t wire.Transaction, data *big.Int) *big.Int {
	fee := t.Fee()
	if data != nil {
		fee.Add(fee, data)
	}
	return fee
}

// FeeOf returns the highest fee of a transaction, including the data fee of a rollup, which may
// be nil.
func FeeOf(t wire.Transaction, data *big.Int, native Asset) coin.Fee {
	f := coin.Fee{Type: coin.FeeEth, Coin: native.Ticker, Amount: native.coins(totalFee(t, data)), GasLimit: t.Gas, GasPrice: native.coins(t.MaxFee)}
	if data != nil {
		f.Data = native.coins(data)
	}
	if t.Tip != nil {
		f.MaxTip = new(number.Rational)
		*f.MaxTip = native.coins(t.Tip)
	}
	return f
}

// Gas that every transaction uses before its execution (Ethereum's Yellow Paper, appendix G;
// EIP-2028; EIP-2).
const (
	gasDeploy      = 32_000
	gasZeroByte    = 4
	gasNonZeroByte = 16
)

// intrinsicGas returns the gas that a transaction uses before it is executed.
func intrinsicGas(c node.Call) uint64 {
	zeros := uint64(bytes.Count(c.Data, []byte{0}))
	gas := node.MinTransferGas + gasZeroByte*zeros + gasNonZeroByte*(uint64(len(c.Data))-zeros)
	if c.Deploys {
		gas += gasDeploy
	}
	return gas
}

// checkGas rejects a gas limit that is too low for the transaction on any network.
func checkGas(gas uint64, c node.Call) error {
	if intrinsic := intrinsicGas(c); gas < intrinsic {
		return &coin.GasLimitError{Limit: gas, Used: intrinsic}
	}
	return nil
}

// Gas that transactions usually use, by kind, on networks where a transfer of the coin uses
// node.MinTransferGas.
const (
	gasToken = 65_000  // a transfer or an approval of a token
	gasNFT   = 100_000 // a transfer of NFTs
	gasOther = 200_000 // another call of a contract
)

// usualGas returns the gas that a transaction of the kind usually uses on the network, and nil for
// the creation of a contract.
func usualGas(c node.Call, transfer *big.Int) *big.Int {
	gas := int64(gasOther)
	switch {
	case c.Deploys:
		return nil
	case len(c.Data) == 0:
		gas = node.MinTransferGas
	case startsWith(c.Data, abi.Transfer, abi.TransferFrom, abi.Approve, abi.IncreaseAllowance):
		gas = gasToken
	case startsWith(c.Data, abi.SafeTransferFrom, abi.SafeTransferMultiple, abi.SetApprovalForAll):
		gas = gasNFT
	}
	usual := big.NewInt(gas)
	if transfer != nil { // networks with other gas costs have them for all kinds
		usual.Mul(usual, transfer).Div(usual, big.NewInt(node.MinTransferGas))
	}
	return usual
}

func startsWith(data []byte, functions ...uint32) bool {
	for _, f := range functions {
		if bytes.HasPrefix(data, abi.Call(f)) {
			return true
		}
	}
	return false
}

// smallFee is a hundredth of a coin, in the smallest unit. A lower fee is not compared with the
// amount, so that small amounts can be sent. A transfer costs as much at a price of 476 gwei,
// which hardly any network charges.
const smallFee = 10_000_000_000_000_000

// checkUnseenFee rejects a fee that is too high to be paid without the user having seen it. gas
// is the gas limit that the user chose; 0 means none. price is the price of a unit of gas, of
// the nodes or chosen by the user.
//
// The limit is from coin.FeeLimit. If the nodes agree on the prices, the usual fee is the gas
// that a transaction of the kind usually uses, at that price. Prices from a single node are not
// used; the entry of the coin may have a usual price instead. Without a usual price, the limit
// for a transfer of the coin is its amount; other transactions have no amount in the coin.
func (w *Wallet) checkUnseenFee(f node.Fees, t wire.Transaction, gas uint64, price *big.Int, advice string) error {
	c := node.Call{To: t.To, Deploys: t.Deploys, Value: t.Value, Data: t.Data}
	var limit number.Rational
	switch {
	case f.Agreed:
		limit = w.limit(usualGas(c, f.TransferGas), gas, price, f.Beyond(t.Gas))
	case w.UsualPrice != nil:
		limit = w.limit(usualGas(c, nil), gas, w.UsualPrice, nil)
	default:
		limit = coin.FeeLimit(nil)
		if !t.Deploys && len(t.Data) == 0 {
			if highest := w.Native.coins(maxOf(t.Value, big.NewInt(smallFee))); highest.Cmp(limit) < 0 {
				limit = highest
			}
		}
	}
	return coin.CheckUnseenFee(w.Native.Ticker, w.Native.coins(totalFee(t, f.Beyond(t.Gas))), limit, advice)
}

// checkFeeCap rejects a price chosen by the user that is below the current base fee.
func checkFeeCap(f node.Fees, maxFee *big.Int) error {
	if f.BaseFee == nil || maxFee.Cmp(f.BaseFee) >= 0 {
		return nil
	}
	return invalid(coin.FieldFee, &coin.FeeCapError{Provided: number.Scaled(maxFee, gwei), Required: number.Scaled(f.BaseFee, gwei)})
}

// limit returns the highest fee for a usual amount of gas, or for the gas limit that the user
// chose.
func (w *Wallet) limit(usual *big.Int, named uint64, price, data *big.Int) number.Rational {
	if named > 0 {
		usual = new(big.Int).SetUint64(named)
	}
	if usual == nil {
		return coin.FeeLimit(nil)
	}
	fee := new(big.Int).Mul(usual, price)
	if data != nil {
		fee.Add(fee, data)
	}
	coins := w.Native.coins(fee)
	return coin.FeeLimit(&coins)
}
