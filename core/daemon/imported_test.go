package daemon

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// importParts are the parts of import data. Tests corrupt them one at a time.
type importParts struct {
	code     byte
	proof    []byte
	burnCode byte
	symbol   string
	created  []byte
	blob     bool // whether the burn is a transfer of tokens
	outputs  int  // number of outputs of the burn transaction that follows the data
	trailing []byte
}

func (p importParts) encode() []byte {
	raw := append(wire.AppendVarBytes(nil, []byte(p.symbol)), p.created...)
	data := append([]byte{p.burnCode, 0x80, 0x01}, wire.AppendVarBytes(nil, []byte("TARGET"))...)
	data = wire.AppendVarBytes(append(data, make([]byte, 32)...), raw)
	last := script.NullData(data)
	if p.blob {
		transfer := token.Payload{Func: token.Transfer, TokenID: wire.Hash{1}, Blobs: []token.Blob{{ID: burnData, Data: data}}}
		last = transfer.Script()
	}
	burn := wire.Tx{Version: 1, Inputs: []wire.TxIn{{}}, Outputs: []wire.TxOut{{Script: last}}}
	for range p.outputs {
		burn.Outputs = append(burn.Outputs, wire.TxOut{})
	}
	out := append([]byte{p.code}, p.proof...)
	return append(burn.Append(out), p.trailing...)
}

func TestImportSource(t *testing.T) {
	hash := make([]byte, 32)
	created := wire.Tx{Version: 1, Outputs: []wire.TxOut{{Value: 5}}}
	good := importParts{code: 0xe2, proof: []byte{0}, burnCode: 0xe2, symbol: "SOURCE", created: created.Encode()}
	branch := append(append([]byte{0x11}, hash...), 0x85, 0x03, 2)
	branch = append(append(branch, hash...), hash...)
	for name, c := range map[string]struct {
		change    func(*importParts)
		chain, id string
	}{
		"coins":               {func(*importParts) {}, "SOURCE", created.ID().String()},
		"tokens":              {func(p *importParts) { p.blob = true }, "SOURCE", created.ID().String()},
		"merkle branch":       {func(p *importParts) { p.proof = branch }, "SOURCE", created.ID().String()},
		"notaries":            {func(p *importParts) { p.proof = append([]byte{0x12, 1}, hash...) }, "SOURCE", created.ID().String()},
		"merkle block":        {func(p *importParts) { p.proof = []byte{0x13, 3, 1, 2, 3} }, "SOURCE", created.ID().String()},
		"no creation":         {func(p *importParts) { p.created = nil }, "SOURCE", undecodable},
		"cut creation":        {func(p *importParts) { p.created = p.created[:8] }, "SOURCE", undecodable},
		"another code":        {func(p *importParts) { p.code = 0xe1 }, undecodable, undecodable},
		"another burn code":   {func(p *importParts) { p.burnCode = 0xe1 }, undecodable, undecodable},
		"unknown proof":       {func(p *importParts) { p.proof = []byte{0x14} }, undecodable, undecodable},
		"data not at the end": {func(p *importParts) { p.outputs = 1 }, undecodable, undecodable},
		"trailing byte":       {func(p *importParts) { p.trailing = []byte{0} }, undecodable, undecodable},
		"long symbol":         {func(p *importParts) { p.symbol = string(make([]byte, 65)) }, undecodable, undecodable},
	} {
		t.Run(name, func(t *testing.T) {
			parts := good
			c.change(&parts)
			chain, id := importSource(parts.encode())
			require.Equal(t, []string{c.chain, c.id}, []string{chain, id})
		})
	}
	whole := good.encode()
	for cut := range whole {
		chain, id := importSource(whole[:cut])
		require.Equal(t, []string{undecodable, undecodable}, []string{chain, id}, cut)
	}
	chain, id := importSource(nil)
	require.Equal(t, []string{undecodable, undecodable}, []string{chain, id})
}

func TestImportedToken(t *testing.T) {
	payload := &token.Payload{Func: token.Create, Owner: []byte{2}, Name: "N", Description: "D",
		Blobs: []token.Blob{{ID: token.NFTData, Data: []byte{0xf1, 0xff}}, {ID: token.ImportData, Data: []byte{0xe2}}}}
	const answer = `","owner":"02","name":"N","supply":"12.34567890","description":"D","data":"f1ff"`
	require.Equal(t, `{"result":"success","tokenid":"`+wire.Hash{}.String()+answer+`,"IsImported":"yes","sourceChain":"can't decode","sourceTokenId":"can't decode"}`,
		encoded(t, showToken(wire.Hash{}, &chain.Token{Payload: payload, Supply: 1234567890, Imported: true})))
	require.Equal(t, `{"result":"success","tokenid":"`+wire.Hash{}.String()+answer+`}`,
		encoded(t, showToken(wire.Hash{}, &chain.Token{Payload: payload, Supply: 1234567890})), "anybody can write import data")
}

func FuzzImportSource(f *testing.F) {
	f.Add(importParts{code: 0xe2, proof: []byte{0}, burnCode: 0xe2, symbol: "S", created: (&wire.Tx{Version: 1}).Encode()}.encode())
	f.Add(importParts{code: 0xe2, proof: []byte{0x12, 0}, burnCode: 0xe2, symbol: "S", blob: true}.encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		chain, id := importSource(data)
		require.LessOrEqual(t, len(chain), max(maxSymbol, len(undecodable)))
		if id != undecodable {
			_, err := wire.ParseHash(id)
			require.NoError(t, err)
		}
	})
}
