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
	// HistoryOf returns the history of a known address. The first call starts to load it.
	// Errors in addition to the errors of History are an *InvalidError of FieldFrom, if the
	// address is not known, and the errors of finding it.
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
	Limit int    // maximum number of transactions, 0 or more
	Page  int    // number of the page, from 1, with Limit transactions each; ignored if After is set
	After string // ID of the transaction before the page; the page is empty if it is unknown
}

// History is a page of a history, and the state of loading it.
type History struct {
	Transactions []Transaction
	Skipped      int // number of transactions before the page
	Total        int // number of stored transactions
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
	SyncFailed     SyncState = "Error" // the last attempt failed; loading is retried
	SyncFinished   SyncState = "Finished"
)

// SyncStatus is a state with its details.
type SyncStatus struct {
	State   SyncState
	Left    uint64 // SyncInProgress: number of known transactions that are not loaded yet
	Blocks  uint64 // SyncInProgress: number of blocks that are still to be searched, if Left is unknown
	Message string // SyncFailed: the reason, without credentials
}

// TransactionKind is the kind of a transaction, by its name in the daemon API.
type TransactionKind string

// Kinds. A transaction that performed several operations is listed once for each.
const (
	KindTransfer         TransactionKind = "StandardTransfer"
	KindTokenTransfer    TransactionKind = "TokenTransfer"
	KindFeeOnly          TransactionKind = "FeeForTokenTx" // a fee and no other operation with this coin
	KindDelegation       TransactionKind = "StakingDelegation"
	KindRemoveDelegation TransactionKind = "RemoveDelegation"
	KindClaimRewards     TransactionKind = "ClaimDelegationRewards"
	KindCustomMessage    TransactionKind = "CustomTendermintMsg"
	KindIBCTransfer      TransactionKind = "TendermintIBCTransfer"
	KindNFTTransfer      TransactionKind = "NftTransfer"
)

// Transaction is a transaction from the point of view of one coin and address. Amounts are in
// whole coins.
type Transaction struct {
	Raw       []byte // signed transaction as it is on the chain; empty if it was too large to keep
	Hash      string // in the format of the chain's explorers
	From, To  []string
	Total     number.Rational // amount moved, including the fee if the address paid it
	Spent     number.Rational // amount spent by the address, including the fee
	Received  number.Rational // amount received by the address
	Height    uint64
	Timestamp int64 // time of the block, in seconds since 1970; 0 if no node has the block any more
	Fee       Fee
	Coin      string // ticker
	ID        string // unique among the coin's transactions
	Kind      TransactionKind
	Token     string // id of the token, for kinds that have one; "" if the transaction is not of a token
	Message   string // kind of the message, for KindCustomMessage
	Memo      string
	Simulated bool // the nodes simulated it on the latest state before it was signed, and it succeeded
}

// Fee is the fee of a transaction, regardless of the account that paid it, or the highest fee
// that it may cost.
type Fee struct {
	Type     string // type of the chain: Tendermint or FeeEth
	Coin     string // ticker
	Amount   number.Rational
	GasLimit uint64

	// GasPrice is the highest price of a unit of gas, and MaxTip the part of it that the block
	// producer gets, in whole coins, on EVM networks. A nil MaxTip means all that the network does
	// not burn.
	GasPrice number.Rational
	MaxTip   *number.Rational
	// Data is the part of Amount that a rollup charges for storing the transaction's data on
	// another chain, in whole coins.
	Data number.Rational
}

// FeeEth is the type of fees of EVM networks.
const FeeEth = "Eth"

// Gap reports that a list may lack items, and why. A list without gaps is complete.
type Gap struct {
	Part   string // the incomplete part of the list, such as a chain or a ticker; "" for the whole list
	Reason GapReason
	Err    string // details; "" if the reason is sufficient
}

// GapReason is the reason why a list may lack items, by its name in the interface.
type GapReason string

// Reasons for gaps.
const (
	GapNoAnswer   GapReason = "NoAnswer"   // the servers could not be queried, or failed
	GapTooMany    GapReason = "TooMany"    // the list reached a limit
	GapNoLogs     GapReason = "NoLogs"     // nodes do not have older blocks, or lack their logs
	GapInProgress GapReason = "InProgress" // some items are still to be loaded
	GapNoIndexer  GapReason = "NoIndexer"  // only an indexer lists the rest, and none is configured
	GapRestoring  GapReason = "Restoring"  // the coin was active when the node last ran, and is not restored yet
)

// Admits reports whether a list that should have at most limit items accepts another item of a
// group, such as a contract. total and group are the numbers of items that it has in all and of
// the group. A few groups cannot exclude the others, because a full list still accepts some
// items of each group, up to five times its limit.
func Admits(limit, total, group int) bool {
	switch {
	case total < limit:
		return true
	case total < 2*limit:
		return group < max(limit/100, 1)
	}
	return total < 5*limit && group == 0
}

// InTurns returns an order of n items: the first item of each group, then the second of each,
// and so on.
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

// Fair returns the indexes of up to limit of n items, as evenly distributed over the groups as
// possible: the first item of each group, then the second of each, and so on. Items for which
// late returns true come after all others; late may be nil.
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
