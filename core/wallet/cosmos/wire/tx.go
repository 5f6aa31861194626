package wire

import (
	"google.golang.org/protobuf/encoding/protowire"

	"obverse/core/wallet/protobuf"
)

// Tx is a signed transaction, the TxRaw of the .proto files: its two parts as they were
// signed, byte by byte.
type Tx struct {
	Body       []byte   // a TxBody
	AuthInfo   []byte   // an AuthInfo
	Signatures [][]byte // one for each of AuthInfo's signers
}

// TxBody is what a transaction does.
type TxBody struct {
	Messages      []Any
	Memo          string
	TimeoutHeight uint64 // the last block that may take it; 0: any
	// Extensions are options that a chain refuses if it does not know them, Optional
	// those that it then ignores.
	Extensions []Any `wire:"1023"`
	Optional   []Any `wire:"2047"`
}

// AuthInfo is who signs a transaction and what it pays.
type AuthInfo struct {
	Signers []SignerInfo
	Fee     Fee
}

// SignerInfo is one who signs.
type SignerInfo struct {
	PubKey   Any // may be absent when the chain knows it
	Mode     ModeInfo
	Sequence uint64
}

// SignMode says which bytes a signature is of.
type SignMode int32

// The modes of signing.
const (
	SignDirect SignMode = 1   // a SignDoc
	SignAmino  SignMode = 127 // the amino JSON document
)

// ModeInfo is how one signer signs.
type ModeInfo struct {
	Single SignMode // of a single key
	Multi  []byte   // of a key of several: the message ModeInfo.Multi; nil: a single key
}

// custom is a message that is read and written in its own way.
type custom interface {
	read(f *field)
	append(b []byte) []byte
}

// read takes one way or the other; of both the last one counts.
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

// Fee is what a transaction may use and pays for it.
type Fee struct {
	Amount         []Coin
	GasLimit       uint64
	Payer, Granter string // addresses; "": the first signer pays
}

// SignDoc is what is signed with SignDirect: SHA-256 of its bytes.
type SignDoc struct {
	Body, AuthInfo []byte // as in Tx
	ChainID        string
	Account        uint64 // number of the account
}

// PathSimulate is the query for what a transaction would use. A node without a gRPC
// server does not know it and answers with code 6 of codespace sdk.
const PathSimulate = "/cosmos.tx.v1beta1.Service/Simulate"

// SimulateRequest asks what a transaction would use. Its signatures are not checked, but
// there has to be one, empty, for each signer.
type SimulateRequest struct {
	Tx []byte `wire:"2"`
}

// SimulateResponse answers it.
type SimulateResponse struct{ Gas GasInfo }

// GasInfo is what a transaction asked for and used.
type GasInfo struct{ Wanted, Used uint64 }
