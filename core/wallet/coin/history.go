package coin

import (
	"context"
	"errors"
	"sort"

	"obverse/core/number"
)

// Historian is a coin that lists the transactions of its address.
type Historian interface {
	// History returns a page of the transactions, the newest first. It fails with ErrNoHistory when
	// the coin was activated without a history, with ErrHistoryStore when the store cannot be read,
	// and with ErrTransport when no node returns the current block.
	History(ctx context.Context, ask HistoryQuery) (History, error)
}

// AddressHistorian is a Historian for all addresses of an HD wallet.
type AddressHistorian interface {
	Historian
	// HistoryOf returns the history of a known address. The first call starts to load it. Errors in
	// addition to those of History are an *InvalidError of FieldFrom, if the address is not known,
	// and those of finding it.
	HistoryOf(ctx context.Context, from From, ask HistoryQuery) (History, error)
}

// HistoryWatcher is a Historian that reports transactions as it loads them.
type HistoryWatcher interface {
	Historian
	// HasHistory reports whether the coin was activated with its history.
	HasHistory() bool
	// WatchHistory calls report with each transaction once it is listed, whatever its age, also
	// while the history is loaded for the first time. height is that of the newest block.
	// WatchHistory returns when ctx ends, and with ErrNotActive when the coin was disabled or
	// replaced by another activation.
	WatchHistory(ctx context.Context, report func(tx Transaction, height uint64)) error
}

// Reasons for which there is no history.
var (
	// ErrNoHistory means that the coin was activated without its history.
	ErrNoHistory = errors.New("the coin was activated without its history")
	// ErrHistoryStore means that the store failed, or has data that cannot be read.
	ErrHistoryStore = errors.New("the stored history cannot be read")
)

// HistoryQuery selects a page.
type HistoryQuery struct {
	Limit int    // transactions at most, 0 or more
	Page  int    // from 1, each of Limit transactions; ignored when After is set
	After string // ID of the transaction before the page; the page is empty if it is unknown
}

// History is a page of a history, and the state of loading it.
type History struct {
	Transactions []Transaction
	Skipped      int // transactions before the page
	Total        int // all that are stored
	CurrentBlock uint64
	Sync         SyncStatus
	// StartsAt is the lowest block that the coin's nodes still have; 0 means all, or unknown.
	StartsAt uint64
	// Gaps are the reasons for which transactions may be missing.
	Gaps []Gap
}

// SyncState is the state of loading a history.
type SyncState string

// States of loading, by their names in the interface.
const (
	SyncNotEnabled SyncState = "NotEnabled"
	SyncNotStarted SyncState = "NotStarted" // no node has answered in this run
	SyncInProgress SyncState = "InProgress"
	SyncFailed     SyncState = "Error" // and loading is retried
	SyncFinished   SyncState = "Finished"
)

// SyncStatus is a state with its details.
type SyncStatus struct {
	State   SyncState
	Left    uint64 // SyncInProgress: transactions that are known and not yet loaded
	Blocks  uint64 // SyncInProgress: blocks that are still to be searched, where Left is unknown
	Message string // SyncFailed: why; without credentials
}

// TransactionKind is the kind of a transaction, by its name in the daemon API.
type TransactionKind string

// Kinds. A transaction that did several things is listed once for each.
const (
	KindTransfer         TransactionKind = "StandardTransfer"
	KindTokenTransfer    TransactionKind = "TokenTransfer"
	KindFeeOnly          TransactionKind = "FeeForTokenTx" // a fee and nothing else of this coin
	KindDelegation       TransactionKind = "StakingDelegation"
	KindRemoveDelegation TransactionKind = "RemoveDelegation"
	KindClaimRewards     TransactionKind = "ClaimDelegationRewards"
	KindCustomMessage    TransactionKind = "CustomTendermintMsg"
	KindIBCTransfer      TransactionKind = "TendermintIBCTransfer"
	KindNFTTransfer      TransactionKind = "NftTransfer"
)

// Transaction is a transaction as it concerns one coin and address. Amounts are in whole coins.
type Transaction struct {
	Raw       []byte // signed, as it is on the chain; empty if it was too large to keep
	Hash      string // as the chain's explorers write it
	From, To  []string
	Total     number.Rational // amount moved, with the fee if the address paid it
	Spent     number.Rational // by the address, with the fee
	Received  number.Rational // by the address
	Height    uint64
	Timestamp int64 // of the block, seconds since 1970; 0 means no node has the block anymore
	Fee       Fee
	Coin      string // ticker
	ID        string // no two of a coin's transactions have the same
	Kind      TransactionKind
	Token     string // id of the token, for the kinds that have one; "" if it is no token
	Message   string // KindCustomMessage: which
	Memo      string
	Simulated bool // the nodes simulated it on the latest state before it was signed, and it succeeded
}

// Fee is the fee of a transaction, whatever account paid it, or the highest fee that it may cost.
type Fee struct {
	Type     string // of the chain: Tendermint or FeeEth
	Coin     string // ticker
	Amount   number.Rational
	GasLimit uint64

	// GasPrice is the highest price of a unit of gas, and MaxTip the part of it that the block
	// producer gets, in whole coins, on EVM networks. A nil MaxTip means all that the network does
	// not burn.
	GasPrice number.Rational
	MaxTip   *number.Rational
	// Data is the part of Amount that a rollup takes for keeping the transaction's data on
	// another chain, in whole coins.
	Data number.Rational
}

// FeeEth is the type of fees of EVM networks.
const FeeEth = "Eth"

// Gap reports that a list may lack items, and why. A list without gaps is complete.
type Gap struct {
	Part   string // the part of the list that may lack them, such as a chain or a ticker; "" means all of it
	Reason GapReason
	Err    string // details; "" means the reason is enough
}

// GapReason is why a list may lack items, by its name in the interface.
type GapReason string

// Reasons.
const (
	GapNoAnswer   GapReason = "NoAnswer"   // the servers could not be queried, or failed
	GapTooMany    GapReason = "TooMany"    // a limit cut the list
	GapNoLogs     GapReason = "NoLogs"     // nodes do not have older blocks, or their logs
	GapInProgress GapReason = "InProgress" // some are still to be loaded
	GapNoIndexer  GapReason = "NoIndexer"  // only an indexer lists the rest, and none is set
	GapRestoring  GapReason = "Restoring"  // the coin was active when the node last ran, and is not restored yet
)

// Admits reports whether a list that should have at most limit items takes another one of a group,
// such as a contract, of which it has ofGroup items. Items of a few groups cannot keep those of
// others out: a list that is full still takes some of each group, up to five times its limit.
func Admits(limit, total, group int) bool {
	switch {
	case total < limit:
		return true
	case total < 2*limit:
		return group < max(limit/100, 1)
	}
	return total < 5*limit && group == 0
}

// InTurns returns the places of a list of n: the first of each group, then the second of each.
func InTurns(n int, group func(i int) string) []int {
	order, count, turns := make([]int, n), map[string]int{}, make([]int, n)
	for i := range order {
		g := group(i)
		order[i], turns[i] = i, count[g]
		count[g]++
	}
	sort.SliceStable(order, func(x, y int) bool { return turns[order[x]] < turns[order[y]] })
	return order
}

// Fair returns the places of up to limit items in a list of n, as many of each group as possible:
// the first of each, then the second of each. Those that are late come after all others; late may
// be nil.
func Fair(n, limit int, group func(i int) string, late func(i int) bool) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if n <= limit {
		return order
	}
	count, turns := map[string]int{}, make([]int, n)
	for i := range order {
		g := group(i)
		turns[i] = count[g]
		count[g]++
		if late != nil && late(i) {
			turns[i] += n
		}
	}
	sort.SliceStable(order, func(x, y int) bool { return turns[order[x]] < turns[order[y]] })
	return order[:limit]
}
