package event

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// world is a hub with the expected state of its clients.
type world struct {
	t    *testing.T
	now  time.Time
	hub  *Hub
	said int // number of published events
	ends map[uint64]*end
}

// end is the state of a client, and the expected state of it in the hub.
type end struct {
	connection *Connection
	last       uint64 // id of the last received event
	left       time.Time
	known      bool
	subscribed bool
	base       uint64   // id before the first text
	texts      []string // all events since the client became known
}

const (
	worldClients = 3
	worldBuffer  = 5
	worldKeep    = 20 * time.Second
)

func newWorld(t *testing.T) *world {
	w := &world{t: t, now: time.Unix(1_700_000_000, 0), ends: map[uint64]*end{}}
	w.hub = New(Config{Now: func() time.Time { return w.now }, Buffer: worldBuffer, Keep: worldKeep, Clients: worldClients})
	return w
}

// step performs an action with a client.
func (w *world) step(what, who byte) {
	id := uint64(who % worldClients)
	e := w.ends[id]
	if e == nil {
		e = &end{}
		w.ends[id] = e
	}
	switch what % 7 {
	case 0:
		w.connect(id, e)
	case 1:
		if e.connection != nil {
			e.connection.Close()
			e.connection, e.left = nil, w.now
		}
	case 2:
		w.enable(id, e)
	case 3:
		w.said++
		require.NoError(w.t, w.hub.Publish("X", w.said))
		for _, e := range w.ends {
			if e.subscribed {
				e.texts = append(e.texts, x(w.said))
			}
		}
	case 4:
		w.read(e)
	case 5:
		w.pass(time.Duration(who) * 100 * time.Millisecond)
	case 6:
		w.disable(id, e)
	}
}

// pass advances the clock. Clients that are away too long must be forgotten.
func (w *world) pass(d time.Duration) {
	w.now = w.now.Add(d)
	w.hub.work(w.t.Context(), new(sync.WaitGroup))
	for _, e := range w.ends {
		if e.connection == nil && w.now.Sub(e.left) >= worldKeep {
			e.known, e.subscribed = false, false
		}
	}
}

// connect opens a connection that resumes at the client's position.
func (w *world) connect(id uint64, e *end) {
	connection, err := w.hub.TakeOver(id, &e.last)
	require.NoError(w.t, err)
	if e.connection != nil {
		_, _, err := e.connection.poll()
		require.ErrorIs(w.t, err, ErrTakenOver)
	}
	require.Equal(w.t, e.last, connection.Start())
	e.connection = connection
	if !e.known {
		e.known, e.base, e.texts = true, e.last, []string{`{"_type":"ERROR:FORGOTTEN","message":{}}`}
	}
}

func (w *world) enable(id uint64, e *end) {
	switch _, err := w.hub.Enable(id, named("X")); {
	case e.connection == nil:
		require.ErrorIs(w.t, err, ErrUnknownClient)
	case e.subscribed:
		require.ErrorIs(w.t, err, ErrAlreadyListening)
	default:
		require.NoError(w.t, err)
		e.subscribed = true
	}
}

// disable ends the subscription. This also works for clients that are away, until they are
// forgotten.
func (w *world) disable(id uint64, e *end) {
	switch err := w.hub.Disable(id, "X"); {
	case !e.known:
		require.ErrorIs(w.t, err, ErrUnknownClient)
	case !e.subscribed:
		require.ErrorIs(w.t, err, ErrStreamerNotFound)
	default:
		require.NoError(w.t, err)
		e.subscribed = false
	}
}

// read reads all available events, and compares them with the expected ones: all events, or the
// stored ones after a report of the number of lost events.
func (w *world) read(e *end) {
	if e.connection == nil {
		return
	}
	happened := e.base + uint64(len(e.texts))
	if unread := happened - e.last; unread > worldBuffer {
		e.last = happened - worldBuffer
		w.requirePoll(e, Event{e.last, fmt.Sprintf(`{"_type":"ERROR:LAGGED","message":{"dropped":%d}}`, unread-worldBuffer)})
	}
	for e.last < happened {
		e.last++
		w.requirePoll(e, Event{e.last, e.texts[e.last-e.base-1]})
	}
	requireNone(w.t, e.connection)
}

func (w *world) requirePoll(e *end, want Event) {
	got, ok, err := e.connection.poll()
	require.NoError(w.t, err)
	require.True(w.t, ok, "%v does not come", want)
	require.Equal(w.t, want, got)
}

// FuzzHub performs the actions encoded in the bytes. Each action has two bytes.
func FuzzHub(f *testing.F) {
	f.Add([]byte{0, 1, 2, 1, 3, 0, 3, 0, 4, 1, 1, 1, 3, 0, 5, 100, 0, 1, 4, 1})
	f.Add([]byte{0, 1, 2, 1, 3, 0, 3, 0, 3, 0, 3, 0, 3, 0, 3, 0, 3, 0, 4, 1, 5, 255, 4, 1})
	f.Add([]byte{0, 1, 2, 1, 3, 0, 4, 1, 1, 1, 5, 255, 0, 1, 4, 1, 2, 1, 3, 0, 4, 1})
	f.Add([]byte{0, 1, 2, 1, 3, 0, 1, 1, 3, 0, 6, 1, 3, 0, 6, 1, 0, 1, 4, 1, 2, 1, 3, 0, 4, 1, 1, 1, 5, 255, 6, 1})
	f.Fuzz(func(t *testing.T, script []byte) {
		w := newWorld(t)
		for i := 0; i+1 < len(script); i += 2 {
			w.step(script[i], script[i+1])
		}
	})
}

// TestRandomLives performs random actions.
func TestRandomLives(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			dice := rand.New(rand.NewPCG(seed, 1))
			w := newWorld(t)
			for range 300 {
				w.step(byte(dice.Uint32()), byte(dice.Uint32()))
			}
		})
	}
}

// TestHistory compares a history with a plain list.
func TestHistory(t *testing.T) {
	for _, limit := range []int{1, 2, 7} {
		h := history{limit: limit, end: 40}
		require.Equal(t, uint64(41), h.first(), "nothing is there")
		var all []*message
		for n := range 20 {
			m := &message{x(n)}
			all = append(all, m)
			h.add(m)
			stored := all[max(0, len(all)-limit):]
			require.Equal(t, uint64(41+n), h.end)
			require.Equal(t, h.end+1-uint64(len(stored)), h.first())
			for i, want := range stored {
				require.Same(t, want, h.get(h.first()+uint64(i)))
			}
		}
	}
}

// TestSchedule compares a schedule with a list that is searched.
func TestSchedule(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	now := time.Unix(0, 0)
	var s schedule
	done := map[*task]int{}
	var tasks []*task
	for range 2000 {
		switch dice.IntN(4) {
		case 0, 1:
			k := &task{due: now.Add(time.Duration(dice.IntN(100)))}
			if dice.IntN(2) == 0 {
				k.every = time.Duration(1 + dice.IntN(30))
			}
			k.do = func() { done[k]++ }
			s.add(k)
			tasks = append(tasks, k)
		case 2:
			if len(tasks) > 0 {
				n := dice.IntN(len(tasks))
				s.remove(tasks[n])
				s.remove(tasks[n])
				tasks = append(tasks[:n], tasks[n+1:]...)
			}
		case 3:
			now = now.Add(time.Duration(dice.IntN(20)))
			due := map[*task]bool{}
			for _, k := range tasks {
				due[k] = !k.due.After(now)
			}
			clear(done)
			s.run(now)
			wait := idle
			tasks = tasks[:0:0]
			for k, was := range due {
				require.Equal(t, was, done[k] == 1)
				require.LessOrEqual(t, done[k], 1, "once for each look")
				if !was || k.every > 0 {
					tasks = append(tasks, k)
					require.True(t, k.due.After(now))
					wait = min(wait, k.due.Sub(now))
				}
			}
			require.Equal(t, wait, s.wait(now))
			require.Len(t, s.tasks, len(tasks))
		}
	}
	s.remove(nil)
}
