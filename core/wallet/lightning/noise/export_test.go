package noise

// NewSession makes a session of known keys.
var NewSession = newSession

// Keys returns the first keys of a session.
func Keys(s *Session) (send, receive [32]byte) { return s.send.key, s.receive.key }

// KeptToWrite is how large a buffer a writer holds.
func WriteCapacity(w *Writer) int { return cap(w.buffer) }

// Kept is how large a buffer a reader holds.
func ReadCapacity(r *Reader) int { return cap(r.buffer) }
