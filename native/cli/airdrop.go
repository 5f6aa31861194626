package cli

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"obverse/core/daemon"
	"obverse/core/number"
	"obverse/native/airdrop"
	"obverse/native/atomicfile"
	"obverse/native/datalock"
)

const (
	journalSuffix = ".airdrop"
	maxAirdrop    = 256 << 20 // bytes of a file

	blockPoll    = time.Second
	blockTimeout = 10 * time.Minute // which a block may take
)

// airdrop pays the keys of a file.
func (t *tokens) airdrop(ctx context.Context, words []string) error {
	options, err := t.airdropOptions()
	if err != nil {
		return err
	}
	path, err := filepath.EvalSymlinks(words[1]) // one file has one journal
	if err != nil {
		return err
	}
	list, err := readAirdrop(path)
	if err != nil {
		return t.showProblems(path, err)
	}
	info, err := airdrop.Inspect(ctx, t, words[0])
	if err != nil {
		return t.node.explain(err)
	}
	if err := list.Resolve(ctx, t, words[0], info); err != nil {
		return t.showProblems(path, err)
	}
	journal, err := t.openJournal(path + journalSuffix)
	if err != nil {
		return err
	}
	a := &airdrop.Airdrop{
		Node: t, Token: words[0], List: list, Journal: journal, Info: info,
		Notice: func(text string) { fmt.Fprintln(t.stderr, printable(text)) },
		Wait:   func(ctx context.Context) error { return wait(ctx, blockPoll) }, Moment: blockPoll, Timeout: blockTimeout,
		Process: t.process,
	}
	return errors.Join(t.payAirdrop(ctx, a, options), journal.Close())
}

// process identifies the process of the node. In a container, each process of the node has the same pid,
// but writes its lock file when it starts.
func (t *tokens) process() string {
	running, found := datalock.Find(t.node.DataDir)
	file, err := os.Stat(filepath.Join(t.node.DataDir, datalock.FileName))
	if !found || err != nil {
		return ""
	}
	return fmt.Sprintf("%d at %s", running.PID, file.ModTime().UTC().Format(time.RFC3339Nano))
}

// openJournal opens the journal of an airdrop, for a new one if --again is given and the former one is
// complete.
func (t *tokens) openJournal(path string) (*airdrop.Journal, error) {
	journal, err := airdrop.OpenJournal(path)
	if err != nil || !t.flags["again"] || journal.IsNew() {
		return journal, err
	}
	if !journal.IsComplete() {
		return nil, errors.Join(fmt.Errorf("%w: run the command without --again to continue it (journal %s)", airdrop.ErrIncomplete, path), journal.Close())
	}
	return journal, nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *tokens) airdropOptions() (o airdrop.Options, err error) {
	if text, given := t.values["coins"]; given {
		o.Coins, err = number.ParseCoins(text)
		if err != nil || o.Coins != 0 && (o.Coins < daemon.MinGift || o.Coins > daemon.MaxGift) {
			return o, usage("--coins must be 0, or from %s to %s coins, got %q", shortCoins(daemon.MinGift), shortCoins(daemon.MaxGift), text)
		}
	}
	if o.Batch, err = wholeNumber(t.values["batch"], airdrop.DefaultBatch, 1, airdrop.MaxBatch); err != nil {
		return o, usage("--batch: %v", err)
	}
	return o, nil
}

func readAirdrop(path string) (*airdrop.List, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxAirdrop+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxAirdrop {
		return nil, fmt.Errorf("%s is longer than %d MiB: divide it into several files", path, maxAirdrop>>20)
	}
	return airdrop.Read(text)
}

// showProblems prints the errors of a file on lines of their own. Other errors are returned.
func (t *tokens) showProblems(path string, err error) error {
	var problems *airdrop.Problems
	switch {
	case errors.As(err, &problems):
		fmt.Fprintln(t.stderr, printable(problems.Error()))
		return fmt.Errorf("%s has invalid lines: nothing was sent", path)
	case errors.Is(err, airdrop.ErrEmpty):
		return fmt.Errorf("%s: %w", path, err)
	}
	return t.node.explain(err)
}

// payAirdrop prints what an airdrop costs, asks, and pays it.
func (t *tokens) payAirdrop(ctx context.Context, a *airdrop.Airdrop, o airdrop.Options) error {
	if t.flags["again"] && !a.Journal.IsNew() {
		return t.payAgain(ctx, a, o)
	}
	if err := t.checkJournal(a); err != nil {
		return err
	}
	if a.Journal.IsNew() {
		if err := t.checkFunds(ctx, a, o); err != nil {
			return err
		}
	} else {
		coins, err := number.ParseCoins(a.Journal.Coins)
		if err != nil {
			return err
		}
		if given := t.values["coins"]; given != "" && o.Coins != coins {
			return fmt.Errorf("the airdrop began with --coins %s, got %s", shortCoins(number.Coins(coins)), given)
		}
		o.Coins, o.Batch = coins, a.Journal.Batch
	}
	t.showPlan(a, o)
	question := "Pay?"
	if a.Journal.IsComplete() {
		question = "All keys were paid. Check that the chain still has the payments, and pay lost ones again?"
	}
	if err := t.confirm(ctx, question); err != nil {
		return err
	}
	result, err := a.Run(ctx, o)
	if err != nil {
		return t.explainAirdrop(a, err)
	}
	return t.finishAirdrop(a, &result)
}

// payAgain begins a new airdrop. It renames the journal of the former one.
func (t *tokens) payAgain(ctx context.Context, a *airdrop.Airdrop, o airdrop.Options) error {
	if err := t.checkFunds(ctx, a, o); err != nil {
		return err
	}
	t.showPlan(a, o)
	if err := t.confirm(ctx, "All keys of this file were paid before. Pay them again?"); err != nil {
		return err
	}
	former := a.Journal
	name, err := former.Retire()
	if err != nil {
		return err
	}
	fmt.Fprintf(t.stderr, "the former journal is now %s\n", name)
	journal, err := airdrop.OpenJournal(former.Path())
	if err != nil {
		return err
	}
	a.Journal = journal
	result, err := a.Run(ctx, o)
	if err == nil {
		err = t.finishAirdrop(a, &result)
	} else {
		err = t.explainAirdrop(a, err)
	}
	return errors.Join(err, journal.Close())
}

// checkJournal explains what to do about a journal of another file.
func (t *tokens) checkJournal(a *airdrop.Airdrop) error {
	err := a.Check()
	if !errors.Is(err, airdrop.ErrChanged) {
		return err
	}
	if a.Journal.IsComplete() {
		return fmt.Errorf("%w; that airdrop is complete: --again pays all lines of the file as a new airdrop", err)
	}
	return fmt.Errorf("%w; that airdrop is not complete: restore the file to continue it, or save the changed file under another name to pay it too", err)
}

// checkFunds compares what a new airdrop needs with what the node has.
func (t *tokens) checkFunds(ctx context.Context, a *airdrop.Airdrop, o airdrop.Options) error {
	if _, err := a.Settle(ctx); err != nil {
		return t.node.explain(err)
	}
	if a.List.Total > a.Info.Tokens {
		return fmt.Errorf("the file pays %s tokens, the node's key can spend %s: nothing was sent", grouped(a.List.Total), grouped(a.Info.Tokens))
	}
	fees, gifts := airdrop.CostOf(len(a.List.Lines), o)
	if need := number.Coins(fees + gifts); need > a.Info.Coins {
		return fmt.Errorf("the airdrop takes up to %s coins, the node has %s: nothing was sent", shortCoins(need), shortCoins(a.Info.Coins))
	}
	return nil
}

// showPlan prints what is paid.
func (t *tokens) showPlan(a *airdrop.Airdrop, o airdrop.Options) {
	fees, gifts := airdrop.CostOf(len(a.List.Lines), o)
	coins := fmt.Sprintf("up to %s for fees", shortCoins(number.Coins(fees)))
	if gifts > 0 {
		coins += fmt.Sprintf(", and %s for the keys, %s each", shortCoins(number.Coins(gifts)), shortCoins(number.Coins(o.Coins)))
	}
	isNew := a.Journal.IsNew() || t.flags["again"]
	tokens := grouped(a.List.Total)
	if isNew {
		tokens += fmt.Sprintf(", of %s that the node's key can spend", grouped(a.Info.Tokens))
	}
	fmt.Fprintf(t.stderr, "Token   %s (%s)\nKeys    %s\nTokens  %s\nCoins   %s\n", printable(a.Info.Token), a.Token, grouped(int64(len(a.List.Lines))), tokens, coins)
	if !isNew {
		fmt.Fprintf(t.stderr, "Paid    %s keys before\n", grouped(int64(a.Journal.Paid())))
	}
}

// explainAirdrop adds to the error of an airdrop that has begun how to continue it.
func (t *tokens) explainAirdrop(a *airdrop.Airdrop, err error) error {
	if a.Journal.IsNew() {
		return t.node.explain(err)
	}
	if errors.Is(err, airdrop.ErrUnclear) {
		return err
	}
	const next = "run the same command again to continue; no key is paid twice"
	var remote answered
	if err = t.node.explain(err); errors.As(err, &remote) {
		return answered{remote.text + "\n" + next}
	}
	return fmt.Errorf("%w; %s", err, next)
}

// finishAirdrop prints the totals and writes the report.
func (t *tokens) finishAirdrop(a *airdrop.Airdrop, result *airdrop.Result) error {
	if n := len(result.Foreign); n > 0 {
		fmt.Fprintf(t.stderr, "warning: another transaction paid the same amount after the airdrop began, so that these lines were left out: %s\n", numbers(result.Foreign))
	}
	if path := t.values["report"]; path != "" {
		if err := writeReport(path, a.List, result.TxIDs); err != nil {
			return fmt.Errorf("all keys are paid, but the report was not written: %w", err)
		}
	}
	keys := "keys"
	if len(a.List.Lines) == 1 {
		keys = "key"
	}
	_, err := fmt.Fprintf(t.stdout, "paid %d tokens to %d %s\n", a.List.Total, len(a.List.Lines), keys)
	return err
}

// numbers lists the first line numbers.
func numbers(list []int) string {
	const limit = 20
	texts := make([]string, 0, limit)
	for _, n := range list[:min(limit, len(list))] {
		texts = append(texts, fmt.Sprint(n))
	}
	if len(list) > limit {
		texts = append(texts, fmt.Sprintf("and %d more", len(list)-limit))
	}
	return strings.Join(texts, ", ")
}

// writeReport writes the transaction of each line.
func writeReport(path string, list *airdrop.List, txids []string) error {
	file, err := atomicfile.New(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(file)
	err = w.Write([]string{"line", "key", "amount", "txid"})
	for i := range list.Lines {
		line := &list.Lines[i]
		err = cmp.Or(err, w.Write([]string{fmt.Sprint(line.Number), line.Name, fmt.Sprint(line.Amount), txids[i]}))
	}
	w.Flush()
	return atomicfile.Finish(file, path, cmp.Or(err, w.Error()))
}
