package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/net/proxyauth"
	"obverse/core/wallet/cosmos/wire"
)

// Node is a node in a user's configuration.
type Node = nodepool.Node

// Config holds the parts and settings of a pool.
type Config struct {
	Nodes    []Node // in the order in which equally good nodes are queried
	ChainID  string // "cosmoshub-4"
	Fetcher  fetch.Fetcher
	Dialer   fetch.Dialer     // for Events; nil means this platform has no websockets
	Identity proxyauth.Signer // for nodes behind a gateway; may be nil without such nodes
	Now      func() time.Time
	Block    time.Duration // approximate time between two blocks; 0 means a second
	// TTL is how long answers are cached, by quantity. The default is DefaultTTL.
	TTL map[string]time.Duration
}

// DefaultTTL returns how long answers are cached, by path. Other answers are not cached.
func DefaultTTL() map[string]time.Duration {
	return map[string]time.Duration{
		QuantityHeight:             time.Second,
		QuantityBlock:              10 * time.Minute,
		wire.PathBalance:           2 * time.Second,
		wire.PathAllBalances:       2 * time.Second,
		wire.PathSpendableBalances: 2 * time.Second,
		wire.PathChannel:           10 * time.Second,
		wire.PathChannelClient:     10 * time.Second,
		wire.PathClientStatus:      10 * time.Second,
		wire.PathDenomTrace:        10 * time.Minute,
	}
}

// maxLag is the number of blocks by which a node may be behind the others.
const maxLag = 2

// Pool holds the nodes of a chain. Its methods are safe for concurrent use. Callers must not
// modify their results, which are shared.
type Pool struct {
	*nodepool.Pool
	config  Config
	highest highest
}

// New returns a pool, which sends no requests by itself. Its errors are the errors of
// nodepool.New.
func New(c Config) (*Pool, error) {
	ttl := DefaultTTL()
	maps.Copy(ttl, c.TTL)
	greeting := statusQuestion()
	status := greeting.Read
	greeting.Read = func(result json.RawMessage) (any, int64, error) {
		answer, height, err := status(result)
		if err != nil {
			return nil, 0, err
		}
		s := answer.(Status)
		if s.ChainID != c.ChainID {
			return nil, 0, &nodepool.WrongChainError{Got: s.ChainID, Want: c.ChainID}
		}
		return nodepool.Health{Behind: s.CatchingUp, EarliestHeight: s.EarliestHeight}, nodepool.ReportedHeight(height), nil
	}
	pool, err := nodepool.New(nodepool.Config{Nodes: c.Nodes, Fetcher: c.Fetcher, Identity: c.Identity, Now: c.Now,
		HealthCheck: greeting, Socket: socket, MaxLag: maxLag, Block: c.Block, TTL: ttl})
	if err != nil {
		return nil, err
	}
	return &Pool{Pool: pool, config: c}, nil
}

// socket returns the endpoint of a node's websocket. It is the node's URL with /websocket
// appended, unless the user has configured it.
func socket(n Node) (nodepool.Endpoint, *nodepool.URLError) {
	raw := n.WSURL
	if raw == "" {
		u, err := url.Parse(n.URL)
		if err != nil {
			return nodepool.Parse(n.URL, "http", "https")
		}
		u.Scheme = "ws" + strings.TrimPrefix(u.Scheme, "http")
		u.Path = strings.TrimSuffix(u.Path, "/") + "/websocket"
		u.RawPath = ""
		raw = u.String()
	}
	return nodepool.Parse(raw, "ws", "wss")
}

var (
	errRange = errors.New("value out of range")
	errWhole = errors.New("not a whole number")
)

// integer is an integer in JSON, as a number or a string.
type integer int64

// UnmarshalJSON implements json.Unmarshaler.
func (i *integer) UnmarshalJSON(b []byte) error {
	b = bytes.Trim(b, `"`)
	if len(b) == 0 || string(b) == "null" {
		return nil
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	*i = integer(n)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return errRange
	case err != nil:
		return errWhole
	}
	return nil
}

// count is a non-negative integer, such as a height or a number of transactions.
type count int64

// UnmarshalJSON implements json.Unmarshaler.
func (c *count) UnmarshalJSON(b []byte) error {
	err := (*integer)(c).UnmarshalJSON(b)
	if err == nil && *c < 0 {
		err = fmt.Errorf("%d is below 0", *c)
	}
	return err
}

// moment is a time. It is zero if it cannot be read.
type moment time.Time

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(b []byte) error {
	*m = moment{}
	var t time.Time
	if json.Unmarshal(b, &t) == nil {
		*m = moment(t)
	}
	return nil
}
