package script

func (m *machine) unary(op byte) error {
	n, err := m.number(1)
	if err != nil {
		return err
	}
	switch op {
	case Op1Add:
		n++
	case Op1Sub:
		n--
	case OpNegate:
		n = -n
	case OpAbs:
		n = max(n, -n)
	case OpNot:
		n = oneIf(n == 0)
	case Op0NotEqual:
		n = oneIf(n != 0)
	}
	m.pop(1)
	m.push(encodeNumber(n))
	return nil
}

func (m *machine) binary(op byte) error {
	a, err := m.number(2)
	if err != nil {
		return err
	}
	b, err := m.number(1)
	if err != nil {
		return err
	}
	m.pop(2)
	if op == OpNumEqualVerify {
		return m.pushResult(a == b, true, ErrNumEqualVerify)
	}
	m.push(encodeNumber(combine(op, a, b)))
	return nil
}

func combine(op byte, a, b int64) int64 {
	switch op {
	case OpAdd:
		return a + b
	case OpSub:
		return a - b
	case OpMin:
		return min(a, b)
	case OpMax:
		return max(a, b)
	}
	return oneIf(compare(op, a, b))
}

func compare(op byte, a, b int64) bool {
	switch op {
	case OpBoolAnd:
		return a != 0 && b != 0
	case OpBoolOr:
		return a != 0 || b != 0
	case OpNumEqual:
		return a == b
	case OpNumNotEqual:
		return a != b
	case OpLessThan:
		return a < b
	case OpGreaterThan:
		return a > b
	case OpLessThanOrEqual:
		return a <= b
	}
	return a >= b // OP_GREATERTHANOREQUAL
}

// within reports whether the third value lies in [second, top).
func (m *machine) within(byte) error {
	var n [3]int64
	for i := range n {
		var err error
		if n[i], err = m.number(len(n) - i); err != nil {
			return err
		}
	}
	m.pop(len(n))
	m.push(encodeBool(n[1] <= n[0] && n[0] < n[2]))
	return nil
}

func oneIf(v bool) int64 {
	if v {
		return 1
	}
	return 0
}
