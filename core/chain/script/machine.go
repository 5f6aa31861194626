package script

// machine runs scripts (script/interpreter.cpp EvalScript). Values on its stacks
// are parts of scripts or of their own, and are never written to.
type machine struct {
	spend *Spend
	flags Flags

	script   []byte // the one running: what signatures in it commit to
	stack    [][]byte
	alt      [][]byte
	branches []bool // the OP_IFs around the current opcode: whether each runs
	skipping int    // how many of them do not
	ops      int
}

// run runs one script on the stack that the one before left.
func (m *machine) run(script []byte) error {
	if len(script) > MaxScriptSize {
		return ErrScriptSize
	}
	m.script, m.alt, m.branches, m.skipping, m.ops = script, nil, nil, 0, 0
	it := Iterate(script)
	for it.Next() {
		if err := m.step(it.Op, it.Data); err != nil {
			return err
		}
	}
	switch {
	case it.Bad():
		return ErrBadOpcode
	case len(m.branches) > 0:
		return ErrUnbalancedConditional
	}
	return nil
}

func (m *machine) step(op byte, data []byte) error {
	if len(data) > MaxPushSize {
		return ErrPushSize
	}
	if op > Op16 {
		if m.ops++; m.ops > MaxOps {
			return ErrOpCount
		}
	}
	if isDisabled(op) {
		return ErrDisabledOpcode
	}
	if err := m.execute(op, data); err != nil {
		return err
	}
	if len(m.stack)+len(m.alt) > MaxStackSize {
		return ErrStackSize
	}
	return nil
}

func (m *machine) execute(op byte, data []byte) error {
	running := m.skipping == 0
	if op <= OpPushData4 {
		if running {
			return m.pushData(op, data)
		}
		return nil
	}
	if !running && (op < OpIf || op > OpEndIf) {
		return nil
	}
	operation := &operations[op]
	if operation.run == nil {
		return ErrBadOpcode
	}
	if len(m.stack) < operation.needs {
		return ErrInvalidStack
	}
	return operation.run(m, op)
}

func (m *machine) pushData(op byte, data []byte) error {
	if m.flags&MinimalData != 0 && !MinimalPush(op, data) {
		return ErrMinimalData
	}
	m.push(data)
	return nil
}

func (m *machine) push(values ...[]byte) { m.stack = append(m.stack, values...) }

// top is the nth value from the top, from 1.
func (m *machine) top(n int) []byte { return m.stack[len(m.stack)-n] }

func (m *machine) pop(n int) { m.stack = m.stack[:len(m.stack)-n] }

// number is the nth value from the top as a number.
func (m *machine) number(n int) (int64, error) {
	return parseNumber(m.top(n), numberSize, m.flags&MinimalData != 0)
}

// pushResult pushes what a check found, or for a check that ends in VERIFY fails
// with failure unless it held.
func (m *machine) pushResult(ok, verify bool, failure Kind) error {
	switch {
	case !verify:
		m.push(encodeBool(ok))
	case !ok:
		return failure
	}
	return nil
}
