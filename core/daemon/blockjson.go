package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"obverse/core/chain"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/core/rpc"
)

// notSegmented is the segid of a block that has not been staked.
const notSegmented = -1

// emptySproutRoot is the root of the empty Sprout tree.
const emptySproutRoot = "59d2cde5e65c1414c32ba54f0fe4bdb3d67618125286e6a191317917c812c6d7"

// headerJSON is a block header (komodod rpc/blockchain.cpp blockheaderToJSON).
type headerJSON struct {
	blockPlace
	Height      int         `json:"height"`
	Version     int32       `json:"version"`
	MerkleRoot  wire.Hash   `json:"merkleroot"`
	SaplingRoot wire.Hash   `json:"finalsaplingroot"`
	Time        uint32      `json:"time"`
	Nonce       wire.Hash   `json:"nonce"`
	Solution    hexBytes    `json:"solution"`
	Bits        string      `json:"bits"`
	Difficulty  json.Number `json:"difficulty"`
	ChainWork   string      `json:"chainwork"`
	SegID       int         `json:"segid"`
	neighbours
}

// blockJSON is a block as getblock returns it (blockToJSON).
type blockJSON struct {
	blockPlace
	Size        int         `json:"size" doc:"size in bytes"`
	Height      int         `json:"height"`
	Version     int32       `json:"version"`
	MerkleRoot  wire.Hash   `json:"merkleroot"`
	SegID       int         `json:"segid"`
	SaplingRoot wire.Hash   `json:"finalsaplingroot"`
	Txs         blockTxs    `json:"tx" doc:"txids, or transactions in the format of decoderawtransaction"`
	Time        uint32      `json:"time"`
	Nonce       wire.Hash   `json:"nonce"`
	Solution    hexBytes    `json:"solution" doc:"on a solo chain, the signature of the producer"`
	Bits        string      `json:"bits"`
	Difficulty  json.Number `json:"difficulty"`
	ChainWork   string      `json:"chainwork"`
	Anchor      string      `json:"anchor"`
	supplies
	neighbours
}

// blockTxs is a list of either txids or txJSON values.
type blockTxs []any

// JSONSchema implements rpc.Described.
func (blockTxs) JSONSchema() *rpc.Schema { return rpc.ShapeOf([]wire.Hash{}, []txJSON{}) }

// blockPlace holds the first members of headers and blocks. Blocks are not notarized here, so
// the two counts of confirmations are equal. They are -1 outside the active chain.
type blockPlace struct {
	Notarized        int       `json:"last_notarized_height"`
	Hash             wire.Hash `json:"hash"`
	Confirmations    int       `json:"confirmations"`
	RawConfirmations int       `json:"rawconfirmations"`
}

type neighbours struct {
	Prev *wire.Hash `json:"previousblockhash,omitempty"`
	Next *wire.Hash `json:"nextblockhash,omitempty"`
}

// locate returns the place of a block in the chain.
func locate(v *chain.View, hash wire.Hash, r chain.Record) (place blockPlace, near neighbours, err error) {
	place = blockPlace{Hash: hash, Confirmations: -1, RawConfirmations: -1}
	if r.Height > 0 {
		near.Prev = &r.Prev
	}
	if !v.InChain(hash, r) {
		return place, near, v.Err()
	}
	place.Confirmations = v.Tip().Height - r.Height + 1
	place.RawConfirmations = place.Confirmations
	next, err := v.HashAt(r.Height + 1)
	if errors.Is(err, chain.ErrNotFound) {
		return place, near, nil
	}
	near.Next = &next
	return place, near, err
}

func showHeader(v *chain.View, hash wire.Hash, r chain.Record, h *wire.Header) (*headerJSON, error) {
	place, near, err := locate(v, hash, r)
	return &headerJSON{
		blockPlace: place, Height: r.Height, Version: int32(h.Version), MerkleRoot: h.MerkleRoot,
		SaplingRoot: h.SaplingRoot, Time: h.Time, Nonce: h.Nonce, Solution: h.Solution, Bits: showBits(h.Bits),
		Difficulty: difficulty(h.Bits), ChainWork: showWork(r.Work), SegID: notSegmented, neighbours: near,
	}, err
}

func (b *Backend) showBlock(v *chain.View, hash wire.Hash, r chain.Record, block *wire.Block, whole bool) (*blockJSON, error) {
	place, near, err := locate(v, hash, r)
	h := &block.Header
	result := &blockJSON{
		blockPlace: place, Size: r.Size, Height: r.Height, Version: int32(h.Version), MerkleRoot: h.MerkleRoot,
		SegID: notSegmented, SaplingRoot: h.SaplingRoot, Txs: make(blockTxs, len(block.Txs)), Time: h.Time,
		Nonce: h.Nonce, Solution: h.Solution, Bits: showBits(h.Bits), Difficulty: difficulty(h.Bits),
		ChainWork: showWork(r.Work), Anchor: emptySproutRoot, supplies: showSupplies(&r, b.Manager.Params(), true), neighbours: near,
	}
	for i, tx := range block.Txs {
		id := tx.ID()
		if result.Txs[i] = id; whole {
			result.Txs[i] = showTx(tx, id, b.Manager.Params())
		}
	}
	return result, err
}

func showBits(bits uint32) string { return fmt.Sprintf("%08x", bits) }

func showWork(work *big.Int) string { return fmt.Sprintf("%064x", work) }

// difficulty returns the easiest target divided by the target of bits, with komodod's digits:
// the quotient is rounded to a double and printed with 16 digits (GetDifficultyINTERNAL,
// univalue). The easiest target is rounded to its compact form.
func difficulty(bits uint32) json.Number {
	target, valid := params.Target(bits)
	if !valid {
		return "0" // on regtest, where a header may have arbitrary bits
	}
	const double, digits = 53, 16
	easiest, _ := params.Target(params.WorkLimitBits)
	quotient := new(big.Float).SetPrec(double).Quo(new(big.Float).SetInt(easiest), new(big.Float).SetInt(target))
	return json.Number(quotient.Text('g', digits))
}

// supplies holds the amounts in existence after a block. It is empty for a block that has never
// been connected.
type supplies struct {
	Total valuePool   `json:"chainSupply"`
	Pools []valuePool `json:"valuePools"`
}

// valuePool is an amount in coins and in satoshis (ValuePoolDesc).
type valuePool struct {
	ID        string        `json:"id,omitempty"`
	Monitored bool          `json:"monitored"`
	Value     *number.Coins `json:"chainValue,omitempty"`
	ValueZat  *int64        `json:"chainValueZat,omitempty"`
	Delta     *number.Coins `json:"valueDelta,omitempty" doc:"change of the value by the block"`
	DeltaZat  *int64        `json:"valueDeltaZat,omitempty"`
}

// showSupplies returns the supplies of a block. They include the value of the genesis coinbase,
// which is not part of the stored totals because it never becomes a coin. The chain's supply
// includes burned coins.
func showSupplies(r *chain.Record, p *params.Params, deltas bool) supplies {
	t := r.Totals
	t.Value += p.GenesisValue()
	if r.Height == 0 {
		t.Delta += p.GenesisValue()
	}
	pool := func(id string, value, delta int64) valuePool {
		p := valuePool{ID: id, Monitored: t.Known}
		if t.Known {
			p.Value, p.ValueZat = new(number.Coins(value)), &value
		}
		if t.Known && deltas {
			p.Delta, p.DeltaZat = new(number.Coins(delta)), &delta
		}
		return p
	}
	return supplies{
		Total: pool("", t.Value+t.Burned, t.Delta+t.BurnedDelta),
		Pools: []valuePool{
			pool("transparent", t.Value, t.Delta), pool("sprout", 0, 0), pool("sapling", 0, 0),
			pool("burned", t.Burned, t.BurnedDelta),
		},
	}
}
