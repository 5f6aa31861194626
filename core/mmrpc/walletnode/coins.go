package walletnode

import (
	"encoding/json"
	"fmt"

	"obverse/core/wallet/coin"
)

// readCoins reads the user's list. What cannot be read in it is left out, and the
// operator is told.
func readCoins(list json.RawMessage, log Logger) ([]*coin.Entry, error) {
	if len(list) == 0 {
		return nil, nil
	}
	entries, problems, err := coin.ParseList(list)
	if err != nil {
		return nil, fmt.Errorf("coins: %w", err)
	}
	for n, problem := range problems {
		if n == maxProblems {
			log.Warn("skipped more invalid entries of the coins file", "count", len(problems)-n)
			break
		}
		log.Warn("skipped an invalid entry of the coins file", "entry", problem.Index, "coin", problem.Ticker, "reason", problem.Err.Error())
	}
	warnOfBare(entries, log)
	return entries, nil
}

// warnOfBare tells the operator of coins that no call can activate.
func warnOfBare(entries []*coin.Entry, log Logger) {
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
			log.Warn("coin of the coins file cannot be activated", "coin", entry.Ticker, "reason", reason)
		}
	}
	if bare > maxProblems {
		log.Warn("more coins of the coins file cannot be activated", "count", bare-maxProblems)
	}
}

// maxProblems keeps a file of another kind from filling the log.
const maxProblems = 20
