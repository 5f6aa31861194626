package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"obverse/core/chain"
	"obverse/core/chain/wire"
	"obverse/core/rpc"
)

func (b *Backend) txOutProofMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("gettxoutproof", rpc.Doc{Reads: true,
			Usage:    `gettxoutproof ["txid",...] ( "blockhash" )`,
			Summary:  "Return a proof that a block contains transactions",
			Detail:   "The proof contains the block header and a part of the Merkle tree, in hexadecimal.",
			Category: categoryBlockchain,
		}, b.getTxOutProof),
		rpc.Handle("verifytxoutproof", rpc.Doc{Reads: true,
			Usage:    `verifytxoutproof "proof"`,
			Summary:  "Verify a proof from gettxoutproof and return the txids that it proves",
			Category: categoryBlockchain,
		}, b.verifyTxOutProof),
	}
}

type txOutProofParams struct {
	TxIDs textList   `json:"txids"`
	Block unreadText `json:"blockhash" rpc:"optional" doc:"hash of the block; by default the block of the last transaction"`
}

func (b *Backend) getTxOutProof(ctx context.Context, p txOutProofParams) (proof hexBytes, err error) {
	wanted, last, err := p.ids()
	if err != nil {
		return nil, err
	}
	block, err := p.Block.orEmpty()
	if err != nil {
		return nil, err
	}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		hash := looseHash(block)
		if len(p.Block) == 0 {
			at, err := v.Tx(last)
			switch {
			case errors.Is(err, chain.ErrNotFound):
				return &Error{CodeAddress, "Transaction not yet in block"}
			case err != nil:
				return err
			}
			hash = at.Block
		}
		raw, err := v.RawBlock(hash)
		switch {
		case errors.Is(err, chain.ErrNotFound):
			return errBlockNotFound
		case err != nil:
			return err
		}
		proof, err = makeTxOutProof(raw, wanted)
		return err
	})
	return proof, err
}

// ids reads the transactions of a proof.
func (p txOutProofParams) ids() (wanted map[wire.Hash]bool, last wire.Hash, err error) {
	texts, err := p.TxIDs.read()
	if err != nil {
		return nil, last, err
	}
	wanted = map[wire.Hash]bool{}
	for _, text := range texts {
		if last, err = wire.ParseHash(text); err != nil {
			return nil, last, &Error{CodeParameter, "Invalid txid " + clip(text)}
		}
		if wanted[last] {
			return nil, last, &Error{CodeParameter, "Invalid parameter, duplicated txid: " + text}
		}
		wanted[last] = true
	}
	return wanted, last, nil
}

// makeTxOutProof returns the header of a block and the part of its Merkle tree that leads to the
// transactions [komodod merkleblock.cpp CMerkleBlock].
func makeTxOutProof(raw []byte, wanted map[wire.Hash]bool) ([]byte, error) {
	block, err := wire.DecodeBlock(raw)
	if err != nil {
		return nil, err
	}
	t := partialTree{}
	found := 0
	for _, tx := range block.Txs {
		id := tx.ID()
		t.ids, t.matches = append(t.ids, id), append(t.matches, wanted[id])
		if wanted[id] {
			found++
		}
	}
	if found != len(wanted) {
		return nil, &Error{CodeAddress, "(Not all) transactions not found in specified block"}
	}
	t.build(t.height(), 0)
	proof := wire.AppendUint32(block.Header.Append(nil), uint32(len(t.ids)))
	proof = wire.AppendCompactSize(proof, uint64(len(t.hashes)))
	for i := range t.hashes {
		proof = append(proof, t.hashes[i][:]...)
	}
	bits := make([]byte, (len(t.bits)+7)/8)
	for i, set := range t.bits {
		if set {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return wire.AppendVarBytes(proof, bits), nil
}

// partialTree is a Merkle tree of which only the branches to some transactions are kept (BIP 37).
type partialTree struct {
	ids     []wire.Hash
	matches []bool
	total   int // of ids, when the tree is read

	bits   []bool
	hashes []wire.Hash

	usedBits, usedHashes int
	bad                  bool
	found                []wire.Hash
}

func (t *partialTree) width(height int) int {
	return (max(len(t.ids), t.total) + 1<<height - 1) >> height
}

func (t *partialTree) height() (height int) {
	for t.width(height) > 1 {
		height++
	}
	return height
}

func (t *partialTree) hash(height, at int) wire.Hash {
	if height == 0 {
		return t.ids[at]
	}
	left := t.hash(height-1, at*2)
	right := left
	if at*2+1 < t.width(height-1) {
		right = t.hash(height-1, at*2+1)
	}
	return joinHashes(left, right)
}

func joinHashes(left, right wire.Hash) wire.Hash {
	first := sha256.Sum256(append(left[:], right[:]...))
	return sha256.Sum256(first[:])
}

func (t *partialTree) build(height, at int) {
	matches := false
	for i := at << height; i < (at+1)<<height && i < len(t.ids); i++ {
		matches = matches || t.matches[i]
	}
	t.bits = append(t.bits, matches)
	if height == 0 || !matches {
		t.hashes = append(t.hashes, t.hash(height, at))
		return
	}
	t.build(height-1, at*2)
	if at*2+1 < t.width(height-1) {
		t.build(height-1, at*2+1)
	}
}

// extract returns the hash of a part of the tree, and collects the transactions in it.
func (t *partialTree) extract(height, at int) (hash wire.Hash) {
	if t.bad || t.usedBits >= len(t.bits) {
		t.bad = true
		return hash
	}
	matches := t.bits[t.usedBits]
	t.usedBits++
	if height == 0 || !matches {
		if t.usedHashes >= len(t.hashes) {
			t.bad = true
			return hash
		}
		hash = t.hashes[t.usedHashes]
		t.usedHashes++
		if height == 0 && matches {
			t.found = append(t.found, hash)
		}
		return hash
	}
	left := t.extract(height-1, at*2)
	right := left
	if at*2+1 < t.width(height-1) {
		if right = t.extract(height-1, at*2+1); right == left {
			t.bad = true // the same transactions twice: CVE-2012-2459
		}
	}
	return joinHashes(left, right)
}

type verifyProofParams struct {
	Proof unreadText `json:"proof" doc:"proof from gettxoutproof, in hexadecimal"`
}

// maxProofTxs is more than a block of the chain can hold.
const maxProofTxs = 4 << 20 / 60

func (b *Backend) verifyTxOutProof(ctx context.Context, p verifyProofParams) ([]wire.Hash, error) {
	text := ""
	if rpc.KindOf(p.Proof) == rpc.KindString {
		var err error
		if text, err = p.Proof.read(); err != nil {
			return nil, err
		}
	}
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) == 0 {
		return nil, &Error{CodeParameter, "proof must be hexadecimal string (not '" + clip(text) + "')"}
	}
	r := wire.NewReader(raw)
	header := wire.ReadHeader(r)
	t := partialTree{total: int(r.Uint32())}
	t.hashes = make([]wire.Hash, r.Count(32))
	for i := range t.hashes {
		t.hashes[i] = r.Hash()
	}
	packed := r.VarBytes(len(raw))
	if err := r.End(); err != nil {
		return nil, &Error{CodeMisc, "proof cannot be read: " + err.Error()}
	}
	for i := range len(packed) * 8 {
		t.bits = append(t.bits, packed[i/8]&(1<<(i%8)) != 0)
	}
	if t.total == 0 || t.total > maxProofTxs || len(t.hashes) > t.total || len(t.bits) < len(t.hashes) {
		return []wire.Hash{}, nil
	}
	root := t.extract(t.height(), 0)
	if t.bad || (t.usedBits+7)/8 != len(packed) || t.usedHashes != len(t.hashes) || root != header.MerkleRoot {
		return []wire.Hash{}, nil
	}
	hash := header.Hash()
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		record, err := v.Record(hash)
		if errors.Is(err, chain.ErrNotFound) || err == nil && !v.InChain(hash, record) {
			return &Error{CodeAddress, "Block not found in chain"}
		}
		return err
	})
	return t.found, err
}
