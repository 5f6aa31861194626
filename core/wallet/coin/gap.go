package coin

import "sort"

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
