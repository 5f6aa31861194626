package script

import "math"

// lockTimeThreshold parts lock times that are heights from those that are seconds
// since 1970.
const lockTimeThreshold = 500_000_000

func (m *machine) smallNumber(op byte) error {
	m.push(encodeNumber(int64(op) - Op1 + 1))
	return nil
}

func (m *machine) nop(byte) error { return nil }

func (m *machine) upgradableNop(byte) error {
	if m.flags&DiscourageNops != 0 {
		return ErrDiscourageNops
	}
	return nil
}

func (m *machine) opIf(op byte) error {
	runs := false
	if m.skipping == 0 {
		if len(m.stack) == 0 {
			return ErrUnbalancedConditional
		}
		runs = truth(m.top(1)) == (op == OpIf)
		m.pop(1)
	}
	m.branches = append(m.branches, runs)
	if !runs {
		m.skipping++
	}
	return nil
}

func (m *machine) opElse(byte) error {
	last := len(m.branches) - 1
	if last < 0 {
		return ErrUnbalancedConditional
	}
	m.branches[last] = !m.branches[last]
	if m.branches[last] {
		m.skipping--
	} else {
		m.skipping++
	}
	return nil
}

func (m *machine) opEndIf(byte) error {
	last := len(m.branches) - 1
	if last < 0 {
		return ErrUnbalancedConditional
	}
	if !m.branches[last] {
		m.skipping--
	}
	m.branches = m.branches[:last]
	return nil
}

func (m *machine) opVerify(byte) error {
	if !truth(m.top(1)) {
		return ErrVerify
	}
	m.pop(1)
	return nil
}

func (m *machine) opReturn(byte) error { return ErrOpReturn }

// checkLockTime fails unless the transaction cannot be in a block before the
// time on the stack, which it leaves there (BIP 65).
func (m *machine) checkLockTime(op byte) error {
	if m.flags&CLTV == 0 {
		return m.upgradableNop(op)
	}
	if len(m.stack) == 0 {
		return ErrInvalidStack
	}
	lock, err := parseNumber(m.top(1), lockTimeSize, m.flags&MinimalData != 0)
	if err != nil {
		return err
	}
	tx := m.spend.Tx
	have := int64(tx.LockTime)
	switch {
	case lock < 0:
		return ErrNegativeLockTime
	case (lock < lockTimeThreshold) != (have < lockTimeThreshold), lock > have,
		tx.Inputs[m.spend.Index].Sequence == math.MaxUint32:
		return ErrUnsatisfiedLockTime
	}
	return nil
}
