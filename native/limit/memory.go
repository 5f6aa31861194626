package limit

import (
	"container/list"
	"io"
	"sync"
)

// smallBody is the size, in bytes, up to which a body may use the reserve. Bodies of ordinary calls are
// far smaller.
const smallBody = 64 << 10

// Memory limits the memory of the bodies and answers of one port. A client needs no credential to
// send a body, so no client may take all of the memory: each address has a share, and a reserve is for
// small bodies. Bodies and answers that wait make room for new ones, the oldest first. These are incomplete bodies,
// bodies of callers that wait because of a wrong password, and answers that are not read. A client
// that has sent a password is not limited to a share, and makes room only for other such clients.
type Memory struct {
	share      int64 // of the common memory, for one address
	smallShare int64 // of the reserve, that one address may hold

	mu      sync.Mutex
	common  int64 // bytes left
	reserve int64 // bytes left
	held    map[string]holding
	waiting list.List // of *metered: bodies and answers that can make room, the oldest first
}

// holding counts the bytes that bodies and answers hold of a memory.
type holding struct{ common, reserve int64 }

// NewMemory limits bodies and answers to the given bytes; body is the size of the longest body. The reserve is an
// eighth, and the share of an address is a quarter of each part, but at least one body.
func NewMemory(bytes, body int64) *Memory {
	reserve := bytes / 8
	return &Memory{
		share: max(bytes/4, body), smallShare: max(reserve/4, smallBody),
		common: bytes - reserve, reserve: reserve, held: map[string]holding{},
	}
}

// Left returns the number of free bytes. It is negative while a complete answer exceeds the memory.
func (m *Memory) Left() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.common + m.reserve
}

// take reserves n more bytes for a body or an answer, and reports whether it has done so. Only a small
// body or answer gets bytes of the reserve.
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

// fits reserves n more bytes if they are free. The lock must be held.
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

// makeRoom closes the connection of the body or answer that has waited longest for its client: one of
// the same address if the share of the address is too small for n more bytes, otherwise any. Ordinary calls are small
// and wait least, so one of them is closed only if nothing large waits. The lock must be
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

// MaxUnprovenAnswer limits the answers to a batch of a client that has
// shown no password, in bytes. Public methods have small answers, or need no batch.
const MaxUnprovenAnswer = 256 << 10

// mayGrow reports whether more may be added to an answer.
func (m *Memory) mayGrow(b *metered) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return b.proven || b.held.common+b.held.reserve < MaxUnprovenAnswer
}

// send counts a whole answer of n bytes until it is released. A complete answer is always sent, even
// if it exceeds the memory. cut closes the connection to the client.
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

// receive marks that a body can make room, because it is incomplete or its caller
// waits, until received or giveBack.
func (m *Memory) receive(b *metered, cut func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wait(b, cut)
}

// received marks that a body is complete and its call can run.
func (m *Memory) received(b *metered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leaveQueue(b)
}

// wait adds b to the bodies and answers that can make room. The lock must be held.
func (m *Memory) wait(b *metered, cut func()) { b.cut, b.place = cut, m.waiting.PushBack(b) }

// leaveQueue removes b from those that can make room. The lock must be held.
func (m *Memory) leaveQueue(b *metered) {
	if b.place != nil {
		m.waiting.Remove(b.place)
		b.place = nil
	}
}

// giveBack releases all memory of a body or an answer.
func (m *Memory) giveBack(b *metered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.release(b)
}

// release frees the bytes of b. The lock must be held.
func (m *Memory) release(b *metered) {
	m.leaveQueue(b)
	m.move(b, holding{-b.held.common, -b.held.reserve})
}

// move adds bytes to the holding of b. The lock must be held.
func (m *Memory) move(b *metered, by holding) {
	b.held = b.held.plus(by)
	m.common -= by.common
	m.reserve -= by.reserve
	if !b.proven {
		m.count(b.origin, by)
	}
}

// prove removes the memory of a client that has sent a password from the share of its address.
func (m *Memory) prove(b *metered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !b.proven {
		m.count(b.origin, holding{-b.held.common, -b.held.reserve})
		b.proven = true
	}
}

// count adds to the bytes of an address. The lock must be held.
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

// metered counts the bytes of a body while it is read, or those of an answer, against the memory of its port.
type metered struct {
	from     io.Reader
	memory   *Memory
	origin   string
	proven   bool  // the client has shown a password
	declared int64 // length of the whole body, -1: unknown
	held     holding
	cut      func()
	place    *list.Element // in Memory.waiting
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	if !m.memory.take(m, int64(n)) {
		return 0, ErrBusy // also for the last bytes of the body
	}
	return n, err
}
