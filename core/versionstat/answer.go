package versionstat

import (
	"context"
	"fmt"

	"obverse/core/store/table"
)

// MaxAnswers is the maximum number of answers that are kept, of all nodes together. The newest
// are kept. For ten nodes and an interval of an hour that is more than a year.
const MaxAnswers = 100_000

// Answer is a node's answer in one round. Without Version and Error, the node reported that it
// has no data.
type Answer struct {
	Name      string `json:"name"` // name of the node when it was asked
	Version   string `json:"version"`
	Timestamp uint64 `json:"timestamp"` // seconds since 1970, the same for all answers of a round
	Error     string `json:"error"`     // the reason if there is no version
}

// stored is an answer with the number of its round. The number distinguishes rounds with equal
// times, after the clock was set back.
type stored struct {
	Answer
	Round uint64 `json:"round"`
}

func (s stored) key() string { return table.Down(s.Timestamp) + table.Down(s.Round) + s.Name }

const (
	byTime = "time" // newest first: time, round, name
	byName = "name" // name, then time and round, newest first
)

func answerTable() *table.Table[stored] {
	return table.New(table.Spec[stored]{
		Prefix: "N/stat/answer/",
		Key:    table.Index[stored]{Name: byTime, Value: stored.key},
		Sorted: []table.Index[stored]{{Name: byName, Value: func(s stored) string {
			return table.Text(s.Name) + table.Down(s.Timestamp)
		}}},
	})
}

// keep stores the answers of a round in one step, and deletes the oldest answers if there are
// too many.
func (c *Collector) keep(ctx context.Context, answers []Answer) error {
	if err := c.count(ctx); err != nil {
		return err
	}
	err := table.Change(ctx, c.config.Store, func(tx *table.Tx) error {
		round, err := c.answers.NextID(ctx, tx)
		for i := 0; i < len(answers) && err == nil; i++ {
			err = c.answers.Insert(ctx, tx, stored{answers[i], round})
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("store the answers of a round: %w", err)
	}
	c.held += len(answers)
	// Finding the oldest answers iterates over all others, so a few too many are tolerated.
	if c.held <= c.bound+c.bound/16 {
		return nil
	}
	return c.prune(ctx)
}

// count counts the answers in the store, unless their number is known.
func (c *Collector) count(ctx context.Context) (err error) {
	if c.held >= 0 {
		return nil
	}
	n, err := c.answers.Count(ctx, c.config.Store, table.Range{Index: byTime})
	if err != nil {
		return fmt.Errorf("count the answers: %w", err)
	}
	c.held = n
	return nil
}

// prune deletes all answers but the newest.
func (c *Collector) prune(ctx context.Context) error {
	old, err := c.answers.List(ctx, c.config.Store, table.Range{Index: byTime, Offset: c.bound})
	if err != nil {
		return fmt.Errorf("find the oldest answers: %w", err)
	}
	err = table.Change(ctx, c.config.Store, func(tx *table.Tx) error {
		for _, s := range old {
			if _, err := c.answers.Delete(ctx, tx, s.key()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("delete the oldest answers: %w", err)
	}
	c.held -= len(old)
	return nil
}

// Query selects answers.
type Query struct {
	Name     *string // name of the node; nil for all nodes
	From, To uint64  // seconds since 1970, inclusive; 0 and math.MaxUint64 mean no limit
	Limit    int     // number of answers on a page, at least 1
	Page     int     // number of the page, from 1
}

// Stats returns a page of the answers that q selects, the newest first, and the number of all
// answers that it selects. A round that is stored meanwhile may be included in only one of the
// two results.
func (c *Collector) Stats(ctx context.Context, q Query) (page []Answer, total int, err error) {
	r := q.span()
	if total, err = c.answers.Count(ctx, c.config.Store, r); err != nil {
		return nil, 0, err
	}
	// A larger page number would overflow, and such a page is empty anyway.
	r.Limit, r.Offset = q.Limit, min(q.Page-1, 2*MaxAnswers)*q.Limit
	rows, err := c.answers.List(ctx, c.config.Store, r)
	if err != nil {
		return nil, 0, err
	}
	page = make([]Answer, len(rows))
	for i, row := range rows {
		page[i] = row.Answer
	}
	return page, total, nil
}

// span returns the range of an index that the query selects, in which later times come first.
func (q Query) span() table.Range {
	r := table.Range{Index: byTime}
	prefix := ""
	if q.Name != nil {
		prefix = table.Text(*q.Name)
		r = table.Prefixed(byName, prefix)
	}
	r.From = prefix + table.Down(q.To)
	if q.From > 0 {
		r.To = prefix + table.Down(q.From-1)
	}
	return r
}
