package send

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/number"
	"obverse/core/rpc"
	"obverse/core/task"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// Sending is the area of the methods that build and send transactions.
type Sending struct {
	Active *coin.Active
	Tasks  *task.Manager
}

// Methods implements Area.
func (s Sending) Methods() []rpc.Method {
	return append([]rpc.Method{
		rpc.Handle("withdraw", rpc.Doc{
			Summary: "Create and sign a transaction that sends coins",
			Detail: "Pass tx_hex to send_raw_transaction to send it, or set broadcast to send it immediately. Coins of the Cosmos family " +
				"are sent to addresses of other chains over IBC. An EIP-1193 wallet sends the transactions that it signs, so that broadcast is required; tx_hex is then " +
				"empty if no node of the coin has the transaction after ten seconds.",
			Category: wire.CategorySending, Legacy: true,
		}, s.withdraw).Raises(wire.WithdrawKinds()...),
		rpc.Handle("send_raw_transaction", rpc.Doc{
			Summary: "Send a signed transaction to the coin's nodes",
			Detail: "A transaction that the nodes already know is not an error. With wait or required_confirmations, the method returns once the " +
				"transaction has that many confirmations, or has failed.",
			Category: wire.CategorySending, Legacy: true,
		}, s.send).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.TransactionRefused, mmerr.ActivationTransport)...),
	}, wire.WithdrawTask().Methods(s.Tasks, rpc.Handle(wire.WithdrawTask().Name+"::init", rpc.Doc{
		Summary:  "Start to create and sign a transaction that sends coins",
		Detail:   "See withdraw. For clients that display the requests of a hardware wallet.",
		Category: wire.CategorySending,
	}, s.begin).Raises(wire.WithdrawKinds()...))...)
}

// WithdrawParams are the parameters of withdraw.
type WithdrawParams struct {
	Coin      string           `json:"coin" doc:"ticker"`
	To        string           `json:"to" doc:"address"`
	Amount    coinAmount       `json:"amount" rpc:"optional" doc:"amount in whole coins, a decimal number; optional and ignored with max"`
	Max       bool             `json:"max" default:"false" doc:"send the whole balance minus the fee"`
	Fee       feePolicy        `json:"fee" rpc:"optional" doc:"fee; by default estimated by the coin"`
	Memo      string           `json:"memo" default:"" doc:"text that is public on the chain"`
	From      wire.FromAddress `json:"from" rpc:"optional" doc:"address of an HD wallet; by default the coin's own"`
	Channel   ibcChannel       `json:"ibc_source_channel" rpc:"optional" doc:"IBC channel to the chain of the address, 12 or channel-12; by default from the coins file"`
	Broadcast bool             `json:"broadcast" default:"false" doc:"also send the transaction"`
}

func (s Sending) withdraw(ctx context.Context, p WithdrawParams) (wire.TransactionView, error) {
	withdrawer, err := s.withdrawer(p)
	if err != nil {
		return wire.TransactionView{}, err
	}
	return p.make(ctx, withdrawer)
}

// begin starts withdraw as a task.
func (s Sending) begin(ctx context.Context, p WithdrawParams) (wire.StartedTask, error) {
	withdrawer, err := s.withdrawer(p)
	if err != nil {
		return wire.StartedTask{}, err
	}
	return wire.WithdrawTask().Start(ctx, s.Tasks, func(ctx context.Context) (any, error) { return p.make(ctx, withdrawer) })
}

// withdrawer returns the active coin.
func (s Sending) withdrawer(p WithdrawParams) (coin.Withdrawer, error) {
	withdrawer, err := wire.ActiveAs[coin.Withdrawer](s.Active, p.Coin, "cannot be withdrawn")
	if err != nil {
		return nil, err
	}
	if !p.Amount.given && !p.Max {
		return nil, &rpc.ParamError{Path: wire.ParamOf(coin.FieldAmount), Want: wantAmount, Err: rpc.ErrMissing}
	}
	return withdrawer, nil
}

func (p WithdrawParams) make(ctx context.Context, withdrawer coin.Withdrawer) (wire.TransactionView, error) {
	if p.From.From != nil {
		if err := checkFrom(ctx, withdrawer, *p.From.From); err != nil {
			return wire.TransactionView{}, err
		}
	}
	t, err := withdrawer.Withdraw(ctx, coin.WithdrawRequest{To: p.To, Amount: p.Amount.Rational, Max: p.Max, Fee: p.Fee.policy,
		Memo: p.Memo, From: p.From.From, Channel: p.Channel.Number, Send: p.Broadcast})
	if err != nil {
		return wire.TransactionView{}, wire.SendingFailure(err)
	}
	return wire.ViewTransaction(t), nil
}

// checkFrom returns an error for an account that has not been created. The coin itself checks
// paths, and coins with a single address check the whole parameter.
func checkFrom(ctx context.Context, active any, from coin.From) error {
	hdCoin, may := active.(hd.Coin)
	if !may {
		return nil
	}
	view, err := hdCoin.HD()
	if err != nil {
		return nil
	}
	if err = wire.KnownAccount(ctx, view, from); err != nil {
		return wire.SendingFailure(err)
	}
	return nil
}

type sendParams struct {
	Coin          string       `json:"coin" doc:"ticker"`
	Raw           string       `json:"tx_hex" doc:"the signed transaction, in hexadecimal"`
	Wait          bool         `json:"wait" default:"false" doc:"wait for as many confirmations as the coin requires"`
	Confirmations uint64       `json:"required_confirmations" default:"0" doc:"number of confirmations to wait for; 0: according to wait"`
	Timeout       wire.Seconds `json:"timeout" default:"300" doc:"timeout in seconds"`
}

// sentTransaction is the complete answer in the legacy form.
type sentTransaction struct {
	Hash          string  `json:"tx_hash"`
	Height        *uint64 `json:"block_height,omitempty" doc:"height of its block, with wait or required_confirmations"`
	Confirmations *uint64 `json:"confirmations,omitempty" doc:"number of confirmations, with wait or required_confirmations; 1 if its block is the newest"`
}

// Flat implements Flat.
func (sentTransaction) Flat() {}

const (
	MaxRaw  = 1 << 20 // maximum size of a transaction in bytes; chains accept less
	maxWait = time.Hour
)

func (s Sending) send(ctx context.Context, p sendParams) (sentTransaction, error) {
	broadcaster, err := wire.ActiveAs[coin.Broadcaster](s.Active, p.Coin, "cannot send transactions")
	if err != nil {
		return sentTransaction{}, err
	}
	raw, err := parseRaw(p.Raw)
	if err != nil {
		return sentTransaction{}, err
	}
	wait := p.Timeout.Duration()
	if wait <= 0 || wait > maxWait {
		return sentTransaction{}, &rpc.ParamError{Path: "timeout", Want: "above 0 and at most 3600", Got: rpc.KindNumber, Err: rpc.ErrRange}
	}
	hash, err := broadcaster.Broadcast(ctx, raw)
	waits := p.Wait || p.Confirmations != 0
	if err != nil && !(waits && errors.Is(err, coin.ErrResubmitted)) {
		return sentTransaction{}, wire.SendingFailure(err)
	}
	sent := sentTransaction{Hash: hash}
	if !waits {
		return sent, nil
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	confirmed, err := broadcaster.Await(limited, raw, p.Confirmations)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		text := "transaction " + hash + " was sent, but has not enough confirmations yet"
		return sent, mmerr.ActivationTransport.From(err, text, "Transport error: "+text)
	case err != nil:
		return sent, wire.SendingFailure(err)
	}
	sent.Height, sent.Confirmations = &confirmed.Height, &confirmed.Confirmations
	return sent, nil
}

var errRawSize = errors.New("the transaction is too large")

func parseRaw(text string) ([]byte, error) {
	refusal := &rpc.ParamError{Path: wire.ParamOf(coin.FieldRaw), Want: "a signed transaction in hexadecimal", Got: rpc.KindString}
	if len(text) > 2*MaxRaw {
		refusal.Err = errRawSize
		return nil, refusal
	}
	raw, err := wire.ReadHex(text)
	switch {
	case err != nil:
		refusal.Err = err
		return nil, refusal
	case len(raw) == 0:
		refusal.Err = rpc.ErrMissing
		return nil, refusal
	}
	return raw, nil
}

// coinAmount is an amount in any of the supported forms.
type coinAmount struct {
	number.Rational
	given bool
}

const wantAmount = "an amount in whole coins, as a decimal number"

// UnmarshalParam implements rpc.Unmarshaler.
func (a *coinAmount) UnmarshalParam(raw json.RawMessage) error {
	kind := rpc.KindOf(raw)
	if kind == rpc.KindNull {
		return nil
	}
	if err := a.UnmarshalJSON(raw); err != nil {
		refusal := &rpc.ParamError{Want: wantAmount, Got: kind, Err: err, Value: raw}
		if errors.Is(err, number.ErrForm) {
			refusal.Err = rpc.ErrType
		}
		return refusal
	}
	a.given = true
	return nil
}

// JSONSchema implements rpc.Described.
func (coinAmount) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Description: wantAmount, OneOf: []*rpc.Schema{{Type: "string"}, {Type: "number"}}}
}

// UnmarshalParam implements rpc.Unmarshaler. The coin refuses types of fees that are known but
// not supported.
func (f *feePolicy) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	members, err := wire.Object(raw, wantFee, append(feeMembers(), "type")...)
	if err != nil {
		return err
	}
	if members["type"] == nil {
		return &rpc.ParamError{Path: "type", Want: "a type of fee", Err: rpc.ErrMissing}
	}
	name, err := wire.Unquote(members["type"], "a type of fee")
	if err != nil {
		return wire.Below("type", err)
	}
	switch name {
	case coin.CosmosGas{}.PolicyType():
		return f.cosmos(members)
	case coin.EthGas{}.PolicyType():
		return f.eth(members)
	case coin.EthGasEIP1559{}.PolicyType():
		return f.eip1559(members)
	}
	for _, other := range otherFees() {
		if name == other {
			f.policy = coin.OtherFee(other)
			return nil
		}
	}
	return &rpc.ParamError{Path: "type", Want: "a type of fee", Got: rpc.KindString, Err: rpc.ErrVariant, Value: members["type"],
		Allowed: append(otherFees(), supportedFees()...)}
}

// ibcChannel is the number of a channel, given as 12, "12" or "channel-12".
type ibcChannel struct{ Number *uint64 }

const wantChannel = "a channel's number, as 12 or channel-12"

// UnmarshalParam implements rpc.Unmarshaler.
func (c *ibcChannel) UnmarshalParam(raw json.RawMessage) error {
	digits := raw
	switch rpc.KindOf(raw) {
	case rpc.KindNull:
		return nil
	case rpc.KindString:
		text, err := wire.Unquote(raw, wantChannel)
		if err != nil {
			return err
		}
		digits = json.RawMessage(strings.TrimPrefix(text, "channel-"))
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(digits)), 10, 64)
	if err != nil || strconv.FormatUint(n, 10) != strings.TrimSpace(string(digits)) {
		return &rpc.ParamError{Want: wantChannel, Got: rpc.KindOf(raw), Err: rpc.ErrType, Value: raw}
	}
	c.Number = &n
	return nil
}

// JSONSchema implements rpc.Described.
func (ibcChannel) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Description: wantChannel, OneOf: []*rpc.Schema{
		{Type: "integer", Minimum: "0"}, {Type: "string", Pattern: `^(channel-)?(0|[1-9][0-9]*)$`}}}
}
