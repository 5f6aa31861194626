package noise

// NewSession returns a session with known keys.
var NewSession = newSession

// Keys returns the first keys of a session.
func Keys(s *Session) (send, receive [32]byte) { return s.send.key, s.receive.key }

// WriteCapacity returns the size of a writer's buffer.
func WriteCapacity(w *Writer) int { return cap(w.buffer) }

// ReadCapacity returns the size of a reader's buffer.
func ReadCapacity(r *Reader) int { return cap(r.buffer) }
