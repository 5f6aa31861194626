package script

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// Opcodes with komodod's names, without the prefix OP_ (script/script.h). The bytes 0x01 to
// 0x4b push the given number of bytes that follow.
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
	OpCheckLockTimeVerify = 0xb1 // komodod's name is OP_NOP2
	OpNop3                = 0xb2
	OpNop10               = 0xb9

	OpCheckCryptoCondition       = 0xcc
	OpCheckCryptoConditionVerify = 0xcd

	OpInvalid = 0xff // set by the iterator for a push that exceeds the script
)

// operation describes an opcode for the interpreter.
type operation struct {
	name  string
	needs int                        // minimum number of values on the stack
	run   func(*machine, byte) error // nil for an unsupported opcode
}

// OpName returns komodod's name of an opcode, as used in asm texts: "0", "-1" and "1" to "16"
// for the small numbers, and "OP_UNKNOWN" for bytes without a name (script/script.cpp
// GetOpName).
func OpName(op byte) string {
	if name := operations[op].name; name != "" {
		return name
	}
	return "OP_UNKNOWN"
}

// isDisabled reports whether the opcode makes a script fail even if it is not executed. Zcash
// added OP_CODESEPARATOR to Bitcoin's list.
func isDisabled(op byte) bool {
	switch op {
	case OpCat, OpSubstr, OpLeft, OpRight, OpInvert, OpAnd, OpOr, OpXor,
		Op2Mul, Op2Div, OpMul, OpDiv, OpMod, OpLShift, OpRShift, OpCodeSeparator:
		return true
	}
	return false
}

// operations is indexed by opcode. Opcodes that are handled elsewhere or always fail have no
// run function. The table is never modified.
var operations = [256]operation{
	Op0:                          {"0", 0, nil},
	OpPushData1:                  {"OP_PUSHDATA1", 0, nil},
	OpPushData2:                  {"OP_PUSHDATA2", 0, nil},
	OpPushData4:                  {"OP_PUSHDATA4", 0, nil},
	Op1Negate:                    {"-1", 0, (*machine).smallNumber},
	OpReserved:                   {"OP_RESERVED", 0, nil},
	Op1:                          {"1", 0, (*machine).smallNumber},
	Op1 + 1:                      {"2", 0, (*machine).smallNumber},
	Op1 + 2:                      {"3", 0, (*machine).smallNumber},
	Op1 + 3:                      {"4", 0, (*machine).smallNumber},
	Op1 + 4:                      {"5", 0, (*machine).smallNumber},
	Op1 + 5:                      {"6", 0, (*machine).smallNumber},
	Op1 + 6:                      {"7", 0, (*machine).smallNumber},
	Op1 + 7:                      {"8", 0, (*machine).smallNumber},
	Op1 + 8:                      {"9", 0, (*machine).smallNumber},
	Op1 + 9:                      {"10", 0, (*machine).smallNumber},
	Op1 + 10:                     {"11", 0, (*machine).smallNumber},
	Op1 + 11:                     {"12", 0, (*machine).smallNumber},
	Op1 + 12:                     {"13", 0, (*machine).smallNumber},
	Op1 + 13:                     {"14", 0, (*machine).smallNumber},
	Op1 + 14:                     {"15", 0, (*machine).smallNumber},
	Op16:                         {"16", 0, (*machine).smallNumber},
	OpNop:                        {"OP_NOP", 0, (*machine).nop},
	OpVer:                        {"OP_VER", 0, nil},
	OpIf:                         {"OP_IF", 0, (*machine).opIf},
	OpNotIf:                      {"OP_NOTIF", 0, (*machine).opIf},
	OpVerIf:                      {"OP_VERIF", 0, nil},
	OpVerNotIf:                   {"OP_VERNOTIF", 0, nil},
	OpElse:                       {"OP_ELSE", 0, (*machine).opElse},
	OpEndIf:                      {"OP_ENDIF", 0, (*machine).opEndIf},
	OpVerify:                     {"OP_VERIFY", 1, (*machine).opVerify},
	OpReturn:                     {"OP_RETURN", 0, (*machine).opReturn},
	OpToAltStack:                 {"OP_TOALTSTACK", 1, (*machine).toAlt},
	OpFromAltStack:               {"OP_FROMALTSTACK", 0, (*machine).fromAlt},
	Op2Drop:                      {"OP_2DROP", 2, (*machine).drop2},
	Op2Dup:                       {"OP_2DUP", 2, (*machine).dup2},
	Op3Dup:                       {"OP_3DUP", 3, (*machine).dup3},
	Op2Over:                      {"OP_2OVER", 4, (*machine).over2},
	Op2Rot:                       {"OP_2ROT", 6, (*machine).rot2},
	Op2Swap:                      {"OP_2SWAP", 4, (*machine).swap2},
	OpIfDup:                      {"OP_IFDUP", 1, (*machine).ifDup},
	OpDepth:                      {"OP_DEPTH", 0, (*machine).depth},
	OpDrop:                       {"OP_DROP", 1, (*machine).drop},
	OpDup:                        {"OP_DUP", 1, (*machine).dup},
	OpNip:                        {"OP_NIP", 2, (*machine).nip},
	OpOver:                       {"OP_OVER", 2, (*machine).over},
	OpPick:                       {"OP_PICK", 2, (*machine).pick},
	OpRoll:                       {"OP_ROLL", 2, (*machine).pick},
	OpRot:                        {"OP_ROT", 3, (*machine).rot},
	OpSwap:                       {"OP_SWAP", 2, (*machine).swap},
	OpTuck:                       {"OP_TUCK", 2, (*machine).tuck},
	OpCat:                        {"OP_CAT", 0, nil},
	OpSubstr:                     {"OP_SUBSTR", 0, nil},
	OpLeft:                       {"OP_LEFT", 0, nil},
	OpRight:                      {"OP_RIGHT", 0, nil},
	OpSize:                       {"OP_SIZE", 1, (*machine).size},
	OpInvert:                     {"OP_INVERT", 0, nil},
	OpAnd:                        {"OP_AND", 0, nil},
	OpOr:                         {"OP_OR", 0, nil},
	OpXor:                        {"OP_XOR", 0, nil},
	OpEqual:                      {"OP_EQUAL", 2, (*machine).equal},
	OpEqualVerify:                {"OP_EQUALVERIFY", 2, (*machine).equal},
	OpReserved1:                  {"OP_RESERVED1", 0, nil},
	OpReserved2:                  {"OP_RESERVED2", 0, nil},
	Op1Add:                       {"OP_1ADD", 1, (*machine).unary},
	Op1Sub:                       {"OP_1SUB", 1, (*machine).unary},
	Op2Mul:                       {"OP_2MUL", 0, nil},
	Op2Div:                       {"OP_2DIV", 0, nil},
	OpNegate:                     {"OP_NEGATE", 1, (*machine).unary},
	OpAbs:                        {"OP_ABS", 1, (*machine).unary},
	OpNot:                        {"OP_NOT", 1, (*machine).unary},
	Op0NotEqual:                  {"OP_0NOTEQUAL", 1, (*machine).unary},
	OpAdd:                        {"OP_ADD", 2, (*machine).binary},
	OpSub:                        {"OP_SUB", 2, (*machine).binary},
	OpMul:                        {"OP_MUL", 0, nil},
	OpDiv:                        {"OP_DIV", 0, nil},
	OpMod:                        {"OP_MOD", 0, nil},
	OpLShift:                     {"OP_LSHIFT", 0, nil},
	OpRShift:                     {"OP_RSHIFT", 0, nil},
	OpBoolAnd:                    {"OP_BOOLAND", 2, (*machine).binary},
	OpBoolOr:                     {"OP_BOOLOR", 2, (*machine).binary},
	OpNumEqual:                   {"OP_NUMEQUAL", 2, (*machine).binary},
	OpNumEqualVerify:             {"OP_NUMEQUALVERIFY", 2, (*machine).binary},
	OpNumNotEqual:                {"OP_NUMNOTEQUAL", 2, (*machine).binary},
	OpLessThan:                   {"OP_LESSTHAN", 2, (*machine).binary},
	OpGreaterThan:                {"OP_GREATERTHAN", 2, (*machine).binary},
	OpLessThanOrEqual:            {"OP_LESSTHANOREQUAL", 2, (*machine).binary},
	OpGreaterThanOrEqual:         {"OP_GREATERTHANOREQUAL", 2, (*machine).binary},
	OpMin:                        {"OP_MIN", 2, (*machine).binary},
	OpMax:                        {"OP_MAX", 2, (*machine).binary},
	OpWithin:                     {"OP_WITHIN", 3, (*machine).within},
	OpRipemd160:                  {"OP_RIPEMD160", 1, (*machine).hash},
	OpSHA1:                       {"OP_SHA1", 1, (*machine).hash},
	OpSHA256:                     {"OP_SHA256", 1, (*machine).hash},
	OpHash160:                    {"OP_HASH160", 1, (*machine).hash},
	OpHash256:                    {"OP_HASH256", 1, (*machine).hash},
	OpCodeSeparator:              {"OP_CODESEPARATOR", 0, nil},
	OpCheckSig:                   {"OP_CHECKSIG", 2, (*machine).checkSig},
	OpCheckSigVerify:             {"OP_CHECKSIGVERIFY", 2, (*machine).checkSig},
	OpCheckMultiSig:              {"OP_CHECKMULTISIG", 1, (*machine).checkMultiSig},
	OpCheckMultiSigVerify:        {"OP_CHECKMULTISIGVERIFY", 1, (*machine).checkMultiSig},
	OpNop1:                       {"OP_NOP1", 0, (*machine).upgradableNop},
	OpCheckLockTimeVerify:        {"OP_NOP2", 0, (*machine).checkLockTime},
	OpNop3:                       {"OP_NOP3", 0, (*machine).upgradableNop},
	OpNop3 + 1:                   {"OP_NOP4", 0, (*machine).upgradableNop},
	OpNop3 + 2:                   {"OP_NOP5", 0, (*machine).upgradableNop},
	OpNop3 + 3:                   {"OP_NOP6", 0, (*machine).upgradableNop},
	OpNop3 + 4:                   {"OP_NOP7", 0, (*machine).upgradableNop},
	OpNop3 + 5:                   {"OP_NOP8", 0, (*machine).upgradableNop},
	OpNop3 + 6:                   {"OP_NOP9", 0, (*machine).upgradableNop},
	OpNop10:                      {"OP_NOP10", 0, (*machine).upgradableNop},
	OpCheckCryptoCondition:       {"OP_CHECKCRYPTOCONDITION", 0, (*machine).checkCondition},
	OpCheckCryptoConditionVerify: {"OP_CHECKCRYPTOCONDITIONVERIFY", 0, (*machine).checkCondition},
	OpInvalid:                    {"OP_INVALIDOPCODE", 0, nil},
}

// Disasm returns the asm text of a script in the format of RPC answers (core_write.cpp
// ScriptToAsmStr): values of up to 4 bytes as signed decimals, longer ones as hex, opcodes by
// name, and "[error]" for a push that exceeds the script. With isScriptSig a value that is a
// strict DER signature with a defined hash type is followed by the type's name, as in
// "30440220…[ALL]".
func Disasm(script []byte, isScriptSig bool) string {
	var out strings.Builder
	out.Grow(2*len(script) + 16)
	showTypes := isScriptSig && !IsUnspendable(script)
	it := Iterate(script)
	for it.Next() {
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(asm(it.Op, it.Data, showTypes))
	}
	if it.Bad() {
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		out.WriteString("[error]")
	}
	return out.String()
}

func asm(op byte, data []byte, showTypes bool) string {
	if op > OpPushData4 {
		return OpName(op)
	}
	if len(data) <= numberSize {
		return strconv.FormatInt(decodeNumber(data), 10)
	}
	if showTypes && checkSignatureEncoding(data, StrictEnc) == nil {
		last := len(data) - 1
		return hex.EncodeToString(data[:last]) + "[" + hashTypeName(data[last]) + "]"
	}
	return hex.EncodeToString(data)
}

func hashTypeName(hashType byte) string {
	name := "ALL"
	switch hashType &^ SigHashAnyoneCanPay {
	case SigHashNone:
		name = "NONE"
	case SigHashSingle:
		name = "SINGLE"
	}
	if hashType&SigHashAnyoneCanPay != 0 {
		name += "|ANYONECANPAY"
	}
	return name
}
