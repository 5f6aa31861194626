package event

import (
	"container/heap"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"obverse/core/clock"
	"obverse/core/guard"
)

// Streamer is something that a client can listen to. Its id names it in requests and
// is the type of its events. Its events come from Periodic or Source, if it
// implements one of them, and else from Hub.Publish.
type Streamer interface {
	ID() string
}

// Periodic sends the same message to each client at that client's own interval, the
// first time after one interval.
type Periodic interface {
	Streamer
	Interval() time.Duration
	Message() any
}

// Source makes events while a stream has listeners. They share it: it starts with the first
// listener, and its context ends with the last one.
type Source interface {
	Streamer
	// Run publishes until ctx ends. If it returns earlier, listeners receive its error as an event
	// "ERROR:" + ID, and Run is called again after a pause. The error's text must be fit for
	// clients.
	Run(ctx context.Context, publish func(message any) error) error
}

// Heartbeat shows a client that its stream is alive.
type Heartbeat struct{ Every time.Duration }

// HeartbeatID is the id of every Heartbeat.
const HeartbeatID = "HEARTBEAT"

// ID implements Streamer.
func (Heartbeat) ID() string { return HeartbeatID }

// Interval implements Periodic.
func (h Heartbeat) Interval() time.Duration { return h.Every }

// Message implements Periodic: nothing.
func (Heartbeat) Message() any { return struct{}{} }

// Once is a Periodic that sends its message to a client a single time, after one interval.
type Once interface {
	Periodic
	Once() bool
}

// Network publishes the peers of the order network, here an empty list: once, or with
// Always at each interval.
type Network struct {
	Every  time.Duration
	Always bool
}

// NetworkID is the id of every Network.
const NetworkID = "NETWORK"

// ID implements Streamer.
func (Network) ID() string { return NetworkID }

// Interval implements Periodic.
func (n Network) Interval() time.Duration { return n.Every }

// Once implements Once: what there is never changes.
func (n Network) Once() bool { return !n.Always }

// Message implements Periodic.
func (Network) Message() any {
	type none map[string]struct{}
	return struct {
		Connected  none     `json:"directly_connected_peers"`
		Mesh       none     `json:"gossip_mesh"`
		PeerTopics none     `json:"gossip_peer_topics"`
		TopicPeers none     `json:"gossip_topic_peers"`
		Relays     []string `json:"relay_mesh"`
	}{none{}, none{}, none{}, none{}, []string{}}
}

// Shutdown announces the end of the node, through Hub.Publish.
type Shutdown struct{}

// ShutdownID is the id of Shutdown. Its message is the name of the signal that ends the node, or
// stop when a client does.
const ShutdownID = "SHUTDOWN_SIGNAL"

// ID implements Streamer.
func (Shutdown) ID() string { return ShutdownID }

// maxID bounds the length of a streamer id in bytes.
const maxID = 256

// CheckID gives ErrStreamerID unless id is the name of a streamer, of this node or of
// another one: a word, or a word with what it is about.
func CheckID(id string) error {
	word, about, has := strings.Cut(id, ":")
	ok := false
	switch word {
	case NetworkID, HeartbeatID, ShutdownID, "SWAP_STATUS", "ORDER_STATUS":
		ok = !has
	case "TASK":
		_, err := strconv.ParseUint(about, 10, 64)
		ok = err == nil
	case "BALANCE", "TX_HISTORY", "FEE_ESTIMATION", "DATA_NEEDED", "ORDERBOOK_UPDATE":
		ok = about != ""
	}
	if !ok || len(id) > maxID {
		return ErrStreamerID
	}
	return nil
}

// stream is a streamer with listeners.
type stream struct {
	id        string
	listeners map[uint64]*client
	beat      *message // of a Periodic
	source    Source   // nil: none
	cancel    context.CancelFunc
}

// subscription is a client's part in a stream.
type subscription struct {
	stream *stream
	beat   *task // nil: not periodic
}

// Enable subscribes a client that is connected and returns the id of the streamer,
// or ErrUnknownClient, or ErrAlreadyListening.
func (h *Hub) Enable(client uint64, s Streamer) (streamerID string, err error) {
	id := s.ID()
	periodic, isPeriodic := s.(Periodic)
	if isPeriodic && periodic.Interval() <= 0 {
		return "", ErrInterval
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.clients[client]
	if c == nil || c.connection == nil {
		return "", ErrUnknownClient
	}
	if _, listens := c.subscriptions[id]; listens {
		return "", ErrAlreadyListening
	}
	joined, err := h.stream(s)
	if err != nil {
		return "", err
	}
	sub := subscription{stream: joined}
	if isPeriodic {
		sub.beat = &task{due: h.config.Now().Add(periodic.Interval()), every: periodic.Interval(), do: func() { c.send(joined.beat) }}
		if once, is := s.(Once); is && once.Once() {
			sub.beat.every = 0
		}
		h.schedule.add(sub.beat)
	}
	joined.listeners[client] = c
	c.subscriptions[id] = sub
	h.soon()
	return id, nil
}

// stream finds the stream of a streamer or begins it.
func (h *Hub) stream(s Streamer) (*stream, error) {
	if running := h.streams[s.ID()]; running != nil {
		return running, nil
	}
	begun := &stream{id: s.ID(), listeners: map[uint64]*client{}}
	if p, ok := s.(Periodic); ok {
		beat, err := encode(begun.id, p.Message())
		if err != nil {
			return nil, err
		}
		begun.beat = beat
	}
	if source, ok := s.(Source); ok {
		begun.source = source
		h.begun = append(h.begun, begun)
	}
	h.streams[begun.id] = begun
	return begun, nil
}

// Disable ends the subscription of a client, also while it is away. Its errors are
// ErrUnknownClient, of a client that was never there or is forgotten, and
// ErrStreamerNotFound.
func (h *Hub) Disable(client uint64, streamerID string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.clients[client]
	if c == nil {
		return ErrUnknownClient
	}
	s, listens := c.subscriptions[streamerID]
	if !listens {
		return ErrStreamerNotFound
	}
	h.unsubscribe(c, s)
	return nil
}

// unsubscribe takes a client out of a stream, which ends with its last listener.
func (h *Hub) unsubscribe(c *client, s subscription) {
	h.schedule.remove(s.beat)
	delete(c.subscriptions, s.stream.id)
	delete(s.stream.listeners, c.id)
	if len(s.stream.listeners) > 0 {
		return
	}
	delete(h.streams, s.stream.id)
	if s.stream.cancel != nil {
		s.stream.cancel()
	}
}

// Publish sends a message to all listeners of a streamer. It encodes the message once, and not
// at all without listeners.
func (h *Hub) Publish(streamerID string, message any) error {
	h.mu.Lock()
	s := h.streams[streamerID]
	h.mu.Unlock()
	return h.publish(s, streamerID, message)
}

// publish sends to the listeners of a stream, unless it has ended; a nil stream has no listeners.
func (h *Hub) publish(s *stream, typ string, message any) error {
	if s == nil {
		return nil
	}
	m, err := encode(typ, message)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range s.listeners {
		c.send(m)
	}
	return nil
}

// send adds an event to the client's queue.
func (c *client) send(m *message) {
	c.history.add(m)
	if c.connection != nil {
		c.connection.signal()
	}
}

func encode(typ string, content any) (*message, error) {
	text, err := json.Marshal(struct {
		Type    string `json:"_type"`
		Message any    `json:"message"`
	}{typ, content})
	if err != nil {
		return nil, fmt.Errorf("encode an event of %s: %w", typ, err)
	}
	return &message{string(text)}, nil
}

// Pauses between two runs of a source that fails: each twice as long as the one
// before, until it has published something.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// sourceFailed is the message of a source's error.
type sourceFailed struct {
	Error string `json:"error"`
}

// runSource starts the source of a stream, unless it has no listeners any more.
func (h *Hub) runSource(ctx context.Context, s *stream, sources *sync.WaitGroup) {
	if len(s.listeners) == 0 {
		return
	}
	ctx, s.cancel = context.WithCancel(ctx)
	sources.Go(func() { h.keepRunning(ctx, s) })
}

// keepRunning runs a source until its context ends.
func (h *Hub) keepRunning(ctx context.Context, s *stream) {
	pause := firstPause
	for ctx.Err() == nil {
		err := guard.Do(ctx, "the source of a stream", func() error {
			return s.source.Run(ctx, func(message any) error {
				pause = firstPause
				return h.publish(s, s.id, message)
			})
		})
		if ctx.Err() != nil {
			return
		}
		failed := sourceFailed{"the source has ended"}
		if err != nil {
			failed.Error = err.Error()
		}
		_ = h.publish(s, "ERROR:"+s.id, failed) // it can be encoded
		_ = clock.Sleep(ctx, pause)             // the loop looks at ctx
		pause = min(2*pause, lastPause)
	}
}

// task is something to do at a time, once or again and again.
type task struct {
	due   time.Time
	every time.Duration // 0: once
	do    func()
	place int // in the heap; -1: in none
}

// schedule is a heap of tasks, the earliest first.
type schedule struct{ tasks taskHeap }

func (s *schedule) add(t *task) { heap.Push(&s.tasks, t) }

// remove takes a task out; nil and tasks that are done are no matter.
func (s *schedule) remove(t *task) {
	if t != nil && t.place >= 0 {
		heap.Remove(&s.tasks, t.place)
	}
}

// run runs the due tasks. A repeated task keeps its rhythm; times that passed during sleep are
// skipped.
func (s *schedule) run(now time.Time) {
	for len(s.tasks) > 0 && !s.tasks[0].due.After(now) {
		t := s.tasks[0]
		if t.every == 0 {
			heap.Pop(&s.tasks)
		} else {
			if t.due = t.due.Add(t.every); !t.due.After(now) {
				t.due = now.Add(t.every)
			}
			heap.Fix(&s.tasks, 0)
		}
		t.do()
	}
}

// wait returns how long nothing is due.
func (s *schedule) wait(now time.Time) time.Duration {
	if len(s.tasks) == 0 {
		return idle
	}
	return s.tasks[0].due.Sub(now)
}

// taskHeap implements heap.Interface; tasks know their places.
type taskHeap []*task

func (h taskHeap) Len() int           { return len(h) }
func (h taskHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }

func (h taskHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push implements heap.Interface.
func (h *taskHeap) Push(x any) {
	t := x.(*task)
	t.place = len(*h)
	*h = append(*h, t)
}

// Pop implements heap.Interface.
func (h *taskHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	t.place = -1
	return t
}
