package daemon

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strconv"

	"obverse/core/chain"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/rpc"
)

// categoryBlockchain is komodod's category for methods about blocks and the chain.
const categoryBlockchain = "Blockchain"

func (b *Backend) chainMethods() []rpc.Method {
	methods := []rpc.Method{
		rpc.Handle("getblockcount", rpc.Doc{
			Summary: "Return the height of the chain", Category: categoryBlockchain,
		}, b.getBlockCount),
		rpc.Handle("getbestblockhash", rpc.Doc{
			Summary: "Return the hash of the last block of the chain", Category: categoryBlockchain,
		}, b.getBestBlockHash),
		rpc.Handle("getblockhash", rpc.Doc{
			Summary: "Return the hash of the block at a height", Category: categoryBlockchain,
		}, b.getBlockHash),
		rpc.Handle("getblockheader", rpc.Doc{Reads: true,
			Usage:    `getblockheader "hash|height" ( verbose )`,
			Summary:  "Return the header of a block, decoded or in hexadecimal",
			Category: categoryBlockchain,
		}, b.getBlockHeader).Gives("", headerJSON{}),
		rpc.Handle("getblock", rpc.Doc{Reads: true,
			Usage:    `getblock "hash|height" ( verbosity )`,
			Summary:  "Return a block of the main chain or of another branch",
			Detail:   "Verbosity 0 returns the block in hexadecimal, 1 its header and txids, and 2 its header and transactions.",
			Category: categoryBlockchain,
		}, b.getBlock).Gives("", blockJSON{}),
		rpc.Handle("getchaintips", rpc.Doc{Reads: true,
			Summary:  "List the tips of all branches",
			Detail:   "The status of the main chain is active. The status of another branch is valid-fork, or invalid if one of its blocks was rejected.",
			Category: categoryBlockchain,
		}, b.getChainTips),
		rpc.Handle("getblockchaininfo", rpc.Doc{Reads: true,
			Summary: "Return the state and the consensus rules of the chain", Category: categoryBlockchain,
		}, b.getBlockchainInfo).Gives(blockchainInfo{}),
		rpc.Handle("getlightblock", rpc.Doc{Reads: true,
			Usage:    "getlightblock ( height )",
			Summary:  "Return a signed header with its commit and its validator set",
			Detail:   "The result is a light block of CometBFT, for light clients. Chains with a single block producer do not support the method.",
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
	Height Int `json:"height" doc:"height of the block; 0 is the genesis block"`
}

func (b *Backend) getBlockHash(ctx context.Context, p heightParams) (hash wire.Hash, err error) {
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		hash, err = hashAt(v, int(p.Height))
		return err
	})
	return hash, err
}

// Errors for an invalid or unknown block in a request.
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

// findBlock returns a block by its hash, which may be outside the active chain, or by its
// height. Like komodod, it distinguishes the two by their length.
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
	Block   Decimal `json:"block" doc:"hash or height of the block"`
	Verbose Flag    `json:"verbose" default:"true" doc:"false: return the header in hexadecimal"`
}

func (b *Backend) getBlockHeader(ctx context.Context, p headerParams) (result any, err error) {
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		hash, r, err := findBlock(v, string(p.Block))
		if errors.Is(err, errHeight) || errors.Is(err, errHeightRange) {
			err = errBlockNotFound // komodod accepts no heights in this method, and reads them as hashes
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
	Block     Decimal   `json:"block" doc:"hash or height of the block"`
	Verbosity Verbosity `json:"verbosity" default:"1" doc:"0 or false: in hexadecimal; 1 or true: with txids; 2: with transactions"`
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

type blockchainInfo struct {
	Chain       string      `json:"chain" doc:"main or regtest"`
	Blocks      int         `json:"blocks" doc:"height of the chain"`
	Synced      bool        `json:"synced"`
	Headers     int         `json:"headers"`
	Best        wire.Hash   `json:"bestblockhash"`
	Difficulty  json.Number `json:"difficulty"`
	Progress    int         `json:"verificationprogress"`
	ChainWork   string      `json:"chainwork"`
	Pruned      bool        `json:"pruned"`
	Commitments int         `json:"commitments"`
	supplies
	SoftForks []softFork         `json:"softforks"`
	Upgrades  map[string]upgrade `json:"upgrades" doc:"upgrades by id of their consensus branch"`
	Consensus struct {
		Tip  string `json:"chaintip"`
		Next string `json:"nextblock"`
	} `json:"consensus" doc:"ids of the consensus branches of the last and the next block"`
}

type softFork struct {
	ID      string   `json:"id"`
	Version int      `json:"version"`
	Enforce majority `json:"enforce"`
	Reject  majority `json:"reject"`
}

type majority struct {
	Status   bool `json:"status"`
	Found    int  `json:"found"`
	Required int  `json:"required"`
	Window   int  `json:"window"`
}

type upgrade struct {
	Name   string `json:"name"`
	Height int    `json:"activationheight"`
	Status string `json:"status" doc:"pending or active"`
	Info   string `json:"info"`
}

func (b *Backend) getBlockchainInfo(ctx context.Context, _ struct{}) (info *blockchainInfo, err error) {
	p := b.Manager.Params()
	_, synced, _ := b.network(ctx)
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		tip := v.Tip()
		r, err := v.Record(tip.Hash)
		if err != nil {
			return err
		}
		info = &blockchainInfo{
			Chain: chainName(p), Blocks: tip.Height, Synced: synced, Headers: tip.Height, Best: tip.Hash,
			Difficulty: difficulty(v.NextBits()), Progress: 1, ChainWork: showWork(tip.Work),
			supplies: showSupplies(&r, p, false), SoftForks: softForks(tip.Height, p), Upgrades: upgrades(tip.Height, p),
		}
		info.Consensus.Tip = fmt.Sprintf("%08x", p.BranchID(tip.Height))
		info.Consensus.Next = fmt.Sprintf("%08x", p.BranchID(tip.Height+1))
		return v.Err()
	})
	return info, err
}

func chainName(p *params.Params) string {
	if p.Regtest {
		return "regtest"
	}
	return "main"
}

// softForks returns the state of old soft forks. Every block counts as a vote for all of them
// (SoftForkMajorityDesc), except for the genesis block shared by all chains but regtest, which
// has version 1.
func softForks(height int, p *params.Params) []softFork {
	const enforce, reject, window, regtestWindow = 750, 950, 4000, 1000
	size, voters := window, height
	if p.Regtest {
		size, voters = regtestWindow, height+1
	}
	found := min(voters, size)
	vote := func(required int) majority { return majority{found >= required, found, required, size} }
	var forks []softFork
	for i, id := range []string{"bip34", "bip66", "bip65"} {
		forks = append(forks, softFork{id, i + 2, vote(enforce), vote(reject)})
	}
	return forks
}

// upgradeDelay is the number of blocks below the tip at which komodod looks for the block that
// determines the height of the upgrades, if no height is configured.
const upgradeDelay = 30

// upgradesKnown reports whether komodod would know the height of the upgrades at a height.
func upgradesKnown(height int, p *params.Params) bool {
	return !p.TimedActivation || height > upgradeDelay
}

func upgrades(height int, p *params.Params) map[string]upgrade {
	result := map[string]upgrade{}
	if !upgradesKnown(height, p) {
		return result
	}
	for _, u := range []struct {
		branch     uint32
		name, page string
		from       int
	}{
		{params.OverwinterBranch, "Overwinter", "overwinter", p.OverwinterHeight},
		{params.SaplingBranch, "Sapling", "sapling", p.SaplingHeight},
	} {
		status := "pending"
		if height >= u.from {
			status = "active"
		}
		info := "See https://z.cash/upgrade/" + u.page + ".html for details."
		result[fmt.Sprintf("%08x", u.branch)] = upgrade{u.name, u.from, status, info}
	}
	return result
}

// States of a branch (komodod rpc/blockchain.cpp getchaintips). Every stored block is complete,
// so headers-only and valid-headers do not occur.
const (
	branchActive  = "active"
	branchValid   = "valid-fork"
	branchInvalid = "invalid"
)

type chainTip struct {
	Height int       `json:"height"`
	Hash   wire.Hash `json:"hash"`
	Length int       `json:"branchlen" doc:"number of blocks of the branch that are not on the main chain"`
	Status string    `json:"status" doc:"active, valid-fork or invalid"`
}

func (b *Backend) getChainTips(ctx context.Context, _ struct{}) (tips []chainTip, err error) {
	leaves := b.Manager.Leaves() // called before Read, because it waits for changes, which wait for readers
	sort.Slice(leaves, func(x, y int) bool { return leaves[x].Record.Sequence < leaves[y].Record.Sequence })
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		tip := v.Tip()
		tips = []chainTip{{tip.Height, tip.Hash, 0, branchActive}}
		for _, leaf := range leaves {
			if v.InChain(leaf.Hash, leaf.Record) {
				continue // the leaf is the tip, or was reached by the chain in the meantime
			}
			result, err := showTip(v, leaf)
			if err != nil {
				return err
			}
			tips = append(tips, result)
		}
		return v.Err()
	})
	sort.SliceStable(tips, func(x, y int) bool { return tips[x].Height > tips[y].Height })
	return tips, err
}

// showTip describes a branch, down to the chain.
func showTip(v *chain.View, leaf chain.Leaf) (chainTip, error) {
	result := chainTip{Height: leaf.Record.Height, Hash: leaf.Hash, Status: branchValid}
	hash, r := leaf.Hash, leaf.Record
	for !v.InChain(hash, r) {
		result.Length++
		if r.Failed {
			result.Status = branchInvalid
		}
		hash = r.Prev
		var err error
		if r, err = v.Record(hash); err != nil {
			return result, err
		}
	}
	return result, v.Err()
}
