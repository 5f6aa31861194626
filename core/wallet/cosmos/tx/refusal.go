package tx

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/wire"
)

// Codes with which the chain's own code refuses, in the space "sdk".
const (
	codespace          = "sdk"
	codeUnauthorized   = 4
	codeFunds          = 5
	codeUnknownAddress = 9
	codeOutOfGas       = 11
	codeMemo           = 12
	codeFee            = 13
	codeInMempool      = 19
	codeMempoolFull    = 20
	codeTxTooLarge     = 21
	codeTimeoutHeight  = 30
	codeSequence       = 32
)

// refused is what a chain says of a transaction.
func (c Chain) refused(v Verdict, hash string, height uint64) *coin.RefusedError {
	return &coin.RefusedError{Code: v.Code, Codespace: v.Codespace, Log: v.Log, Hash: hash, Height: height, Help: c.help(v)}
}

// help says what a refusal means for the sender; "" where the chain's words must do.
func (c Chain) help(v Verdict) string {
	if v.Codespace != codespace {
		return ""
	}
	switch v.Code {
	case codeUnauthorized:
		return "the signature does not fit: the transaction is for another chain or account, or others came first"
	case codeUnknownAddress:
		return "account not found on the chain: it has never received anything"
	case codeOutOfGas:
		return "the transaction needs more gas than it may use"
	case codeFee:
		required := c.amounts(v.Log, "required: ", " or ")
		if required == "" {
			return "the fee is less than the node takes"
		}
		return fmt.Sprintf("the node takes a fee of %s or more, and the transaction pays %s", required, cmp.Or(c.amounts(v.Log, "got: ", " and "), "none"))
	case codeMempoolFull:
		return "the node has too many transactions that wait; try again later"
	case codeTimeoutHeight:
		return "the transaction is too old; make it again"
	case codeSequence:
		return "another transaction of the account came first; make it again"
	}
	return ""
}

// amounts finds amounts in a log of codeFee, which has them in no other place: "got: 1uatom
// required: 3000uatom,5000ibc/27…: insufficient fee". It writes those of the chain's own coin
// in whole coins; "" if there are none.
func (c Chain) amounts(log, before, between string) string {
	_, rest, _ := strings.Cut(log, before)
	list, _, _ := strings.Cut(rest, " ")
	var all []string
	for _, one := range strings.Split(strings.TrimRight(list, ":,"), ",") {
		a, is := parseAmount(one)
		switch {
		case !is:
			return ""
		case a.denom == c.Native.Denom:
			all = append(all, c.Native.coins(a.units).String()+" "+c.Native.Ticker)
		default:
			all = append(all, a.units.String()+" "+a.denom)
		}
	}
	return strings.Join(all, between)
}

// shortage reads "993899865uatom is smaller than 1000000000000uatom: insufficient funds",
// with other words around it.
func shortage(log string) (denom string, available, required *big.Int, ok bool) {
	before, after, found := strings.Cut(log, " is smaller than ")
	if !found {
		return "", nil, nil, false
	}
	has, hasOK := amountAtEnd(before)
	needs, needsOK := amountAtStart(after)
	if !hasOK || !needsOK || has.denom != needs.denom {
		return "", nil, nil, false
	}
	return has.denom, has.units, needs.units, true
}

// amount is how logs write what wire.Coin is.
type amount struct {
	units *big.Int
	denom string
}

func amountAtEnd(text string) (amount, bool) {
	return parseAmount(text[strings.LastIndexAny(text, " ,(")+1:])
}

func amountAtStart(text string) (amount, bool) {
	if end := strings.IndexAny(text, " ,:)"); end >= 0 {
		text = text[:end]
	}
	return parseAmount(text)
}

func parseAmount(text string) (amount, bool) {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	units, err := wire.Coin{Denom: text[digits:], Amount: text[:digits]}.Units()
	return amount{units, text[digits:]}, err == nil && digits < len(text)
}

// asShortage turns a refusal into what it is for the account: too little of one of the
// coins that it sends or pays with.
func asShortage(log string, sent, pays Asset) *coin.ShortageError {
	denom, available, required, ok := shortage(log)
	if !ok {
		return nil
	}
	of := func(a Asset, forFee bool) *coin.ShortageError {
		return &coin.ShortageError{Coin: a.Ticker, Available: number.Scaled(available, a.Decimals), Required: number.Scaled(required, a.Decimals), ForFee: forFee}
	}
	switch denom {
	case sent.Denom:
		return of(sent, false)
	case pays.Denom:
		return of(pays, true)
	}
	return nil
}

// Asset is a coin on a chain.
type Asset struct {
	Ticker   string
	Denom    string
	Decimals uint8
}

func (a Asset) coins(units *big.Int) number.Rational { return number.Scaled(units, a.Decimals) }
