package mmrpc

import (
	"context"
	"errors"
	"time"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/task"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
	"obverse/core/wallet/signer/device"
)

const categorySending = "Sending"

// Sending is the area of the methods that make and send transactions.
type Sending struct {
	Active *coin.Active
	Tasks  *task.Manager
}

// Methods implements Area.
func (s Sending) Methods() []rpc.Method {
	return append([]rpc.Method{
		rpc.Handle("withdraw", rpc.Doc{
			Summary: "Make and sign a transaction that sends coins",
			Detail: "It is sent by send_raw_transaction with its tx_hex, or at once with broadcast. Coins of the Cosmos family " +
				"are sent to addresses of other chains over IBC. A wallet of EIP-1193 sends what it signs, so that broadcast is required; tx_hex is then " +
				"empty if no node of the coin has the transaction after ten seconds.",
			Category: categorySending, Legacy: true,
		}, s.withdraw).Raises(withdrawKinds()...),
		rpc.Handle("send_raw_transaction", rpc.Doc{
			Summary: "Send a signed transaction to the coin's nodes",
			Detail: "A transaction that the nodes know already is no error. With wait, or required_confirmations, the answer comes when the " +
				"transaction is so deep in the chain, or has failed there.",
			Category: categorySending, Legacy: true,
		}, s.send).Raises(kinds(mmerr.NoSuchCoin, mmerr.TransactionRefused, mmerr.ActivationTransport)...),
	}, withdrawTask().methods(s.Tasks, rpc.Handle(withdrawTask().name+"::init", rpc.Doc{
		Summary:  "Begin to make and sign a transaction that sends coins",
		Detail:   "As withdraw, for callers that show what a hardware wallet waits for.",
		Category: categorySending,
	}, s.begin).Raises(withdrawKinds()...))...)
}

func withdrawKinds() []rpc.ErrorKind {
	return append(kinds(mmerr.NoSuchCoin, mmerr.NotSufficientBalance, mmerr.PlatformShortage, mmerr.ZeroBalanceToWithdrawMax,
		mmerr.BroadcastExpected, mmerr.AmountTooLow, mmerr.InvalidAddress, mmerr.InvalidFeePolicy, mmerr.InvalidFee, mmerr.InvalidMemo, mmerr.UnexpectedFromAddress, mmerr.UnknownAccount, mmerr.IBCError,
		mmerr.SigningError, mmerr.TransactionRefused, mmerr.ActivationTransport), keyKinds()...)
}

// withdrawTask is the kind of tasks that make transactions.
func withdrawTask() taskKind {
	return taskKind{name: "task::withdraw", category: categorySending, what: "a transaction", first: "GeneratingTransaction", next: "Finishing",
		limit: activationLimit, details: "In progress, details are GeneratingTransaction, " + stateWaiting + " (a hardware wallet has to be plugged in, " +
			"unlocked, or its app opened), " + stateFollow + " (its user has to confirm) or Finishing. With Ok, they are the result of withdraw. " +
			"Errors in details are those of withdraw, and TaskTimedOut."}
}

type withdrawParams struct {
	Coin      string      `json:"coin" doc:"ticker"`
	To        string      `json:"to" doc:"address"`
	Amount    coinAmount  `json:"amount" rpc:"optional" doc:"how much, in whole coins, a decimal number; with max it may be absent and does not count"`
	Max       bool        `json:"max" default:"false" doc:"send everything that the fee leaves"`
	Fee       feePolicy   `json:"fee" rpc:"optional" doc:"the fee; the coin estimates it when absent"`
	Memo      string      `json:"memo" default:"" doc:"a text that everybody can read on the chain"`
	From      fromAddress `json:"from" rpc:"optional" doc:"an address of an HD wallet; the coin's own when absent"`
	Channel   ibcChannel  `json:"ibc_source_channel" rpc:"optional" doc:"the IBC channel to the address's chain, 12 or channel-12; from the coins file when absent"`
	Broadcast bool        `json:"broadcast" default:"false" doc:"send the transaction too"`
}

func (s Sending) withdraw(ctx context.Context, p withdrawParams) (transactionView, error) {
	withdrawer, err := s.withdrawer(p)
	if err != nil {
		return transactionView{}, err
	}
	return p.make(ctx, withdrawer)
}

// begin is withdraw as a task.
func (s Sending) begin(ctx context.Context, p withdrawParams) (startedTask, error) {
	withdrawer, err := s.withdrawer(p)
	if err != nil {
		return startedTask{}, err
	}
	return withdrawTask().start(ctx, s.Tasks, func(ctx context.Context) (any, error) { return p.make(ctx, withdrawer) })
}

// withdrawer finds the coin.
func (s Sending) withdrawer(p withdrawParams) (coin.Withdrawer, error) {
	active, err := s.Active.Get(p.Coin)
	if err != nil {
		return nil, noSuchCoin(err, p.Coin)
	}
	withdrawer, can := active.(coin.Withdrawer)
	if !can {
		return nil, unable(p.Coin, "cannot be withdrawn")
	}
	if !p.Amount.given && !p.Max {
		return nil, &rpc.ParamError{Path: paramOf(coin.FieldAmount), Want: wantAmount, Err: rpc.ErrMissing}
	}
	return withdrawer, nil
}

func (p withdrawParams) make(ctx context.Context, withdrawer coin.Withdrawer) (transactionView, error) {
	if p.From.from != nil {
		if err := checkFrom(ctx, withdrawer, *p.From.from); err != nil {
			return transactionView{}, err
		}
	}
	t, err := withdrawer.Withdraw(ctx, coin.WithdrawRequest{To: p.To, Amount: p.Amount.Rational, Max: p.Max, Fee: p.Fee.policy,
		Memo: p.Memo, From: p.From.from, Channel: p.Channel.number, Send: p.Broadcast})
	if err != nil {
		return transactionView{}, sendingFailure(err)
	}
	return viewTransaction(t), nil
}

// checkFrom refuses accounts that were not created. What is wrong with a coin that has one
// address, or with a path, is for the coin to say.
func checkFrom(ctx context.Context, of any, from coin.From) error {
	several, may := of.(hd.Coin)
	if !may {
		return nil
	}
	view, err := several.HD()
	if err != nil {
		return nil
	}
	if err = knownAccount(ctx, view, from); err != nil {
		return sendingFailure(err)
	}
	return nil
}

// unable refuses a method that a coin has no place for.
func unable(ticker, what string) error {
	text := clip(ticker) + " " + what
	return mmerr.InvalidRequest.New(text, text)
}

type sendParams struct {
	Coin          string  `json:"coin" doc:"ticker"`
	Raw           string  `json:"tx_hex" doc:"the signed transaction, in hexadecimal"`
	Wait          bool    `json:"wait" default:"false" doc:"wait for as many confirmations as the coin requires"`
	Confirmations uint64  `json:"required_confirmations" default:"0" doc:"wait for so many confirmations; 0: as wait says"`
	Timeout       Seconds `json:"timeout" default:"300" doc:"how long to wait, in seconds"`
}

// sentTransaction is the whole answer in the old form.
type sentTransaction struct {
	Hash          string  `json:"tx_hash"`
	Height        *uint64 `json:"block_height,omitempty" doc:"of its block, if it was waited for"`
	Confirmations *uint64 `json:"confirmations,omitempty" doc:"1: its block is the newest; if they were waited for"`
}

// Flat implements Flat.
func (sentTransaction) Flat() {}

const (
	maxRaw  = 1 << 20 // bytes of a transaction; chains take less
	maxWait = time.Hour
)

func (s Sending) send(ctx context.Context, p sendParams) (sentTransaction, error) {
	active, err := s.Active.Get(p.Coin)
	if err != nil {
		return sentTransaction{}, noSuchCoin(err, p.Coin)
	}
	broadcaster, can := active.(coin.Broadcaster)
	if !can {
		return sentTransaction{}, unable(p.Coin, "cannot send transactions")
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
	if err != nil {
		return sentTransaction{}, sendingFailure(err)
	}
	sent := sentTransaction{Hash: hash}
	if !p.Wait && p.Confirmations == 0 {
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
		return sent, sendingFailure(err)
	}
	sent.Height, sent.Confirmations = &confirmed.Height, &confirmed.Confirmations
	return sent, nil
}

var errRawSize = errors.New("the transaction is too large")

func parseRaw(text string) ([]byte, error) {
	refusal := &rpc.ParamError{Path: paramOf(coin.FieldRaw), Want: "a signed transaction in hexadecimal", Got: rpc.KindString}
	if len(text) > 2*maxRaw {
		refusal.Err = errRawSize
		return nil, refusal
	}
	raw, err := readHex(text)
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

// sendingFailure gives the errors of making and sending transactions their kinds.
func sendingFailure(err error) error {
	var short *coin.ShortageError
	var low *coin.TooLowError
	var invalid *coin.InvalidError
	var channel *coin.ChannelError
	var refused *coin.RefusedError
	var wallet *key.WalletError
	text := wireText(err)
	switch {
	case errors.As(err, &wallet), device.Is(err, device.Faults()...):
		return KeyError(err)
	case errors.As(err, &short):
		data := mmerr.Shortage{Coin: short.Coin, Available: short.Available.String(), Required: short.Required.String()}
		if short.ForFee {
			return mmerr.PlatformShortage.From(err, data, wireText(short))
		}
		return mmerr.NotSufficientBalance.From(err, data, wireText(short))
	case errors.Is(err, coin.ErrSends):
		return mmerr.BroadcastExpected.From(err, coin.ErrSends.Error(), coin.ErrSends.Error())
	case errors.Is(err, coin.ErrZeroBalance):
		return mmerr.ZeroBalanceToWithdrawMax.From(err, mmerr.None{}, wireText(coin.ErrZeroBalance))
	case errors.As(err, &low):
		return mmerr.AmountTooLow.From(err, mmerr.Threshold{Amount: low.Amount.String(), Threshold: low.Threshold.String()}, wireText(low))
	case errors.As(err, &invalid):
		return invalidField(err, invalid)
	case errors.As(err, &channel):
		return mmerr.IBCError.From(err, channelData(channel), "Tendermint IBC error: "+wireText(channel))
	case errors.As(err, &refused):
		return mmerr.TransactionRefused.From(err, mmerr.Refusal{Code: refused.Code, Codespace: refused.Codespace, Log: refused.Log,
			TxHash: refused.Hash, Height: refused.Height}, text)
	case errors.Is(err, coin.ErrSigning):
		return mmerr.SigningError.From(err, text, "Signing error: "+text)
	case errors.Is(err, coin.ErrContract):
		return mmerr.TransactionRefused.From(err, mmerr.Refusal{Log: text}, "the contract refuses the call: "+text)
	case errors.Is(err, coin.ErrTransport):
		return mmerr.ActivationTransport.From(err, text, "Transport error: "+text)
	}
	return KeyError(err)
}

func invalidField(err error, e *coin.InvalidError) error {
	reason := wireText(e.Reason)
	switch e.Field {
	case coin.FieldTo:
		return mmerr.InvalidAddress.From(err, reason, "Invalid address: "+reason)
	case coin.FieldFee:
		var low *coin.FeeCapError
		if errors.As(e.Reason, &low) {
			details := mmerr.FeeDetails{Provided: low.Provided.String(), Required: low.Required.String()}
			return mmerr.InvalidFee.From(err, mmerr.Fee{Reason: reason, Details: details}, "Invalid fee parameters: "+reason)
		}
		return mmerr.InvalidFeePolicy.From(err, reason, "Invalid fee policy: "+reason)
	case coin.FieldMemo:
		return mmerr.InvalidMemo.From(err, reason, "Invalid memo field: "+reason)
	case coin.FieldFrom:
		return mmerr.UnexpectedFromAddress.From(err, reason, "Unexpected 'from' address: "+reason)
	}
	return &rpc.ParamError{Path: paramOf(e.Field), Err: e.Reason}
}

func channelData(e *coin.ChannelError) (data mmerr.IBC) {
	switch {
	case e.Prefix != "":
		data.Unknown = &mmerr.IBCPrefix{Prefix: e.Prefix}
	case e.Missing:
		data.Missing = &mmerr.IBCChannel{ID: e.Channel}
	default:
		data.Unhealthy = &mmerr.IBCChannel{ID: e.Channel, Reason: e.Reason}
	}
	return data
}
