package tx

import (
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
	return w.make(ctx, asset, r, nil)
}

// make makes a transaction: a transfer, or an operation with a validator.
func (w *Wallet) make(ctx context.Context, asset Asset, r coin.WithdrawRequest, stake *Stake) (coin.Transaction, error) {
	p, err := w.plan(ctx, asset, r, stake)
	if err != nil {
		return coin.Transaction{}, err
	}
	defer p.close()
	if !r.Send {
		return p.work(ctx)
	}
	account, take := w.named(p.from.String()), w.Queue.Take
	if shows(p.account) {
		take = w.Queue.TakeConfirmed
	}
	turn, err := take(ctx, account)
	if err != nil {
		return coin.Transaction{}, err
	}
	defer turn.End()
	done, err := p.work(ctx)
	if err == nil {
		err = w.submit(ctx, turn, account, p.sequence, done.Raw)
	}
	return done, err
}

// work completes the transaction and signs it.
func (p *plan) work(ctx context.Context) (coin.Transaction, error) {
	if err := p.fetchState(ctx); err != nil {
		return coin.Transaction{}, err
	}
	if err := p.price(ctx); err != nil {
		return coin.Transaction{}, err
	}
	if err := p.afford(); err != nil {
		return coin.Transaction{}, err
	}
	if err := p.order(ctx); err != nil {
		return coin.Transaction{}, err
	}
	signed, err := p.draft().Sign(ctx, p.account, p.from.String())
	if err != nil {
		return coin.Transaction{}, err
	}
	p.Queue.Made(p.named(p.from.String()), p.sequence, signed.Hash)
	return p.result(signed), nil
}

// plan is a withdrawal in progress.
type plan struct {
	*Wallet
	asset   Asset
	request coin.WithdrawRequest
	account key.Account
	close   func()
	mode    wire.SignMode
	public  [33]byte
	from    address.Address
	to      address.Address
	channel *uint64  // nil: the receiver is on this chain
	units   *big.Int // to send
	stake   *Stake   // nil: a transfer

	// Answers of nodes.
	number         uint64 // of the account
	alone          bool   // only one server returned the account
	spent, pending uint64 // sequences in blocks, and with those that wait for one; 0: unknown
	newest         Block
	balance, funds *big.Int // of the asset, and of the coin that pays the fee

	gas      uint64
	fee      *big.Int
	sequence uint64
}

// plan checks a request as far as possible without queries.
func (w *Wallet) plan(ctx context.Context, asset Asset, r coin.WithdrawRequest, stake *Stake) (*plan, error) {
	p := &plan{Wallet: w, asset: asset, request: r, stake: stake, account: w.Account, from: w.Address, close: func() {}, fee: new(big.Int)}
	limit := w.Chain.MaxMemo
	if limit == 0 {
		limit = defaultMemo
	}
	if len(r.Memo) > limit {
		return nil, invalid(coin.FieldMemo, fmt.Errorf("%d bytes, limit is %d", len(r.Memo), limit))
	}
	if !utf8.ValidString(r.Memo) {
		return nil, invalid(coin.FieldMemo, errNotText)
	}
	if key.HasMnemonic(r.Memo) {
		return nil, invalid(coin.FieldMemo, coin.ErrPhrase)
	}
	if r.Fee != nil {
		if _, ok := r.Fee.(coin.CosmosGas); !ok {
			return nil, invalid(coin.FieldFee, &coin.FeePolicyError{Takes: []string{coin.CosmosGas{}.PolicyType()}, Got: r.Fee.PolicyType()})
		}
	}
	if err := p.amount(); err != nil {
		return nil, err
	}
	if err := p.route(); err != nil {
		return nil, err
	}
	if err := p.sender(ctx); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

var (
	errNotText = errors.New("not UTF-8")
	errNoHD    = errors.New("'from' is not supported if the coin is initialized with an Iguana private key") // Komodo DeFi Framework's
)

func invalid(field coin.Field, reason error) error {
	return &coin.InvalidError{Field: field, Reason: reason}
}

// amount sets the amount to send.
func (p *plan) amount() (err error) {
	if p.stake != nil && p.stake.amount(p) || p.request.Max {
		return nil
	}
	minimum := p.asset.coins(big.NewInt(1))
	if p.request.Amount.Cmp(minimum) < 0 {
		return &coin.TooLowError{Amount: p.request.Amount, Threshold: minimum}
	}
	if p.units, err = toUnits(p.request.Amount, p.asset.Decimals); err != nil {
		return invalid(coin.FieldAmount, fmt.Errorf("%w: %s has %d", err, p.asset.Ticker, p.asset.Decimals))
	}
	if p.stake != nil {
		return p.stake.within(p)
	}
	return nil
}

// route sets the receiver and the channel: on this chain, or to another one.
func (p *plan) route() (err error) {
	if p.stake != nil {
		return p.validator()
	}
	if p.to, err = address.Parse(p.request.To); err != nil {
		return invalid(coin.FieldTo, err)
	}
	p.channel = p.request.Channel
	if p.channel != nil || p.to.Prefix() == p.Chain.Prefix {
		return nil
	}
	channel, known := p.Chain.Channels[p.to.Prefix()]
	if !known {
		return &coin.ChannelError{Prefix: p.to.Prefix()}
	}
	p.channel = &channel
	return nil
}

// sender sets the sending account.
func (p *plan) sender(ctx context.Context) (err error) {
	if p.request.From != nil {
		if err := p.open(ctx, *p.request.From); err != nil {
			return err
		}
	}
	if p.mode, err = ModeOf(p.account); err != nil {
		return err
	}
	if p.public, err = publicKey(p.account); err != nil {
		return err
	}
	p.from, err = address.OfKey(p.Chain.Prefix, p.public)
	return err
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
	return nil
}

// fetchState queries the nodes for the state that the transaction depends on, concurrently.
func (p *plan) fetchState(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(guard.Func(ctx, "looking at an account", func() error {
		account, err := p.Node.Account(ctx, p.from.String())
		if errors.Is(err, ErrNoAccount) { // the balance, which is zero, gives the error
			return nil
		}
		if err != nil {
			return err
		}
		p.number, p.spent, p.alone = account.Number, account.Sequence, account.Alone
		return nil
	}))
	g.Go(guard.Func(ctx, "looking at an account", func() (err error) {
		p.newest, err = p.Node.Newest(ctx)
		return err
	}))
	g.Go(guard.Func(ctx, "looking at an account", func() (err error) {
		p.funds, err = p.Node.Balance(ctx, p.from.String(), p.Chain.Native.Denom)
		return err
	}))
	if !p.native() {
		g.Go(guard.Func(ctx, "looking at an account", func() (err error) {
			p.balance, err = p.Node.Balance(ctx, p.from.String(), p.asset.Denom)
			return err
		}))
	}
	if p.channel != nil {
		g.Go(guard.Func(ctx, "looking at an account", func() error { return p.checkChannel(ctx, *p.channel) }))
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if p.native() {
		p.balance = p.funds
	}
	return p.enough()
}

// order sets the sequence to sign with.
func (p *plan) order(ctx context.Context) (err error) {
	account := p.named(p.from.String())
	p.sequence, err = p.Queue.Next(ctx, account, coin.Counts{Spent: p.spent, Pending: p.pending, Alone: p.alone}, coin.Choice{
		Resend: p.broadcast, Harmless: p.stake == nil && p.to == p.from,
		Expired: func(raw []byte) bool {
			last := lastBlock(raw)
			return last != 0 && p.newest.Height > last+indexLag && !p.newest.Alone
		},
	})
	return err
}

// native reports whether the fee is paid in the coin that is sent.
func (p *plan) native() bool { return p.asset.Denom == p.Chain.Native.Denom }

// enough returns an error when the amount alone exceeds the balance.
func (p *plan) enough() error {
	switch {
	case !p.pays():
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

// afford subtracts the fee from a maximum amount, and checks that the balance is sufficient.
func (p *plan) afford() error {
	native := p.Chain.Native
	if !p.pays() {
		return p.worth()
	}
	if !p.native() {
		if p.funds.Cmp(p.fee) < 0 {
			return &coin.ShortageError{Coin: native.Ticker, Available: native.coins(p.funds), Required: native.coins(p.fee), ForFee: true}
		}
		return nil
	}
	if p.request.Max {
		p.units = new(big.Int).Sub(p.balance, p.fee)
		if p.units.Sign() <= 0 {
			return p.short(new(big.Int).Add(p.fee, big.NewInt(1)))
		}
		return nil
	}
	if required := new(big.Int).Add(p.units, p.fee); p.balance.Cmp(required) < 0 {
		return p.short(required)
	}
	return nil
}

// draft returns the transaction with the data so far.
func (p *plan) draft() Draft {
	d := Draft{ChainID: p.Chain.ID, Account: p.number, Sequence: p.sequence, Memo: p.request.Memo, Messages: []wire.Named{p.message()},
		Fee: wire.Fee{GasLimit: p.gas}}
	if p.fee.Sign() > 0 {
		d.Fee.Amount = []wire.Coin{{Denom: p.Chain.Native.Denom, Amount: p.fee.String()}}
	}
	if p.mode == wire.SignDirect { // Ledgers may not know such a limit in amino JSON
		d.TimeoutHeight = p.newest.Height + timeoutBlocks
	}
	return d
}

func (p *plan) message() wire.Named {
	if p.stake != nil {
		return p.stake.message(p)
	}
	sent := wire.Coin{Denom: p.asset.Denom, Amount: p.units.String()}
	if p.channel == nil {
		return &wire.MsgSend{From: p.from.String(), To: p.to.String(), Amount: []wire.Coin{sent}}
	}
	return &wire.MsgTransfer{SourcePort: transferPort, SourceChannel: channelID(*p.channel), Token: sent, Sender: p.from.String(),
		Receiver: p.to.String(), TimeoutTimestamp: uint64(p.arriveBy().UnixNano())}
}

// result returns the signed transaction, with the fee that a wallet may have changed.
func (p *plan) result(signed Signed) coin.Transaction {
	native := p.Chain.Native
	fee := new(big.Int)
	for _, c := range signed.Fee.Amount {
		if units, err := c.Units(); err == nil && c.Denom == native.Denom {
			fee.Add(fee, units)
		}
	}
	total := new(big.Int).Set(p.units)
	if p.native() {
		total.Add(total, fee)
	}
	var received number.Rational
	if p.channel == nil && p.to == p.from {
		received = p.asset.coins(p.units)
	}
	t := coin.Transaction{
		Raw: signed.Raw, Hash: signed.Hash, From: []string{p.from.String()}, To: []string{p.to.String()},
		Total: p.asset.coins(total), Spent: p.asset.coins(total), Received: received,
		Fee:  coin.Fee{Type: "Tendermint", Coin: native.Ticker, Amount: native.coins(fee), GasLimit: signed.Fee.GasLimit},
		Coin: p.asset.Ticker, ID: strings.ToLower(signed.Hash), Kind: coin.KindTransfer, Memo: signed.Memo,
	}
	if !p.native() {
		t.Kind, t.Token = coin.KindTokenTransfer, tokenID(p.asset.Denom)
	}
	if p.channel != nil {
		t.Kind = coin.KindIBCTransfer
	}
	if p.stake != nil {
		t = p.stake.result(p, t)
	}
	return t
}
