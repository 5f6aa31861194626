package event

import "obverse/core/metrics"

// Gauges returns the gauges of the hub.
func (h *Hub) Gauges() []metrics.Gauge {
	count := func(counts func(*client) bool) func() float64 {
		return func() float64 { return float64(h.count(counts)) }
	}
	return []metrics.Gauge{
		{Name: "event_streams_open", Help: "Connections on which clients read events.",
			Read: count(func(c *client) bool { return c.connection != nil })},
		{Name: "event_clients_subscribed", Help: "Clients, connected or not, that listen to a streamer.",
			Read: func() float64 { return float64(h.Subscribed()) }},
		{Name: "event_dropped_events_total", Help: "Events that clients were too slow or away too long to get.", Grows: true,
			Read: func() float64 {
				h.mu.Lock()
				defer h.mu.Unlock()
				return float64(h.dropped)
			}},
	}
}

// Subscribed counts the clients, connected or not, that listen to a streamer.
func (h *Hub) Subscribed() int {
	return h.count(func(c *client) bool { return len(c.subscriptions) > 0 })
}

func (h *Hub) count(counts func(*client) bool) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.clients {
		if counts(c) {
			n++
		}
	}
	return n
}
