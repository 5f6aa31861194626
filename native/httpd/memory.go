package httpd

import (
	"io"
	"sync"
)

// smallBody is the size up to which a body may use the reserve: ordinary calls are
// far smaller. In bytes.
const smallBody = 64 << 10

// memory is what the bodies of one port may take. Strangers need no credential to send
// one, so none may leave nothing to the others: an address has its share, and a reserve
// is for small bodies alone.
type memory struct {
	share      int64 // of what is common, that one address may hold
	smallShare int64 // of the reserve, that one address may hold

	mu      sync.Mutex
	common  int64 // bytes left
	reserve int64 // bytes left
	held    map[string]holding
}

// holding is what bodies hold of a memory.
type holding struct{ common, reserve int64 }

// newMemory gives the reserve an eighth, and an address a quarter of each part but at
// least one body.
func newMemory(limits Limits) *memory {
	reserve := limits.Memory / 8
	return &memory{
		share: max(limits.Memory/4, limits.Body), smallShare: max(reserve/4, smallBody),
		common: limits.Memory - reserve, reserve: reserve, held: map[string]holding{},
	}
}

// take gives a body n more bytes, or nothing and false. Only a body that stays small
// gets what is not common.
func (m *memory) take(b *metered, n int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.held[b.address]
	common := max(0, min(n, m.common, m.share-h.common))
	rest := n - common
	small := b.declared <= smallBody && b.held.common+b.held.reserve+n <= smallBody
	if rest > 0 && (!small || rest > m.reserve || rest > m.smallShare-h.reserve) {
		return false
	}
	m.move(b, holding{common, rest})
	return true
}

// giveBack takes all that a body holds.
func (m *memory) giveBack(b *metered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.move(b, holding{-b.held.common, -b.held.reserve})
}

// move is called with the lock held.
func (m *memory) move(b *metered, by holding) {
	b.held = b.held.plus(by)
	m.common -= by.common
	m.reserve -= by.reserve
	if h := m.held[b.address].plus(by); h != (holding{}) {
		m.held[b.address] = h
	} else {
		delete(m.held, b.address)
	}
}

func (h holding) plus(o holding) holding {
	return holding{h.common + o.common, h.reserve + o.reserve}
}

// metered counts what it reads against the memory of its port.
type metered struct {
	from     io.Reader
	memory   *memory
	address  string
	declared int64 // length of the whole body, -1: unknown
	held     holding
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	if !m.memory.take(m, int64(n)) {
		return n, errBusy
	}
	return n, err
}
