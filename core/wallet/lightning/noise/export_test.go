package noise

// NewSession makes a session of known keys.
var NewSession = newSession

// Keys are those that a session begins with.
func Keys(s *Session) (send, receive [32]byte) { return s.send.key, s.receive.key }

// KeptToWrite is how large a buffer a writer holds.
func KeptToWrite(w *Writer) int { return cap(w.buffer) }

// Kept is how large a buffer a reader holds.
func Kept(r *Reader) int { return cap(r.buffer) }
