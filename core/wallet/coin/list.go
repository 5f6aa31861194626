package coin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Limits of a coins file. The public one has 782 entries in 0.4 MB.
const (
	MaxListBytes = 32 << 20
	MaxEntries   = 100_000
)

// Reasons for which a whole coins file is refused.
var (
	ErrListSize = errors.New("coins file too large")
	ErrNotList  = errors.New("invalid coins file")
)

// Problem is an entry of a coins file that was left out.
type Problem struct {
	Index  int    // from 0
	Ticker string // "" if it could not be read
	Err    error
}

// Error says which entry, and what is wrong with it.
func (p Problem) Error() string {
	if p.Ticker == "" {
		return fmt.Sprintf("entry %d of the coins file is left out: %v", p.Index, p.Err)
	}
	return fmt.Sprintf("entry %d of the coins file, %s, is left out: %v", p.Index, p.Ticker, p.Err)
}

// Unwrap gives the reason.
func (p Problem) Unwrap() error { return p.Err }

// ErrDuplicate is the reason for leaving out the second entry of a ticker, or of two
// tickers that name one coin.
var ErrDuplicate = errors.New("duplicate ticker")

// ParseList reads a coins file: a JSON array of entries. Entries that cannot be read
// are left out and told; of two with one ticker the first counts, as in Komodo DeFi
// Framework. An error means that the file as a whole is refused.
func ParseList(raw []byte) (entries []*Entry, problems []Problem, err error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff")) // some editors put it before JSON
	if len(raw) > MaxListBytes {
		return nil, nil, fmt.Errorf("%w: %d bytes, at most %d are taken", ErrListSize, len(raw), MaxListBytes)
	}
	if err := checkList(raw); err != nil {
		return nil, nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNotList, err)
	}
	seen := make(map[string]bool)
	for index := 0; decoder.More(); index++ {
		if index == MaxEntries {
			return nil, nil, fmt.Errorf("%w: more than %d entries", ErrListSize, MaxEntries)
		}
		var one json.RawMessage
		if err := decoder.Decode(&one); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrNotList, err)
		}
		entry, err := ParseEntry(one)
		if err == nil && seen[Canonical(entry.Ticker)] {
			err = ErrDuplicate
		}
		if err != nil {
			problems = append(problems, Problem{Index: index, Ticker: entry.Ticker, Err: err})
			continue
		}
		seen[Canonical(entry.Ticker)] = true
		entries = append(entries, entry)
	}
	return entries, problems, nil
}

// checkList finds what no JSON array can have, and where.
func checkList(raw []byte) error {
	var nothing ignored
	if err := json.Unmarshal(raw, &nothing); err != nil {
		syntax := new(json.SyntaxError)
		if !errors.As(err, &syntax) {
			return fmt.Errorf("%w: %w", ErrNotList, err)
		}
		before := raw[:min(int(syntax.Offset), len(raw))]
		return fmt.Errorf("%w: line %d: %w", ErrNotList, 1+bytes.Count(before, []byte("\n")), err)
	}
	if kind := kindOf(raw); kind != "array" {
		return fmt.Errorf("%w: must be an array of coins, got %s", ErrNotList, kind)
	}
	return nil
}

// ignored takes any JSON value and keeps nothing of it.
type ignored struct{}

func (*ignored) UnmarshalJSON([]byte) error { return nil }
