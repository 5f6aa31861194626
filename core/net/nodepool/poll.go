package nodepool

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strings"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/text"
)

// Vote is the answer of one server.
type Vote struct {
	URL    string // without credentials
	Answer any
}

// Poll asks all nodes in parallel and returns the answers in the user's order, for questions
// that must not depend on a single server. Of nodes on one server the first that answers counts,
// see Servers. It returns early when decided reports that the answers of the missing servers,
// of which there are so many, cannot change the result; nil: never.
// Otherwise it waits until all have answered or failed, but once it has an answer no longer
// than the question's timeout, and a second for nodes that failed shortly before. Errors are
// not votes. Nodes on another chain, and those that asked for a pause, are not asked. The
// error is a node's, if that is its answer, an *UnreachableError, and that of ctx.
//
// Agree and Reached decide by the answers.
func (p *Pool) Poll(ctx context.Context, q Question, decided func(votes []Vote, missing int) bool) ([]Vote, error) {
	votes, _, err := p.poll(ctx, q, decided)
	return votes, err
}

// poll is Poll that also reports whether the votes are the word of one server alone, while others
// are silent.
func (p *Pool) poll(ctx context.Context, q Question, decided func(votes []Vote, missing int) bool) (votes []Vote, alone bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // late requests
	nodes, failed := p.order()
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].index < nodes[j].index })
	type outcome struct {
		place int
		answered
		err error
	}
	results := make(chan outcome, len(nodes))
	resting := p.resting(nodes)
	waiting := 0 // for nodes that are not resting
	for i, n := range nodes {
		if !resting[i] {
			waiting++
		}
		go func() {
			answer, err := p.try(ctx, n, q)
			results <- outcome{i, answer, err}
		}()
	}
	answers, ended := make([]*Vote, len(nodes)), make([]bool, len(nodes))
	answered := make(map[string]bool) // servers
	var refused error
	late, lateResting := time.After(q.Timeout), (<-chan time.Time)(nil)
	for missing := len(nodes); missing > 0; {
		select {
		case o := <-results:
			missing--
			ended[o.place] = true
			if p.hasAnswered(nodes[o.place], q, o.err) {
				answered[nodes[o.place].server] = true
			}
			if !resting[o.place] {
				waiting--
			}
			switch {
			case o.err == nil:
				answers[o.place] = &Vote{nodes[o.place].at.Label, o.value}
			case isAnswer(o.err):
				refused = fmt.Errorf("%s: %w", nodes[o.place].at.Label, o.err)
			default:
				failed = append(failed, NewAttempt(nodes[o.place].at, o.err, q.Timeout))
			}
		case <-late:
			late = nil
		case <-lateResting:
			missing = 0
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
		var silent int
		votes, silent = p.given(nodes, answers, ended)
		switch {
		case len(votes) == 0:
			continue
		case late == nil, decided != nil && decided(votes, silent):
			missing = 0
		case waiting == 0 && lateResting == nil:
			lateResting = time.After(grace)
		}
	}
	switch {
	case len(votes) > 0:
		return votes, len(votes) == 1 && p.lacks(answered), nil
	case refused != nil:
		return nil, false, refused
	}
	return nil, false, &UnreachableError{Attempts: failed}
}

// CachedPoll is Poll whose votes are cached for as long as Config.TTL says of the question's
// quantity.
func (p *Pool) CachedPoll(ctx context.Context, q Question, decided func(votes []Vote, missing int) bool) ([]Vote, error) {
	key, err := q.key()
	if err != nil {
		return nil, err
	}
	at := fetch.Question{Quantity: q.Quantity, Key: "votes " + key}
	votes, err := p.cache.Get(ctx, at, p.config.TTL[q.Quantity], func(ctx context.Context) (any, error) { return p.Poll(ctx, q, decided) })
	if err != nil {
		return nil, err
	}
	return votes.([]Vote), nil
}

// given lists the votes that are there, one of each server: of nodes that say that they lack
// blocks only if there are no others. silent is how many other servers have not ended.
func (p *Pool) given(nodes []*node, answers []*Vote, ended []bool) (votes []Vote, silent int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	counted := make(map[string]bool)
	for _, lacking := range []bool{false, true} {
		for i, v := range answers {
			if v != nil && nodes[i].health.Behind == lacking && !counted[nodes[i].server] {
				counted[nodes[i].server] = true
				votes = append(votes, *v)
			}
		}
		if len(votes) > 0 {
			break
		}
	}
	for i, n := range nodes {
		if !ended[i] && !counted[n.server] {
			counted[n.server] = true
			silent++
		}
	}
	return votes, silent
}

// outage is how long a server fails before the word of another one alone is enough.
const outage = 10 * time.Minute

// lacks reports whether a server is silent that is on the chain and has not failed for long.
func (p *Pool) lacks(answered map[string]bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	return slices.ContainsFunc(p.nodes, func(n *node) bool {
		_, foreign := n.fault.(*WrongChainError)
		return !answered[n.server] && !foreign && (n.fault == nil || now.Sub(n.failing) < outage)
	})
}

// codeNoMethod is the code of JSON-RPC 2.0 for a method that a server does not have.
const codeNoMethod = -32601

// refusal is a series of answers with which a server refuses the same question.
type refusal struct{ since, last time.Time }

// refusalGap is the time between two refusals after which the second one starts a new series:
// the server may have answered in between.
const refusalGap = 6 * time.Hour

// hasAnswered reports whether a node counts as one that is not silent: it answered, or it never answers
// such a question. A node that refuses for a while, as with an internal error, is silent as one is
// that fails.
func (p *Pool) hasAnswered(n *node, q Question, err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	about := q.Method + q.Quantity
	if len(q.Batch) > 0 {
		about = q.Batch[0].Method + q.Quantity
	}
	if err == nil {
		delete(n.refusing, about)
		return true
	}
	if refused, is := errors.AsType[*RPCError](err); is && refused.Code == codeNoMethod {
		return true
	}
	if !isAnswer(err) {
		return false
	}
	now := p.config.Now()
	r, known := n.refusing[about]
	if !known || now.Before(r.last) || now.Sub(r.last) >= refusalGap { // or the clock was set back
		r.since = now
	}
	r.last = now
	if n.refusing == nil {
		n.refusing = make(map[string]refusal)
	}
	n.refusing[about] = r
	return now.Sub(r.since) >= outage
}

// resting reports which nodes failed so shortly before that they are not waited for. If all
// have, none is resting.
func (p *Pool) resting(nodes []*node) []bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, list := p.config.Now(), make([]bool, len(nodes))
	for i, n := range nodes {
		list[i] = now.Before(n.retryAt)
	}
	if !slices.Contains(list, false) {
		clear(list)
	}
	return list
}

// DisagreementError says that no value has more than half of the nodes for it.
type DisagreementError struct {
	About   string // "the decimals of 0x…"
	Answers []Said
}

// Said is the answer of a node in a DisagreementError.
type Said struct {
	URL   string `json:"url"` // without credentials
	Value string `json:"value"`
}

func (e *DisagreementError) Error() string {
	list := make([]string, len(e.Answers))
	for i, a := range e.Answers {
		list[i] = a.URL + ": " + a.Value
	}
	return "the nodes do not agree on " + e.About + " (" + strings.Join(list, "; ") + ")"
}

// Agree asks all nodes and returns the answer that more than half of the servers that answer
// give, as the first of them has it, and whether one server alone decided while others, that failed
// only lately, are silent: what cannot be taken back waits for them. Answers are equal
// if key returns equal values for them, which must be comparable; nil: if they are equal
// themselves. A server that is configured alone is believed. The errors are a *DisagreementError
// and those of Poll.
func (p *Pool) Agree(ctx context.Context, about string, q Question, key func(answer any) any) (answer any, alone bool, err error) {
	if key == nil {
		key = func(answer any) any { return answer }
	}
	votes, alone, err := p.poll(ctx, q, func(votes []Vote, missing int) bool {
		_, n := largestGroup(votes, key)
		return 2*n > len(votes)+missing
	})
	if err != nil {
		return nil, false, err
	}
	if first, n := largestGroup(votes, key); 2*n > len(votes) {
		return votes[first].Answer, alone, nil
	}
	list := make([]Said, len(votes))
	for i, v := range votes {
		list[i] = Said{v.URL, text.Clip(fmt.Sprint(key(v.Answer)), 100)}
	}
	return nil, false, &DisagreementError{about, list}
}

// most returns the place of the first of the most equal votes, and how many they are.
func largestGroup(votes []Vote, key func(answer any) any) (first, n int) {
	places := map[any][]int{}
	for i, v := range votes {
		k := key(v.Answer)
		places[k] = append(places[k], i)
		if len(places[k]) > n {
			first, n = places[k][0], len(places[k])
		}
	}
	return first, n
}

// Count is how servers answer about one of several items.
type Count struct {
	Same   []int // places of the votes with the most usual answer
	Other  int   // servers that give another one
	Absent int   // servers that do not have the item
}

// Agreed reports whether more than half of the servers that can answer about the item give one
// answer.
func (c Count) Agreed() bool { return len(c.Same) > c.Other+c.Absent }

// Absent is the key of an item that a server does not have, for Tally.
type Absent struct{}

// Tally is Agree for a question about several items, each of which is decided separately. A key
// returns a comparable value of an answer's data about an item, nil if the server cannot answer
// about it, and Absent{} if it does not have it, which decides nothing before all have
// answered: it may have no index. The keys after the first are for items that are not agreed by
// those before. It returns the errors of Poll.
func (p *Pool) Tally(ctx context.Context, q Question, items int, keys ...func(answer any, item int) any) (votes []Vote, counts []Count, alone bool, err error) {
	votes, alone, err = p.poll(ctx, q, func(votes []Vote, missing int) bool {
		for i := range items {
			if c := count(votes, i, keys[0]); 2*len(c.Same) <= len(votes)+missing {
				return false
			}
		}
		return true
	})
	if err != nil {
		return nil, nil, false, err
	}
	counts = make([]Count, items)
	for i := range counts {
		for _, key := range keys {
			if counts[i] = count(votes, i, key); counts[i].Agreed() {
				break
			}
		}
	}
	return votes, counts, alone, nil
}

// Have reports whether more servers have something in a block than lack it. Of those that do not have
// the block, and have had no new one for long, nothing is known, unless they are more than half: then
// it is the chain that stands still.
func Have(has, lack, stopped int) bool {
	if 2*stopped > has+lack+stopped {
		lack += stopped
	}
	return has > lack
}

func count(votes []Vote, item int, key func(answer any, item int) any) (c Count) {
	places, known := map[any][]int{}, 0
	for i, v := range votes {
		switch k := key(v.Answer, item); k {
		case nil:
		case Absent{}:
			c.Absent++
		default:
			known++
			if places[k] = append(places[k], i); len(places[k]) > len(c.Same) {
				c.Same = places[k]
			}
		}
	}
	c.Other = known - len(c.Same)
	return c
}

// Reached asks all nodes for numbers that only grow, such as nonces, sequences and heights. For
// each it returns the highest number that more than half of the nodes that answer have reached.
// If nodes differ because some are late or lie, the result is never above the numbers of an
// honest majority, and at least the lowest of them. Of two nodes it is the lower number, with
// which no transaction can be valid in addition to an earlier one. A node configured alone is
// trusted. The votes are for errors and limits of the caller. It returns the errors of Poll.
func (p *Pool) Reached(ctx context.Context, q Question, numbers ...func(answer any) *big.Int) (reached []*big.Int, votes []Vote, err error) {
	reached, votes, _, err = p.ReachedAlone(ctx, q, numbers...)
	return reached, votes, err
}

// ReachedAlone is Reached that also reports whether one server alone decided, as Agree does.
func (p *Pool) ReachedAlone(ctx context.Context, q Question, numbers ...func(answer any) *big.Int) (reached []*big.Int, votes []Vote, alone bool, err error) {
	votes, alone, err = p.poll(ctx, q, func(votes []Vote, missing int) bool {
		for _, number := range numbers {
			// Missing answers could all be higher, or lower, than those that are there.
			low, high := nth(votes, number, len(votes)+missing, 0), nth(votes, number, len(votes)+missing, missing)
			if low == nil || high == nil || low.Cmp(high) != 0 {
				return false
			}
		}
		return true
	})
	if err != nil {
		return nil, nil, false, err
	}
	for _, number := range numbers {
		reached = append(reached, nth(votes, number, len(votes), 0))
	}
	return reached, votes, alone, nil
}

// nth returns the highest number that more than half of so many nodes have reached, if the
// votes of some that are missing are above all others; nil: unknown.
func nth(votes []Vote, number func(answer any) *big.Int, nodes, above int) *big.Int {
	numbers := make([]*big.Int, len(votes))
	for i, v := range votes {
		numbers[i] = number(v.Answer)
	}
	sort.Slice(numbers, func(i, j int) bool { return numbers[i].Cmp(numbers[j]) > 0 })
	place := nodes/2 - above // of the vote that makes more than half
	if place < 0 || place >= len(numbers) {
		return nil
	}
	return numbers[place]
}
