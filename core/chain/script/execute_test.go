package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// programs lists pairs of scriptSig and pkScript without signatures. If want is nil, the
// scripts must succeed.
var programs = []struct {
	name, sig, pk string
	flags         Flags
	want          error
}{
	{"one", "", "1", 0, nil},
	{"zero", "", "0", 0, ErrEvalFalse},
	{"nothing", "", "", 0, ErrEvalFalse},
	{"negative zero", "", "0x0180", 0, ErrEvalFalse},
	{"long negative zero", "", "0x03000080", 0, ErrEvalFalse},
	{"trailing zero byte", "", "0x020100", 0, nil},

	{"small numbers", "", "-1 1ADD 0 EQUALVERIFY 16 0x0110 EQUAL", 0, nil},
	{"pushdata 1", "", "0x4c0107 7 EQUAL", 0, nil},
	{"pushdata 2", "", "0x4d010007 7 EQUAL", 0, nil},
	{"pushdata 4", "", "0x4e0100000007 7 EQUAL", 0, nil},
	{"minimal push", "", "0x4c0107 7 EQUAL", MinimalData, ErrMinimalData},
	{"minimal push not run", "", "0 IF 0x4c0107 ENDIF 1", MinimalData, nil},
	{"minimal empty push", "", "0x4c00 DROP 1", MinimalData, ErrMinimalData},
	{"push past the end", "", "1 0x02ff", 0, ErrBadOpcode},
	{"push past the end, not run", "", "1 0 IF 0x4cff", 0, ErrBadOpcode},
	{"pushdata 1 cut", "", "1 0x4c", 0, ErrBadOpcode},
	{"pushdata 4 huge", "", "1 0x4effffffff", 0, ErrBadOpcode},

	{"reserved", "", "RESERVED", 0, ErrBadOpcode},
	{"reserved not run", "", "1 0 IF RESERVED VER ENDIF", 0, nil},
	{"verif not run", "", "1 0 IF VERIF ENDIF", 0, ErrBadOpcode},
	{"vernotif", "", "1 VERNOTIF", 0, ErrBadOpcode},
	{"unknown opcode", "", "1 0xba", 0, ErrBadOpcode},
	{"unknown opcode not run", "", "1 0 IF 0xba ENDIF", 0, nil},
	{"nop", "", "1 NOP", DiscourageNops, nil},
	{"nop1", "", "1 NOP1 NOP10", 0, nil},
	{"nop1 discouraged", "", "1 NOP1", DiscourageNops, ErrDiscourageNops},
	{"nop10 discouraged", "", "1 NOP10", DiscourageNops, ErrDiscourageNops},
	{"nop not run", "", "0 IF NOP4 ENDIF 1", DiscourageNops, nil},
	{"return", "", "1 RETURN", 0, ErrOpReturn},
	{"return not run", "", "1 0 IF RETURN ENDIF", 0, nil},

	{"if", "1", "IF 1 ELSE 0 ENDIF", 0, nil},
	{"else", "0", "IF 0 ELSE 1 ENDIF", 0, nil},
	{"notif", "0", "NOTIF 1 ELSE 0 ENDIF", 0, nil},
	{"many elses", "1", "IF 1 ELSE RETURN ELSE 1 ENDIF", 0, nil},
	{"nested in what does not run", "0", "IF 1 IF 0 ELSE 0 ENDIF RETURN ELSE 1 ENDIF", 0, nil},
	{"nested", "1 1", "IF IF 1 ELSE 0 ENDIF ENDIF", 0, nil},
	{"if of nothing", "", "IF ENDIF 1", 0, ErrUnbalancedConditional},
	{"no endif", "", "1 1 IF", 0, ErrUnbalancedConditional},
	{"lone else", "", "1 ELSE", 0, ErrUnbalancedConditional},
	{"lone endif", "", "1 ENDIF", 0, ErrUnbalancedConditional},
	{"if across scripts", "1 IF 1", "ENDIF", 0, ErrUnbalancedConditional},
	{"verify", "", "1 1 VERIFY", 0, nil},
	{"verify false", "", "1 0 VERIFY", 0, ErrVerify},
	{"verify nothing", "", "VERIFY", 0, ErrInvalidStack},

	{"alt stack", "", "7 TOALTSTACK 1 DROP FROMALTSTACK 7 EQUAL", 0, nil},
	{"alt stack empty", "", "1 FROMALTSTACK", 0, ErrInvalidAltStack},
	{"alt stack across scripts", "1 TOALTSTACK", "FROMALTSTACK", 0, ErrInvalidAltStack},
	{"2drop", "", "1 2 3 2DROP DEPTH 1 EQUALVERIFY", 0, nil},
	{"2dup", "1 2", "2DUP 2 EQUALVERIFY 1 EQUALVERIFY 2 EQUALVERIFY", 0, nil},
	{"3dup", "1 2 3", "3DUP 3 EQUALVERIFY 2 EQUALVERIFY 1 EQUALVERIFY 3 EQUAL", 0, nil},
	{"2over", "1 2 3 4", "2OVER 2 EQUALVERIFY 1 EQUALVERIFY 4 EQUAL", 0, nil},
	{"2rot", "1 2 3 4 5 6", "2ROT 2 EQUALVERIFY 1 EQUALVERIFY 6 EQUALVERIFY 5 EQUALVERIFY 4 EQUAL", 0, nil},
	{"2swap", "1 2 3 4", "2SWAP 2 EQUALVERIFY 1 EQUALVERIFY 4 EQUALVERIFY 3 EQUAL", 0, nil},
	{"ifdup", "5", "IFDUP 5 EQUALVERIFY 5 EQUAL", 0, nil},
	{"ifdup of zero", "0", "IFDUP DEPTH 1 EQUALVERIFY 0 EQUAL", 0, nil},
	{"depth", "4 4 4", "DEPTH 3 EQUAL", 0, nil},
	{"dup", "5", "DUP 5 EQUALVERIFY 5 EQUAL", 0, nil},
	{"nip", "1 2", "NIP 2 EQUALVERIFY DEPTH 0 EQUAL", 0, nil},
	{"over", "1 2", "OVER 1 EQUALVERIFY 2 EQUALVERIFY 1 EQUAL", 0, nil},
	{"pick", "7 8 9", "2 PICK 7 EQUALVERIFY 9 EQUALVERIFY 8 EQUAL", 0, nil},
	{"roll", "7 8 9", "2 ROLL 7 EQUALVERIFY 9 EQUALVERIFY 8 EQUALVERIFY DEPTH 0 EQUAL", 0, nil},
	{"pick too deep", "7", "1 PICK", 0, ErrInvalidStack},
	{"roll negative", "7", "-1 ROLL", 0, ErrInvalidStack},
	{"pick long number", "7", "0x050000000000 PICK", 0, ErrUnknown},
	{"rot", "1 2 3", "ROT 1 EQUALVERIFY 3 EQUALVERIFY 2 EQUAL", 0, nil},
	{"swap", "1 2", "SWAP 1 EQUALVERIFY 2 EQUAL", 0, nil},
	{"tuck", "1 2", "TUCK 2 EQUALVERIFY 1 EQUALVERIFY 2 EQUAL", 0, nil},
	{"size", "'abc'", "SIZE 3 EQUALVERIFY 'abc' EQUAL", 0, nil},
	{"equal of numbers is by bytes", "", "1 0x020100 EQUAL", 0, ErrEvalFalse},
	{"equalverify", "", "1 1 2 EQUALVERIFY", 0, ErrEqualVerify},

	{"1add 1sub", "", "5 1ADD 6 EQUALVERIFY -5 1SUB -6 EQUAL", 0, nil},
	{"negate abs", "", "5 NEGATE -5 EQUALVERIFY -5 ABS 5 EQUAL", 0, nil},
	{"not", "", "0 NOT VERIFY 2 NOT 0 EQUAL", 0, nil},
	{"0notequal", "", "0 0NOTEQUAL 0 EQUALVERIFY 7 0NOTEQUAL 1 EQUAL", 0, nil},
	{"add", "", "2147483647 2147483647 ADD 4294967294 EQUAL", 0, nil},
	{"sum too long to add again", "", "2147483647 1 ADD 1 ADD", 0, ErrUnknown},
	{"1add of a long number", "", "0x050000000000 1ADD", 0, ErrUnknown},
	{"add of a long number", "", "1 0x050000000000 ADD", 0, ErrUnknown},
	{"sub", "", "3 5 SUB -2 EQUAL", 0, nil},
	{"booland", "", "1 2 BOOLAND VERIFY 0 2 BOOLAND 0 EQUAL", 0, nil},
	{"boolor", "", "0 2 BOOLOR VERIFY 0 0 BOOLOR 0 EQUAL", 0, nil},
	{"numequal", "", "1 0x020100 NUMEQUAL", 0, nil},
	{"minimal number", "", "1 0x020100 NUMEQUAL", MinimalData, ErrUnknown},
	{"numequalverify", "", "1 1 1 NUMEQUALVERIFY", 0, nil},
	{"numequalverify fails", "", "1 1 2 NUMEQUALVERIFY", 0, ErrNumEqualVerify},
	{"numnotequal", "", "1 2 NUMNOTEQUAL", 0, nil},
	{"lessthan", "", "-1 0 LESSTHAN VERIFY 0 0 LESSTHAN 0 EQUAL", 0, nil},
	{"greaterthan", "", "1 0 GREATERTHAN VERIFY 0 0 GREATERTHAN 0 EQUAL", 0, nil},
	{"lessthanorequal", "", "0 0 LESSTHANOREQUAL VERIFY 1 0 LESSTHANOREQUAL 0 EQUAL", 0, nil},
	{"greaterthanorequal", "", "0 0 GREATERTHANOREQUAL VERIFY -1 0 GREATERTHANOREQUAL 0 EQUAL", 0, nil},
	{"min max", "", "3 5 MIN 3 EQUALVERIFY 3 5 MAX 5 EQUAL", 0, nil},
	{"within", "", "0 0 2 WITHIN VERIFY 2 0 2 WITHIN 0 EQUAL", 0, nil},
	{"within of a long number", "", "0x050000000000 0 2 WITHIN", 0, ErrUnknown},

	{"ripemd160", "'abc'", "RIPEMD160 0x148eb208f7e05d987a9b044a8e98c6b087f15a0bfc EQUAL", 0, nil},
	{"sha1", "'abc'", "SHA1 0x14a9993e364706816aba3e25717850c26c9cd0d89d EQUAL", 0, nil},
	{"sha256", "'abc'",
		"SHA256 0x20ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad EQUAL", 0, nil},
	{"hash160 is ripemd160 of sha256", "'abc'", "DUP HASH160 SWAP SHA256 RIPEMD160 EQUAL", 0, nil},
	{"hash256 is sha256 twice", "'abc'", "DUP HASH256 SWAP SHA256 SHA256 EQUAL", 0, nil},
	{"wrong hash", "'abd'", "SHA1 0x14a9993e364706816aba3e25717850c26c9cd0d89d EQUAL", 0, ErrEvalFalse},

	{"locktime a height", "", "100 CHECKLOCKTIMEVERIFY", CLTV, nil},
	{"locktime unmet", "", "101 CHECKLOCKTIMEVERIFY", CLTV, ErrUnsatisfiedLockTime},
	{"locktime of the other kind", "", "500000000 CHECKLOCKTIMEVERIFY", CLTV, ErrUnsatisfiedLockTime},
	{"locktime negative", "", "-1 CHECKLOCKTIMEVERIFY", CLTV, ErrNegativeLockTime},
	{"locktime of five bytes", "", "0x05ffffffff7f CHECKLOCKTIMEVERIFY", CLTV, ErrUnsatisfiedLockTime},
	{"locktime of six bytes", "", "0x06000000000000 CHECKLOCKTIMEVERIFY", CLTV, ErrUnknown},
	{"locktime of nothing", "", "CHECKLOCKTIMEVERIFY", CLTV, ErrInvalidStack},
	{"locktime not minimal", "", "0x026400 CHECKLOCKTIMEVERIFY", CLTV | MinimalData, ErrUnknown},
	{"locktime without the flag", "", "101 CHECKLOCKTIMEVERIFY", 0, nil},
	{"locktime as a nop", "", "101 CHECKLOCKTIMEVERIFY", DiscourageNops, ErrDiscourageNops},

	{"clean stack", "1 1", "", P2SH | CleanStack, ErrCleanStack},
	{"clean enough", "1", "", P2SH | CleanStack, nil},
	{"sig push only", "1 NOP", "", SigPushOnly, ErrSigPushOnly},
	{"sig not push only", "1 NOP", "", 0, nil},
	{"error in scriptSig comes first", "RETURN", "VERIFY", 0, ErrOpReturn},
}

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			s := spending()
			s.setScriptSig(assemble(t, p.sig))
			requireKind(t, s.Verify(assemble(t, p.pk), p.flags), p.want)
		})
	}
}

func TestDisabledOpcodes(t *testing.T) {
	for _, name := range strings.Fields("CAT SUBSTR LEFT RIGHT INVERT AND OR XOR 2MUL 2DIV MUL DIV MOD LSHIFT RSHIFT " +
		"CODESEPARATOR") {
		t.Run(name, func(t *testing.T) {
			script := assemble(t, "1 0 IF "+name+" ENDIF")
			requireKind(t, spending().Verify(script, 0), ErrDisabledOpcode)
		})
	}
}

func TestEveryOpcodeNeedsItsValues(t *testing.T) {
	for op, o := range operations {
		for have := range o.needs {
			script := append(assemble(t, strings.Repeat("1 ", have)), byte(op))
			requireKind(t, spending().Verify(script, StandardFlags), ErrInvalidStack)
		}
	}
}

func TestLimits(t *testing.T) {
	big := func(n int) []byte { return AppendPush(nil, make([]byte, n)) }
	repeat := func(text string, n int) []byte { return assemble(t, strings.Repeat(text+" ", n)) }
	cases := []struct {
		name   string
		script []byte
		want   error
	}{
		{"push of 520", append(big(520), assemble(t, "SIZE 520 EQUAL")...), nil},
		{"push of 521", append(big(521), assemble(t, "SIZE 521 EQUAL")...), ErrPushSize},
		{"push of 521 not run", append(append(assemble(t, "1 0 IF"), big(521)...), OpEndIf), ErrPushSize},
		{"201 opcodes", append(repeat("NOP", 201), Op1), nil},
		{"202 opcodes", append(repeat("NOP", 202), Op1), ErrOpCount},
		{"keys count as opcodes", append(repeat("NOP", 200), assemble(t, "0 0 0 0 0 2 CHECKMULTISIG")...), ErrOpCount},
		{"1000 values", repeat("1", 1000), nil},
		{"1001 values", repeat("1", 1001), ErrStackSize},
		{"1001 values on both stacks", append(repeat("1", 1000), assemble(t, "TOALTSTACK DUP DUP")...), ErrStackSize},
		{"10000 bytes", longScript(MaxScriptSize), nil},
		{"10001 bytes", longScript(MaxScriptSize + 1), ErrScriptSize},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { requireKind(t, spending().Verify(c.script, 0), c.want) })
	}
	s := spending()
	s.setScriptSig(longScript(MaxScriptSize + 1))
	requireKind(t, s.Verify([]byte{Op1}, 0), ErrScriptSize)
}

// longScript returns a script of n bytes that leaves true on the stack.
func longScript(n int) (script []byte) {
	for n-len(script) > 600 {
		script = append(AppendPush(script, make([]byte, 500)), OpDrop)
	}
	for len(script) < n {
		script = append(script, Op1)
	}
	return script
}

func TestInputOutOfRange(t *testing.T) {
	for _, index := range []int{-1, 2} {
		s := spending()
		s.Index = index
		requireKind(t, s.Verify([]byte{Op1}, 0), ErrUnknown)
	}
}

func TestErrorTexts(t *testing.T) {
	for kind := ErrEvalFalse; kind <= ErrFulfillment; kind++ {
		unknown := kind == ErrCleanStack || kind == ErrSigHighS
		require.Equal(t, unknown, kind.Error() == "unknown error", "kind %d", kind)
	}
	require.Equal(t, "unknown error", ErrUnknown.Error())
	require.Equal(t, "unknown error", Kind(200).Error())
	require.NotErrorIs(t, &Error{ErrCleanStack}, ErrSigHighS)
	require.EqualError(t, &Error{ErrVerify}, "script: Script failed an OP_VERIFY operation")
}

func TestVerifyRelay(t *testing.T) {
	cases := []struct {
		name, sig, pk string
		code          int
		reason        string
	}{
		{"policy", "1 1", "NOP", 64, "non-mandatory-script-verify-flag (unknown error)"},
		{"policy first, then invalid", "0x4c0101", "VERIFY 0", 16,
			"mandatory-script-verify-flag-failed (Data push larger than necessary)"},
		{"invalid", "0", "VERIFY", 16, "mandatory-script-verify-flag-failed (Script failed an OP_VERIFY operation)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := spending()
			s.setScriptSig(assemble(t, c.sig))
			var r *Rejection
			require.ErrorAs(t, s.VerifyRelay(assemble(t, c.pk), StandardFlags), &r)
			require.Equal(t, c.code, r.Code())
			require.EqualError(t, r, c.reason)
		})
	}
	s := spending()
	s.setScriptSig([]byte{Op1})
	require.NoError(t, s.VerifyRelay([]byte{OpNop}, StandardFlags))
	require.ErrorIs(t, s.VerifyRelay([]byte{OpVerify}, MandatoryFlags), ErrEvalFalse)
}

func TestPushes(t *testing.T) {
	values, err := Pushes(assemble(t, "0 'ab' 5 -1"))
	require.NoError(t, err)
	require.Equal(t, [][]byte{{}, []byte("ab"), {5}, {0x81}}, values)
	for script, want := range map[string]Kind{
		"1 NOP": ErrSigPushOnly, "0x05aa": ErrSigPushOnly, "RESERVED": ErrBadOpcode,
	} {
		_, err := Pushes(assemble(t, script))
		requireKind(t, err, want)
	}
	_, err = Pushes(PushData(make([]byte, MaxPushSize+1)))
	requireKind(t, err, ErrPushSize)
}
