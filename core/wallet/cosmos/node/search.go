package node

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"obverse/core/net/nodepool"
)

const (
	searchLimit   = 32 << 20 // size of a page of transactions with their events
	searchTimeout = time.Minute
	searchHedge   = 20 * time.Second // a search takes long, and two searches at a time double the load
)

// Search is a search for transactions by their events.
type Search struct {
	Query      string // "coin_spent.spender='cosmos1…'"
	Page, Size int    // Page counts from 1; nodes return at most 100 transactions on a page
	Descending bool   // whether the newest transaction is the first
}

// Found is a page of a search.
type Found struct {
	Txs   []Tx
	Total uint64 // number of transactions on all pages
}

// Tx is a transaction in a block.
type Tx struct {
	Hash           string // SHA-256 of Raw, as 64 hexadecimal digits in upper case
	Height         uint64
	Index          uint32 // index in its block
	Raw            []byte
	Code           uint32 // if not 0, the transaction failed, and only its fee was paid
	Codespace, Log string
	GasWanted      int64
	GasUsed        int64
	Events         []Event
}

// Event is an event of a transaction. Keys and values are in the encoding of the node, which is
// base64 up to Tendermint 0.34.
type Event struct {
	Type       string      `json:"type"`
	Attributes []Attribute `json:"attributes"`
}

// Attribute is an attribute of an event.
type Attribute struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// executed is the result of a transaction in the format of the RPC.
type executed struct {
	Code      uint32
	Codespace string
	Log       string
	GasWanted integer `json:"gas_wanted"`
	GasUsed   integer `json:"gas_used"`
	Events    []Event
}

// found is a transaction in a block in the format of the RPC.
type found struct {
	Hash   string
	Height count
	Index  uint32
	Result executed `json:"tx_result"`
	Tx     []byte
}

// hashText returns a hash in the format of explorers.
func hashText(hash [32]byte) string { return strings.ToUpper(hex.EncodeToString(hash[:])) }

func (f found) tx() (Tx, error) {
	tx := newTx(f.Height, f.Index, f.Tx, f.Result)
	if !strings.EqualFold(f.Hash, tx.Hash) {
		return tx, fmt.Errorf("%w: hash %.70q does not match the transaction", nodepool.ErrAnswer, f.Hash)
	}
	return tx, nil
}

// searchParams holds the parameters of a search. The RPC requires numbers as strings.
type searchParams struct {
	Query   string `json:"query"`
	Prove   bool   `json:"prove"`
	Page    string `json:"page"`
	PerPage string `json:"per_page"`
	Order   string `json:"order_by"`
}

// Search returns a page of the transactions that match a query. Beyond the last page it fails
// with ErrNoPage. It skips nodes that do not index transactions.
func (p *Pool) Search(ctx context.Context, s Search) (Found, error) {
	order := "asc"
	if s.Descending {
		order = "desc"
	}
	q := nodepool.Question{Method: "tx_search", Quantity: QuantitySearch, Limit: searchLimit, Timeout: searchTimeout, Hedge: searchHedge,
		Params: searchParams{s.Query, false, strconv.Itoa(s.Page), strconv.Itoa(s.Size), order},
		Refine: refusedAs(ErrNoPage, "page should be within"),
		Read: func(result json.RawMessage) (any, int64, error) {
			var r struct {
				Txs   []found
				Total *count `json:"total_count"`
			}
			err := nodepool.Read(result, &r)
			if err == nil && r.Total == nil {
				err = fmt.Errorf("%w: no total_count", nodepool.ErrAnswer)
			}
			if err != nil {
				return nil, 0, err
			}
			page := Found{Total: uint64(*r.Total), Txs: make([]Tx, len(r.Txs))}
			for i, f := range r.Txs {
				if page.Txs[i], err = f.tx(); err != nil {
					return nil, 0, err
				}
			}
			return page, 0, nil
		}}
	return nodepool.Get[Found](ctx, p.Pool, q)
}

// Tx returns the transaction with a hash. It fails with ErrNotFound.
func (p *Pool) Tx(ctx context.Context, hash [32]byte) (Tx, error) {
	return nodepool.Get[Tx](ctx, p.Pool, txQuestion(hash))
}

func txQuestion(hash [32]byte) nodepool.Question {
	q := nodepool.Light("tx", func(result json.RawMessage) (any, int64, error) {
		var r found
		if err := nodepool.Read(result, &r); err != nil {
			return nil, 0, err
		}
		tx, err := r.tx()
		if err == nil && tx.Hash != hashText(hash) {
			err = nodepool.ErrOtherID
		}
		return tx, 0, err
	})
	q.Params = struct {
		Hash  []byte `json:"hash"` // encoded as base64
		Prove bool   `json:"prove"`
	}{hash[:], false}
	q.Limit = 32 << 20
	q.Refine = refusedAs(ErrNotFound, "not found")
	return q
}

// refusedAs returns a function that converts a JSON-RPC error with one of the words to err.
func refusedAs(err error, words ...string) func(*nodepool.RPCError) (any, error) {
	return func(refused *nodepool.RPCError) (any, error) {
		for _, word := range words {
			if strings.Contains(refused.Data, word) {
				return nil, fmt.Errorf("%w: %w", err, refused)
			}
		}
		return nil, refused
	}
}
