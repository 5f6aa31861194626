package daemon

import (
	"context"
	"encoding/json"
	"fmt"

	"obverse/core/chain"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
)

type blockchainInfo struct {
	Chain       string      `json:"chain" doc:"main or regtest"`
	Blocks      int         `json:"blocks" doc:"the height of the chain"`
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
	Upgrades  map[string]upgrade `json:"upgrades" doc:"by consensus branch"`
	Consensus struct {
		Tip  string `json:"chaintip"`
		Next string `json:"nextblock"`
	} `json:"consensus" doc:"the consensus branches of the last and the next block"`
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

// softForks lists old votes. Every block counts for all of them [SoftForkMajorityDesc], except
// for the genesis block that all chains but regtest share: its version is 1.
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

// upgradeDelay is how far below the tip komodod looks for the block that decides
// the height of upgrades on a chain that is given none.
const upgradeDelay = 30

// upgradesKnown reports whether komodod knows the height of the upgrades yet.
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
