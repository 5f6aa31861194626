package tx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"obverse/core/guard"
	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/wire"
)

const (
	defaultMemo = 256
	// timeoutBlocks is the number of blocks after which a transaction expires.
	timeoutBlocks = 100
)

// Withdraw implements coin.Withdrawer for a coin of the chain.
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
	sign := func(ctx context.Context) (coin.Numbered, error) { return w.sign(ctx, from, t) }
	if !r.Send {
		n, err := sign(ctx)
		return n.Transaction, err
	}
	account := w.named(from.address.String())
	return w.Queue.Execute(ctx, account, shows(from.Account), sign, w.submit(account))
}

// sign makes and signs a transaction.
func (w *Wallet) sign(ctx context.Context, from sender, t transfer) (n coin.Numbered, err error) {
	s, err := w.read(ctx, from, t)
	if err != nil {
		return n, err
	}
	units, err := t.spend(s)
	if err != nil {
		return n, err
	}
	f, pending, err := w.price(ctx, from, t, s, units)
	if err != nil {
		return n, err
	}
	if units, err = w.afford(t, s, units, f); err != nil {
		return n, err
	}
	sequence, err := w.sequence(ctx, from, t, s, pending)
	if err != nil {
		return n, err
	}
	signed, err := w.draft(from, t, s, units, f, sequence).Sign(ctx, from.Account, from.address.String())
	if err != nil {
		return n, err
	}
	w.Queue.Made(w.named(from.address.String()), sequence, signed.Hash)
	return coin.Numbered{Transaction: w.result(from, t, units, signed), Number: sequence}, nil
}

// transfer is a request to send coins or to do something with a validator. It was checked as
// far as possible without queries.
type transfer struct {
	asset   Asset
	to      address.Address
	channel *uint64  // nil means that the receiver is on this chain
	units   *big.Int // nil means everything
	memo    string
	fee     coin.FeePolicy // nil, or a coin.CosmosGas
	stake   *Stake         // nil means a transfer
}

// native reports whether the fee is paid in the same coin as the transfer.
func (w *Wallet) native(t transfer) bool { return t.asset.Denom == w.Chain.Native.Denom }

// sender is an opened account to send from.
type sender struct {
	key.Account
	close   func()
	mode    wire.SignMode
	public  [33]byte
	address address.Address
}

// state holds the answers of the nodes on which a transaction depends.
type state struct {
	Account
	newest         Block
	balance, funds coin.Funds // balances of the asset and of the coin that pays the fee
}

// fee is the fee of a transaction.
type fee struct {
	gas   uint64
	units *big.Int
}

// transfer checks a request to send a coin.
func (w *Wallet) transfer(asset Asset, r coin.WithdrawRequest) (t transfer, err error) {
	t = transfer{asset: asset, memo: r.Memo, fee: r.Fee}
	if err := w.check(r); err != nil {
		return t, err
	}
	if !r.Max {
		if t.units, err = asset.units(r.Amount); err != nil {
			return t, err
		}
	}
	t.to, t.channel, err = w.route(r)
	return t, err
}

// check checks the memo and the fee of a request.
func (w *Wallet) check(r coin.WithdrawRequest) error {
	limit := cmp.Or(w.Chain.MaxMemo, defaultMemo)
	switch {
	case len(r.Memo) > limit:
		return invalid(coin.FieldMemo, fmt.Errorf("%d bytes, limit is %d", len(r.Memo), limit))
	case !utf8.ValidString(r.Memo):
		return invalid(coin.FieldMemo, errNotText)
	case key.HasMnemonic(r.Memo):
		return invalid(coin.FieldMemo, coin.ErrPhrase)
	}
	if _, ok := r.Fee.(coin.CosmosGas); r.Fee != nil && !ok {
		return invalid(coin.FieldFee, &coin.FeePolicyError{Takes: []string{coin.CosmosGas{}.PolicyType()}, Got: r.Fee.PolicyType()})
	}
	return nil
}

var errNotText = errors.New("not UTF-8")

func invalid(field coin.Field, reason error) error {
	return &coin.InvalidError{Field: field, Reason: reason}
}

// units converts an amount of the asset.
func (a Asset) units(amount number.Rational) (*big.Int, error) {
	if err := coin.CheckAmount(amount, a.Decimals); err != nil {
		return nil, err
	}
	units, err := amount.Units(a.Decimals)
	if err != nil {
		err = invalid(coin.FieldAmount, fmt.Errorf("%w: %s has %d", err, a.Ticker, a.Decimals))
	}
	return units, err
}

// route returns the receiver and the channel to another chain; nil means that the receiver is
// on this chain.
func (w *Wallet) route(r coin.WithdrawRequest) (to address.Address, channel *uint64, err error) {
	if to, err = address.Parse(r.To); err != nil {
		return to, nil, invalid(coin.FieldTo, err)
	}
	if r.Channel != nil || to.Prefix() == w.Chain.Prefix {
		return to, r.Channel, nil
	}
	number, known := w.Chain.Channels[to.Prefix()]
	if !known {
		return to, nil, &coin.ChannelError{Prefix: to.Prefix()}
	}
	return to, &number, nil
}

// sender opens the account to send from; nil means the wallet's own account.
func (w *Wallet) sender(ctx context.Context, from *coin.From) (s sender, err error) {
	s = sender{Account: w.Account, close: func() {}}
	if from != nil {
		if s.Account, err = w.From(ctx, *from); err != nil {
			return s, err
		}
		s.close = s.Account.Close
	}
	if s.mode, err = ModeOf(s.Account); err == nil {
		s.public, err = publicKey(s.Account)
	}
	if err == nil {
		s.address, err = address.FromKey(w.Chain.Prefix, s.public)
	}
	if err != nil {
		s.close()
	}
	return s, err
}

// read queries the nodes concurrently for the state on which a transaction depends.
func (w *Wallet) read(ctx context.Context, from sender, t transfer) (s state, err error) {
	owner := from.address.String()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(guard.Func(ctx, "looking at an account", func() (err error) {
		s.Account, err = w.Node.Account(ctx, owner)
		if errors.Is(err, ErrNoAccount) { // the balance, which is zero, causes the error
			return nil
		}
		return err
	}))
	g.Go(guard.Func(ctx, "looking at an account", func() (err error) {
		s.newest, err = w.Node.Newest(ctx)
		return err
	}))
	g.Go(guard.Func(ctx, "looking at an account", func() (err error) {
		s.funds, err = w.funds(ctx, owner, w.Chain.Native)
		return err
	}))
	if !w.native(t) {
		g.Go(guard.Func(ctx, "looking at an account", func() (err error) {
			s.balance, err = w.funds(ctx, owner, t.asset)
			return err
		}))
	}
	if t.channel != nil {
		g.Go(guard.Func(ctx, "looking at an account", func() error { return w.checkChannel(ctx, *t.channel) }))
	}
	err = g.Wait()
	if w.native(t) {
		s.balance = s.funds
	}
	return s, err
}

// funds returns the balance of an address in an asset.
func (w *Wallet) funds(ctx context.Context, owner string, a Asset) (coin.Funds, error) {
	units, err := w.Node.Balance(ctx, owner, a.Denom)
	return coin.Funds{Ticker: a.Ticker, Decimals: a.Decimals, Units: units}, err
}

// spend returns the units to send before the fee is known.
func (t transfer) spend(s state) (*big.Int, error) {
	if !t.stake.pays() {
		return t.units, nil
	}
	return s.balance.Spend(t.units)
}

// afford returns the units to send, so that the account can also pay the fee.
func (w *Wallet) afford(t transfer, s state, units *big.Int, f fee) (*big.Int, error) {
	switch {
	case !t.stake.pays():
		return units, t.stake.worth(s.funds, f)
	case w.native(t):
		return s.funds.SpendWithFee(t.units, f.units)
	}
	return units, s.funds.PayFee(f.units)
}

// sequence returns the sequence to sign with. pending is the sequence after the transactions
// that wait for a block; 0 means unknown.
func (w *Wallet) sequence(ctx context.Context, from sender, t transfer, s state, pending uint64) (uint64, error) {
	return w.Queue.Next(ctx, w.named(from.address.String()), coin.Counts{Spent: s.Sequence, Pending: pending, Alone: s.Alone}, coin.Choice{
		Resend: w.broadcast, Harmless: t.stake == nil && t.to == from.address,
		Expired: func(raw []byte) bool {
			last := lastBlock(raw)
			return last != 0 && s.newest.Height > last+indexLag && !s.newest.Alone
		},
	})
}

// draft returns the unsigned transaction.
func (w *Wallet) draft(from sender, t transfer, s state, units *big.Int, f fee, sequence uint64) Draft {
	d := Draft{ChainID: w.Chain.ID, Account: s.Number, Sequence: sequence, Memo: t.memo, Messages: []wire.Named{w.message(from, t, s, units)},
		Fee: wire.Fee{GasLimit: f.gas}}
	if f.units.Sign() > 0 {
		d.Fee.Amount = []wire.Coin{{Denom: w.Chain.Native.Denom, Amount: f.units.String()}}
	}
	if from.mode == wire.SignDirect { // in amino JSON, Ledgers may not know such a limit
		d.TimeoutHeight = s.newest.Height + timeoutBlocks
	}
	return d
}

func (w *Wallet) message(from sender, t transfer, s state, units *big.Int) wire.Named {
	sent := wire.Coin{Denom: t.asset.Denom, Amount: units.String()}
	switch {
	case t.stake != nil:
		return t.stake.message(from.address, t.to, sent)
	case t.channel == nil:
		return &wire.MsgSend{From: from.address.String(), To: t.to.String(), Amount: []wire.Coin{sent}}
	}
	return &wire.MsgTransfer{SourcePort: transferPort, SourceChannel: channelID(*t.channel), Token: sent, Sender: from.address.String(),
		Receiver: t.to.String(), TimeoutTimestamp: uint64(arriveBy(w.Now(), s.newest).UnixNano())}
}

// result returns the signed transaction, with the fee that a wallet may have changed.
func (w *Wallet) result(from sender, t transfer, units *big.Int, signed Signed) coin.Transaction {
	native := w.Chain.Native
	fee := new(big.Int)
	for _, c := range signed.Fee.Amount {
		if units, err := c.Units(); err == nil && c.Denom == native.Denom {
			fee.Add(fee, units)
		}
	}
	total := new(big.Int).Set(units)
	if w.native(t) {
		total.Add(total, fee)
	}
	var received number.Rational
	if t.channel == nil && t.to == from.address {
		received = t.asset.coins(units)
	}
	done := coin.Transaction{
		Raw: signed.Raw, Hash: signed.Hash, From: []string{from.address.String()}, To: []string{t.to.String()},
		Total: t.asset.coins(total), Spent: t.asset.coins(total), Received: received,
		Fee:  coin.Fee{Type: "Tendermint", Coin: native.Ticker, Amount: native.coins(fee), GasLimit: signed.Fee.GasLimit},
		Coin: t.asset.Ticker, ID: strings.ToLower(signed.Hash), Kind: coin.KindTransfer, Memo: signed.Memo,
	}
	if !w.native(t) {
		done.Kind, done.Token = coin.KindTokenTransfer, tokenID(t.asset.Denom)
	}
	if t.channel != nil {
		done.Kind = coin.KindIBCTransfer
	}
	if t.stake != nil {
		done = t.stake.result(t.asset, done)
	}
	return done
}
