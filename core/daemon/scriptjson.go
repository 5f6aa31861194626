package daemon

import (
	"encoding/hex"

	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
)

// hexBytes are bytes that JSON shows as a string of hexadecimal digits.
type hexBytes []byte

// MarshalText writes two lower-case digits a byte.
func (b hexBytes) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, b), nil }

// outputScript is an output script as transactions, gettxout and decodescript show
// it [komodod core_write.cpp ScriptPubKeyToUniv]. One without addresses has a type
// alone.
type outputScript struct {
	Asm       string           `json:"asm"`
	Hex       hexBytes         `json:"hex,omitzero"` // decodescript leaves it out
	ReqSigs   int              `json:"reqSigs,omitempty" doc:"signatures that it takes to spend"`
	Type      string           `json:"type" doc:"nonstandard, pubkey, pubkeyhash, scripthash, multisig, nulldata or cryptocondition"`
	Addresses []script.Address `json:"addresses,omitempty"`
}

// showScript describes an output script on a chain with these parameters, which say
// whether crypto-conditions are known.
func showScript(pkScript []byte, p *params.Params) outputScript {
	class := script.Classify(pkScript, consensus.Flags(0, p))
	result := outputScript{Asm: script.Disasm(pkScript, false), Hex: pkScript, Type: class.Type.String()}
	if result.Hex == nil {
		result.Hex = hexBytes{}
	}
	if len(class.Addresses) > 0 {
		result.ReqSigs, result.Addresses = class.ReqSigs, class.Addresses
	}
	return result
}

// destination is the one address of a script, if it has exactly one
// [komodod script/standard.cpp ExtractDestination].
func destination(pkScript []byte, p *params.Params) *script.Address {
	class := script.Classify(pkScript, consensus.Flags(0, p))
	if class.Type == script.TypeMultiSig || len(class.Addresses) == 0 {
		return nil
	}
	return &class.Addresses[0]
}
