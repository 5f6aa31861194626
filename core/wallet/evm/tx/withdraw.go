package tx

import (
	"context"
	"encoding/hex"
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
	p, err := w.plan(ctx, asset, r)
	if err != nil {
		return coin.Transaction{}, err
	}
	return p.execute(ctx)
}

// execute makes the transaction, and sends it if requested.
func (p *plan) execute(ctx context.Context) (coin.Transaction, error) {
	defer p.close()
	wallet, outside := p.account.(Sender)
	if !p.request.Send || outside { // an external wallet has its own order
		if err := p.work(ctx); err != nil {
			return coin.Transaction{}, err
		}
		switch {
		case !outside:
			return p.sign(ctx)
		case !p.request.Send:
			return coin.Transaction{}, coin.ErrSends
		}
		return p.sendWith(ctx, wallet)
	}
	turn, err := p.turn(ctx, p.account, p.from)
	if err != nil {
		return coin.Transaction{}, err
	}
	defer turn.End()
	if err := p.work(ctx); err != nil {
		return coin.Transaction{}, err
	}
	done, err := p.sign(ctx)
	if err == nil {
		err = p.submit(ctx, turn, p.nonce, done.Raw)
	}
	return done, err
}

// turn takes an address's turn to send.
func (w *Wallet) turn(ctx context.Context, account key.Account, from address.Address) (coin.Turn, error) {
	if shows(account) {
		return w.Queue.TakeConfirmed(ctx, w.named(from))
	}
	return w.Queue.Take(ctx, w.named(from))
}

// work completes the transaction.
func (p *plan) work(ctx context.Context) error {
	if err := p.fetchState(ctx); err != nil {
		return err
	}
	if err := p.price(ctx); err != nil {
		return err
	}
	if err := p.afford(); err != nil {
		return err
	}
	if !p.request.Send || shows(p.account) || p.chosen {
		return nil
	}
	return p.checkUnseenFee(p.fees, p.transaction(), 0, coin.NameFee)
}

// sign signs the transaction.
func (p *plan) sign(ctx context.Context) (coin.Transaction, error) {
	t := p.transaction()
	raw, err := p.signNext(ctx, p.account, p.from, t)
	if err != nil {
		return coin.Transaction{}, err
	}
	return p.result(t, wire.Hash(raw), raw), nil
}

// plan is a withdrawal in progress.
type plan struct {
	*Wallet
	asset   Asset
	request coin.WithdrawRequest
	account key.Account
	close   func()
	from    address.Address
	to      address.Address
	units   *big.Int // to send
	nft     *NFT     // to send instead of the asset; may be nil

	// Answers of nodes.
	nonce          uint64
	balance, funds *big.Int // of the asset, and of the coin that pays the fee

	fees        node.Fees
	gas         uint64
	maxFee, tip *big.Int // tip nil: a legacy transaction
	chosen      bool     // the user chose all of the fee
	simulated   bool
}

var (
	errNoHD        = errors.New("'from' is not supported if the coin is initialized with an Iguana private key") // Komodo DeFi Framework's
	errNoMemo      = errors.New("not supported on EVM networks")
	errNoIBC       = errors.New("IBC is not supported on EVM networks")
	errZeroAddress = errors.New("receiver is the zero address: anything sent there is lost")
	errContract    = errors.New("receiver is the token's own contract: anything sent there is lost")
	errReserved    = errors.New("the address is reserved for the network itself (EIP-1352): anything sent there is lost")
)

// plan checks a request as far as possible without queries.
func (w *Wallet) plan(ctx context.Context, asset Asset, r coin.WithdrawRequest) (*plan, error) {
	p := &plan{Wallet: w, asset: asset, request: r, account: w.Account, from: w.Address, close: func() {}}
	switch {
	case r.Memo != "":
		return nil, invalid(coin.FieldMemo, errNoMemo)
	case r.Channel != nil:
		return nil, invalid(coin.FieldChannel, errNoIBC)
	}
	var err error
	if p.to, err = address.ParseOn(w.ChainID, r.To); err == nil {
		switch {
		case p.to.IsZero():
			err = errZeroAddress
		case p.to.IsReserved():
			err = errReserved
		case asset.Contract != nil && p.to == *asset.Contract:
			err = errContract
		}
	}
	if err != nil {
		return nil, invalid(coin.FieldTo, err)
	}
	if err := p.amount(); err != nil {
		return nil, err
	}
	if err := p.chooseFee(); err != nil {
		return nil, err
	}
	if r.From == nil {
		return p, nil
	}
	return p, p.open(ctx, *r.From)
}

// amount sets the amount to send.
func (p *plan) amount() error {
	if p.request.Max {
		return nil
	}
	minimum := p.asset.coins(big.NewInt(1))
	if p.request.Amount.Cmp(minimum) < 0 {
		return &coin.TooLowError{Amount: p.request.Amount, Threshold: minimum}
	}
	var err error
	if p.units, err = units(p.request.Amount, p.asset.Decimals); err != nil {
		return invalid(coin.FieldAmount, err)
	}
	return nil
}

// gwei is the number of decimals of a price: prices are in billionths of a coin.
const gwei = 9

// chooseFee sets the fee that the user chose.
func (p *plan) chooseFee() (err error) {
	var prices []number.Rational
	switch fee := p.request.Fee.(type) {
	case nil:
		return nil
	case coin.EthGas:
		p.gas, prices = fee.Limit, []number.Rational{fee.Price}
	case coin.EthGasEIP1559:
		p.gas, prices = fee.Limit, []number.Rational{fee.MaxFee, fee.MaxTip}
		if fee.MaxTip.Cmp(fee.MaxFee) > 0 {
			return invalid(coin.FieldFee, coin.ErrTip)
		}
	default:
		return invalid(coin.FieldFee, &coin.FeePolicyError{Takes: []string{coin.EthGas{}.PolicyType(), coin.EthGasEIP1559{}.PolicyType()}, Got: fee.PolicyType()})
	}
	p.chosen = p.gas > 0
	for i, price := range prices {
		wei, err := units(price, gwei)
		if err != nil {
			return invalidf(coin.FieldFee, "invalid gas price, want billionths of a coin with at most %d decimals: %w", gwei, err)
		}
		if i == 0 {
			p.maxFee = wei
		} else {
			p.tip = wei
		}
	}
	return nil
}

// open opens another account of an HD wallet.
func (p *plan) open(ctx context.Context, from coin.From) error {
	if p.Open == nil {
		return invalid(coin.FieldFrom, errNoHD)
	}
	path, err := from.In(p.Path)
	if err != nil {
		return err
	}
	if p.account, err = p.Open(ctx, path); err != nil {
		return err
	}
	p.close = p.account.Close
	if p.from, _, err = AddressOf(p.account); err != nil {
		p.close()
	}
	return err
}

// native reports whether the fee is paid in the coin that is sent.
func (p *plan) native() bool { return p.asset.Contract == nil }

// fetchState queries the nodes for nonce, fees and balances.
func (p *plan) fetchState(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(guard.Func(ctx, "looking at an account", func() error {
		l := node.BalanceQuery{Owner: p.from, Coin: true}
		token := !p.native() && p.nft == nil
		if token {
			l.Balances = []address.Address{*p.asset.Contract}
		}
		result, err := p.Node.AgreedBalances(ctx, l)
		if err != nil {
			return err
		}
		p.funds = result.Coin
		switch {
		case token:
			p.balance, err = result.Balances[0].Units, result.Balances[0].Err
		case p.nft == nil:
			p.balance = result.Coin
		}
		return err
	}))
	if !p.native() && p.nft == nil {
		g.Go(guard.Func(ctx, "looking at a token", func() error { return p.sameDecimals(ctx) }))
	}
	g.Go(guard.Func(ctx, "looking at an account", func() error {
		var err error
		if _, outside := p.account.(Sender); !outside { // a Sender chooses the nonce itself
			p.nonce, err = p.nextNonce(ctx, p.from, p.native() && p.to == p.from)
		}
		return err
	}))
	about := p.call()
	if p.native() && p.units == nil {
		about.Value = nil
	}
	g.Go(guard.Func(ctx, "looking at an account", func() (err error) {
		p.fees, err = p.Node.Fees(ctx, about)
		return err
	}))
	if err := g.Wait(); err != nil {
		return err
	}
	if p.maxFee == nil {
		p.maxFee, p.tip = offer(p.fees)
	} else if err := checkFeeCap(p.fees, p.maxFee); err != nil {
		return err
	}
	return p.enough()
}

// enough returns an error when the amount alone exceeds the balance.
func (p *plan) enough() error {
	switch {
	case !p.request.Max && p.balance.Cmp(p.units) < 0:
		return p.short(p.units)
	case p.request.Max && p.balance.Sign() == 0:
		return coin.ErrZeroBalance
	case p.request.Max:
		p.units = p.balance
	}
	return nil
}

func (p *plan) short(required *big.Int) error {
	return &coin.ShortageError{Coin: p.asset.Ticker, Available: p.asset.coins(p.balance), Required: p.asset.coins(required)}
}

// call returns the call of the transaction.
func (p *plan) call() node.Call {
	if p.nft != nil {
		return p.nft.call(p.from, p.to, p.units)
	}
	units := p.units
	if units == nil { // the maximum, which is not known yet
		units = big.NewInt(1)
	}
	if p.native() {
		return node.Call{From: p.from, To: p.to, Value: units}
	}
	return node.Call{From: p.from, To: *p.asset.Contract, Value: new(big.Int), Data: abi.Call(abi.Transfer, abi.Address(p.to), abi.Uint(units))}
}

// price sets the gas limit, unless the user chose it, and finds out whether the transaction would
// fail. A contract may use more gas later than it does now.
func (p *plan) price(ctx context.Context) error {
	c := p.call()
	if p.gas > 0 {
		if err := checkGas(p.gas, c); err != nil {
			return invalid(coin.FieldFee, err)
		}
		if len(c.Data) == 0 {
			return nil
		}
	}
	if p.request.Max && p.native() {
		c.Value = big.NewInt(1) // some nodes require that the balance covers the fee too
	}
	result, err := p.Node.Simulate(ctx, c)
	if err != nil {
		return err
	}
	p.simulated = result.Succeeded
	if p.gas == 0 {
		p.gas = withReserve(result.Gas, c.Data)
	}
	return nil
}

// withReserve returns the gas limit for an estimate.
func withReserve(gas uint64, data []byte) uint64 {
	if len(data) > 0 {
		gas += gas / 4
	}
	return gas
}

// afford subtracts the fee from a maximum amount, and checks that the balance is sufficient.
func (p *plan) afford() error {
	fee := p.fee()
	if !p.native() {
		if p.funds.Cmp(fee) < 0 {
			return &coin.ShortageError{Coin: p.Native.Ticker, Available: p.Native.coins(p.funds), Required: p.Native.coins(fee), ForFee: true}
		}
		return nil
	}
	if p.request.Max {
		p.units = new(big.Int).Sub(p.balance, fee)
		if p.units.Sign() <= 0 {
			return p.short(new(big.Int).Add(fee, big.NewInt(1)))
		}
		return nil
	}
	if required := new(big.Int).Add(p.units, fee); p.balance.Cmp(required) < 0 {
		return p.short(required)
	}
	return nil
}

// fee returns the highest fee of the transaction.
func (p *plan) fee() *big.Int { return totalFee(p.transaction(), p.fees.Beyond(p.gas)) }

func (p *plan) transaction() wire.Transaction {
	c := p.call()
	return wire.Transaction{ChainID: p.ChainID, Nonce: p.nonce, MaxFee: p.maxFee, Tip: p.tip, Gas: p.gas, To: c.To, Value: c.Value, Data: c.Data}
}

// result returns the signed transaction; raw is empty if unknown.
func (p *plan) result(t wire.Transaction, hash [32]byte, raw []byte) coin.Transaction {
	name := hex.EncodeToString(hash[:])
	total := p.asset.coins(p.units)
	if p.native() {
		total = total.Add(p.Native.coins(totalFee(t, p.fees.Beyond(t.Gas))))
	}
	var received number.Rational
	if p.to == p.from {
		received = p.asset.coins(p.units)
	}
	return coin.Transaction{
		Raw: raw, Hash: name, From: []string{p.from.String()}, To: []string{p.to.String()},
		Total: total, Spent: total, Received: received, Fee: FeeOf(t, p.fees.Beyond(t.Gas), p.Native), Coin: p.asset.Ticker, ID: name, Kind: coin.KindTransfer,
		Simulated: p.simulated,
	}
}
