package nodepool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sort"
	"strings"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/text"
)

// Vote is the answer of a server.
type Vote struct {
	URL    string // without credentials
	Answer any
}

// Poll asks all nodes in parallel and returns the answers in the user's order, for questions
// that must not depend on a single server. Of several nodes on one server, only the first
// answer counts; see Servers. Poll returns early if decided reports that the answers of the
// missing servers cannot change the result; decided may be nil. Otherwise it waits until all
// nodes have answered or failed. Once it has an answer, it waits no longer than the question's
// timeout, and for nodes that failed recently no longer than a second. Errors are not votes.
// Nodes on another chain, and nodes that requested a pause, are not asked. The error is that of
// a node if it is the node's answer, an *UnreachableError, or the error of ctx.
//
// Agree and Reached decide by the answers.
func (p *Pool) Poll(ctx context.Context, q Question, decided func(votes []Vote, missing int) bool) ([]Vote, error) {
	votes, _, err := p.poll(ctx, q, decided)
	return votes, err
}

// poll is like Poll, and also returns how many other servers should have voted, see withLacking.
func (p *Pool) poll(ctx context.Context, q Question, decided func(votes []Vote, missing int) bool) (votes []Vote, lacking int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // cancels late requests
	nodes, failed := p.order()
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].index < nodes[j].index })
	type outcome struct {
		place int
		answered
		err error
	}
	results := make(chan outcome, len(nodes))
	resting := p.resting(nodes)
	waiting := 0 // number of pending nodes that are not resting
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
			return nil, 0, ctx.Err()
		}
		if q.SkipUnreached {
			p.skipUnreached(answered)
		}
		var silent map[string]bool
		votes, silent = p.given(nodes, answers, ended)
		switch {
		case len(votes) == 0:
			continue
		case late == nil, decided != nil && decided(votes, p.withLacking(silent, nodes, answers, answered, votes)):
			missing = 0
		case waiting == 0 && lateResting == nil:
			lateResting = time.After(grace)
		}
	}
	switch {
	case len(votes) > 0:
		return votes, p.withLacking(nil, nodes, answers, answered, votes), nil
	case refused != nil:
		return nil, 0, refused
	}
	return nil, 0, &UnreachableError{Attempts: failed}
}

// CachedPoll is like Poll, and caches the votes for the time that Config.TTL specifies for the
// question's quantity.
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

// given returns one vote of each server. Votes of nodes that report missing blocks count only
// if there are no others. The result silent is the set of other servers that have not finished.
func (p *Pool) given(nodes []*node, answers []*Vote, ended []bool) (votes []Vote, silent map[string]bool) {
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
	silent = make(map[string]bool)
	for i, n := range nodes {
		if !ended[i] && !counted[n.server] {
			silent[n.server] = true
		}
	}
	return votes, silent
}

// outage is the time for which a server must have failed, or lacked blocks, before fewer servers
// may decide without it. A server that was not asked for this time may have recovered in between:
// its next failure is the first of a new series.
const outage = 10 * time.Minute

// withLacking returns the number of the given servers and of the others without a vote that are
// on the chain, and that have not been failing or lacking blocks for long. They are likely to vote
// soon.
func (p *Pool) withLacking(given map[string]bool, nodes []*node, answers []*Vote, answered map[string]bool, votes []Vote) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, servers := p.config.Now(), make(map[string]bool)
	maps.Copy(servers, given)
	for _, n := range p.nodes {
		if _, foreign := n.fault.(*WrongChainError); !answered[n.server] && !foreign && (n.fault == nil || !n.hasOutage(now)) {
			servers[n.server] = true
		}
	}
	for i, v := range answers {
		used := v != nil && slices.ContainsFunc(votes, func(vote Vote) bool { return vote.URL == v.URL })
		if v != nil && !used && nodes[i].isSyncing() {
			servers[nodes[i].server] = true
		}
	}
	return len(servers)
}

// decides reports whether a number of agreeing servers is enough, if a number of servers voted
// and others are lacking. Without lacking servers, a majority of the votes is enough.
func decides(agree, votes, lacking int) bool { return lacking == 0 || 2*agree > votes+lacking }

// codeNoMethod is the JSON-RPC 2.0 code for a method that a server does not have.
const codeNoMethod = -32601

// refusal is a series of answers with which a server refuses the same question.
type refusal struct{ since, last time.Time }

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
	if !known || now.Before(r.last) || now.Sub(r.last) >= outage { // or the clock was set back
		r.since = now
	}
	r.last = now
	if n.refusing == nil {
		n.refusing = make(map[string]refusal)
	}
	n.refusing[about] = r
	return now.Sub(r.since) >= outage
}

// skipUnreached adds the servers that have been unreachable since the start.
func (p *Pool) skipUnreached(answered map[string]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.nodes {
		if n.fault != nil && !n.reached {
			answered[n.server] = true
		}
	}
}

// resting reports which nodes failed so recently that Poll does not wait for them. If all have,
// none of them is resting.
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

// DisagreementError reports that there is no majority for any value.
type DisagreementError struct {
	About   string // for example "the decimals of 0x…"
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

// Agree asks all nodes and returns the answer given by more than half of the servers that
// answer. The result alone reports whether a single server decided while others, which failed
// only recently, did not answer; irreversible actions should wait for them. Two answers are
// equal if key returns equal comparable values for them or, if key is nil, if the answers
// themselves are equal. A server that is the only one configured is trusted. The errors are a
// *DisagreementError and those of Poll.
func (p *Pool) Agree(ctx context.Context, about string, q Question, key func(answer any) any) (answer any, alone bool, err error) {
	if key == nil {
		key = func(answer any) any { return answer }
	}
	votes, lacking, err := p.poll(ctx, q, func(votes []Vote, missing int) bool {
		_, n := largestGroup(votes, key)
		return 2*n > len(votes)+missing
	})
	if err != nil {
		return nil, false, err
	}
	if first, n := largestGroup(votes, key); 2*n > len(votes) {
		return votes[first].Answer, !decides(n, len(votes), lacking), nil
	}
	list := make([]Said, len(votes))
	for i, v := range votes {
		list[i] = Said{v.URL, text.Clip(fmt.Sprint(key(v.Answer)), 100)}
	}
	return nil, false, &DisagreementError{about, list}
}

// ErrAlone means that too few servers answered, while others failed only recently.
var ErrAlone = errors.New("too few servers answer, and others fail")

// Majority is like Agree, but it fails with ErrAlone if too few servers decided, for answers on
// which payments depend.
func (p *Pool) Majority(ctx context.Context, about string, q Question, key func(answer any) any) (any, error) {
	answer, alone, err := p.Agree(ctx, about, q, key)
	if err == nil && alone {
		return nil, fmt.Errorf("%s: %w", about, ErrAlone)
	}
	return answer, err
}

// largestGroup returns the index of the first vote in the largest group of equal votes, and the
// size of the group.
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

// Count counts the answers of servers about one of several items.
type Count struct {
	Same   []int // indexes of the votes with the most frequent answer
	Other  int   // number of servers with another answer
	Absent int   // number of servers that do not have the item
}

// Agreed reports whether more than half of the servers that can answer about the item agree.
func (c Count) Agreed() bool { return len(c.Same) > c.Other+c.Absent }

// Absent is the key of an item that a server does not have, for Tally.
type Absent struct{}

// Tally is like Agree, for a question about several items that are decided separately. A key
// function returns a comparable value for an item in an answer. It returns nil if the server
// cannot answer about the item, and Absent{} if the server does not have the item. An absent
// item decides nothing before all servers have answered, since the server may lack an index.
// The second and later keys are for items on which the previous keys do not agree. Tally
// returns the errors of Poll.
func (p *Pool) Tally(ctx context.Context, q Question, items int, keys ...func(answer any, item int) any) (votes []Vote, counts []Count, alone bool, err error) {
	votes, lacking, err := p.poll(ctx, q, func(votes []Vote, missing int) bool {
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
	counts, alone = make([]Count, items), !decides(len(votes), len(votes), lacking)
	for i := range counts {
		for _, key := range keys {
			if counts[i] = count(votes, i, key); counts[i].Agreed() {
				c := counts[i]
				alone = alone || !decides(len(c.Same), len(c.Same)+c.Other+c.Absent, lacking)
				break
			}
		}
	}
	return votes, counts, alone, nil
}

// Have reports whether more servers have an object in a block than lack it. The argument
// stopped is the number of servers that do not have the block and have had no new block for a
// long time. They do not count, unless they are more than half, in which case the chain itself
// has stopped.
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

// Reached asks all nodes for numbers that only increase, such as nonces, sequences and heights.
// For each number, it returns the highest value that more than half of the answering nodes have
// reached. If nodes differ because some are late or lie, the result is never above the values
// of an honest majority, and not below the lowest of these. Of two nodes, it is the lower
// value, with which a transaction cannot be valid in addition to an earlier one. A node that is
// the only one configured is trusted. The votes are for the caller's errors and limits. Reached
// returns the errors of Poll.
func (p *Pool) Reached(ctx context.Context, q Question, numbers ...func(answer any) *big.Int) (reached []*big.Int, votes []Vote, err error) {
	reached, votes, _, err = p.ReachedAlone(ctx, q, numbers...)
	return reached, votes, err
}

// ReachedAlone is like Reached, and also reports whether too few servers decided, like Agree.
func (p *Pool) ReachedAlone(ctx context.Context, q Question, numbers ...func(answer any) *big.Int) (reached []*big.Int, votes []Vote, alone bool, err error) {
	votes, lacking, err := p.poll(ctx, q, func(votes []Vote, missing int) bool {
		for _, number := range numbers {
			// Missing answers could all be higher, or all be lower, than the present ones.
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
		value, n := nth(votes, number, len(votes), 0), 0
		for _, v := range votes {
			if number(v.Answer).Cmp(value) >= 0 {
				n++
			}
		}
		reached, alone = append(reached, value), alone || !decides(n, len(votes), lacking)
	}
	return reached, votes, alone, nil
}

// nth returns the highest number that more than half of the given number of nodes have reached,
// if the votes of some missing ones are above all others. It returns nil if this is unknown.
func nth(votes []Vote, number func(answer any) *big.Int, nodes, above int) *big.Int {
	numbers := make([]*big.Int, len(votes))
	for i, v := range votes {
		numbers[i] = number(v.Answer)
	}
	sort.Slice(numbers, func(i, j int) bool { return numbers[i].Cmp(numbers[j]) > 0 })
	place := nodes/2 - above // index of the vote that completes the majority
	if place < 0 || place >= len(numbers) {
		return nil
	}
	return numbers[place]
}
