package noise

// NewSession makes a session of known keys.
var NewSession = newSession

// Keys are those that a session begins with.
func Keys(s *Session) (send, receive [32]byte) { return s.send.key, s.receive.key }
