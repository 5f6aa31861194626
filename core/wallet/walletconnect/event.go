package walletconnect

import "encoding/json"

// Kind is what happened to a session.
type Kind string

// Kinds of events.
const (
	Settled  Kind = "settled"  // the wallet agreed to it
	Updated  Kind = "updated"  // the wallet changed its accounts, chains or methods
	Extended Kind = "extended" // it expires later
	Ended    Kind = "ended"    // it was deleted here or by the wallet, or has expired
	Emitted  Kind = "emitted"  // the wallet sent an event, such as accountsChanged or chainChanged
)

// Event is something that happened to a session.
type Event struct {
	Topic  string
	Kind   Kind
	Reason error // of Ended

	// What an Emitted event has: the chain, the name, and what the wallet said, in JSON.
	Chain, Name string
	Data        json.RawMessage
}

func (m *Manager) notify(e Event) {
	if m.config.Notify == nil {
		return
	}
	m.telling.Lock()
	defer m.telling.Unlock()
	m.config.Notify(e)
}
