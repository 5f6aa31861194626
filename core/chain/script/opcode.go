package script

// Opcodes, named as upstream without the OP_ prefix (script/script.h). Bytes 0x01
// to 0x4b push that many of the bytes that follow.
const (
	Op0         = 0x00
	OpPushData1 = 0x4c
	OpPushData2 = 0x4d
	OpPushData4 = 0x4e
	Op1Negate   = 0x4f
	OpReserved  = 0x50
	Op1         = 0x51
	Op16        = 0x60

	OpNop      = 0x61
	OpVer      = 0x62
	OpIf       = 0x63
	OpNotIf    = 0x64
	OpVerIf    = 0x65
	OpVerNotIf = 0x66
	OpElse     = 0x67
	OpEndIf    = 0x68
	OpVerify   = 0x69
	OpReturn   = 0x6a

	OpToAltStack   = 0x6b
	OpFromAltStack = 0x6c
	Op2Drop        = 0x6d
	Op2Dup         = 0x6e
	Op3Dup         = 0x6f
	Op2Over        = 0x70
	Op2Rot         = 0x71
	Op2Swap        = 0x72
	OpIfDup        = 0x73
	OpDepth        = 0x74
	OpDrop         = 0x75
	OpDup          = 0x76
	OpNip          = 0x77
	OpOver         = 0x78
	OpPick         = 0x79
	OpRoll         = 0x7a
	OpRot          = 0x7b
	OpSwap         = 0x7c
	OpTuck         = 0x7d

	OpCat         = 0x7e
	OpSubstr      = 0x7f
	OpLeft        = 0x80
	OpRight       = 0x81
	OpSize        = 0x82
	OpInvert      = 0x83
	OpAnd         = 0x84
	OpOr          = 0x85
	OpXor         = 0x86
	OpEqual       = 0x87
	OpEqualVerify = 0x88
	OpReserved1   = 0x89
	OpReserved2   = 0x8a

	Op1Add               = 0x8b
	Op1Sub               = 0x8c
	Op2Mul               = 0x8d
	Op2Div               = 0x8e
	OpNegate             = 0x8f
	OpAbs                = 0x90
	OpNot                = 0x91
	Op0NotEqual          = 0x92
	OpAdd                = 0x93
	OpSub                = 0x94
	OpMul                = 0x95
	OpDiv                = 0x96
	OpMod                = 0x97
	OpLShift             = 0x98
	OpRShift             = 0x99
	OpBoolAnd            = 0x9a
	OpBoolOr             = 0x9b
	OpNumEqual           = 0x9c
	OpNumEqualVerify     = 0x9d
	OpNumNotEqual        = 0x9e
	OpLessThan           = 0x9f
	OpGreaterThan        = 0xa0
	OpLessThanOrEqual    = 0xa1
	OpGreaterThanOrEqual = 0xa2
	OpMin                = 0xa3
	OpMax                = 0xa4
	OpWithin             = 0xa5

	OpRipemd160           = 0xa6
	OpSHA1                = 0xa7
	OpSHA256              = 0xa8
	OpHash160             = 0xa9
	OpHash256             = 0xaa
	OpCodeSeparator       = 0xab
	OpCheckSig            = 0xac
	OpCheckSigVerify      = 0xad
	OpCheckMultiSig       = 0xae
	OpCheckMultiSigVerify = 0xaf

	OpNop1                = 0xb0
	OpCheckLockTimeVerify = 0xb1 // shown as OP_NOP2
	OpNop3                = 0xb2
	OpNop10               = 0xb9

	OpCheckCryptoCondition       = 0xcc
	OpCheckCryptoConditionVerify = 0xcd

	OpInvalid = 0xff // what the iterator shows for a push past the end
)

// operation describes one opcode to the interpreter.
type operation struct {
	name  string
	needs int                        // values the stack must hold
	run   func(*machine, byte) error // nil: not understood
}

// OpName is upstream's name of an opcode as asm shows it: "0", "-1" and "1" to
// "16" for the small numbers, "OP_UNKNOWN" for bytes without a name
// (script/script.cpp GetOpName).
func OpName(op byte) string {
	if name := operations[op].name; name != "" {
		return name
	}
	return "OP_UNKNOWN"
}

// isDisabled reports whether the opcode fails a script even where it is skipped. Zcash added
// OP_CODESEPARATOR to Bitcoin's list.
func isDisabled(op byte) bool {
	switch op {
	case OpCat, OpSubstr, OpLeft, OpRight, OpInvert, OpAnd, OpOr, OpXor,
		Op2Mul, Op2Div, OpMul, OpDiv, OpMod, OpLShift, OpRShift, OpCodeSeparator:
		return true
	}
	return false
}
