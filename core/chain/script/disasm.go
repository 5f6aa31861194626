package script

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// Disasm is the asm text of a script as RPC answers show it (core_write.cpp
// ScriptToAsmStr): values of up to 4 bytes as signed decimals, longer ones as hex,
// opcodes by name, "[error]" in place of a push past the end. With isScriptSig a
// value that is a strict DER signature with a defined hash type is shown with the
// type's name, as in "30440220…[ALL]".
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
