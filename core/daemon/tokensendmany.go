package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"obverse/core/chain"
	"obverse/core/chain/mempool"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/guard"
	"obverse/core/number"
	"obverse/core/rpc"
)

func (b *Backend) payingMethods() []rpc.Method {
	var paying sync.Mutex // two calls must not choose the same coins
	return []rpc.Method{
		rpc.Handle("tokensendmany", rpc.Doc{Category: "Tokens",
			Usage:   `tokensendmany "tokenid" {"pubkey":amount,...} ( {"coins":amount,"since":height} )`,
			Summary: "Send tokens of the node's key to many keys",
			Detail: "The consensus rules limit each transaction to two keys. For many keys, the first transaction splits the node's coins and tokens. " +
				"If a call does not return a result, repeat it with since set to the height before the first call, which skips keys that have been paid since then. " +
				"If the tokens or coins do not suffice for all keys, the method sends nothing.",
		}, func(ctx context.Context, p sendTokensParams) (tokensSent, error) {
			paying.Lock()
			defer paying.Unlock()
			return b.tokenSendMany(ctx, p)
		}),
	}
}

type sendTokensParams struct {
	TokenID Text        `json:"tokenid" doc:"id of the token"`
	Amounts amounts     `json:"amounts" doc:"number of tokens by public key, or by address if its key is in the wallet or on the chain"`
	Options sendOptions `json:"options" rpc:"optional"`
}

// amounts holds the members of an object of numbers, in their order.
type amounts []amountOf

type amountOf struct {
	name   string
	amount Decimal
}

// UnmarshalParam implements rpc.Unmarshaler.
func (a *amounts) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) != rpc.KindObject {
		return &Error{CodeMisc, "JSON value is not an object as expected"}
	}
	for name, value := range rpc.Members(raw) {
		one := amountOf{name: name}
		if err := one.amount.UnmarshalParam(value); err != nil {
			return err
		}
		*a = append(*a, one)
	}
	return nil
}

// JSONSchema implements rpc.Described.
func (amounts) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "object", Values: Decimal("").JSONSchema()}
}

// MarshalJSON implements json.Marshaler.
func (a amounts) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i := range a {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(appendString(text, a[i].name), ':')
		text = appendString(text, string(a[i].amount))
	}
	return append(text, '}'), nil
}

type sendOptions struct {
	Coins *Decimal `json:"coins" doc:"coins to send to each key as well, for its fees"`
	Since *Int     `json:"since" doc:"skip keys to which the node has sent the same amount after this height"`
}

// Closed implements rpc.Closed. If since were misspelled and ignored, keys would be paid again.
func (sendOptions) Closed() {}

type tokensSent struct {
	Result       string      `json:"result" doc:"success, or error if the tokens of some keys were not sent"`
	Error        string      `json:"error,omitempty" doc:"reason of the failure"`
	TokenID      wire.Hash   `json:"tokenid"`
	Paid         int         `json:"paid" doc:"number of keys that this call paid"`
	Amount       int64       `json:"amount" doc:"number of tokens sent"`
	Before       int         `json:"before" doc:"number of keys skipped because of since"`
	Transactions []tokenSent `json:"transactions"`
	Unclear      []tokenSent `json:"unclear,omitempty" doc:"transactions that may have been sent; after a restart of the node, check whether they exist before you pay their keys again"`
	Left         amounts     `json:"left,omitempty" doc:"tokens that were not sent, by public key"`

	stalled      error
	firstUnclear error
}

type tokenSent struct {
	TxID wire.Hash  `json:"txid"`
	Paid []hexBytes `json:"paid" doc:"public keys that the transaction pays; empty if it splits coins and tokens"`
}

// Warning implements warner.
func (s tokensSent) Warning() string { return sent{stalled: s.stalled}.Warning() }

// Limits of the option coins, in satoshis.
const (
	MinGift = 1000 // well above dust
	MaxGift = 1000 * coin
)

const (
	maxPayees      = 200_000
	payingRounds   = 20 // maximum number of rounds in a call; one round pays as many payees as a fan-out allows
	payingBranches = 32 // concurrent branches, which wait for the disk together
)

func (b *Backend) tokenSendMany(ctx context.Context, p sendTokensParams) (sent tokensSent, err error) {
	if sent.TokenID, err = parseTokenID(p.TokenID); err != nil {
		return sent, err
	}
	gift, err := p.Options.gift()
	if err != nil {
		return sent, err
	}
	payees, err := b.readPayees(ctx, p.Amounts, maxPayees)
	if err != nil {
		return sent, err
	}
	sent.Result, sent.Transactions = "success", []tokenSent{}
	if p.Options.Since != nil {
		left, err := b.unpaid(ctx, sent.TokenID, payees, int(*p.Options.Since))
		if err != nil {
			return sent, err
		}
		sent.Before, payees = len(payees)-len(left), left
	}
	var failed error
	for round := 0; round < payingRounds && len(payees) > 0; round++ {
		before := len(payees)
		payees, failed = b.payRound(ctx, &sent, payees, gift)
		if failed != nil && len(payees) == before || len(sent.Unclear) > 0 {
			break // another round would fail as well
		}
	}
	if len(payees) == 0 && len(sent.Unclear) == 0 {
		return sent, nil
	}
	if failed == nil {
		failed = refusal("the tokens are in too many small outputs; call again with what is left")
	}
	if len(sent.Transactions) == 0 && len(sent.Unclear) == 0 {
		return sent, refusal(failed.Error())
	}
	sent.Result, sent.Error = "error", failed.Error()
	for _, payee := range payees {
		sent.Left = append(sent.Left, amountOf{fmt.Sprintf("%x", payee.Key), Decimal(fmt.Sprint(payee.Amount))})
	}
	return sent, nil
}

// gift parses the satoshis that each key receives.
func (o *sendOptions) gift() (int64, error) {
	if o.Coins == nil {
		return 0, nil
	}
	gift, err := number.ParseCoins(string(*o.Coins))
	if err != nil {
		return 0, badNumber("coins", "a decimal number of coins with at most 8 decimals", *o.Coins)
	}
	if gift != 0 && (gift < MinGift || gift > MaxGift) {
		return 0, refusal(fmt.Sprintf("coins must be 0, or from %s to %s, got %s", number.Coins(MinGift), number.Coins(MaxGift), number.Coins(gift)))
	}
	return gift, nil
}

// readPayees parses the keys and their amounts.
func (b *Backend) readPayees(ctx context.Context, list amounts, limit int) ([]wallet.Payee, error) {
	if len(list) == 0 || len(list) > limit {
		return nil, refusal(fmt.Sprintf("1 to %d public keys and their amounts are expected, got %d", limit, len(list)))
	}
	payees, names := make([]wallet.Payee, len(list)), make(map[token.Key]string, len(list))
	var sum int64
	for i, one := range list {
		key, err := b.parseKey(ctx, one.name)
		if err != nil {
			return nil, err
		}
		amount, err := number.ParseWhole(string(one.amount))
		if err != nil {
			return nil, badNumber("amount of "+clip(one.name), "a whole number of tokens", one.amount)
		}
		name, twice := names[key]
		switch {
		case twice:
			return nil, refusal(fmt.Sprintf("%s and %s are one key: name each once", name, one.name))
		case key == token.GlobalKey():
			return nil, refusal(fmt.Sprintf("invalid pubkey %q: it is the key of the tokens' module, which anyone has", one.name))
		case amount <= 0:
			return nil, refusal(fmt.Sprintf("amount of %s must be positive", clip(one.name)))
		case sum+amount < sum:
			return nil, refusal("the amounts add up to more tokens than there can be")
		}
		names[key], payees[i] = one.name, wallet.Payee{Key: key, Amount: amount}
		sum += amount
	}
	return payees, nil
}

// payRound pays as many payees as one plan can. It returns the remaining payees, and the error
// of a transaction that failed.
func (b *Backend) payRound(ctx context.Context, sent *tokensSent, payees []wallet.Payee, gift int64) (left []wallet.Payee, err error) {
	var plan *wallet.Payout
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		plan, err = b.Wallet.PayTokens(wallet.Snapshot{View: v, Pool: b.Pool}, sent.TokenID, payees, gift)
		return err
	})
	if err != nil {
		return payees, err
	}
	var mu sync.Mutex
	if plan.Fan != nil {
		if _, err := b.pay(ctx, &mu, sent, plan.Fan, nil); err != nil {
			return payees, err
		}
	}
	var failed error
	var group errgroup.Group
	group.SetLimit(payingBranches)
	for _, branch := range plan.Branches {
		group.Go(func() error {
			err := guard.Do(ctx, "paying tokens", func() error { return b.payBranch(ctx, &mu, sent, branch) })
			mu.Lock()
			defer mu.Unlock()
			failed = cmp.Or(failed, err)
			return nil // the other branches continue
		})
	}
	_ = group.Wait()
	for _, branch := range plan.Branches {
		left = append(left, branch.Left()...)
	}
	if sent.firstUnclear != nil {
		failed = sent.firstUnclear // rather than the error of a branch that failed because of it
	}
	return append(left, plan.Later...), failed
}

// payBranch sends the transactions of a branch, until one of this or another branch is unclear.
func (b *Backend) payBranch(ctx context.Context, mu *sync.Mutex, sent *tokensSent, branch *wallet.Branch) error {
	for {
		mu.Lock()
		stop := len(sent.Unclear) > 0
		mu.Unlock()
		if stop {
			return nil
		}
		tx, paid, err := branch.Next()
		if tx == nil || err != nil {
			return err
		}
		unsent, err := b.pay(ctx, mu, sent, tx, paid)
		if unsent {
			branch.Return(paid)
		}
		if err != nil {
			return err
		}
	}
}

// pay sends one transaction and adds it to the result. unsent reports that it was certainly not
// sent.
func (b *Backend) pay(ctx context.Context, mu *sync.Mutex, to *tokensSent, tx *wire.Tx, paid []wallet.Payee) (unsent bool, err error) {
	var one sent
	err = guard.Do(ctx, "paying tokens", func() (err error) {
		one, err = b.send(ctx, tx.Encode(), false)
		return err
	})
	mu.Lock()
	defer mu.Unlock()
	var unclear *mempool.UnclearError
	switch {
	case err == nil:
		to.add(one, paid)
	case errors.As(err, &unclear) || errors.Is(err, guard.ErrPanic):
		to.Unclear = append(to.Unclear, tokenSent{tx.ID(), keysOf(paid)})
		to.firstUnclear = cmp.Or(to.firstUnclear, err)
	default:
		return true, payingError(err)
	}
	return false, err
}

// add adds a transaction that was accepted to the result.
func (s *tokensSent) add(one sent, paid []wallet.Payee) {
	for i := range paid {
		s.Amount += paid[i].Amount
	}
	s.Paid += len(paid)
	s.Transactions = append(s.Transactions, tokenSent{one.Hash, keysOf(paid)})
	if one.stalled != nil {
		s.stalled = one.stalled
	}
}

func keysOf(payees []wallet.Payee) []hexBytes {
	keys := make([]hexBytes, len(payees))
	for i := range payees {
		keys[i] = payees[i].Key[:]
	}
	return keys
}

// payingError converts an error of the mempool.
func payingError(err error) error {
	var refused *mempool.Error
	if errors.As(err, &refused) {
		return fmt.Errorf("the node refused a transaction: %s", refused.Message)
	}
	return err
}
