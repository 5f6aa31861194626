package limit

import (
	"container/list"
	"io"
	"sync"
)

// smallBody is the size up to which a body may use the reserve: ordinary calls are
// far smaller. In bytes.
const smallBody = 64 << 10

// Memory limits the bodies and the answers of one port. Unknown clients need no credential to
// send a body, so none may take all of the memory: an address has its share, and a reserve is for
// small ones. Waiting ones make room for new ones, the oldest first: bodies that are not complete,
// those of callers that wait because of a wrong password, and answers that are not read. A client
// that has sent a password has no share, and makes room only for such clients.
type Memory struct {
	share      int64 // of the common memory, for one address
	smallShare int64 // of the reserve, that one address may hold

	mu      sync.Mutex
	common  int64 // bytes left
	reserve int64 // bytes left
	held    map[string]holding
	waiting list.List // of *metered: what makes room, the oldest first
}

// holding counts the bytes that bodies and answers hold of a memory.
type holding struct{ common, reserve int64 }

// NewMemory limits bodies and answers to so many bytes, with body for the longest body. It gives the reserve an
// eighth, and an address a quarter of each part but at least one body.
func NewMemory(bytes, body int64) *Memory {
	reserve := bytes / 8
	return &Memory{
		share: max(bytes/4, body), smallShare: max(reserve/4, smallBody),
		common: bytes - reserve, reserve: reserve, held: map[string]holding{},
	}
}

// Left returns how many bytes are left, less than none while a complete answer overdraws the memory.
func (m *Memory) Left() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.common + m.reserve
}

// take gives a body or an answer n more bytes, or nothing and false. Only a small one gets
// bytes of the reserve.
func (m *Memory) take(b *metered, n int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for !m.fits(b, n) {
		if !m.makeRoom(b, n) {
			return false
		}
	}
	return true
}

// fits takes n more bytes if they are there. It is called with the lock held.
func (m *Memory) fits(b *metered, n int64) bool {
	common, reserve := m.common, m.reserve
	if h := m.held[b.origin]; !b.proven {
		common, reserve = min(common, m.share-h.common), min(reserve, m.smallShare-h.reserve)
	}
	fromCommon := max(0, min(n, common))
	rest := n - fromCommon
	small := b.declared <= smallBody && b.held.common+b.held.reserve+n <= smallBody
	if rest > 0 && (!small || rest > reserve) {
		return false
	}
	common = fromCommon
	m.move(b, holding{common, rest})
	return true
}

// makeRoom closes the connection of the body or answer that has waited longest for its client: of
// the same address, if its share is too small for n bytes more, else of any. Ordinary calls are small
// and wait least, so one of them is closed only where nothing large waits. It is called with the lock
// held.
func (m *Memory) makeRoom(b *metered, n int64) bool {
	same := !b.proven && m.held[b.origin].common+n > m.share
	for _, above := range []int64{smallBody, 0} {
		for e := m.waiting.Front(); e != nil; e = e.Next() {
			victim := e.Value.(*metered)
			if victim == b || victim.held.common+victim.held.reserve <= above || victim.proven && !b.proven || same && victim.origin != b.origin {
				continue
			}
			m.release(victim)
			victim.cut()
			return true
		}
	}
	return false
}

// MaxUnprovenAnswer is how long the answers to a batch may become for a client that has
// shown no password, in bytes: what anybody may ask for is small, or needs no batch.
const MaxUnprovenAnswer = 256 << 10

// mayGrow reports whether more may be added to an answer.
func (m *Memory) mayGrow(b *metered) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return b.proven || b.held.common+b.held.reserve < MaxUnprovenAnswer
}

// send counts a whole answer of n bytes until it is released. A complete answer is always sent:
// without room the memory is overdrawn. cut ends its way to the client.
func (m *Memory) send(b *metered, n int64, cut func()) {
	more := n - b.held.common - b.held.reserve
	fits := m.take(b, more)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !fits {
		m.move(b, holding{common: more})
	}
	m.wait(b, cut)
}

// receive says that a body makes room, until it is given back or received: it is not complete, or
// its caller waits.
func (m *Memory) receive(b *metered, cut func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wait(b, cut)
}

// received says that a body is complete, and its caller's turn has come.
func (m *Memory) received(b *metered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leaveQueue(b)
}

// wait is called with the lock held.
func (m *Memory) wait(b *metered, cut func()) { b.cut, b.place = cut, m.waiting.PushBack(b) }

// leaveQueue is called with the lock held.
func (m *Memory) leaveQueue(b *metered) {
	if b.place != nil {
		m.waiting.Remove(b.place)
		b.place = nil
	}
}

// giveBack takes all that a body or an answer holds.
func (m *Memory) giveBack(b *metered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.release(b)
}

// release is called with the lock held.
func (m *Memory) release(b *metered) {
	m.leaveQueue(b)
	m.move(b, holding{-b.held.common, -b.held.reserve})
}

// move is called with the lock held.
func (m *Memory) move(b *metered, by holding) {
	b.held = b.held.plus(by)
	m.common -= by.common
	m.reserve -= by.reserve
	if !b.proven {
		m.count(b.origin, by)
	}
}

// prove takes what a client holds that has shown a password out of its address's share.
func (m *Memory) prove(b *metered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !b.proven {
		m.count(b.origin, holding{-b.held.common, -b.held.reserve})
		b.proven = true
	}
}

// count is called with the lock held.
func (m *Memory) count(address string, by holding) {
	if h := m.held[address].plus(by); h != (holding{}) {
		m.held[address] = h
	} else {
		delete(m.held, address)
	}
}

func (h holding) plus(o holding) holding {
	return holding{h.common + o.common, h.reserve + o.reserve}
}

// metered counts what it reads, or an answer, against the memory of its port.
type metered struct {
	from     io.Reader
	memory   *Memory
	origin   string
	proven   bool  // the client has shown a password
	declared int64 // length of the whole body, -1: unknown
	held     holding
	cut      func()
	place    *list.Element // among those that wait for their clients
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	if !m.memory.take(m, int64(n)) {
		return 0, ErrBusy // even if it was the last of it
	}
	return n, err
}
