package limit

import (
	"io"
	"sync/atomic"
)

// Request is the share of the limits that one request holds. While the request waits for its client, its
// connection, its body and its answer make room for others. One goroutine calls Begin, Receive, Received, Start, Done, Send
// and End in this order, and Wait between Start and Done. Any goroutine may call Prove and Grow.
type Request struct {
	conn    *Conn   // nil: the request came without a connection
	in, out metered // its body and its answer
	slot    slot
	proven  atomic.Bool
	working bool // the connection waits for the server
}

// Begin starts to count a request of an origin over a connection. length is the length of its body, or -1
// if the length is unknown. proven reports whether the client has shown a password before.
func (r *Request) Begin(m *Memory, c *Conn, origin string, length int64, proven bool) {
	r.conn = c
	r.in = metered{memory: m, origin: origin, declared: length, proven: proven}
	r.out = metered{memory: m, origin: origin, declared: -1, proven: proven}
	r.proven.Store(proven)
}

// Receive marks that the body is incomplete, or that its caller waits. The body can make room until Received.
func (r *Request) Receive() { r.in.memory.receive(&r.in, r.conn.cut) }

// Body returns a reader that counts the bytes of the body. It fails with ErrBusy if there is no memory left.
func (r *Request) Body(from io.Reader) io.Reader {
	r.in.from = from
	return &r.in
}

// Received marks that the body is complete and its call can run.
func (r *Request) Received() { r.in.memory.received(&r.in) }

// Start waits for a slot of w. There are few slots for batches of clients that have shown no password.
func (r *Request) Start(w *Work, batch bool) error {
	if err := r.slot.acquire(w, batch && !r.Proven()); err != nil {
		return err
	}
	if r.working = r.conn.Work(); !r.working {
		return ErrDropped
	}
	return nil
}

// Wait calls wait while the request has no slot, and its connection and its body make room
// for others.
func (r *Request) Wait(wait func() error) error {
	r.slot.release()
	r.conn.Wait()
	r.Receive()
	err := wait()
	r.Received()
	stays := r.conn.Work()
	r.slot.reacquire()
	if err == nil && !stays {
		return ErrDropped
	}
	return err
}

// Prove records that the client has shown a password.
func (r *Request) Prove() {
	r.proven.Store(true)
	r.conn.Prove()
	r.in.memory.prove(&r.in)
	r.out.memory.prove(&r.out)
	r.slot.markAuthenticated()
}

// Proven reports whether the client has shown a password.
func (r *Request) Proven() bool { return r.proven.Load() }

// Grow counts the bytes by which an answer has grown, and reports whether the answer may continue to grow.
func (r *Request) Grow(bytes int) bool {
	return r.out.memory.take(&r.out, int64(bytes)) && r.out.memory.mayGrow(&r.out)
}

// Done releases the slot and the memory of the body. Call it before the answer is written to the client,
// which may read slowly.
func (r *Request) Done() {
	if r.working {
		r.working = false
		r.conn.Wait()
	}
	r.slot.release()
	r.in.memory.giveBack(&r.in)
}

// Send counts a whole answer until End.
func (r *Request) Send(bytes int) { r.out.memory.send(&r.out, int64(bytes), r.conn.cut) }

// End releases the memory of the answer.
func (r *Request) End() { r.out.memory.giveBack(&r.out) }
