package consensus

import (
	"bytes"
	"fmt"

	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

// minBlockVersion is the version of every block since Komodo's fork of Zcash.
const minBlockVersion = 4

// EmptySaplingRoot is the root of the Sapling tree of a chain without shielded
// outputs, in wire order.
var EmptySaplingRoot = wire.Hash{
	0xfb, 0xc2, 0xf4, 0x30, 0x0c, 0x01, 0xf0, 0xb7, 0x82, 0x0d, 0x00, 0xe3, 0x34, 0x7c, 0x8d, 0xa4,
	0xee, 0x61, 0x46, 0x74, 0x37, 0x6c, 0xbc, 0x45, 0x35, 0x9d, 0xaa, 0x54, 0xf9, 0xb5, 0x49, 0x3e,
}

// Block is a decoded block with what its bytes give.
type Block struct {
	*wire.Block
	Raw   []byte
	Hash  wire.Hash
	IDs   []wire.Hash // of its transactions
	Spans []wire.Span // of its transactions in Raw
}

// DecodeBlock reads a block, which shares the bytes: they must not change.
func DecodeBlock(raw []byte) (*Block, error) {
	block, spans, err := wire.DecodeBlockSpans(raw)
	if err != nil {
		return nil, err
	}
	b := &Block{Block: block, Raw: raw, Hash: block.Hash(), Spans: spans, IDs: make([]wire.Hash, len(spans))}
	for i, s := range spans {
		b.IDs[i] = wire.HashOf(raw[s.Offset : s.Offset+s.Size])
	}
	return b, nil
}

// Place is where a block stands: after a chain of Height-1 blocks.
type Place struct {
	Height     int
	MedianTime uint32 // of the last 11 blocks before it
}

// CheckBlock judges a block by itself and at its place, but not what its
// transactions spend. Apply includes it; alone it is for blocks whose branch may
// never become the chain.
func CheckBlock(b *Block, at Place, p *params.Params) error {
	switch {
	case len(b.Txs) == 0 || len(b.Raw) > p.MaxBlockSize(at.Height):
		return ErrBlockLength
	case b.Version < minBlockVersion:
		return ErrBlockVersion
	case b.Time <= at.MedianTime:
		return ErrTimeTooOld
	case !b.Txs[0].IsCoinbase():
		return ErrNoCoinbase
	case p.SaplingActive(at.Height) && b.SaplingRoot != EmptySaplingRoot:
		return ErrSaplingRoot
	}
	root, repeated := wire.MerkleRoot(b.IDs)
	if root != b.MerkleRoot {
		return ErrMerkleRoot
	}
	if repeated {
		return ErrRepeatedTxs
	}
	if !bytes.HasPrefix(b.Txs[0].Inputs[0].ScriptSig, HeightPush(at.Height)) {
		return ErrCoinbaseHeight
	}
	return checkBlockTxs(b, at, p)
}

func checkBlockTxs(b *Block, at Place, p *params.Params) error {
	sigOps := 0
	for i, tx := range b.Txs {
		if i > 0 && tx.IsCoinbase() {
			return ErrManyCoinbases
		}
		size := int(b.Spans[i].Size)
		if err := CheckTx(tx, size, p); err != nil {
			return err
		}
		if err := CheckTxAt(tx, size, at.Height, p); err != nil {
			return err
		}
		if !IsFinal(tx, at.Height, b.Time) {
			return ErrNonFinal
		}
		if sigOps += SigOps(tx); sigOps > params.MaxBlockSigOps {
			return ErrBlockSigOps
		}
	}
	return nil
}

// SigOps counts the signature operations of a transaction's own scripts.
func SigOps(tx *wire.Tx) (n int) {
	for i := range tx.Inputs {
		n += script.SigOps(tx.Inputs[i].ScriptSig)
	}
	for i := range tx.Outputs {
		n += script.SigOps(tx.Outputs[i].Script)
	}
	return n
}

// SpentSigOps counts the signature operations of the redeem scripts that tx runs.
func SpentSigOps(tx *wire.Tx, coins []Coin) (n int) {
	for i := range coins {
		n += script.P2SHSigOps(tx.Inputs[i].ScriptSig, coins[i].Script)
	}
	return n
}

// HeightPush returns the bytes that a coinbase's scriptSig must start with (BIP 34, with small
// numbers as opcodes).
func HeightPush(height int) []byte { return script.AppendNumber(nil, int64(height)) }

// CheckCoinbase judges what a block's coinbase takes, given the fees of its other
// transactions: block 1 takes the whole premine, later ones at most the subsidy,
// the fees, the commission, which must be paid where it is due, and what the chain's
// name allows beyond (ConnectBlock, komodo_checkcommission).
func CheckCoinbase(b *wire.Block, height int, fees int64, p *params.Params) error {
	allowed := p.Subsidy(height) + fees + p.Commission(height, b.Txs)
	var total int64
	for i := range b.Txs[0].Outputs {
		total += b.Txs[0].Outputs[i].Value
	}
	if total > allowed+p.ExtraCoinbase() || height == 1 && total != allowed {
		return ErrCoinbaseAmount
	}
	if err := p.CheckCoinbase(height, b.Txs); err != nil {
		return fmt.Errorf("%w: %w", ErrCoinbasePayments, err)
	}
	return nil
}
