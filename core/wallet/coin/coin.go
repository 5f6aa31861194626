// Package coin contains the registry of known coins and the set of active ones. Entries come
// from a coins file in the format of the public coins list; their protocols are parsed on
// demand. Registry finds entries by ticker, and Active is the state machine of activation,
// saved in the store. The package connects to no chain: other packages implement Coin.
//
// Sources: spec, States and Errors; the `coins` file of github.com/KomodoPlatform/coins;
// Komodo DeFi Framework coins/lp_coins.rs (CoinProtocol, CoinsContext) and
// coins_activation for the order of checks.
//
// Invariant: a coin has at most one running activation, a token is active only while its
// platform is, and a restart restores exactly the coins in the store.
package coin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/number"
)

// Coin is an activated coin. The other interfaces of this package are optional, and callers
// find them by type assertion. All methods are safe for concurrent use.
type Coin interface {
	Ticker() string // for display: the name that activated it
	Entry() *Entry  // the entry from which the coin was made
}

// Token is a coin on the network of another one, its platform.
type Token interface {
	Coin
	Platform() string // ticker of the platform
	// OnPlatform returns this token on another activation of its platform. It is called when the
	// platform gets new nodes or parameters while the token stays active. It must not block.
	OnPlatform(platform Coin) Token
}

// Runner is a coin with work of its own, such as loading its history. Run is called once after
// the activation. Its context ends when the coin is disabled or replaced, or when the node
// stops; Run should return soon after that. It may return nil earlier.
type Runner interface {
	Run(ctx context.Context) error
}

// Balance is the balance of a coin's own address, in whole coins.
type Balance struct {
	Spendable   number.Rational
	Unspendable number.Rational // held, but not spendable now
	// Unknown is the error because of which a balance in a list could not be queried; the
	// amounts are zero then. A Balancer returns it as its error.
	Unknown error
}

// Balancer is a coin that has a balance. Errors of remote servers wrap ErrTransport.
type Balancer interface {
	Balance(ctx context.Context) (Balance, error)
}

// Addresser is a coin with one address.
type Addresser interface {
	Address() string
}

// ErrTransport means that no node of a coin answered, or that the answers were invalid. Errors that
// wrap it say which nodes failed and why, without credentials.
var ErrTransport = errors.New("the coin's nodes are unreachable")

// nodesError is an error of nodes.
type nodesError struct{ error }

// Is reports whether target is ErrTransport.
func (nodesError) Is(target error) bool { return target == ErrTransport }

// Unwrap returns the pool's error.
func (e nodesError) Unwrap() error { return e.error }

// Failed converts an error of a pool of nodes to an ErrTransport, which means that no node
// returned a usable answer. If the caller's context ended, that is not a failure of nodes, and
// Failed returns the error unchanged.
func Failed(err error) error {
	var unreachable *nodepool.UnreachableError
	if err == nil || !errors.As(err, &unreachable) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	return nodesError{err}
}

// ErrContract means that the nodes answered, but the address does not have the contract that a
// call expects. An error may be both ErrTransport and ErrContract.
var ErrContract = errors.New("not the expected contract")

// MaxTicker is the maximum length of a ticker in bytes.
const MaxTicker = 64

// Flag is an integer that is 0, 1 or absent, such as `mm2`.
type Flag uint8

// Values of a Flag.
const (
	Unset Flag = iota
	Off        // 0
	On         // 1
)

// Entry is one coin of a coins file. It is immutable and shared.
type Entry struct {
	Ticker                string      // `coin`
	Name                  string      // `name`: a short name without spaces
	FullName              string      // `fname`: for display
	MM2                   Flag        // `mm2`: whether the coin is expected to work
	Decimals              *uint8      // `decimals`; many entries have them in the protocol instead
	RequiredConfirmations *uint64     // nil means the protocol's default
	RequiresNotarization  bool        // wait for a notarisation too
	AvgBlocktime          json.Number // seconds, "7" or "1.8"; "" when absent
	DerivationPath        string      // m/44'/118'
	ChainID               *uint64     // `chain_id` outside the protocol, the older place of EVM networks
	UsualGasPrice         *uint64     // `usual_gas_price` of EVM networks, in the smallest unit, which limits fees that a single node states; nil means unknown
	MaxTxType             *uint64     // `max_eth_tx_type` of EVM networks: the newest type of transaction that they accept (EIP-2718); nil means that the nodes decide
	WalletOnly            bool        // not for trading
	IsTestnet             bool
	Custom                bool // made by a user's request, and in no coins file
	// HistoryIndexer is the object that `history_indexer` of an EVM network's activation takes; nil when absent.
	HistoryIndexer json.RawMessage

	protocol json.RawMessage // nil means absent
	raw      json.RawMessage
}

// MarshalJSON returns the entry as the file has it, including unknown keys.
func (e *Entry) MarshalJSON() ([]byte, error) { return e.raw, nil }

// PathError means that the derivation path of a coin's entry is invalid.
type PathError struct{ Err error }

func (e *PathError) Error() string { return "coin entry: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *PathError) Unwrap() error { return e.Err }

// Path returns the derivation path, or nil for a coin without one. Its error is a *PathError.
func (e *Entry) Path() (key.Path, error) {
	if e.DerivationPath == "" {
		return nil, nil
	}
	path, err := key.ParsePath(e.DerivationPath)
	if err != nil {
		return nil, &PathError{err}
	}
	return path, nil
}

// Confirmations returns the number of confirmations after which a transaction is final: the
// chosen number, which may be nil, otherwise the number in the entry, or otherwise the default.
func (e *Entry) Confirmations(otherwise uint64, chosen *uint64) uint64 {
	for _, choice := range []*uint64{chosen, e.RequiredConfirmations} {
		if choice != nil {
			return *choice
		}
	}
	return otherwise
}

// Errors of Blocktime.
var (
	ErrNoBlocktime = errors.New("the coin has no time between blocks")
	ErrBlocktime   = errors.New("invalid time between blocks of the coin")
)

// Blocktime returns the average time between two blocks, up to a maximum in seconds. Errors are
// ErrNoBlocktime and ErrBlocktime.
func (e *Entry) Blocktime(maximum int64) (time.Duration, error) {
	text := e.AvgBlocktime.String()
	if text == "" {
		return 0, ErrNoBlocktime
	}
	seconds, err := number.ParseRational(text)
	if err != nil || seconds.Sign() < 0 || seconds.Cmp(number.Int(maximum)) > 0 {
		return 0, ErrBlocktime
	}
	nanoseconds := seconds.Mul(number.Int(int64(time.Second)))
	return time.Duration(new(big.Int).Quo(nanoseconds.Numer(), nanoseconds.Denom()).Int64()), nil
}

// Bare reports whether the entry has no protocol, so that nothing can activate the coin.
func (e *Entry) Bare() bool { return kindOf(e.protocol) == "null" || e.protocol == nil }

// ErrEntry is wrapped by every error about a single entry of a coins file.
var ErrEntry = errors.New("not a coin")

// ParseEntry reads one entry. Keys are case-sensitive and may be in any order; a null
// counts as absent. The protocol is not checked, see Entry.Protocol. If ParseEntry fails and the
// ticker could be read, the entry has only its ticker.
func ParseEntry(raw []byte) (*Entry, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return &Entry{}, fmt.Errorf("%w: must be an object, got %s", ErrEntry, kindOf(raw))
	}
	e := &Entry{raw: append(json.RawMessage(nil), raw...)}
	if err := e.readTicker(members["coin"]); err != nil {
		return &Entry{}, err
	}
	for _, field := range []struct {
		key    string
		target any
		want   string
	}{
		{"name", &e.Name, "a string"},
		{"fname", &e.FullName, "a string"},
		{"mm2", &e.MM2, "0 or 1"},
		{"decimals", &e.Decimals, "a whole number from 0 to 255"},
		{"required_confirmations", &e.RequiredConfirmations, "a whole number from 0"},
		{"requires_notarization", &e.RequiresNotarization, "true or false"},
		{"avg_blocktime", (*seconds)(&e.AvgBlocktime), "a number of seconds"},
		{"derivation_path", &e.DerivationPath, "a string"},
		{"chain_id", &e.ChainID, "a whole number from 0"},
		{"usual_gas_price", &e.UsualGasPrice, "a whole number from 0"},
		{"max_eth_tx_type", &e.MaxTxType, "a whole number from 0"},
		{"wallet_only", &e.WalletOnly, "true or false"},
		{"is_testnet", &e.IsTestnet, "true or false"},
		{"history_indexer", &e.HistoryIndexer, "an object"},
	} {
		value, present := members[field.key]
		if !present {
			continue
		}
		if err := json.Unmarshal(value, field.target); err != nil {
			return &Entry{Ticker: e.Ticker}, fmt.Errorf("%w: %s must be %s, got %s", ErrEntry, field.key, field.want, describe(value))
		}
	}
	if p, present := members["protocol"]; present {
		e.protocol = p
	}
	return e, nil
}

func (e *Entry) readTicker(raw json.RawMessage) error {
	if raw == nil {
		return fmt.Errorf("%w: coin, the ticker, is missing", ErrEntry)
	}
	if kindOf(raw) != "string" || json.Unmarshal(raw, &e.Ticker) != nil {
		return fmt.Errorf("%w: coin must be a string, got %s", ErrEntry, kindOf(raw))
	}
	unfit := func(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) || !unicode.IsPrint(r) }
	if n := len(e.Ticker); n == 0 || n > MaxTicker || strings.ContainsFunc(e.Ticker, unfit) {
		e.Ticker = ""
		return fmt.Errorf("%w: coin must be 1 to %d bytes of text without spaces", ErrEntry, MaxTicker)
	}
	return nil
}

// UnmarshalJSON accepts 0 and 1, and null for absent.
func (f *Flag) UnmarshalJSON(raw []byte) error {
	switch string(raw) {
	case "null":
		*f = Unset
	case "0":
		*f = Off
	case "1":
		*f = On
	default:
		return fmt.Errorf("must be 0 or 1, got %s", describe(raw))
	}
	return nil
}

// seconds is a json.Number that accepts neither strings nor negative numbers.
type seconds json.Number

func (s *seconds) UnmarshalJSON(raw []byte) error {
	switch {
	case string(raw) == "null":
		return nil
	case !isMeasure(raw):
		return errors.New("not a number of seconds")
	}
	*s = seconds(raw)
	return nil
}

// AddressReader is a coin that validates addresses of its chain.
type AddressReader interface {
	// ReadAddress returns an address in the spelling that the chain's wallets show. The error is an
	// *InvalidError.
	ReadAddress(text string) (string, error)
}
