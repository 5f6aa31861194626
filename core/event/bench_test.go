package event

import (
	"testing"
	"time"
)

// BenchmarkHeartbeats measures one second with a thousand clients that each receive one
// heartbeat.
func BenchmarkHeartbeats(b *testing.B) {
	now := time.Unix(1_700_000_000, 0)
	h := New(Config{Now: func() time.Time { return now }})
	for id := range uint64(1000) {
		if _, err := h.Connect(id, nil); err != nil {
			b.Fatal(err)
		}
		if _, err := h.Enable(id, Heartbeat{time.Second}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Second)
		h.work(b.Context(), nil)
	}
}
