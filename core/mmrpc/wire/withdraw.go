package wire

import (
	"errors"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/signer/device"
)

// Unable returns the error for a method that a coin does not support.
func Unable(ticker, what string) error {
	text := Clip(ticker) + " " + what
	return mmerr.InvalidRequest.New(text, text)
}

// ActiveAs returns an active coin with the methods of S. The argument what completes the error
// for a coin that does not implement them; see Unable.
func ActiveAs[S any](active *coin.Active, ticker, what string) (able S, err error) {
	found, err := active.Get(ticker)
	if err != nil {
		return able, NoSuchCoin(err, ticker)
	}
	able, can := found.(S)
	if !can {
		err = Unable(ticker, what)
	}
	return able, err
}

// SendingFailure returns errors of building and sending transactions with kinds.
func SendingFailure(err error) error {
	var short *coin.ShortageError
	var low *coin.TooLowError
	var invalid *coin.InvalidError
	var channel *coin.ChannelError
	var refused *coin.RefusedError
	var wallet *key.WalletError
	text := Text(err)
	switch {
	case errors.As(err, &wallet), device.Is(err, device.Faults()...):
		return KeyFailure(err)
	case errors.As(err, &short):
		data := mmerr.Shortage{Coin: short.Coin, Available: short.Available.String(), Required: short.Required.String()}
		if short.ForFee {
			return mmerr.PlatformShortage.From(err, data, Text(short))
		}
		return mmerr.NotSufficientBalance.From(err, data, Text(short))
	case errors.Is(err, coin.ErrSends):
		return mmerr.BroadcastExpected.From(err, coin.ErrSends.Error(), coin.ErrSends.Error())
	case errors.Is(err, coin.ErrZeroBalance):
		return mmerr.ZeroBalanceToWithdrawMax.From(err, mmerr.None{}, Text(coin.ErrZeroBalance))
	case errors.As(err, &low):
		return mmerr.AmountTooLow.From(err, mmerr.Threshold{Amount: low.Amount.String(), Threshold: low.Threshold.String()}, Text(low))
	case errors.As(err, &invalid):
		return InvalidField(err, invalid)
	case errors.As(err, &channel):
		return mmerr.IBCError.From(err, channelData(channel), "Tendermint IBC error: "+Text(channel))
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
	return KeyFailure(err)
}

// InvalidField returns the error of an invalid field with a kind.
func InvalidField(err error, e *coin.InvalidError) error {
	reason := Text(e.Reason)
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
	return &rpc.ParamError{Path: ParamOf(e.Field), Err: e.Reason}
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

// WithdrawKinds returns the kinds of errors of methods that build and sign transactions.
func WithdrawKinds() []rpc.ErrorKind {
	return append(Kinds(mmerr.NoSuchCoin, mmerr.NotSufficientBalance, mmerr.PlatformShortage, mmerr.ZeroBalanceToWithdrawMax,
		mmerr.BroadcastExpected, mmerr.AmountTooLow, mmerr.InvalidAddress, mmerr.InvalidFeePolicy, mmerr.InvalidFee, mmerr.InvalidMemo, mmerr.UnexpectedFromAddress, mmerr.UnknownAccount, mmerr.IBCError,
		mmerr.SigningError, mmerr.TransactionRefused, mmerr.ActivationTransport), KeyKinds()...)
}

// WithdrawTask returns the kind of tasks that build transactions.
func WithdrawTask() TaskKind {
	return TaskKind{Name: "task::withdraw", Category: CategorySending, What: "a transaction", First: "GeneratingTransaction", Next: "Finishing",
		Limit: ActivationLimit, Details: "In progress, details are GeneratingTransaction, " + StateWaiting + " (a hardware wallet has to be plugged in, " +
			"unlocked, or its app opened), " + StateFollow + " (the user must confirm on the device) or Finishing. With Ok, they are the result of withdraw. " +
			"Details of Error hold an error of withdraw, or TaskTimedOut."}
}
