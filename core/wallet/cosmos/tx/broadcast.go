package tx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/wire"
)

// Broadcast implements coin.Broadcaster.
func (w *Wallet) Broadcast(ctx context.Context, raw []byte) (string, error) {
	account, sequence := w.author(raw)
	hash := Hash(raw)
	signed := coin.Numbered{Transaction: coin.Transaction{Raw: raw, Hash: hash}, Number: sequence}
	_, err := w.Queue.Execute(ctx, account, false, func(context.Context) (coin.Numbered, error) { return signed, nil }, w.submit(account))
	return hash, err
}

// broadcast tries once to send a transaction to the nodes.
func (w *Wallet) broadcast(ctx context.Context, raw []byte) error {
	hash := Hash(raw)
	verdict, err := w.Node.Broadcast(ctx, raw)
	switch {
	case errors.Is(err, ErrKnown):
		return nil
	case err != nil:
		return err
	case verdict.Code == 0, verdict.Codespace == codespace && verdict.Code == codeInMempool:
		return nil
	}
	refused := w.Chain.refused(verdict, hash, 0)
	if verdict.Codespace == codespace && verdict.Code == codeDecode && wire.Decode(raw, &wire.Tx{}) != nil {
		return refused // it is in no block
	}
	// The transaction may be in a block already, and the node may have forgotten it. It may then
	// refuse it for other reasons than its sequence, such as a fee that was raised since.
	found, err := w.Node.Find(ctx, hash, true)
	if err == nil {
		return w.Chain.inBlock(found, hash)
	}
	refused.Doubted = !errors.Is(err, ErrNotFound)
	return refused
}

// inBlock returns the error of a transaction that failed in its block, or nil.
func (c Chain) inBlock(found Found, hash string) error {
	if found.Code == 0 {
		return nil
	}
	return c.refused(found.Verdict, hash, found.Height)
}

const (
	defaultPoll = time.Second
	// indexLag is the number of blocks by which a node's index of transactions may lag behind.
	indexLag = 2
	// resendInterval is the interval at which Await sends a transaction to the nodes again,
	// since a single node that accepted it may have dropped it.
	resendInterval = 15 * time.Second
)

// Await implements coin.Broadcaster.
func (w *Wallet) Await(ctx context.Context, raw []byte, confirmations uint64) (coin.Confirmed, error) {
	if confirmations == 0 {
		confirmations = max(w.Confirmations, 1)
	}
	a := pendingTransaction{w, Hash(raw), lastBlock(raw)}
	poll, looks := cmp.Or(w.Poll, defaultPoll), time.Duration(0)
	return coin.AwaitConfirmations(ctx, poll, confirmations, func(ctx context.Context) (coin.Confirmed, error) {
		found, err := a.status(ctx)
		if errors.Is(err, ErrNotFound) {
			if looks++; looks*poll >= resendInterval {
				_, _ = w.Node.Broadcast(ctx, raw) // nodes that have the transaction reject it
				looks = 0
			}
			return coin.Confirmed{}, nil
		}
		return found, err
	})
}

// lastBlock returns the height of the last block that may include a transaction; 0 means no
// limit.
func lastBlock(raw []byte) uint64 {
	var t wire.Tx
	var body wire.TxBody
	if wire.Decode(raw, &t) != nil || wire.Decode(t.Body, &body) != nil {
		return 0
	}
	return body.TimeoutHeight
}

// pendingTransaction is a transaction for which Await waits.
type pendingTransaction struct {
	*Wallet
	hash string
	last uint64
}

// status returns the place of the transaction, or ErrNotFound while it may still get into a block.
func (a pendingTransaction) status(ctx context.Context) (coin.Confirmed, error) {
	newest, err := a.Node.Newest(ctx) // queried first, so that it is not newer than the search below
	if err != nil {
		return coin.Confirmed{}, err
	}
	late := a.last != 0 && newest.Height > a.last+indexLag && !newest.Alone
	found, err := a.Node.Find(ctx, a.hash, late)
	if errors.Is(err, ErrAlone) {
		return coin.Confirmed{}, ErrNotFound
	}
	if late && errors.Is(err, ErrNotFound) {
		log := fmt.Sprintf("block height: %d, timeout height: %d", newest.Height, a.last)
		return coin.Confirmed{}, a.Chain.refused(Verdict{codeTimeoutHeight, codespace, log}, a.hash, 0)
	}
	if err == nil {
		err = a.Chain.inBlock(found, a.hash)
	}
	if err != nil {
		return coin.Confirmed{}, err
	}
	where := coin.Confirmed{Height: found.Height, Confirmations: 1}
	if newest.Height > found.Height && !newest.Alone {
		where.Confirmations += newest.Height - found.Height
	}
	return where, nil
}

// Error codes of the codespace "sdk".
const (
	codespace          = "sdk"
	codeDecode         = 2
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

// refused returns the error for a chain's verdict on a transaction.
func (c Chain) refused(v Verdict, hash string, height uint64) *coin.RefusedError {
	return &coin.RefusedError{Code: v.Code, Codespace: v.Codespace, Log: v.Log, Hash: hash, Height: height, Help: c.help(v)}
}

// help returns an explanation of a refusal for the sender, or "" if the chain's text is
// sufficient.
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

// amounts returns the amounts between two texts in a log of codeFee, such as "got: 1uatom
// required: 3000uatom,5000ibc/27…: insufficient fee". Amounts of the chain's own coin are in
// whole coins. If it finds no amount, it returns "".
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

// shortage parses a text like "993899865uatom is smaller than 1000000000000uatom: insufficient
// funds" in a log.
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

// amount is the pattern of an amount of a denom in logs.
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

// asShortage returns a *coin.ShortageError if the account has too little of the coin that it
// sends, or of the coin that pays the fee. Otherwise it returns nil.
func asShortage(log string, sent, pays Asset) *coin.ShortageError {
	denom, available, required, ok := shortage(log)
	if !ok {
		return nil
	}
	short := func(a Asset, forFee bool) *coin.ShortageError {
		return coin.Funds{Ticker: a.Ticker, Decimals: a.Decimals, Units: available}.Short(required, forFee)
	}
	switch denom {
	case sent.Denom:
		return short(sent, false)
	case pays.Denom:
		return short(pays, true)
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
