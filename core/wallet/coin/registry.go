package coin

import (
	"bytes"
	_ "embed" // the built-in coins file
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// builtin is the coins file of a node without one. Its entries are from the public coins list,
// with some exceptions. It adds the IBC tokens that the list lacks: their denoms are ibc/ and
// the SHA-256 of transfer/channel-N/denom with N from the platform's ibc_channels. It adds the
// gas price of ATOM, which the list lacks, and tBTC-lightning from Komodo DeFi Framework's
// documentation. The platform of tBTC-lightning, which is TESTBTC-segwit in the list, has the
// name that tBTC-lightning uses.
//
//go:embed builtin.json
var builtin []byte

// builtinEntries are the entries of builtin, which registries share.
var builtinEntries = sync.OnceValue(func() []*Entry {
	entries, problems, err := ParseList(builtin)
	if err != nil || len(problems) > 0 {
		panic(fmt.Sprint("the built-in coins file is wrong: ", err, problems))
	}
	return entries
})

// BuiltinGasPrice returns the gas price of a Cosmos chain, by its id, for a user's entries without
// one, and "" if it is unknown.
func BuiltinGasPrice(chainID string) json.Number {
	for _, entry := range builtinEntries() {
		if t, err := As[Cosmos](entry); err == nil && t.ChainID == chainID {
			return t.GasPrice
		}
	}
	return ""
}

// ErrNotConfigured means that the registry has no entry for a ticker.
var ErrNotConfigured = errors.New("the coins file has no such coin")

// aliases maps second names of coins to the name in the spec.
var aliases = map[string]string{"OSMO": "OSMOSIS"}

// Canonical returns the main ticker of a coin with more than one: OSMOSIS for OSMO, and
// ATOM-IBC_OSMOSIS for ATOM-IBC_OSMO. Two tickers name the same coin if their canonical tickers are
// equal. It is for comparisons and keys, not for display.
func Canonical(ticker string) string {
	const between = "-IBC_"
	token, platform, ibc := strings.Cut(ticker, between)
	if first, ok := aliases[token]; ok {
		token = first
	}
	if !ibc {
		return token
	}
	if first, ok := aliases[platform]; ok {
		platform = first
	}
	return token + between + platform
}

// Registry is the set of coins that can be activated. It is parsed when a coin is first looked up,
// so that it does not delay the start.
type Registry struct {
	further []func() []*Entry
	lazy    atomic.Pointer[func() registered]
}

type registered struct {
	entries  []*Entry
	byTicker map[string]*Entry // by canonical ticker
}

// NewRegistry returns a registry of a user's entries, in their order, followed by the built-in
// entries with other tickers. So a user's list changes and adds coins, but removes none.
// Further lists come last.
func NewRegistry(user []*Entry, further ...func() []*Entry) *Registry {
	r := &Registry{further: further}
	r.Replace(user)
	return r
}

// Replace replaces the entries of the user.
func (r *Registry) Replace(user []*Entry) {
	read := sync.OnceValue(func() registered { return r.register(user) })
	r.lazy.Store(&read)
}

func (r *Registry) read() registered { return (*r.lazy.Load())() }

func (r *Registry) register(user []*Entry) registered {
	lists := [][]*Entry{user, builtinEntries()}
	for _, list := range r.further {
		lists = append(lists, list())
	}
	all := registered{byTicker: make(map[string]*Entry, len(user)+len(lists[1]))}
	for _, list := range lists {
		for _, entry := range list {
			key := Canonical(entry.Ticker)
			if _, taken := all.byTicker[key]; !taken {
				all.byTicker[key] = entry
				all.entries = append(all.entries, entry)
			}
		}
	}
	return all
}

// UnknownError means that a coin is not active or not configured.
type UnknownError struct {
	Ticker   string    // as requested
	Registry *Registry // of the known coins; may be nil
	reason   error
}

func (e *UnknownError) Error() string { return clip(e.Ticker) + ": " + e.reason.Error() }

// Unwrap returns ErrNotActive or ErrNotConfigured.
func (e *UnknownError) Unwrap() error { return e.reason }

// Lookup returns an entry by any name of its coin. Its error is an *UnknownError that is
// ErrNotConfigured.
func (r *Registry) Lookup(ticker string) (*Entry, error) {
	if entry, ok := r.read().byTicker[Canonical(ticker)]; ok {
		return entry, nil
	}
	return nil, &UnknownError{ticker, r, ErrNotConfigured}
}

// Entries lists all entries: the user's, then the built-in ones, then the entries of further
// lists.
func (r *Registry) Entries() []*Entry { return append([]*Entry(nil), r.read().entries...) }

// Count returns the number of entries.
func (r *Registry) Count() int { return len(r.read().entries) }

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

// Error names the entry and the problem.
func (p Problem) Error() string {
	if p.Ticker == "" {
		return fmt.Sprintf("entry %d of the coins file is left out: %v", p.Index, p.Err)
	}
	return fmt.Sprintf("entry %d of the coins file, %s, is left out: %v", p.Index, p.Ticker, p.Err)
}

// Unwrap returns the reason.
func (p Problem) Unwrap() error { return p.Err }

// ErrDuplicate is the reason for leaving out the second entry of a ticker, or of two
// tickers that name one coin.
var ErrDuplicate = errors.New("duplicate ticker")

// ParseList reads a coins file: a JSON array of entries. Entries that cannot be read are left out
// and returned as problems. Of two with one ticker the first counts, as in Komodo DeFi Framework.
// An error means that the whole file is rejected.
func ParseList(raw []byte) (entries []*Entry, problems []Problem, err error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff")) // some editors put it before JSON
	if len(raw) > MaxListBytes {
		return nil, nil, fmt.Errorf("%w: %d bytes, limit is %d", ErrListSize, len(raw), MaxListBytes)
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

// checkList returns an error, with the line, if raw is not a JSON array.
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

// ignored accepts any JSON value and discards it.
type ignored struct{}

func (*ignored) UnmarshalJSON([]byte) error { return nil }
