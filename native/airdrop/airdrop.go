// Package airdrop pays the keys of a file with tokens, each line once, also if the program, the node
// or the machine ends in between: the same call then continues. It knows the daemon API only by its
// methods, and not how a node is reached.
//
// Sources: tokensendmany, of which the option since leaves out keys that the node has paid the same
// amount after a height or in an unconfirmed transaction.
//
// Invariant: every call of tokensendmany has the option since, with a block before the first payment
// that the chain still has, and is preceded by a durable entry in the journal. A call that is repeated,
// or that the node executes late, therefore pays no key twice.
//
// The option since cannot distinguish payments of equal amounts to one key. Therefore an airdrop
// begins when no transaction of the node's key with this token is unconfirmed, names each key once, never
// pays the node's key, which gets the change, and lists the keys that were paid by another transaction
// before its own first call.
package airdrop

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/number"
	"obverse/native/client"
)

// Limits of a batch, in keys.
const (
	DefaultBatch = 500
	MaxBatch     = 5000
)

// maxFailures is the number of blocks for which a batch is tried again although none of its keys could
// be paid.
const maxFailures = 3

// Airdrop is a list that is paid.
type Airdrop struct {
	Node    Node
	Token   string // id
	List    *List
	Journal *Journal
	Info    Info

	Notice  func(text string)           // reports progress
	Wait    func(context.Context) error // waits a moment before the node is asked for a block again
	Timeout time.Duration               // how long a block may take, counted in calls of Wait
	Moment  time.Duration               // duration of a call of Wait
	Process func() string               // identifies the node's process; "" if it is not known

	holders map[script.Address]int // index of the line of each key
	since   int
}

// Options are the choices of a new airdrop.
type Options struct {
	Coins int64 // satoshis for each key
	Batch int   // keys in a batch
}

// Errors of Check.
var (
	ErrIncomplete = errors.New("the airdrop of this journal is not complete")
	ErrChanged    = errors.New("the file has changed since the airdrop began")
)

// Check reports whether the journal belongs to this airdrop.
func (a *Airdrop) Check() error {
	j := a.Journal
	switch {
	case j.IsNew():
		return nil
	case j.Token != a.Token:
		return fmt.Errorf("the journal %s belongs to an airdrop of the token %s: copy the file to pay another token", j.path, j.Token)
	case j.SHA256 != a.List.SHA256:
		return fmt.Errorf("%w (journal %s, SHA-256 of the file %s, got %s)", ErrChanged, j.path, j.SHA256, a.List.SHA256)
	case j.Chain != a.Info.Chain:
		return fmt.Errorf("the airdrop began on the chain %q, the node has %q", j.Chain, a.Info.Chain)
	case j.PubKey != a.Info.PubKey:
		return fmt.Errorf("the airdrop began with the key %s, the node has %s: continue it with the node that began it, or select the key with setpubkey", j.PubKey, a.Info.PubKey)
	case j.Keys != len(a.List.Lines) || j.Tokens != a.List.Total || j.Batch < 1 || len(j.Blocks) == 0:
		return fmt.Errorf("the journal %s contradicts the file", j.path)
	}
	return nil
}

// CostOf returns the maximum number of satoshis that an airdrop spends.
func CostOf(keys int, o Options) (fees, gifts int64) {
	for n := keys; n > 0; n -= o.Batch {
		fees += wallet.MaxPayoutFee(min(n, o.Batch))
	}
	return fees, int64(keys) * o.Coins
}

// Result is the result of an airdrop.
type Result struct {
	TxIDs   []string // of each line; "" if it is not known
	Foreign []int    // numbers of the lines that another transaction had paid
	Again   int      // lines that were paid again, since the chain had lost their transactions
}

// Run pays all lines that have not been paid. After an error, the same call continues.
func (a *Airdrop) Run(ctx context.Context, o Options) (result Result, err error) {
	a.holders = make(map[script.Address]int, len(a.List.Lines))
	for i := range a.List.Lines {
		a.holders[a.List.Lines[i].Holder] = i
	}
	if a.Journal.IsNew() {
		if err := a.begin(ctx, o); err != nil {
			return result, err
		}
	} else if result.Again, err = a.verify(ctx); err != nil {
		return result, err
	}
	paid, states := a.Journal.Paid(), a.Journal.states()
	for n := 1; n <= a.Journal.batches(); n++ {
		if states[n] == stateSent {
			continue
		}
		first, end := a.Journal.bounds(n)
		if _, err := a.pay(ctx, n, indexes(first, end), states[n] == ""); err != nil {
			return result, err
		}
		paid += end - first
		a.Notice(fmt.Sprintf("paid %d of %d keys", paid, len(a.List.Lines)))
	}
	return a.finish(ctx, result)
}

// Settle waits until no transaction of the node's key with the token is unconfirmed. It updates Info, and
// returns the height of the chain.
func (a *Airdrop) Settle(ctx context.Context) (height int, err error) {
	for {
		tip, waiting, err := waitingTokens(ctx, a.Node, a.Token, a.Info.key)
		if err != nil {
			return 0, err
		}
		if waiting <= 0 { // a non-fungible token is at another address
			a.Info, err = Inspect(ctx, a.Node, a.Token)
			return tip.Height, err
		}
		a.Notice(fmt.Sprintf("waiting for a block: unconfirmed transactions of the node's key spend %d of its tokens", waiting))
		if err := a.block(ctx, tip.Hash); err != nil {
			return 0, err
		}
	}
}

// begin writes the header of the journal.
func (a *Airdrop) begin(ctx context.Context, o Options) error {
	height, err := a.Settle(ctx)
	if err != nil {
		return err
	}
	list, err := blocks(ctx, a.Node, height)
	if err != nil {
		return err
	}
	return a.Journal.begin(Header{
		Format: format, Token: a.Token, SHA256: a.List.SHA256, Keys: len(a.List.Lines), Tokens: a.List.Total,
		Coins: number.Coins(o.Coins).String(), Batch: o.Batch, Chain: a.Info.Chain, PubKey: a.Info.PubKey, Blocks: list,
	})
}

// verify calls tokensendmany for the batches that were sent: it pays lines again of which the chain has
// lost the transactions, and no others. It returns their number.
func (a *Airdrop) verify(ctx context.Context) (again int, err error) {
	var sent []int
	states := a.Journal.states()
	for n := 1; n <= a.Journal.batches(); n++ {
		if states[n] == stateSent {
			sent = append(sent, indexes(a.Journal.bounds(n))...)
		}
		if states[n] == stateUnclear {
			if err := a.requireRestart(n); err != nil {
				return 0, err
			}
		}
	}
	if states[checkBatch] == stateUnclear {
		if err := a.requireRestart(checkBatch); err != nil {
			return 0, err
		}
	}
	for part := range slices.Chunk(sent, MaxBatch) {
		paid, err := a.pay(ctx, checkBatch, part, false)
		if err != nil {
			return again, err
		}
		again += paid
	}
	if again > 0 {
		a.Notice(fmt.Sprintf("the chain had lost the transactions of %d keys, for example after a restored backup: paid again", again))
	}
	return again, nil
}

// requireRestart returns an error if the process that gave an unclear answer is still running.
func (a *Airdrop) requireRestart(batch int) error {
	process := ""
	for _, e := range a.Journal.entries {
		if e.Batch == batch && e.State == stateUnclear {
			process = e.Process
		}
	}
	if process != "" && a.Process() == process {
		return fmt.Errorf("%w: the node was not restarted", ErrUnclear)
	}
	return nil
}

func indexes(first, end int) []int {
	list := make([]int, 0, end-first)
	for i := first; i < end; i++ {
		list = append(list, i)
	}
	return list
}

// ErrUnclear means that the node does not know whether it has sent a transaction, since its disk failed.
var ErrUnclear = errors.New("some transactions may have been sent, and the node knows only after a restart: restart it, and run the same command again")

// answer is the result of tokensendmany.
type answer struct {
	Result, Error         string
	Paid                  int
	Transactions, Unclear []struct {
		TxID string
		Paid []string
	}
	Left map[string]json.RawMessage
}

// pay pays the lines of a batch, waiting for blocks in between if the node takes no more transactions.
// It returns the number of keys that it has paid. isFirst means that no call was made for the batch
// before.
func (a *Airdrop) pay(ctx context.Context, batch int, lines []int, isFirst bool) (paid int, err error) {
	amounts := make(map[string]string, len(lines))
	for _, i := range lines {
		amounts[a.List.Lines[i].Name] = strconv.FormatInt(a.List.Lines[i].Amount, 10)
	}
	for failures := 0; ; isFirst = false {
		if err := a.sameChain(ctx); err != nil {
			return paid, err
		}
		before, err := ask[string](ctx, a.Node, "getbestblockhash")
		if err != nil {
			return paid, err
		}
		if err := a.Journal.append(entry{Batch: batch, State: stateSending}); err != nil {
			return paid, err
		}
		sent, err := a.send(ctx, amounts)
		if err != nil {
			return paid, err
		}
		paid += sent.Paid
		state, err := a.record(batch, lines, &sent, isFirst)
		if err != nil || state == stateSent {
			return paid, err
		}
		if state == stateUnclear {
			return paid, fmt.Errorf("%w (%s)", ErrUnclear, sent.Error)
		}
		if failures++; sent.Paid > 0 {
			failures = 0
		}
		if failures == maxFailures {
			return paid, fmt.Errorf("no key could be paid in %d blocks: %s", failures, sent.Error)
		}
		a.Notice(fmt.Sprintf("waiting for a block, to pay the rest of the batch: %s", sent.Error))
		if err := a.block(ctx, before); err != nil {
			return paid, err
		}
	}
}

// send calls tokensendmany. An answer without transactions is an error if no block can change it.
func (a *Airdrop) send(ctx context.Context, amounts map[string]string) (sent answer, err error) {
	sent, err = ask[answer](ctx, a.Node, "tokensendmany", a.Token, amounts, map[string]any{"since": a.since, "coins": a.Journal.Coins})
	var refused *client.RemoteError
	if !errors.As(err, &refused) || refused.Kind != "" {
		return sent, err
	}
	if err := json.Unmarshal(refused.Body, &sent); err != nil {
		return sent, err
	}
	if len(sent.Transactions) == 0 && len(sent.Unclear) == 0 {
		if waits, failed := a.waits(ctx); failed != nil || !waits {
			return sent, cmp.Or(failed, err)
		}
	}
	return sent, nil
}

// sameChain refuses a node that has another key than the one that began, and finds the block after
// which payments count.
func (a *Airdrop) sameChain(ctx context.Context) error {
	info, err := Inspect(ctx, a.Node, a.Token)
	if err != nil {
		return err
	}
	a.Info = info
	if err := a.Check(); err != nil {
		return err
	}
	a.since, err = a.Journal.since(ctx, a.Node)
	return err
}

// waits reports whether transactions are unconfirmed, so that the next block changes what can be sent.
func (a *Airdrop) waits(ctx context.Context) (bool, error) {
	pool, err := ask[struct{ Size int }](ctx, a.Node, "getmempoolinfo")
	return pool.Size > 0, err
}

// record writes an answer to the journal.
func (a *Airdrop) record(batch int, lines []int, sent *answer, isFirst bool) (state string, err error) {
	e := entry{Batch: batch, State: stateSent}
	rest := make(map[int]bool, len(lines))
	for _, i := range lines {
		rest[i] = true
	}
	read := func(to *[]Tx, txid string, keys []string) error {
		tx := Tx{TxID: txid, Lines: []int{}}
		for _, text := range keys {
			i, err := a.lineOf(text)
			if err != nil {
				return err
			}
			tx.Lines = append(tx.Lines, i)
			delete(rest, i)
		}
		*to = append(*to, tx)
		return nil
	}
	for _, tx := range sent.Transactions {
		if err := read(&e.Transactions, tx.TxID, tx.Paid); err != nil {
			return "", err
		}
	}
	for _, tx := range sent.Unclear {
		if err := read(&e.Unclear, tx.TxID, tx.Paid); err != nil {
			return "", err
		}
	}
	for text := range sent.Left {
		i, err := a.lineOf(text)
		if err != nil {
			return "", err
		}
		delete(rest, i)
	}
	if isFirst && (sent.Result == "success" || len(sent.Transactions) > 0) {
		for i := range rest {
			e.Foreign = append(e.Foreign, i)
		}
		slices.Sort(e.Foreign)
	}
	switch {
	case len(sent.Unclear) > 0:
		e.State, e.Process = stateUnclear, a.Process()
	case sent.Result != "success":
		e.State = statePart
	}
	return e.State, a.Journal.append(e)
}

// lineOf returns the index of the line of a public key.
func (a *Airdrop) lineOf(text string) (int, error) {
	key, err := hex.DecodeString(text)
	if err == nil && len(key) == token.KeySize {
		if i, known := a.holders[HolderAddress(token.Key(key))]; known {
			return i, nil
		}
	}
	return 0, fmt.Errorf("the node names the key %.70q, which is not in the file", text)
}

// block waits until the last block is not the one with this hash.
func (a *Airdrop) block(ctx context.Context, before string) error {
	for waited := time.Duration(0); waited < a.Timeout; waited += a.Moment {
		if err := a.Wait(ctx); err != nil {
			return err
		}
		now, err := ask[string](ctx, a.Node, "getbestblockhash")
		if err != nil || now != before {
			return err
		}
	}
	return fmt.Errorf("the chain had no block for %v: run the same command again when it has one", a.Timeout)
}

// finish finds the transactions of all lines.
func (a *Airdrop) finish(ctx context.Context, result Result) (Result, error) {
	result.TxIDs = make([]string, len(a.List.Lines))
	isChecking, isInterrupted := false, false
	for _, e := range a.Journal.entries {
		if e.Batch == checkBatch {
			isInterrupted = isInterrupted || isChecking && e.State == stateSending
			isChecking = e.State == stateSending
		}
		for _, tx := range e.Transactions {
			for _, i := range tx.Lines {
				if i >= 0 && i < len(result.TxIDs) {
					result.TxIDs[i] = tx.TxID
				}
			}
		}
		for _, i := range e.Foreign {
			if i >= 0 && i < len(a.List.Lines) {
				result.Foreign = append(result.Foreign, a.List.Lines[i].Number)
			}
		}
	}
	if isInterrupted { // lines may have been paid again, in transactions without an entry
		if err := a.forgetLost(ctx, result.TxIDs); err != nil {
			return result, err
		}
	}
	var waiting map[payment]string
	for i := range result.TxIDs {
		if result.TxIDs[i] != "" {
			continue
		}
		line := &a.List.Lines[i]
		txid, err := paidBy(ctx, a.Node, a.Token, line, a.since)
		if err == nil && txid == "" && waiting == nil {
			waiting, err = waitingPayments(ctx, a.Node)
		}
		if err != nil {
			return result, err
		}
		if txid == "" {
			txid = waiting[payment{line.Holder, line.Amount}]
		}
		result.TxIDs[i] = txid
	}
	return result, nil
}

// forgetLost empties the transactions that the node does not have.
func (a *Airdrop) forgetLost(ctx context.Context, ids []string) error {
	lost := map[string]bool{}
	for i, id := range ids {
		isLost, known := lost[id]
		if !known && id != "" {
			_, err := a.Node.Call(ctx, "getrawtransaction", id)
			isLost = errors.As(err, new(*client.RemoteError))
			if err != nil && !isLost {
				return err
			}
			lost[id] = isLost
		}
		if isLost {
			ids[i] = ""
		}
	}
	return nil
}
