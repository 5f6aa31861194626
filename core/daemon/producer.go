package daemon

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/rpc"
)

func (b *Backend) producerMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("generate", rpc.Doc{
			Usage:    "generate numblocks",
			Summary:  "Produce blocks immediately",
			Detail:   "Returns the hashes of the blocks.",
			Category: "Generating",
		}, b.generate),
		rpc.Handle("getmininginfo", rpc.Doc{
			Summary: "Return information about block production", Category: "Mining",
		}, b.getMiningInfo),
		rpc.Handle("submitblock", rpc.Doc{
			Usage:    `submitblock "hexdata" ( "jsonparametersobject" )`,
			Summary:  "Submit a block to the node",
			Detail:   "Returns null if the block was added to the chain or its parent is unknown, otherwise a short reason. Regtest only.",
			Category: "Mining",
		}, b.submitBlock).Guarded(b.onlyRegtest).Gives("", nil),
		rpc.Handle("invalidateblock", rpc.Doc{
			Usage:    `invalidateblock "hash"`,
			Summary:  "Mark a block and its descendants as invalid. Regtest only",
			Category: categoryBlockchain,
		}, b.invalidateBlock).Guarded(b.onlyRegtest).Gives(nil),
		rpc.Handle("reconsiderblock", rpc.Doc{
			Usage:    `reconsiderblock "hash"`,
			Summary:  "Remove the invalid mark from a block, its ancestors and its descendants. Regtest only",
			Category: categoryBlockchain,
		}, b.reconsiderBlock).Guarded(b.onlyRegtest).Gives(nil),
	}
}

var errRegtestOnly = &Error{CodeNoMethod, "Method not found: available only with regtest"}

func (b *Backend) onlyRegtest(context.Context) error {
	if !b.Manager.Params().Regtest || b.Announce != nil { // validators decide together on their blocks
		return errRegtestOnly
	}
	return nil
}

type generateParams struct {
	Blocks Int `json:"numblocks"`
}

// maxGenerate limits the number of blocks per call.
const maxGenerate = 10_000

var (
	errNoProducer = &Error{CodeMisc, "this node makes no blocks: it has no key, another node is the producer, or several validators make them"}
	errGenerate   = &Error{CodeParameter, fmt.Sprintf("numblocks must be at most %d", maxGenerate)}
)

func (b *Backend) generate(ctx context.Context, p generateParams) ([]wire.Hash, error) {
	switch {
	case b.Producer == nil:
		return nil, errNoProducer
	case p.Blocks > maxGenerate:
		return nil, errGenerate
	case p.Blocks <= 0:
		return []wire.Hash{}, nil
	}
	return b.Producer.Generate(ctx, int(p.Blocks))
}

type miningInfo struct {
	Blocks      int         `json:"blocks" doc:"height of the chain"`
	Size        int         `json:"currentblocksize" doc:"size of the last block in bytes, as its producer estimated it"`
	Txs         int         `json:"currentblocktx" doc:"number of transactions in the last block, without its coinbase"`
	Difficulty  json.Number `json:"difficulty"`
	Errors      string      `json:"errors"`
	ProcLimit   int         `json:"genproclimit"`
	LocalRate   int         `json:"localsolps"`
	NetworkRate int64       `json:"networksolps"`
	NetworkHash int64       `json:"networkhashps"`
	PooledTxs   int         `json:"pooledtx" doc:"number of transactions in the mempool"`
	Testnet     bool        `json:"testnet"`
	Chain       string      `json:"chain"`
	Staking     bool        `json:"staking"`
	Generate    bool        `json:"generate" doc:"whether the node produces blocks automatically"`
	Threads     int         `json:"numthreads"`
}

func (b *Backend) getMiningInfo(ctx context.Context, _ struct{}) (info miningInfo, err error) {
	const unlimited, headroom = -1, 1000 // bytes that a producer reserves for header and coinbase
	_, _, warning := b.network(ctx)
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		tip := v.Tip()
		block, _, err := loadBlock(v, tip.Hash)
		if err != nil {
			return err
		}
		rate, err := networkRate(v, tip)
		if err != nil {
			return err
		}
		regtest := b.Manager.Params().Regtest
		info = miningInfo{
			Blocks: tip.Height, Size: headroom, Txs: len(block.Txs) - 1, Difficulty: difficulty(v.NextBits()),
			Errors: warning, ProcLimit: unlimited, NetworkRate: rate, NetworkHash: rate, PooledTxs: b.Pool.Size(), Chain: chainName(b.Manager.Params()),
			Generate: b.Producer != nil && !regtest, Threads: unlimited,
		}
		for _, tx := range block.Txs[1:] {
			info.Size += len(tx.Encode())
		}
		return v.Err()
	})
	return info, err
}

// networkRate returns the work of the last 120 blocks per second (komodod rpc/mining.cpp
// GetNetworkHashPS).
func networkRate(v *chain.View, tip chain.Tip) (int64, error) {
	const lookup = 120
	r, err := v.Record(tip.Hash)
	first, last := tip.Time, tip.Time
	for i := 0; err == nil && i < lookup && r.Height > 0; i++ {
		r, err = v.Record(r.Prev)
		first, last = min(first, r.Time), max(last, r.Time)
	}
	if err != nil || first == last {
		return 0, err
	}
	work := new(big.Int).Sub(tip.Work, r.Work)
	return work.Div(work, big.NewInt(int64(last-first))).Int64(), nil
}

type submitParams struct {
	Hex     Text            `json:"hexdata" doc:"the block in hexadecimal"`
	Options json.RawMessage `json:"jsonparametersobject" rpc:"optional" doc:"ignored"`
}

// Results of submitblock for blocks that have not been found invalid (BIP 22).
const (
	submitDuplicate    = "duplicate"
	submitInvalid      = "duplicate-invalid"
	submitInconclusive = "inconclusive"
	submitBadParent    = "bad-prevblk"
	submitRejected     = "rejected"
)

var errBlockDecode = &Error{CodeDecode, "Block decode failed"}

// submitBlock returns null for a block with an unknown parent, as komodod does, but does not
// store the block.
func (b *Backend) submitBlock(ctx context.Context, p submitParams) (any, error) {
	raw, err := hex.DecodeString(string(p.Hex))
	if err != nil {
		return nil, errBlockDecode
	}
	block, err := wire.DecodeBlock(raw)
	if err != nil {
		return nil, errBlockDecode
	}
	known, err := b.isKnown(ctx, block.Hash())
	if err != nil {
		return nil, err
	}
	_, err = b.Manager.Submit(ctx, raw)
	var rejection *consensus.Rejection
	var broken *script.Error
	switch {
	case err == nil || errors.Is(err, chain.ErrUnknownParent):
		return nil, nil
	case errors.Is(err, chain.ErrSideBranch):
		return submitInconclusive, nil
	case errors.Is(err, chain.ErrKnownBlock):
		return submitDuplicate, nil
	case errors.Is(err, chain.ErrKnownInvalid) && known:
		return submitInvalid, nil
	case errors.Is(err, chain.ErrKnownInvalid):
		return submitRejected, nil // its branch had the most work, and was found invalid when it was connected
	case errors.Is(err, chain.ErrBadParent):
		return submitBadParent, nil
	case errors.As(err, &rejection):
		return rejection.Reason, nil
	case errors.As(err, &broken):
		return fmt.Sprintf("mandatory-script-verify-flag-failed (%v)", broken.Kind), nil
	}
	return nil, err
}

func (b *Backend) isKnown(ctx context.Context, hash wire.Hash) (known bool, err error) {
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		_, err := v.Record(hash)
		if known = err == nil; errors.Is(err, chain.ErrNotFound) {
			return nil
		}
		return err
	})
	return known, err
}

type hashParams struct {
	Hash Text `json:"hash"`
}

// errPastNotarized is the recorded answer to a block that replaces the genesis block.
var errPastNotarized = &Error{CodeDatabase, "past-notarized-height"}

func (b *Backend) invalidateBlock(ctx context.Context, p hashParams) (any, error) {
	return nil, b.change(ctx, p, b.Manager.Invalidate)
}

func (b *Backend) reconsiderBlock(ctx context.Context, p hashParams) (any, error) {
	return nil, b.change(ctx, p, b.Manager.Reconsider)
}

func (b *Backend) change(ctx context.Context, p hashParams, change func(context.Context, wire.Hash) error) error {
	hash, err := wire.ParseHash(string(p.Hash))
	if err != nil {
		return errBlockNotFound
	}
	switch err := change(ctx, hash); {
	case errors.Is(err, chain.ErrUnknownBlock):
		return errBlockNotFound
	case errors.Is(err, chain.ErrGenesis):
		return errPastNotarized
	default:
		return err
	}
}
