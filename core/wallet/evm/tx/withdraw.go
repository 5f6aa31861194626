package tx

import (
	"context"
	"errors"
	"math/big"

	"golang.org/x/sync/errgroup"

	"obverse/core/guard"
	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// Withdraw implements coin.Withdrawer for a coin of the network.
func (w *Wallet) Withdraw(ctx context.Context, asset Asset, r coin.WithdrawRequest) (coin.Transaction, error) {
	t, err := w.transfer(asset, r)
	if err != nil {
		return coin.Transaction{}, err
	}
	return w.execute(ctx, t, r)
}

// execute makes a transaction, and sends it if requested.
func (w *Wallet) execute(ctx context.Context, t transfer, r coin.WithdrawRequest) (coin.Transaction, error) {
	from, err := w.sender(ctx, r.From)
	if err != nil {
		return coin.Transaction{}, err
	}
	defer from.close()
	wallet, outside := from.Account.(Sender)
	sign := func(ctx context.Context) (coin.Numbered, error) { return w.sign(ctx, from, t) }
	switch {
	case outside: // the wallet chooses the nonce
		return w.sendWith(ctx, wallet, from, t)
	case !r.Send:
		n, err := sign(ctx)
		return n.Transaction, err
	}
	return w.Queue.Execute(ctx, w.named(from.address), shows(from.Account), sign, w.submit)
}

// sign makes and signs a transaction.
func (w *Wallet) sign(ctx context.Context, from sender, t transfer) (coin.Numbered, error) {
	d, err := w.draft(ctx, from, t)
	if err != nil {
		return coin.Numbered{}, err
	}
	raw, err := w.signNext(ctx, from, d.Transaction)
	if err != nil {
		return coin.Numbered{}, err
	}
	return coin.Numbered{Transaction: w.result(from.address, t, d, wire.Hash(raw), raw), Number: d.Nonce}, nil
}

// draft makes an unsigned transaction.
func (w *Wallet) draft(ctx context.Context, from sender, t transfer) (d draft, err error) {
	s, err := w.read(ctx, from, t)
	if err != nil {
		return d, err
	}
	maxFee, tip, err := t.fee.price(s.fees)
	if err != nil {
		return d, err
	}
	units, err := s.balance.Spend(t.units)
	if err != nil {
		return d, err
	}
	gas, simulated, err := w.gas(ctx, from, t, units)
	if err != nil {
		return d, err
	}
	fee := new(big.Int).Mul(maxFee, new(big.Int).SetUint64(gas))
	if data := s.fees.Beyond(gas); data != nil {
		fee.Add(fee, data)
	}
	if units, err = t.afford(s, units, fee); err != nil {
		return d, err
	}
	c := t.call(from.address, units)
	d = draft{units: units, simulated: simulated, Prepared: Prepared{Funds: s.funds.Units, fees: s.fees, Transaction: wire.Transaction{
		ChainID: w.ChainID, Nonce: s.nonce, MaxFee: maxFee, Tip: tip, Gas: gas, To: c.To, Value: c.Value, Data: c.Data}}}
	if !t.send || shows(from.Account) || t.fee.gas > 0 { // the user sees the fee, or has chosen all of it
		return d, nil
	}
	return d, w.checkUnseenFee(d.fees, d.Transaction, 0, d.MaxFee, coin.NameFee)
}

// transfer is a request to send that was checked as far as possible without
// queries.
type transfer struct {
	asset Asset
	to    address.Address
	units *big.Int // nil means everything
	nft   *NFT     // NFT to send instead of the asset; may be nil
	fee   chosenFee
	send  bool
}

// native reports whether the fee is paid in the same coin as the transfer.
func (t transfer) native() bool { return t.asset.Contract == nil }

// chosenFee is the part of a fee that the user chose.
type chosenFee struct {
	gas         uint64   // 0 means not chosen
	maxFee, tip *big.Int // a nil maxFee means not chosen; a nil tip means a legacy transaction
}

// sender is an opened account to send from.
type sender struct {
	key.Account
	close   func()
	address address.Address
}

// state holds the answers of the nodes on which a transaction depends.
type state struct {
	nonce          uint64
	balance, funds coin.Funds // balances of the asset and of the coin that pays the fee
	fees           node.Fees
}

// draft is a transaction before its signature.
type draft struct {
	Prepared
	units     *big.Int // units to send
	simulated bool
}

var (
	errNoMemo      = errors.New("not supported on EVM networks")
	errNoIBC       = errors.New("IBC is not supported on EVM networks")
	errZeroAddress = errors.New("receiver is the zero address: anything sent there is lost")
	errContract    = errors.New("receiver is the token's own contract: anything sent there is lost")
	errReserved    = errors.New("the address is reserved for the network itself (EIP-1352): anything sent there is lost")
)

// transfer checks a request.
func (w *Wallet) transfer(asset Asset, r coin.WithdrawRequest) (t transfer, err error) {
	t = transfer{asset: asset, send: r.Send}
	switch {
	case r.Memo != "":
		return t, invalid(coin.FieldMemo, errNoMemo)
	case r.Channel != nil:
		return t, invalid(coin.FieldChannel, errNoIBC)
	}
	if t.to, err = address.ParseOn(w.ChainID, r.To); err == nil {
		switch {
		case t.to.IsZero():
			err = errZeroAddress
		case t.to.IsReserved():
			err = errReserved
		case asset.Contract != nil && t.to == *asset.Contract:
			err = errContract
		}
	}
	if err != nil {
		return t, invalid(coin.FieldTo, err)
	}
	if !r.Max {
		if t.units, err = asset.units(r.Amount); err != nil {
			return t, err
		}
	}
	t.fee, err = feeOf(r.Fee)
	return t, err
}

// units converts an amount of the asset.
func (a Asset) units(amount number.Rational) (*big.Int, error) {
	if err := coin.CheckAmount(amount, a.Decimals); err != nil {
		return nil, err
	}
	units, err := Units(amount, a.Decimals)
	if err != nil {
		err = invalid(coin.FieldAmount, err)
	}
	return units, err
}

// gwei is the number of decimals of prices, which are in billionths of a coin.
const gwei = 9

// feeOf returns the fee that the user chose.
func feeOf(policy coin.FeePolicy) (f chosenFee, err error) {
	var price number.Rational
	var tip *number.Rational
	switch fee := policy.(type) {
	case nil:
		return f, nil
	case coin.EthGas:
		f.gas, price = fee.Limit, fee.Price
	case coin.EthGasEIP1559:
		f.gas, price, tip = fee.Limit, fee.MaxFee, &fee.MaxTip
		if tip.Cmp(price) > 0 {
			return f, invalid(coin.FieldFee, coin.ErrTip)
		}
	default:
		return f, invalid(coin.FieldFee, &coin.FeePolicyError{Takes: []string{coin.EthGas{}.PolicyType(), coin.EthGasEIP1559{}.PolicyType()}, Got: fee.PolicyType()})
	}
	f.maxFee, err = Units(price, gwei)
	if tip != nil && err == nil {
		f.tip, err = Units(*tip, gwei)
	}
	if err != nil {
		err = invalidf(coin.FieldFee, "invalid gas price, want billionths of a coin with at most %d decimals: %w", gwei, err)
	}
	return f, err
}

// price returns the price that the user chose, or otherwise the nodes' price.
func (f chosenFee) price(fees node.Fees) (maxFee, tip *big.Int, err error) {
	if f.maxFee == nil {
		maxFee, tip = offer(fees)
		return maxFee, tip, nil
	}
	return f.maxFee, f.tip, checkFeeCap(fees, f.maxFee)
}

// self returns the account of the wallet.
func (w *Wallet) self() sender { return sender{w.Account, func() {}, w.Address} }

// sender opens the account to send from; nil means the wallet's own account.
func (w *Wallet) sender(ctx context.Context, from *coin.From) (s sender, err error) {
	if from == nil {
		return w.self(), nil
	}
	if s.Account, err = w.From(ctx, *from); err != nil {
		return s, err
	}
	s.close = s.Account.Close
	if s.address, _, err = AddressOf(s.Account); err != nil {
		s.close()
	}
	return s, err
}

// read queries the nodes concurrently for the state on which a transaction depends.
func (w *Wallet) read(ctx context.Context, from sender, t transfer) (s state, err error) {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(guard.Func(ctx, "looking at an account", func() (err error) {
		s.balance, s.funds, err = w.funds(ctx, from.address, t)
		return err
	}))
	if !t.native() && t.nft == nil {
		g.Go(guard.Func(ctx, "looking at a token", func() error { return w.sameDecimals(ctx, t.asset) }))
	}
	if _, outside := from.Account.(Sender); !outside { // a Sender chooses the nonce itself
		g.Go(guard.Func(ctx, "looking at an account", func() (err error) {
			s.nonce, err = w.nextNonce(ctx, from.address, t.native() && t.to == from.address)
			return err
		}))
	}
	about := t.call(from.address, t.units)
	if t.native() && t.units == nil {
		about.Value = nil
	}
	g.Go(guard.Func(ctx, "looking at an account", func() (err error) {
		s.fees, err = w.Node.Fees(ctx, about)
		return err
	}))
	err = g.Wait()
	return s, err
}

// funds returns the balance of an address in the asset, and of the coin that pays the fee.
func (w *Wallet) funds(ctx context.Context, owner address.Address, t transfer) (balance, pays coin.Funds, err error) {
	q := node.BalanceQuery{Owner: owner, Coin: true}
	token := !t.native() && t.nft == nil
	if token {
		q.Balances = []address.Address{*t.asset.Contract}
	}
	held, err := w.Node.AgreedBalances(ctx, q)
	if err != nil {
		return balance, pays, err
	}
	balance, pays = t.asset.funds(held.Coin), w.Native.funds(held.Coin)
	switch {
	case token:
		balance.Units, err = held.Balances[0].Units, held.Balances[0].Err
	case t.nft != nil:
		balance.Units = t.units // WithdrawNFT has checked that the account has them
	}
	return balance, pays, err
}

// call returns the call of a transfer of a number of units; nil means that the number is not
// known yet.
func (t transfer) call(from address.Address, units *big.Int) node.Call {
	if t.nft != nil {
		return t.nft.call(from, t.to, units)
	}
	if units == nil {
		units = big.NewInt(1)
	}
	if t.native() {
		return node.Call{From: from, To: t.to, Value: units}
	}
	return node.Call{From: from, To: *t.asset.Contract, Value: new(big.Int), Data: abi.Call(abi.Transfer, abi.Address(t.to), abi.Uint(units))}
}

// gas returns the gas limit, which is found by a simulation unless the user chose it, and
// checks whether the transaction would fail. A contract may use more gas later than it does
// now.
func (w *Wallet) gas(ctx context.Context, from sender, t transfer, units *big.Int) (limit uint64, simulated bool, err error) {
	c := t.call(from.address, units)
	if t.fee.gas > 0 {
		if err := checkGas(t.fee.gas, c); err != nil {
			return 0, false, invalid(coin.FieldFee, err)
		}
		if len(c.Data) == 0 {
			return t.fee.gas, false, nil
		}
	}
	if t.native() && t.units == nil {
		c.Value = big.NewInt(1) // some nodes require that the balance covers the fee too
	}
	result, err := w.Node.Simulate(ctx, c)
	if err != nil {
		return 0, false, err
	}
	if t.fee.gas > 0 {
		return t.fee.gas, result.Succeeded, nil
	}
	return withReserve(result.Gas, c.Data), result.Succeeded, nil
}

// withReserve returns the gas limit for an estimate.
func withReserve(gas uint64, data []byte) uint64 {
	if len(data) > 0 {
		gas += gas / 4
	}
	return gas
}

// afford returns the units to send, so that the account can also pay the fee.
func (t transfer) afford(s state, units, fee *big.Int) (*big.Int, error) {
	if t.native() {
		return s.funds.SpendWithFee(t.units, fee)
	}
	return units, s.funds.PayFee(fee)
}

// result returns the signed transaction; raw is empty if unknown.
func (w *Wallet) result(from address.Address, t transfer, d draft, hash [32]byte, raw []byte) coin.Transaction {
	name := nameOf(hash)
	total := t.asset.coins(d.units)
	if t.native() {
		total = total.Add(w.Native.coins(d.TotalFee()))
	}
	var received number.Rational
	if t.to == from {
		received = t.asset.coins(d.units)
	}
	return coin.Transaction{
		Raw: raw, Hash: name, From: []string{from.String()}, To: []string{t.to.String()},
		Total: total, Spent: total, Received: received, Fee: FeeOf(d.Transaction, d.fees.Beyond(d.Gas), w.Native), Coin: t.asset.Ticker, ID: name, Kind: coin.KindTransfer,
		Simulated: d.simulated,
	}
}
