package coin

import (
	"encoding/json"
	"fmt"
)

// maxProblems limits the warnings in the log, as for a file of another kind.
const maxProblems = 20

// ReadList reads a user's coins list, if there is one, as ParseList does. It warns of entries that
// cannot be read, and of coins that no call can activate.
func ReadList(list json.RawMessage, warn func(message string, pairs ...any)) ([]*Entry, error) {
	if len(list) == 0 {
		return nil, nil
	}
	entries, problems, err := ParseList(list)
	if err != nil {
		return nil, fmt.Errorf("coins: %w", err)
	}
	for n, problem := range problems {
		if n == maxProblems {
			warn("skipped more invalid entries of the coins file", "count", len(problems)-n)
			break
		}
		warn("skipped an invalid entry of the coins file", "entry", problem.Index, "coin", problem.Ticker, "reason", problem.Err.Error())
	}
	warnOfBare(entries, warn)
	return entries, nil
}

// warnOfBare warns the operator of coins that no call can activate.
func warnOfBare(entries []*Entry, warn func(message string, pairs ...any)) {
	bare := 0
	for _, entry := range entries {
		_, err := entry.Protocol()
		if err == nil {
			continue
		}
		reason := err.Error()
		if entry.Bare() {
			reason = `"protocol" is missing, an object with "type" and "protocol_data"`
		}
		if bare++; bare <= maxProblems {
			warn("coin of the coins file cannot be activated", "coin", entry.Ticker, "reason", reason)
		}
	}
	if bare > maxProblems {
		warn("more coins of the coins file cannot be activated", "count", bare-maxProblems)
	}
}
