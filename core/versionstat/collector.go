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
	// probeTimeout limits the time for one node's answer, as in the P2P layer of Komodo DeFi
	// Framework.
	probeTimeout = 10 * time.Second
	// retryAfter is the pause after the store failed in a round, as in Komodo DeFi Framework.
	retryAfter = 10 * time.Second
	// parallel is the maximum number of nodes that are asked at the same time, since each needs
	// a connection.
	parallel = 64
)

// Probe asks a node for its version.
type Probe interface {
	// Version returns the version of the peer at the address, or "" if the peer has no data. It
	// returns when ctx ends. The text of its error is stored and shown to clients, so it must
	// not contain secrets. Version must be safe for concurrent use.
	Version(ctx context.Context, peer peerid.ID, address string) (string, error)
}

// Config holds the dependencies and settings of a collector.
type Config struct {
	Store  store.KV
	Now    func() time.Time
	Probe  Probe       // nil if this platform cannot ask nodes
	Failed func(error) // called when the store fails in a round; may be nil
}

// Collector holds the list of nodes and their answers. Its methods are safe for concurrent use.
type Collector struct {
	config  Config
	nodes   *table.Table[Node]
	answers *table.Table[stored]
	machine machine
	adding  sync.Mutex // held from counting the nodes until the insertion
	bound   int        // maximum number of answers
	held    int        // number of answers in the store, -1 if not counted yet; used only by Run
}

// New returns a collector, which does nothing until Run is called.
func New(c Config) *Collector {
	if c.Failed == nil {
		c.Failed = func(error) {}
	}
	return &Collector{config: c, nodes: nodeTable(), answers: answerTable(), machine: newMachine(),
		bound: MaxAnswers, held: -1}
}

// Supported reports whether there is a probe.
func (c *Collector) Supported() bool { return c.config.Probe != nil }

// Run collects versions as requested by Start, Update and Stop, until ctx ends. It must be
// called once.
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

// collect makes rounds until the collector is stopped or ctx ends.
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
// last errors would not be errors of the nodes.
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

// ask returns the answers in the order of the nodes. After a halt, it returns only the answers
// of nodes that were asked before.
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
