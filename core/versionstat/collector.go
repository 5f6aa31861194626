package versionstat

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"obverse/core/guard"
	"obverse/core/net/peerid"
	"obverse/core/store"
	"obverse/core/store/table"
	"obverse/core/text"
)

const (
	// probeTimeout limits the time for one node's answer, as in upstream's P2P layer.
	probeTimeout = 10 * time.Second
	// retryAfter is the wait when the store fails in a round, as upstream's.
	retryAfter = 10 * time.Second
	// parallel is how many nodes are asked at a time: each costs a connection.
	parallel = 64
)

// Probe asks a node for its version.
type Probe interface {
	// Version returns what the peer at the address answers, "" if it has no data. It
	// ends when ctx does. The text of its error is kept and shown to clients: it holds
	// no secrets. It is called from many goroutines.
	Version(ctx context.Context, peer peerid.ID, address string) (string, error)
}

// Config holds the dependencies and settings of a collector.
type Config struct {
	Store  store.KV
	Now    func() time.Time
	Probe  Probe       // nil means this platform cannot ask nodes
	Failed func(error) // called when the store fails a round; may be nil
}

// Collector keeps the list of nodes and their answers. Its methods may be called by
// several goroutines.
type Collector struct {
	config  Config
	nodes   *table.Table[Node]
	answers *table.Table[stored]
	machine machine
	adding  sync.Mutex // keeps the count of nodes true until the insertion
	bound   int        // answers to keep
	held    int        // answers in the store, -1: not counted yet; Run's alone
}

// New makes a collector, which does nothing before Run.
func New(c Config) *Collector {
	if c.Failed == nil {
		c.Failed = func(error) {}
	}
	return &Collector{config: c, nodes: nodeTable(), answers: answerTable(), machine: newMachine(),
		bound: MaxAnswers, held: -1}
}

// Supported reports whether there is a probe.
func (c *Collector) Supported() bool { return c.config.Probe != nil }

// Run does the collecting that Start, Update and Stop ask for, until ctx ends.
// It must run once.
func (c *Collector) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.machine.started:
			c.collect(ctx)
		}
	}
}

// collect makes rounds until the machine or ctx ends them.
func (c *Collector) collect(ctx context.Context) {
	for ctx.Err() == nil {
		interval, halt, more := c.machine.round()
		if !more {
			return
		}
		if err := c.round(ctx, halt); err != nil && ctx.Err() == nil {
			c.config.Failed(fmt.Errorf("collect versions: %w", err))
			interval = retryAfter
		}
		wait(ctx, interval, halt)
	}
}

func wait(ctx context.Context, d time.Duration, halt <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-halt:
	case <-timer.C:
	}
}

// round asks every node and stores the answers. A round that ctx ends is not stored, since its
// last errors would not be the nodes'.
func (c *Collector) round(ctx context.Context, halt <-chan struct{}) error {
	nodes, err := c.list(ctx)
	if err != nil {
		return err
	}
	answers := c.ask(ctx, nodes, halt)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	now := c.config.Now().Unix()
	for i := range answers {
		answers[i].Timestamp = uint64(max(now, 0))
	}
	return c.keep(ctx, answers)
}

// ask returns the answers of the nodes in their order: of all, or of those that were
// asked before the halt.
func (c *Collector) ask(ctx context.Context, nodes []Node, halt <-chan struct{}) []Answer {
	answers := make([]Answer, len(nodes))
	var next atomic.Int64 // index of the next node to ask
	var workers sync.WaitGroup
	for range min(parallel, len(nodes)) {
		workers.Go(func() {
			for ctx.Err() == nil && !closed(halt) {
				i := next.Add(1) - 1
				if i >= int64(len(nodes)) {
					return
				}
				answers[i] = c.askOne(ctx, nodes[i])
			}
		})
	}
	workers.Wait()
	return answers[:min(next.Load(), int64(len(nodes)))]
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (c *Collector) askOne(ctx context.Context, n Node) Answer {
	a := Answer{Name: n.Name}
	peer, err := peerid.Parse(n.PeerID)
	if err == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, probeTimeout)
		defer cancel()
		var version string
		err = guard.Do(ctx, "asking a node for its version", func() (err error) {
			version, err = c.config.Probe.Version(ctx, peer, n.Address)
			return err
		})
		a.Version = clip(version)
	}
	if err != nil {
		a.Version, a.Error = "", clip(err.Error())
	}
	return a
}

func clip(s string) string { return text.Line(s, MaxText) }
