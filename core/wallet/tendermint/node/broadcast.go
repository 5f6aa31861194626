package node

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"obverse/core/net/nodepool"
)

// newTx puts a transaction together.
func newTx(height count, index uint32, raw []byte, r executed) Tx {
	return Tx{hashText(sha256.Sum256(raw)), uint64(height), index, raw, r.Code, nodepool.Clip(r.Codespace, 100), nodepool.Clip(r.Log, 1000),
		int64(r.GasWanted), int64(r.GasUsed), r.Events}
}

// Sent is a transaction that a node has.
type Sent struct {
	Hash  [32]byte
	Known bool // it had it before: it waits, or is in a block already
}

// Broadcast sends a transaction to one node after another until one has checked and
// taken it, which is no promise that it gets into a block. If no node takes it the error
// is a *CheckError, a *nodepool.RPCError or, when it may have arrived all the same, an
// *UnreachableError; sending it again does no harm. Nothing that was asked before is kept.
func (p *Pool) Broadcast(ctx context.Context, tx []byte) (Sent, error) {
	hash := sha256.Sum256(tx)
	q := nodepool.Question{Method: "broadcast_tx_sync", Limit: nodepool.LightLimit, Timeout: 30 * time.Second, Hedge: 5 * time.Second, Writes: true,
		Params: struct {
			Tx []byte `json:"tx"` // in base64
		}{tx},
		Refine: func(refused *nodepool.RPCError) (any, error) {
			if strings.Contains(refused.Data, "already exists in cache") || strings.Contains(refused.Data, "tx already in mempool") {
				return Sent{hash, true}, nil
			}
			return nil, refused
		},
		Read: func(result json.RawMessage) (any, int64, error) {
			var r struct {
				Code           uint32
				Codespace, Log string
				Hash           string
			}
			err := nodepool.Read(result, &r)
			switch {
			case err != nil:
				return nil, 0, err
			case !strings.EqualFold(r.Hash, hex.EncodeToString(hash[:])):
				return nil, 0, fmt.Errorf("%w: transaction hash is %.70q, want the hash of the sent transaction", nodepool.ErrAnswer, r.Hash)
			case r.Codespace == codespaceSDK && r.Code == codeKnownTx:
				return Sent{hash, true}, 0, nil
			case r.Code != 0:
				return nil, 0, &CheckError{hash, r.Code, nodepool.Clip(r.Codespace, 100), nodepool.Clip(r.Log, 1000)}
			}
			return Sent{Hash: hash}, 0, nil
		}}
	defer p.Invalidate()
	return nodepool.Get[Sent](ctx, p.Pool, q)
}
