package script

import (
	"errors"

	"obverse/core/chain/wire"
)

// Flags select the rules that a spend must follow in addition to those that always apply, such
// as strict DER signatures (script/interpreter.h).
type Flags uint16

// Flags. P2SH to CLTV correspond to komodod's SCRIPT_VERIFY_*.
const (
	P2SH           Flags = 1 << iota // run the redeem script of a script hash (BIP 16)
	StrictEnc                        // hash types must be defined, and keys compressed or uncompressed
	LowS                             // S must be the lower of the two values
	NullDummy                        // the unused value of a multisig must be empty
	SigPushOnly                      // the scriptSig must contain only pushes
	MinimalData                      // pushes and numbers must have their shortest form
	DiscourageNops                   // OP_NOP1 to OP_NOP10 are not allowed
	CleanStack                       // exactly one value must be left on the stack; requires P2SH
	CLTV                             // OP_CHECKLOCKTIMEVERIFY (BIP 65)
	NoCC                             // the chain has no crypto-conditions (ac_cc=0)
)

// Sets of flags (script/standard.h, main.cpp ConnectBlock).
const (
	// MandatoryFlags are the flags whose violation makes a transaction invalid, with reject
	// code 16. Violations of other flags have code 64.
	MandatoryFlags = P2SH
	// StandardFlags are the flags of the mempool.
	StandardFlags = MandatoryFlags | StrictEnc | MinimalData | NullDummy | DiscourageNops |
		CleanStack | CLTV | LowS
	// BlockFlags are the flags of a block.
	BlockFlags = P2SH | CLTV
)

// Spend is an input of a transaction, with the relevant data of the output that it spends.
// Different inputs may be verified concurrently.
type Spend struct {
	Tx       *wire.Tx
	Index    int        // index of the input
	Amount   int64      // value of the spent output in satoshis; legacy hashes ignore it
	BranchID uint32     // branch id at the height of the block, or at tip+1 in the mempool; legacy hashes ignore it
	Hashes   *SigHashes // hashes of Tx, shared by its inputs; if nil, they are computed for each signature
	Cache    *SigCache  // if nil, every signature is verified

	// Eval evaluates each eval node of a condition, in the order of the fulfillment, after all
	// other checks have passed. If it is nil, every eval code passes.
	Eval func(code []byte) bool
}

// Verify runs the input's scriptSig and then pkScript. The error is an *Error.
func (s *Spend) Verify(pkScript []byte, flags Flags) error {
	var values [8][]byte // enough for the common spends
	m := machine{spend: s, flags: flags, stack: values[:0]}
	if err := m.verify(pkScript); err != nil {
		kind := ErrUnknown
		errors.As(err, &kind)
		return &Error{kind}
	}
	return nil
}

// VerifyRelay is like Verify, for the mempool. The error is a *Rejection. To report whether the
// spend is invalid or only violates policy, it runs the spend again with the mandatory flags.
// Like komodod, it always reports the first run's reason.
func (s *Spend) VerifyRelay(pkScript []byte, flags Flags) error {
	err := s.Verify(pkScript, flags)
	if err == nil {
		return nil
	}
	r := &Rejection{Mandatory: true}
	errors.As(err, &r.Err)
	if mandatory := flags & (MandatoryFlags | NoCC); mandatory != flags {
		r.Mandatory = s.Verify(pkScript, mandatory) != nil
	}
	return r
}

// Pushes runs a scriptSig that contains only pushes, and returns the values on the stack. The
// mempool compares their number with Class.ArgsExpected (AreInputsStandard). The error is an
// *Error.
func Pushes(scriptSig []byte) ([][]byte, error) {
	if !IsPushOnly(scriptSig) {
		return nil, &Error{ErrSigPushOnly}
	}
	var m machine
	if err := m.run(scriptSig); err != nil {
		kind := ErrUnknown
		errors.As(err, &kind)
		return nil, &Error{kind}
	}
	return m.stack, nil
}

func (m *machine) verify(pkScript []byte) error {
	s := m.spend
	if s.Index < 0 || s.Index >= len(s.Tx.Inputs) {
		return ErrUnknown
	}
	scriptSig := s.Tx.Inputs[s.Index].ScriptSig
	if m.flags&SigPushOnly != 0 && !IsPushOnly(scriptSig) {
		return ErrSigPushOnly
	}
	if err := m.runScriptSig(scriptSig, pkScript); err != nil {
		return err
	}
	paysHash := m.flags&P2SH != 0 && isPayToScriptHash(pkScript)
	var pushed [][]byte
	if paysHash {
		pushed = append(pushed, m.stack...)
	}
	if err := m.runToTrue(pkScript); err != nil {
		return err
	}
	if paysHash {
		if err := m.runRedeemScript(scriptSig, pushed); err != nil {
			return err
		}
	}
	if m.flags&CleanStack != 0 && len(m.stack) != 1 {
		return ErrCleanStack
	}
	return nil
}

func (m *machine) runScriptSig(scriptSig, pkScript []byte) error {
	if m.flags&NoCC == 0 && IsPayToCondition(pkScript) {
		return m.pushFulfillment(scriptSig)
	}
	return m.run(scriptSig)
}

// runRedeemScript runs the last pushed value as a script, with the others on the stack.
func (m *machine) runRedeemScript(scriptSig []byte, pushed [][]byte) error {
	if !IsPushOnly(scriptSig) {
		return ErrSigPushOnly
	}
	last := len(pushed) - 1
	m.stack = pushed[:last]
	return m.runToTrue(pushed[last])
}

func (m *machine) runToTrue(script []byte) error {
	if err := m.run(script); err != nil {
		return err
	}
	if len(m.stack) == 0 || !truth(m.top(1)) {
		return ErrEvalFalse
	}
	return nil
}

// machine runs scripts (script/interpreter.cpp EvalScript). The values on its stacks are slices
// of scripts or new slices, and are never modified.
type machine struct {
	spend *Spend
	flags Flags

	script   []byte // the running script, to which its signatures commit
	stack    [][]byte
	alt      [][]byte
	branches []bool // for each OP_IF around the current opcode, true if its branch is executed
	skipping int    // number of those in a branch that is not executed
	ops      int
}

// run runs a script on the stack left by the previous script.
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

// top returns the nth value from the top, counted from 1.
func (m *machine) top(n int) []byte { return m.stack[len(m.stack)-n] }

func (m *machine) pop(n int) { m.stack = m.stack[:len(m.stack)-n] }

// number returns the nth value from the top as a number.
func (m *machine) number(n int) (int64, error) {
	return parseNumber(m.top(n), numberSize, m.flags&MinimalData != 0)
}

// pushResult pushes the result of a check. For an opcode that ends in VERIFY, it pushes nothing
// and returns failure if the check failed.
func (m *machine) pushResult(ok, verify bool, failure Kind) error {
	switch {
	case !verify:
		m.push(encodeBool(ok))
	case !ok:
		return failure
	}
	return nil
}
