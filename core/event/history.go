package event

// message is the text of one event, shared by all clients that get it.
type message struct{ text string }

// history is the last events of one client, at most limit of them. Their ids are
// consecutive and end with end.
type history struct {
	limit int
	end   uint64     // id of the last event; before any, where the ids begin
	ring  []*message // grows up to limit
	start int        // place of the oldest in the ring
}

// first returns the id of the oldest event in the history, or end+1 if it is empty.
func (h *history) first() uint64 { return h.end + 1 - uint64(len(h.ring)) }

// get gives the event with an id from first to end.
func (h *history) get(id uint64) *message {
	return h.ring[(h.start+int(id-h.first()))%len(h.ring)]
}

// add keeps an event, in the place of the oldest if it must.
func (h *history) add(m *message) {
	h.end++
	if len(h.ring) < h.limit {
		h.ring = append(h.ring, m)
		return
	}
	h.ring[h.start] = m
	h.start = (h.start + 1) % h.limit
}
