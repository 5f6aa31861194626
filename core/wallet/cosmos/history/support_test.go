package history

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/cosmos/node"
)

// recorded is a chain with recorded answers.
type recorded struct {
	Kind     string `json:"kind"`
	Denom    string `json:"denom"`
	Height   uint64 `json:"height"`
	ChainID  string `json:"chain_id"`
	Accounts map[string]struct{ Address string }
	Balances map[string][]struct{ Denom, Amount string }
	Vouchers []struct{ Denom string }
	Story    []struct {
		Name, Hash string
		Code       int
	} `json:"transactions"`

	txs   []node.Tx // transactions of the user, in the order of the chain
	times map[uint64]time.Time
}

// recordedTx is a transaction in the format of tx_search.
type recordedTx struct {
	Hash   string
	Height uint64 `json:",string"`
	Index  uint32
	Tx     []byte
	Result struct {
		Code   uint32
		Events []node.Event
	} `json:"tx_result"`
}

// kinds holds the names of the recorded chains.
var kinds = []string{"gaiad", "iris"}

func readRecording(t testing.TB, kind, name string, into any) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("..", "testdata", kind, name))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(file, into))
}

// replay loads a recorded chain with the whole history of the user.
func replay(t testing.TB, kind string) *recorded {
	t.Helper()
	r := &recorded{times: make(map[uint64]time.Time)}
	readRecording(t, kind, "chain.json", r)
	var calls []struct {
		Name     string
		Response struct {
			Result struct {
				Txs   []recordedTx
				Block struct {
					Header struct {
						Height uint64 `json:",string"`
						Time   time.Time
					}
				}
			}
		}
	}
	readRecording(t, kind, "history.json", &calls)
	for _, call := range calls {
		if h := call.Response.Result.Block.Header; h.Height > 0 {
			r.times[h.Height] = h.Time
		}
		if !strings.HasPrefix(call.Name, "spent, page") && !strings.HasPrefix(call.Name, "received, page") {
			continue
		}
		for _, tx := range call.Response.Result.Txs {
			r.txs = append(r.txs, node.Tx{Hash: tx.Hash, Height: tx.Height, Index: tx.Index, Raw: tx.Tx, Code: tx.Result.Code, Events: tx.Result.Events})
		}
	}
	slices.SortFunc(r.txs, func(x, y node.Tx) int { return int(x.Height-y.Height)*1000 + int(x.Index) - int(y.Index) })
	r.txs = slices.CompactFunc(r.txs, func(x, y node.Tx) bool { return x.Hash == y.Hash })
	require.Greater(t, len(r.txs), 20)
	return r
}

func (r *recorded) user() string { return r.Accounts["user"].Address }

// titled returns the recorded transaction with a name.
func (r *recorded) titled(t testing.TB, name string) node.Tx {
	t.Helper()
	for _, s := range r.Story {
		for _, tx := range r.txs {
			if s.Name == name && s.Hash == tx.Hash {
				return tx
			}
		}
	}
	require.Fail(t, "no such transaction", name)
	return node.Tx{}
}

// title returns the name of a recorded transaction.
func (r *recorded) title(tx node.Tx) string {
	for _, s := range r.Story {
		if s.Hash == tx.Hash {
			return s.Name
		}
	}
	return ""
}

// changes computes the changes of an address's balances by a transaction, independently of the
// package.
func changes(t testing.TB, tx node.Tx, address string) map[string]*big.Int {
	t.Helper()
	list := make(map[string]*big.Int)
	text := func(s string) string {
		if b, err := base64.StdEncoding.DecodeString(s); err == nil {
			return string(b)
		}
		return s
	}
	for _, e := range tx.Events {
		if e.Type != "coin_spent" && e.Type != "coin_received" {
			continue
		}
		require.GreaterOrEqual(t, len(e.Attributes), 2)
		if text(e.Attributes[0].Value) != address {
			continue
		}
		for amount := range strings.SplitSeq(text(e.Attributes[1].Value), ",") {
			var units, denom string
			_, err := fmt.Sscanf(strings.Replace(strings.Replace(amount, "u", " u", 1), "ibc/", " ibc/", 1), "%s %s", &units, &denom)
			require.NoError(t, err, amount)
			n, is := new(big.Int).SetString(units, 10)
			require.True(t, is)
			if e.Type == "coin_spent" {
				n.Neg(n)
			}
			if list[denom] == nil {
				list[denom] = new(big.Int)
			}
			list[denom].Add(list[denom], n)
		}
	}
	return list
}

// nodes is a Source of transactions, with faults.
type nodes struct {
	mu       sync.Mutex
	txs      []node.Tx
	address  string
	times    map[uint64]time.Time
	earliest uint64
	pruned   uint64 // lowest block that the nodes have
	from     int    // index of the first transaction that the nodes have
	queries  []string
	fail     func(call string) error // returns the error of a call; may be nil
	missing  error                   // error for pages beyond the last
	index    map[string][]node.Tx    // results of searches
}

func (r *recorded) nodes() *nodes {
	return &nodes{txs: r.txs, address: r.user(), times: r.times, earliest: 1, missing: node.ErrNoPage}
}

func (n *nodes) call(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	n.queries = append(n.queries, text)
	if n.fail != nil {
		return n.fail(text)
	}
	return nil
}

func (n *nodes) Search(ctx context.Context, ask node.Search) (node.Found, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	name, kind, key := "spent", "coin_spent", "spender"
	if ask.Query != "coin_spent.spender='"+n.address+"'" {
		name, kind, key = "received", "coin_received", "receiver"
		if ask.Query != "coin_received.receiver='"+n.address+"'" {
			return node.Found{}, errors.New("parse error: " + ask.Query)
		}
	}
	if err := errors.Join(n.call("%s %d", name, ask.Page), ctx.Err()); err != nil {
		return node.Found{}, err
	}
	index := fmt.Sprint(name, len(n.txs))
	all, is := n.index[index]
	if !is {
		for _, tx := range n.txs[n.from:] {
			if slices.ContainsFunc(readable(tx.Events), func(e event) bool { return e.kind == kind && e.value(key) == n.address }) {
				all = append(all, tx)
			}
		}
		if n.index == nil {
			n.index = make(map[string][]node.Tx)
		}
		n.index[index] = all
	}
	if last := max(1, (len(all)+ask.Size-1)/ask.Size); ask.Page > last {
		return node.Found{}, n.missing
	}
	return node.Found{Txs: slices.Clone(all[(ask.Page-1)*ask.Size : min(ask.Page*ask.Size, len(all))]), Total: uint64(len(all))}, nil
}

func (n *nodes) Servers() int { return 2 }

func (n *nodes) Agreed(_ context.Context, hash string, _ func(node.Tx) string) (node.Tx, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, tx := range n.txs {
		if tx.Hash == hash {
			return tx, nil
		}
	}
	return node.Tx{}, node.ErrNotFound
}

func (n *nodes) BlockTime(ctx context.Context, height uint64) (time.Time, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := errors.Join(n.call("block %d", height), ctx.Err()); err != nil {
		return time.Time{}, err
	}
	if height < n.pruned {
		return time.Time{}, fmt.Errorf("%w: lowest height is %d", node.ErrNoBlock, n.pruned)
	}
	return n.times[height], nil
}

func (n *nodes) Height(context.Context) (uint64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.call("height"); err != nil {
		return 0, err
	}
	if len(n.txs) == 0 {
		return 1, nil
	}
	return n.txs[len(n.txs)-1].Height + 10, nil
}

func (n *nodes) Earliest(context.Context) (uint64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.earliest, n.call("earliest")
}

// calls returns the calls since its last call, except for queries of blocks.
func (n *nodes) calls() (list []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, call := range n.queries {
		if !strings.HasPrefix(call, "block ") {
			list = append(list, call)
		}
	}
	n.queries = nil
	return list
}

// spoiled changes the results of searches. Without a change, pages are not found.
type spoiled struct {
	*nodes
	change func(*node.Found)
}

func (s spoiled) Search(ctx context.Context, ask node.Search) (node.Found, error) {
	if s.change == nil {
		return node.Found{}, node.ErrNoPage
	}
	found, err := s.nodes.Search(ctx, ask)
	s.change(&found)
	return found, err
}
