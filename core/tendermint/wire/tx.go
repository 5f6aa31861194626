package wire

// Tx is a signed transaction, the TxRaw of the .proto files: its two parts as they were
// signed, byte by byte.
type Tx struct {
	Body       []byte   // a TxBody
	AuthInfo   []byte   // an AuthInfo
	Signatures [][]byte // one for each of AuthInfo's signers
}

func (t *Tx) slots() []slot {
	return []slot{blob(1, &t.Body), blob(2, &t.AuthInfo), strips(3, &t.Signatures)}
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
	return []slot{list(1, &t.Messages), text(2, &t.Memo), number(3, &t.TimeoutHeight), list(1023, &t.Extensions), list(2047, &t.Optional)}
}

// AuthInfo is who signs a transaction and what it pays.
type AuthInfo struct {
	Signers []SignerInfo
	Fee     Fee
}

func (a *AuthInfo) slots() []slot { return []slot{list(1, &a.Signers), part(2, &a.Fee)} }

// SignerInfo is one who signs.
type SignerInfo struct {
	PubKey   Any // may be absent when the chain knows it
	Mode     ModeInfo
	Sequence uint64
}

func (s *SignerInfo) slots() []slot {
	return []slot{named(1, &s.PubKey), part(2, &s.Mode), number(3, &s.Sequence)}
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

// slots has one of both on the wire; of the two the last one counts.
func (m *ModeInfo) slots() []slot {
	one, several := part(1, (*single)(&m.Single)), blob(2, &m.Multi)
	return []slot{
		{1, func(f *field) { m.Multi = nil; one.read(f) }, func(b []byte) []byte {
			if m.Multi != nil {
				return b
			}
			return one.write(b)
		}},
		{2, func(f *field) { m.Single = 0; several.read(f) }, func(b []byte) []byte {
			if m.Multi == nil {
				return b
			}
			return appendBytes(b, 2, m.Multi)
		}},
	}
}

// single is the message ModeInfo.Single.
type single SignMode

func (s *single) slots() []slot { return []slot{number(1, s)} }

// Fee is what a transaction may use and pays for it.
type Fee struct {
	Amount         []Coin
	GasLimit       uint64
	Payer, Granter string // addresses; "": the first signer pays
}

func (m *Fee) slots() []slot {
	return []slot{list(1, &m.Amount), number(2, &m.GasLimit), text(3, &m.Payer), text(4, &m.Granter)}
}

// SignDoc is what is signed with SignDirect: SHA-256 of its bytes.
type SignDoc struct {
	Body, AuthInfo []byte // as in Tx
	ChainID        string
	Account        uint64 // number of the account
}

func (d *SignDoc) slots() []slot {
	return []slot{blob(1, &d.Body), blob(2, &d.AuthInfo), text(3, &d.ChainID), number(4, &d.Account)}
}

// PathSimulate is the query for what a transaction would use. A node without a gRPC
// server does not know it and answers with code 6 of codespace sdk.
const PathSimulate = "/cosmos.tx.v1beta1.Service/Simulate"

// SimulateRequest asks what a transaction would use. Its signatures are not checked, but
// there has to be one, empty, for each signer.
type SimulateRequest struct{ Tx []byte }

func (r *SimulateRequest) slots() []slot { return []slot{blob(2, &r.Tx)} }

// SimulateResponse answers it.
type SimulateResponse struct{ Gas GasInfo }

func (r *SimulateResponse) slots() []slot { return []slot{part(1, &r.Gas)} }

// GasInfo is what a transaction asked for and used.
type GasInfo struct{ Wanted, Used uint64 }

func (g *GasInfo) slots() []slot { return []slot{number(1, &g.Wanted), number(2, &g.Used)} }
