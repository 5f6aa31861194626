package script

import "bytes"

func (m *machine) toAlt(byte) error {
	m.alt = append(m.alt, m.top(1))
	m.pop(1)
	return nil
}

func (m *machine) fromAlt(byte) error {
	last := len(m.alt) - 1
	if last < 0 {
		return ErrInvalidAltStack
	}
	m.push(m.alt[last])
	m.alt = m.alt[:last]
	return nil
}

func (m *machine) drop(byte) error {
	m.pop(1)
	return nil
}

func (m *machine) drop2(byte) error {
	m.pop(2)
	return nil
}

func (m *machine) dup(byte) error {
	m.push(m.top(1))
	return nil
}

func (m *machine) dup2(byte) error {
	m.push(m.top(2), m.top(1))
	return nil
}

func (m *machine) dup3(byte) error {
	m.push(m.top(3), m.top(2), m.top(1))
	return nil
}

func (m *machine) ifDup(byte) error {
	if truth(m.top(1)) {
		m.push(m.top(1))
	}
	return nil
}

func (m *machine) depth(byte) error {
	m.push(encodeNumber(int64(len(m.stack))))
	return nil
}

func (m *machine) over(byte) error {
	m.push(m.top(2))
	return nil
}

func (m *machine) over2(byte) error {
	m.push(m.top(4), m.top(3))
	return nil
}

// nip removes the second value from the top.
func (m *machine) nip(byte) error {
	m.take(2)
	return nil
}

// pick copies (OP_PICK) or moves (OP_ROLL) to the top the value that lies as deep
// as the top value says.
func (m *machine) pick(op byte) error {
	n, err := m.number(1)
	if err != nil {
		return err
	}
	m.pop(1)
	if n < 0 || n >= int64(len(m.stack)) {
		return ErrInvalidStack
	}
	if op == OpRoll {
		m.push(m.take(int(n) + 1))
	} else {
		m.push(m.top(int(n) + 1))
	}
	return nil
}

func (m *machine) rot(byte) error {
	m.push(m.take(3))
	return nil
}

func (m *machine) rot2(byte) error {
	m.push(m.take(6), m.take(5))
	return nil
}

func (m *machine) swap(byte) error {
	m.push(m.take(2))
	return nil
}

func (m *machine) swap2(byte) error {
	m.push(m.take(4), m.take(3))
	return nil
}

// tuck copies the top value below the second.
func (m *machine) tuck(byte) error {
	m.push(m.take(2), m.top(1))
	return nil
}

// take removes the nth value from the top, from 1, and returns it.
func (m *machine) take(n int) []byte {
	i := len(m.stack) - n
	v := m.stack[i]
	m.stack = append(m.stack[:i], m.stack[i+1:]...)
	return v
}

func (m *machine) size(byte) error {
	m.push(encodeNumber(int64(len(m.top(1)))))
	return nil
}

func (m *machine) equal(op byte) error {
	same := bytes.Equal(m.top(2), m.top(1))
	m.pop(2)
	return m.pushResult(same, op == OpEqualVerify, ErrEqualVerify)
}
