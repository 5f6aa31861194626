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

// Streamer is a source of events to which clients can subscribe. Its id is its name in requests
// and the type of its events. If it implements Periodic or Source, that interface provides its
// events; otherwise they come from Hub.Publish.
type Streamer interface {
	ID() string
}

// Periodic sends the same message to each client at an interval that the client chooses,
// starting after one interval.
type Periodic interface {
	Streamer
	Interval() time.Duration
	Message() any
}

// Source makes events while a stream has listeners. All listeners share it: it starts with the
// first listener, and its context ends with the last one.
type Source interface {
	Streamer
	// Run publishes until ctx ends. If it returns earlier, listeners receive its error as an
	// event "ERROR:" + ID, and Run is called again after a pause. The error's text must be
	// suitable for clients.
	Run(ctx context.Context, publish func(message any) error) error
}

// Heartbeat is a streamer that shows clients that the stream is alive.
type Heartbeat struct{ Every time.Duration }

// HeartbeatID is the id of every Heartbeat.
const HeartbeatID = "HEARTBEAT"

// ID implements Streamer.
func (Heartbeat) ID() string { return HeartbeatID }

// Interval implements Periodic.
func (h Heartbeat) Interval() time.Duration { return h.Every }

// Message implements Periodic. The message is empty.
func (Heartbeat) Message() any { return struct{}{} }

// Once is a Periodic that can send its message to a client a single time, after one interval.
type Once interface {
	Periodic
	Once() bool
}

// Network is a streamer that sends the peers of the order network, which is an empty list here.
// It sends the list once or, if Always is set, at each interval.
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

// Once implements Once. The list never changes.
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

// Shutdown is a streamer that announces the end of the node. Its events come from Hub.Publish.
type Shutdown struct{}

// ShutdownID is the id of Shutdown. Its message is the name of the signal that ends the node,
// or "stop" if a client ends it.
const ShutdownID = "SHUTDOWN_SIGNAL"

// ID implements Streamer.
func (Shutdown) ID() string { return ShutdownID }

// maxID limits the length of a streamer id in bytes.
const maxID = 256

// CheckID returns ErrStreamerID unless id is the name of a streamer of this node or of Komodo
// DeFi Framework: a word, which may be followed by a colon and the subject of the stream.
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
	beat      *message // message of a Periodic
	source    Source   // nil if the streamer is not a Source
	cancel    context.CancelFunc
}

// subscription is a client's subscription to a stream.
type subscription struct {
	stream *stream
	beat   *task // nil if the streamer is not periodic
}

// Enable subscribes a connected client to a streamer, and returns the streamer's id. It returns
// ErrUnknownClient if the client is not connected, and ErrAlreadyListening if it is already
// subscribed.
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

// stream returns the stream of a streamer, creating it if necessary.
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

// Disable ends a client's subscription, even while the client is away. It returns
// ErrUnknownClient if the client has never connected or was forgotten, and ErrStreamerNotFound
// if it is not subscribed.
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

// unsubscribe removes a client from a stream. The stream ends with its last listener.
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

// publish sends a message to the listeners of a stream, unless the stream has ended. A nil
// stream has no listeners.
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

// Delays between two runs of a source that fails. Each delay is twice as long as the previous
// one, until the source publishes an event.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// sourceFailed is the message that reports a source's error.
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
		_ = h.publish(s, "ERROR:"+s.id, failed) // a string can always be encoded
		_ = clock.Sleep(ctx, pause)             // the loop checks ctx
		pause = min(2*pause, lastPause)
	}
}

// task is an action at a time, which may be repeated.
type task struct {
	due   time.Time
	every time.Duration // 0 if the task is not repeated
	do    func()
	place int // index in the heap; -1 if it is not in the heap
}

// schedule is a heap of tasks, ordered by their due times.
type schedule struct{ tasks taskHeap }

func (s *schedule) add(t *task) { heap.Push(&s.tasks, t) }

// remove removes a task. It ignores nil and tasks that have been completed.
func (s *schedule) remove(t *task) {
	if t != nil && t.place >= 0 {
		heap.Remove(&s.tasks, t.place)
	}
}

// run runs the due tasks. A repeated task keeps its interval; due times that passed while the
// machine was asleep are skipped.
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

// wait returns the time until the next task is due.
func (s *schedule) wait(now time.Time) time.Duration {
	if len(s.tasks) == 0 {
		return idle
	}
	return s.tasks[0].due.Sub(now)
}

// taskHeap implements heap.Interface. Each task stores its index.
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
