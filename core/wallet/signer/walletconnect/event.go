package walletconnect

import "encoding/json"

// Kind is the type of a session event.
type Kind string

// Kinds of events.
const (
	Settled  Kind = "settled"  // the wallet approved the session
	Updated  Kind = "updated"  // the wallet changed its accounts, chains or methods
	Extended Kind = "extended" // its expiry was extended
	Ended    Kind = "ended"    // it was deleted here or by the wallet, or has expired
	Emitted  Kind = "emitted"  // the wallet sent an event, such as accountsChanged or chainChanged
)

// Event is an event of a session.
type Event struct {
	Topic  string
	Kind   Kind
	Reason error // set for Ended

	// Set for Emitted: chain, event name, and the wallet's JSON data.
	Chain, Name string
	Data        json.RawMessage
}

func (m *Manager) notify(e Event) {
	if m.config.Notify == nil {
		return
	}
	m.notifying.Lock()
	defer m.notifying.Unlock()
	m.config.Notify(e)
}
