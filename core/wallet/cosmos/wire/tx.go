package wire

import (
	"google.golang.org/protobuf/encoding/protowire"

	"obverse/core/wallet/protobuf"
)

// Tx is a signed transaction, called TxRaw in the .proto files. Its two parts are the exact
// bytes that were signed.
type Tx struct {
	Body       []byte   // a TxBody
	AuthInfo   []byte   // an AuthInfo
	Signatures [][]byte // one for each signer in AuthInfo
}

// TxBody is the content of a transaction.
type TxBody struct {
	Messages      []Any
	Memo          string
	TimeoutHeight uint64 // the last block that may include it; 0 means no limit
	// Extensions are options that a chain rejects if it does not know them. Optional are
	// options that a chain ignores if it does not know them.
	Extensions []Any `wire:"1023"`
	Optional   []Any `wire:"2047"`
}

// AuthInfo holds the signers and the fee of a transaction.
type AuthInfo struct {
	Signers []SignerInfo
	Fee     Fee
}

// SignerInfo is a signer.
type SignerInfo struct {
	PubKey   Any // may be absent if the chain knows it
	Mode     ModeInfo
	Sequence uint64
}

// SignMode selects the bytes to be signed.
type SignMode int32

// The modes of signing.
const (
	SignDirect SignMode = 1   // a SignDoc
	SignAmino  SignMode = 127 // the amino JSON document
)

// ModeInfo is the signing mode of a signer.
type ModeInfo struct {
	Single SignMode // mode of a single key
	Multi  []byte   // message ModeInfo.Multi of a multisig key; nil for a single key
}

// custom is a message with its own encoding.
type custom interface {
	read(f *field)
	append(b []byte) []byte
}

// read decodes Single or Multi. If both occur, the last one counts.
func (m *ModeInfo) read(f *field) {
	switch {
	case f.Number == 1 && f.is(protowire.BytesType):
		var single struct{ Mode SignMode }
		f.err = Decode(f.Bytes, &single)
		*m = ModeInfo{Single: single.Mode}
	case f.Number == 2 && f.is(protowire.BytesType):
		*m = ModeInfo{Multi: append([]byte{}, f.Bytes...)}
	}
}

func (m *ModeInfo) append(b []byte) []byte {
	if m.Multi != nil {
		return protobuf.AppendBytes(b, 2, m.Multi)
	}
	return protobuf.AppendBytes(b, 1, appendNumber(nil, 1, uint64(m.Single)))
}

// Fee is the gas limit and the fee of a transaction.
type Fee struct {
	Amount         []Coin
	GasLimit       uint64
	Payer, Granter string // addresses; "" means that the first signer pays
}

// SignDoc is the document that is signed with SignDirect. The SHA-256 of its encoding is
// signed.
type SignDoc struct {
	Body, AuthInfo []byte // as in Tx
	ChainID        string
	Account        uint64 // number of the account
}

// PathSimulate simulates a transaction. A node without a gRPC server answers with code 6 of
// codespace sdk.
const PathSimulate = "/cosmos.tx.v1beta1.Service/Simulate"

// SimulateRequest requests the gas that a transaction would use. Its signatures are not checked,
// but must be present, empty, for each signer.
type SimulateRequest struct {
	Tx []byte `wire:"2"`
}

// SimulateResponse is the response.
type SimulateResponse struct{ Gas GasInfo }

// GasInfo is the gas limit of a transaction, and the gas that it used.
type GasInfo struct{ Wanted, Used uint64 }
