package node

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"obverse/core/net/nodepool"
)

// txKind holds the fields of a transaction on which nodes must agree.
type txKind struct {
	found     bool
	height    uint64
	index     uint32
	code      uint32
	codespace string
	meaning   string
}

// votedTxQuestion returns a query for a transaction. A node that does not have it answers with
// the zero Tx.
func votedTxQuestion(hash [32]byte) nodepool.Question {
	q := txQuestion(hash)
	refine := q.Refine
	q.Refine = func(refused *nodepool.RPCError) (any, error) {
		answer, err := refine(refused)
		if errors.Is(err, ErrNotFound) {
			return Tx{}, nil
		}
		return answer, err
	}
	return q
}

// VotedTx returns a transaction in a block as more than half of the nodes report it, or fails
// with ErrNotFound. Events and log are from one of the nodes. It fails with ErrAlone if
// a minority of the servers answers, see nodepool.Pool.Agree.
func (p *Pool) VotedTx(ctx context.Context, hash [32]byte) (Tx, error) {
	q := votedTxQuestion(hash)
	agreed := func() (got Tx, alone bool, err error) {
		answer, alone, err := p.Agree(ctx, "the transaction "+hashText(hash), q, func(answer any) any {
			t := answer.(Tx)
			return txKind{found: t.Hash != "", height: t.Height, code: t.Code, codespace: t.Codespace}
		})
		got, _ = answer.(Tx)
		return got, alone, err
	}
	succeeded := func(t Tx) bool { return t.Hash != "" && t.Code == 0 }
	got, alone, err := agreed()
	if err == nil && alone && succeeded(got) {
		// A success may be believed without servers that have never responded. Without this, a
		// wallet with a server that no longer exists would wait for minutes.
		q.SkipUnreached = true
		got, alone, err = agreed()
		alone = alone || !succeeded(got)
	}
	switch {
	case err == nil && alone:
		err = ErrAlone
	case err == nil && got.Hash == "":
		err = ErrNotFound
	}
	got.Hash = hashText(hash)
	return got, err
}

// AgreedTx returns a transaction as more than half of the nodes have it, with events of the
// same meaning. Some nodes may not find it by its hash because they keep no index of old
// transactions; if their votes are needed, AgreedTx checks its block. It fails with ErrNotFound
// or a *nodepool.DisagreementError. It fails with ErrAlone, and returns the transaction of a
// minority of the servers, if the others do not answer, see nodepool.Pool.Agree.
func (p *Pool) AgreedTx(ctx context.Context, hash [32]byte, meaning func(Tx) string) (Tx, error) {
	key := func(answer any, _ int) any {
		t := answer.(Tx)
		if t.Hash == "" {
			return nodepool.Absent{}
		}
		return txKind{true, t.Height, t.Index, t.Code, t.Codespace, meaning(t)}
	}
	votes, counts, alone, err := p.Tally(ctx, votedTxQuestion(hash), 1, key)
	switch {
	case err != nil:
		return Tx{}, err
	case len(counts[0].Same) == 0:
		return Tx{}, ErrNotFound
	}
	got := votes[counts[0].Same[0]].Answer.(Tx)
	there := counts[0].Agreed()
	if !there && counts[0].Other == 0 {
		if there, err = p.inBlock(ctx, hash, got.Height); err != nil {
			return Tx{}, err
		}
	}
	switch {
	case !there:
		return Tx{}, &nodepool.DisagreementError{About: "the transaction " + hashText(hash)}
	case alone:
		return got, ErrAlone
	}
	return got, nil
}

// standstill is the age of the newest block of a node that is assumed to have stopped.
const standstill = 10 * time.Minute

// inBlock reports whether more than half of the nodes have a transaction in a block. Nodes that
// no longer have such old blocks do not count. For nodes that have stopped, see nodepool.Have.
func (p *Pool) inBlock(ctx context.Context, hash [32]byte, height uint64) (bool, error) {
	votes, err := p.Poll(ctx, blockTxsQuestion(int64(height)), nil)
	if err != nil {
		return false, err
	}
	statuses, err := p.Poll(ctx, statusQuestion(), nil)
	if err != nil {
		return false, err
	}
	late := map[string]bool{}
	for _, v := range statuses {
		at := v.Answer.(Status)
		late[v.URL] = at.Height < int64(height) && p.config.Now().Sub(at.Time) > standstill
	}
	has, lacks, stopped := 0, 0, 0
	for _, v := range votes {
		switch {
		case slices.Contains(v.Answer.([][32]byte), hash):
			has++
		case late[v.URL]:
			stopped++
		default:
			lacks++
		}
	}
	return nodepool.Have(has, lacks, stopped), nil
}

// blockTxsQuestion returns a query for the hashes of a block's transactions. A node that does
// not have the block yet returns none.
func blockTxsQuestion(height int64) nodepool.Question {
	q := nodepool.Light("block", func(result json.RawMessage) (any, int64, error) {
		var r struct {
			Block struct {
				Header struct{ Height count }
				Data   struct{ Txs [][]byte }
			}
		}
		err := nodepool.Read(result, &r)
		if err == nil && int64(r.Block.Header.Height) != height {
			err = fmt.Errorf("%w: got block %d", nodepool.ErrOtherID, r.Block.Header.Height)
		}
		hashes := make([][32]byte, len(r.Block.Data.Txs))
		for i, raw := range r.Block.Data.Txs {
			hashes[i] = sha256.Sum256(raw)
		}
		return hashes, 0, err
	})
	q.Params = struct {
		Height integer `json:"height,string"`
	}{integer(height)}
	q.Limit = 32 << 20 // a block with all its transactions
	q.Refine = func(refused *nodepool.RPCError) (any, error) {
		if strings.Contains(refused.Data, "must be less than or equal to") {
			return [][32]byte(nil), nil
		}
		return nil, refused
	}
	return q
}
