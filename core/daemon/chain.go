package daemon

import (
	"context"
	"encoding/hex"
	"errors"
	"strconv"

	"obverse/core/chain"
	"obverse/core/chain/wire"
	"obverse/core/rpc"
)

// categoryBlockchain is komodod's heading for blocks and the chain.
const categoryBlockchain = "Blockchain"

func (b *Backend) chainMethods() []rpc.Method {
	methods := []rpc.Method{
		rpc.Handle("getblockcount", rpc.Doc{
			Summary: "Tell the height of the chain", Category: categoryBlockchain,
		}, b.getBlockCount),
		rpc.Handle("getbestblockhash", rpc.Doc{
			Summary: "Tell the hash of the last block of the chain", Category: categoryBlockchain,
		}, b.getBestBlockHash),
		rpc.Handle("getblockhash", rpc.Doc{
			Summary: "Tell the hash of the block at a height", Category: categoryBlockchain,
		}, b.getBlockHash),
		rpc.Handle("getblockheader", rpc.Doc{Reads: true,
			Usage:    `getblockheader "hash|height" ( verbose )`,
			Summary:  "Show the header of a block, or its bytes",
			Category: categoryBlockchain,
		}, b.getBlockHeader).Gives("", headerJSON{}),
		rpc.Handle("getblock", rpc.Doc{Reads: true,
			Usage:    `getblock "hash|height" ( verbosity )`,
			Summary:  "Show a block, of the chain or beside it",
			Detail:   "Verbosity 0 gives its bytes in hexadecimal, 1 its header and txids, 2 the transactions too.",
			Category: categoryBlockchain,
		}, b.getBlock).Gives("", blockJSON{}),
		rpc.Handle("getchaintips", rpc.Doc{Reads: true,
			Summary:  "List the ends of all branches",
			Detail:   "The chain's end is active; others are valid-fork, or invalid if a block of their branch was refused.",
			Category: categoryBlockchain,
		}, b.getChainTips),
		rpc.Handle("getblockchaininfo", rpc.Doc{Reads: true,
			Summary: "Describe the chain and its rules", Category: categoryBlockchain,
		}, b.getBlockchainInfo).Gives(blockchainInfo{}),
		rpc.Handle("getlightblock", rpc.Doc{Reads: true,
			Usage:    "getlightblock ( height )",
			Summary:  "Show a header that the validators have signed, with its commit and its validators",
			Detail:   "The answer is CometBFT's light block, for light clients. A chain whose blocks one node makes has none.",
			Category: categoryBlockchain,
		}, b.lightBlock).Gives(lightBlockJSON{}),
	}
	return append(methods, b.poolMethods()...)
}

func (b *Backend) tip(ctx context.Context) (tip chain.Tip, err error) {
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		tip = v.Tip()
		return nil
	})
	return tip, err
}

func (b *Backend) getBlockCount(ctx context.Context, _ struct{}) (int, error) {
	tip, err := b.tip(ctx)
	return tip.Height, err
}

func (b *Backend) getBestBlockHash(ctx context.Context, _ struct{}) (wire.Hash, error) {
	tip, err := b.tip(ctx)
	return tip.Hash, err
}

type heightParams struct {
	Height Int `json:"height" doc:"0 is the genesis block"`
}

func (b *Backend) getBlockHash(ctx context.Context, p heightParams) (hash wire.Hash, err error) {
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		hash, err = hashAt(v, int(p.Height))
		return err
	})
	return hash, err
}

// What is wrong with a block that a client names.
var (
	errBlockNotFound = &Error{CodeAddress, "Block not found"}
	errHeightRange   = &Error{CodeParameter, "Block height out of range"}
	errHeight        = &Error{CodeParameter, "Invalid block height parameter"}
)

func hashAt(v *chain.View, height int) (wire.Hash, error) {
	hash, err := v.HashAt(height)
	if errors.Is(err, chain.ErrNotFound) {
		err = errHeightRange
	}
	return hash, err
}

// findBlock finds a block by its hash, which may be outside the active chain, or by its height.
// Like upstream it distinguishes them by length.
func findBlock(v *chain.View, id string) (hash wire.Hash, r chain.Record, err error) {
	if len(id) < 2*len(hash) {
		height, err := strconv.ParseUint(id, 10, 31)
		if err != nil {
			return hash, r, errHeight
		}
		if hash, err = hashAt(v, int(height)); err != nil {
			return hash, r, err
		}
	} else {
		hash = looseHash(id)
	}
	r, err = v.Record(hash)
	if errors.Is(err, chain.ErrNotFound) {
		err = errBlockNotFound
	}
	return hash, r, err
}

type headerParams struct {
	Block   Decimal `json:"block" doc:"hash or height"`
	Verbose Flag    `json:"verbose" default:"true" doc:"false: the bytes in hexadecimal"`
}

func (b *Backend) getBlockHeader(ctx context.Context, p headerParams) (result any, err error) {
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		hash, r, err := findBlock(v, string(p.Block))
		if errors.Is(err, errHeight) || errors.Is(err, errHeightRange) {
			err = errBlockNotFound // upstream, which knows no heights here, takes them for a hash
		}
		if err != nil {
			return err
		}
		block, _, err := loadBlock(v, hash)
		if err != nil {
			return err
		}
		if !p.Verbose {
			result = hex.EncodeToString(block.Header.Append(nil))
			return nil
		}
		result, err = showHeader(v, hash, r, &block.Header)
		return err
	})
	return result, err
}

func loadBlock(v *chain.View, hash wire.Hash) (block *wire.Block, raw []byte, err error) {
	if raw, err = v.RawBlock(hash); err != nil {
		return nil, nil, err
	}
	block, err = wire.DecodeBlock(raw)
	return block, raw, err
}

type blockParams struct {
	Block     Decimal   `json:"block" doc:"hash or height"`
	Verbosity Verbosity `json:"verbosity" default:"1" doc:"0 (or false): bytes in hexadecimal, 1 (or true): with txids, 2: with transactions"`
}

var errVerbosity = &Error{CodeParameter, "Verbosity must be in range from 0 to 2"}

func (b *Backend) getBlock(ctx context.Context, p blockParams) (result any, err error) {
	if p.Verbosity < 0 || p.Verbosity > 2 {
		return nil, errVerbosity
	}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		hash, r, err := findBlock(v, string(p.Block))
		if err != nil {
			return err
		}
		block, raw, err := loadBlock(v, hash)
		if err != nil {
			return err
		}
		if p.Verbosity == 0 {
			result = hex.EncodeToString(raw)
			return nil
		}
		result, err = b.showBlock(v, hash, r, block, p.Verbosity == 2)
		return err
	})
	return result, err
}
