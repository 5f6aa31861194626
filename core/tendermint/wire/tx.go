package wire

import "google.golang.org/protobuf/encoding/protowire"

// Tx is a signed transaction, the TxRaw of the .proto files: its two parts as they were
// signed, byte by byte.
type Tx struct {
	Body       []byte   // a TxBody
	AuthInfo   []byte   // an AuthInfo
	Signatures [][]byte // one for each of AuthInfo's signers
}

func (t *Tx) slots() []slot {
	return []slot{{1, &t.Body}, {2, &t.AuthInfo}, {3, &t.Signatures}}
}

// TxBody is what a transaction does.
type TxBody struct {
	Messages      []Any
	Memo          string
	TimeoutHeight uint64 // the last block that may take it; 0: any
	// Extensions are options that a chain refuses if it does not know them, Optional
	// those that it then ignores.
	Extensions, Optional []Any
}

func (t *TxBody) slots() []slot {
	return []slot{{1, many(&t.Messages)}, {2, &t.Memo}, {3, &t.TimeoutHeight}, {1023, many(&t.Extensions)}, {2047, many(&t.Optional)}}
}

// AuthInfo is who signs a transaction and what it pays.
type AuthInfo struct {
	Signers []SignerInfo
	Fee     Fee
}

func (a *AuthInfo) slots() []slot { return []slot{{1, many(&a.Signers)}, {2, &a.Fee}} }

// SignerInfo is one who signs.
type SignerInfo struct {
	PubKey   Any // may be absent when the chain knows it
	Mode     ModeInfo
	Sequence uint64
}

func (s *SignerInfo) slots() []slot {
	return []slot{{1, named{&s.PubKey}}, {2, &s.Mode}, {3, &s.Sequence}}
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

func (m *ModeInfo) slots() []slot { return []slot{{1, oneKey{m}}, {2, keys{m}}} }

// oneKey and keys are the two ways, of which one is on the wire; of both the last counts.
type (
	oneKey struct{ *ModeInfo }
	keys   struct{ *ModeInfo }
)

func (k oneKey) read(f *field) {
	k.Multi = nil
	f.message((*single)(&k.Single))
}

func (k oneKey) write(b []byte, number protowire.Number) []byte {
	if k.Multi != nil {
		return b
	}
	return appendBytes(b, number, Encode((*single)(&k.Single)))
}

func (k keys) read(f *field) {
	k.Single = 0
	slot{at: &k.Multi}.read(f)
}

func (k keys) write(b []byte, number protowire.Number) []byte {
	if k.Multi == nil {
		return b
	}
	return appendBytes(b, number, k.Multi)
}

// single is the message ModeInfo.Single.
type single SignMode

func (s *single) slots() []slot { return []slot{{1, (*int32)(s)}} }

// Fee is what a transaction may use and pays for it.
type Fee struct {
	Amount         []Coin
	GasLimit       uint64
	Payer, Granter string // addresses; "": the first signer pays
}

func (m *Fee) slots() []slot {
	return []slot{{1, many(&m.Amount)}, {2, &m.GasLimit}, {3, &m.Payer}, {4, &m.Granter}}
}

// SignDoc is what is signed with SignDirect: SHA-256 of its bytes.
type SignDoc struct {
	Body, AuthInfo []byte // as in Tx
	ChainID        string
	Account        uint64 // number of the account
}

func (d *SignDoc) slots() []slot {
	return []slot{{1, &d.Body}, {2, &d.AuthInfo}, {3, &d.ChainID}, {4, &d.Account}}
}

// PathSimulate is the query for what a transaction would use. A node without a gRPC
// server does not know it and answers with code 6 of codespace sdk.
const PathSimulate = "/cosmos.tx.v1beta1.Service/Simulate"

// SimulateRequest asks what a transaction would use. Its signatures are not checked, but
// there has to be one, empty, for each signer.
type SimulateRequest struct{ Tx []byte }

func (r *SimulateRequest) slots() []slot { return []slot{{2, &r.Tx}} }

// SimulateResponse answers it.
type SimulateResponse struct{ Gas GasInfo }

func (r *SimulateResponse) slots() []slot { return []slot{{1, &r.Gas}} }

// GasInfo is what a transaction asked for and used.
type GasInfo struct{ Wanted, Used uint64 }

func (g *GasInfo) slots() []slot { return []slot{{1, &g.Wanted}, {2, &g.Used}} }
