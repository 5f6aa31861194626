package script

// Sizes of the numbers that opcodes take.
const (
	numberSize   = 4 // arithmetic
	lockTimeSize = 5 // OP_CHECKLOCKTIMEVERIFY reaches past the year 2038
)

// parseNumber reads a little-endian number with its sign in the highest bit. If it is longer
// than limit bytes or, with minimal, not in its shortest form, upstream throws an exception
// that becomes ErrUnknown (script/script.h CScriptNum).
func parseNumber(b []byte, limit int, minimal bool) (int64, error) {
	if len(b) > limit || minimal && !isMinimalNumber(b) {
		return 0, ErrUnknown
	}
	return decodeNumber(b), nil
}

func decodeNumber(b []byte) (n int64) {
	if len(b) == 0 {
		return 0
	}
	for i, v := range b {
		n |= int64(v) << (8 * i)
	}
	sign := int64(0x80) << (8 * (len(b) - 1))
	if n&sign != 0 {
		return -(n &^ sign)
	}
	return n
}

// isMinimalNumber refuses a last byte that holds nothing but a sign, unless the
// byte before needs its highest bit for itself.
func isMinimalNumber(b []byte) bool {
	n := len(b)
	if n == 0 || b[n-1]&0x7f != 0 {
		return true
	}
	return n > 1 && b[n-2]&0x80 != 0
}

// encodeNumber is the shortest form of n.
func encodeNumber(n int64) []byte {
	if n == 0 {
		return nil
	}
	magnitude := uint64(n)
	if n < 0 {
		magnitude = -magnitude
	}
	b := make([]byte, 0, 9)
	for v := magnitude; v > 0; v >>= 8 {
		b = append(b, byte(v))
	}
	if b[len(b)-1]&0x80 != 0 {
		b = append(b, 0)
	}
	if n < 0 {
		b[len(b)-1] |= 0x80
	}
	return b
}

// truth is the value as a condition: zero of any length and sign is false.
func truth(b []byte) bool {
	for i, v := range b {
		if v != 0 {
			return !(i == len(b)-1 && v == 0x80)
		}
	}
	return false
}

func encodeBool(v bool) []byte {
	if v {
		return []byte{1}
	}
	return nil
}
