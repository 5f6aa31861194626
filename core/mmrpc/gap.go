package mmrpc

import (
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// gap says why a list may lack items.
type gap struct {
	Of     string    `json:"of,omitempty" doc:"the chain or ticker whose items may be missing; absent: any"`
	Reason gapReason `json:"reason" doc:"NoAnswer (the servers could not be asked, or failed), TooMany (a limit cuts the list), NoLogs (nodes do not have older blocks, or their logs), InProgress (some are still to be loaded), NoIndexer (no history_indexer is set, without which what others sent of the network's own coin is not listed), Restoring (it was active when the node last ran, and is restored in the background)"`
	Error  string    `json:"error,omitempty" doc:"the last failure, in words"`
}

// gapReason is a coin.GapReason.
type gapReason coin.GapReason

var _ rpc.Enum = gapReason("")

// Values implements rpc.Enum.
func (gapReason) Values() (all []string) {
	for _, r := range []coin.GapReason{coin.GapNoAnswer, coin.GapTooMany, coin.GapNoLogs, coin.GapInProgress, coin.GapNoIndexer, coin.GapRestoring} {
		all = append(all, string(r))
	}
	return all
}

// viewGaps shows why a list may lack items.
func viewGaps(gaps []coin.Gap) (all []gap) {
	for _, g := range gaps {
		all = append(all, gap{g.Of, gapReason(g.Reason), g.Err})
	}
	return all
}
