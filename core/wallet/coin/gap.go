package coin

import "slices"

// Gap says that a list may lack items, and why. A list without gaps is complete.
type Gap struct {
	Of     string // the part of the list that may lack them, such as a chain or a ticker; "": all of it
	Reason GapReason
	Err    string // why, in words; "": the reason says it
}

// GapReason is why a list may lack items, by its name in the interface.
type GapReason string

// Reasons.
const (
	GapNoAnswer   GapReason = "NoAnswer"   // the servers could not be asked, or failed
	GapTooMany    GapReason = "TooMany"    // a limit cut the list
	GapNoLogs     GapReason = "NoLogs"     // nodes do not have older blocks, or their logs
	GapInProgress GapReason = "InProgress" // some are still to be loaded
	GapNoIndexer  GapReason = "NoIndexer"  // only an indexer lists the rest, and none is set
	GapRestoring  GapReason = "Restoring"  // it was active when the node last ran, and is not restored yet
)

// Admits reports whether a list that should have at most limit items takes another one of a group,
// such as a contract, of which it has ofGroup items. Items of a few groups cannot keep those of
// others out: a list that is full still takes some of each group, up to five times its limit.
func Admits(limit, total, ofGroup int) bool {
	switch {
	case total < limit:
		return true
	case total < 2*limit:
		return ofGroup < max(limit/100, 1)
	}
	return total < 5*limit && ofGroup == 0
}

// Fair takes up to limit items of a list, as many of each group as possible: the first of each, then
// the second of each. Those that are late come after all others.
func Fair[T any](list []T, limit int, group func(T) string, late func(T) bool) []T {
	if len(list) <= limit {
		return list
	}
	count := map[string]int{}
	places := make([]int, len(list))
	for i, item := range list {
		g := group(item)
		places[i] = count[g]
		count[g]++
		if late(item) {
			places[i] += len(list)
		}
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return places[a] - places[b] })
	taken := make([]T, limit)
	for i := range taken {
		taken[i] = list[order[i]]
	}
	return taken
}
