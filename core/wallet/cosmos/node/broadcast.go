package node

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"obverse/core/net/nodepool"
	"obverse/core/text"
)

// newTx makes a Tx from its parts.
func newTx(height count, index uint32, raw []byte, r executed) Tx {
	return Tx{hashText(sha256.Sum256(raw)), uint64(height), index, raw, r.Code, text.Clip(r.Codespace, 100), text.Clip(text.Visible(r.Log), 1000),
		int64(r.GasWanted), int64(r.GasUsed), r.Events}
}

// Sent is a transaction that a node has.
type Sent struct {
	Hash  [32]byte
	Known bool // whether the node had the transaction before, pending or in a block
}

// Broadcast sends a transaction to one node after another until one has checked and accepted
// it, which does not guarantee that it gets into a block. A node's refusal does not count while
// another node may accept the transaction. If no node accepts it, the error is the *CheckError
// that most nodes returned, a *nodepool.RPCError, or an *UnreachableError. After an
// *UnreachableError the transaction may have arrived, and may be sent again. Broadcast removes
// cached answers.
func (p *Pool) Broadcast(ctx context.Context, tx []byte) (Sent, error) {
	b := broadcast{hash: sha256.Sum256(tx)}
	q := nodepool.Question{Method: "broadcast_tx_sync", Limit: nodepool.LightLimit, Timeout: 30 * time.Second, Hedge: 5 * time.Second, Writes: true,
		Params: struct {
			Tx []byte `json:"tx"` // encoded as base64
		}{tx},
		Refine: func(refused *nodepool.RPCError) (any, error) {
			sent, known, err := b.mempool(cmp.Or(refused.Data, refused.Message))
			if !known {
				return nil, refused
			}
			return sent, err
		},
		Read: b.read}
	defer p.Invalidate()
	sent, err := nodepool.Get[Sent](ctx, p.Pool, q)
	var unclear *nodepool.UnreachableError // may wrap refusals of some nodes
	var refused *CheckError
	if !errors.As(err, &unclear) && errors.As(err, &refused) {
		err = b.usual()
	}
	return sent, err
}

// broadcast parses the answers of nodes to a transaction.
type broadcast struct {
	hash [32]byte

	mu       sync.Mutex
	refusals []*CheckError
}

// read parses a result of broadcast_tx_sync.
func (b *broadcast) read(result json.RawMessage) (any, int64, error) {
	var r struct {
		Code           uint32
		Codespace, Log string
		Hash           string
		Mempool        string `json:"mempool_error"` // the chain accepts the transaction, but the node does not
	}
	err := nodepool.Read(result, &r)
	switch {
	case err != nil:
		return nil, 0, err
	case !strings.EqualFold(r.Hash, hex.EncodeToString(b.hash[:])):
		return nil, 0, fmt.Errorf("%w: transaction hash is %.70q, want the hash of the sent transaction", nodepool.ErrAnswer, r.Hash)
	case r.Codespace == codespaceSDK && r.Code == codeKnownTx, r.Code != 0 && hasIt(r.Log):
		return Sent{b.hash, true}, 0, nil
	case r.Code != 0:
		return nil, 0, b.refused(r.Code, r.Codespace, r.Log)
	case r.Mempool != "":
		sent, known, err := b.mempool(r.Mempool)
		if !known {
			return nil, 0, b.refused(codeMempoolFull, codespaceSDK, r.Mempool)
		}
		return sent, 0, err
	}
	return Sent{Hash: b.hash}, 0, nil
}

// mempool parses the error of a node's mempool, which has no code. known reports whether the
// error determines if the node has the transaction.
func (b *broadcast) mempool(text string) (sent Sent, known bool, err error) {
	switch {
	case hasIt(text):
		return Sent{b.hash, true}, true, nil
	case strings.Contains(text, "mempool is full"):
		return Sent{}, true, b.refused(codeMempoolFull, codespaceSDK, text)
	case strings.Contains(text, "Tx too large"):
		return Sent{}, true, b.refused(codeTxTooLarge, codespaceSDK, text)
	}
	return Sent{}, false, nil
}

// hasIt reports whether an error text, of any version of a node, means that the node has the
// transaction.
func hasIt(text string) bool {
	text = strings.ToLower(text)
	for _, words := range []string{"already exists in cache", "already in cache", "already in mempool"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// refused records a node's refusal.
func (b *broadcast) refused(code uint32, codespace, log string) error {
	refusal := &CheckError{b.hash, code, text.Clip(codespace, 100), text.Clip(text.Visible(log), 1000)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refusals = append(b.refusals, refusal)
	return refusal
}

// usual returns the refusal, by its code, of most nodes, or otherwise of the first node.
func (b *broadcast) usual() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	type kind struct {
		code      uint32
		codespace string
	}
	votes := map[kind]int{}
	var usual *CheckError
	for _, r := range b.refusals {
		votes[kind{r.Code, r.Codespace}]++
	}
	for _, r := range b.refusals {
		if usual == nil || votes[kind{r.Code, r.Codespace}] > votes[kind{usual.Code, usual.Codespace}] {
			usual = r
		}
	}
	return usual
}
