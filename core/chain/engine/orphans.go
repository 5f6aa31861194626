package engine

import (
	"slices"
	"sync"

	"obverse/core/chain/wire"
)

// Limits of the orphans that a node remembers.
const (
	maxOrphans     = 1000
	maxOrphanBytes = 8 << 20
	maxOrphanTries = 60 // then whatever it spends does not come
)

// orphans are transactions that came before those that they spend. A node may hear of a
// transaction while it is a block behind the one that sends it, which sends it once only: had it
// forgotten the refused one, and the others too, no block would be made of it until something
// else happens. The oldest leave for new ones.
type orphans struct {
	mu    sync.Mutex
	queue []*orphan
	bytes int
}

type orphan struct {
	id    wire.Hash
	raw   []byte
	tries int
}

func (o *orphans) add(id wire.Hash, raw []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := o.index(id); i >= 0 {
		if o.queue[i].tries++; o.queue[i].tries >= maxOrphanTries {
			o.drop(i)
		}
		return
	}
	o.queue = append(o.queue, &orphan{id: id, raw: slices.Clone(raw), tries: 1})
	o.bytes += len(raw)
	for len(o.queue) > maxOrphans || o.bytes > maxOrphanBytes {
		o.drop(0)
	}
}

func (o *orphans) remove(id wire.Hash) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := o.index(id); i >= 0 {
		o.drop(i)
	}
}

func (o *orphans) index(id wire.Hash) int {
	return slices.IndexFunc(o.queue, func(e *orphan) bool { return e.id == id })
}

func (o *orphans) drop(i int) {
	o.bytes -= len(o.queue[i].raw)
	o.queue = slices.Delete(o.queue, i, i+1)
}

func (o *orphans) list() [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	raws := make([][]byte, len(o.queue))
	for i, e := range o.queue {
		raws[i] = e.raw
	}
	return raws
}
