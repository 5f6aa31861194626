package daemon

import (
	"errors"

	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// undecodable replaces values that cannot be read from an import's data.
const undecodable = "can't decode"

// Codes and sizes in an import (komodod importcoin.h, cc/CCinclude.h).
const (
	evalImportCoin = 0xe2
	burnData       = 0x80 // id of a blob in a token transfer

	proofNone         = 0x00
	proofMerkleBranch = 0x11
	proofNotaries     = 0x12
	proofMerkleBlock  = 0x13

	hashSize    = 32
	maxSymbol   = 64
	maxRawProof = 1 << 16
)

var errImport = errors.New("not an import")

// importSource returns the chain and the token from which a creation was imported. The burn
// transaction in its import data contains the symbol of the chain and the id of the token's
// creating transaction on that chain.
func importSource(data []byte) (chain, tokenID string) {
	chain, tokenID = undecodable, undecodable
	r := wire.NewReader(data)
	if r.Byte() != evalImportCoin {
		return chain, tokenID
	}
	skipProof(r)
	burn := wire.ReadTx(r)
	if r.End() != nil {
		return chain, tokenID
	}
	source := wire.NewReader(burnProof(burn))
	symbol := string(source.VarBytes(maxSymbol))
	if source.Err() != nil {
		return chain, tokenID
	}
	chain = symbol
	start := source.Pos()
	if created := wire.ReadTx(source); source.Err() == nil && start < source.Pos() {
		tokenID = created.ID().String()
	}
	return chain, tokenID
}

// skipProof skips the proof that the burn transaction is in its chain.
func skipProof(r *wire.Reader) {
	switch r.Byte() {
	case proofNone:
	case proofMerkleBranch:
		r.Hash()
		skipVarInt(r)
		r.Bytes(r.Count(hashSize) * hashSize)
	case proofNotaries:
		r.Bytes(r.Count(hashSize) * hashSize)
	case proofMerkleBlock:
		r.VarBytes(maxRawProof)
	default:
		r.Fail(errImport)
	}
}

// skipVarInt skips a number with 7 bits per byte (komodod serialize.h VARINT).
func skipVarInt(r *wire.Reader) {
	for r.Byte()&0x80 != 0 {
	}
}

// burnProof returns the raw proof in the last output of a burn transaction, or nil. If the
// transaction burns tokens with a transfer, the proof is in a blob.
func burnProof(burn *wire.Tx) []byte {
	if len(burn.Outputs) == 0 {
		return nil
	}
	last := burn.Outputs[len(burn.Outputs)-1].Script
	data := nullData(last)
	if payload, err := token.DecodePayload(last); err == nil {
		data = payload.Blob(burnData)
	}
	r := wire.NewReader(data)
	if r.Byte() != evalImportCoin {
		return nil
	}
	skipVarInt(r)         // id of the target chain
	r.VarBytes(maxSymbol) // symbol of the target chain
	r.Hash()              // hash of the payouts on the target chain
	return r.VarBytes(maxRawProof)
}

// nullData returns the first push after OP_RETURN.
func nullData(pkScript []byte) []byte {
	it := script.Iterate(pkScript)
	if !it.Next() || it.Op != script.OpReturn || !it.Next() {
		return nil
	}
	return it.Data
}
