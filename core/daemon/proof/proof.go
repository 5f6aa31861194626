// Package proof proves values of the chain's state to light clients, using headers signed by
// validators. Nodes with a single producer do not link it; see daemon.Prover.
//
// Invariant: a proof and the answer that contains it refer to the same state.
package proof

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"obverse/core/chain"
	"obverse/core/chain/statetree"
	"obverse/core/chain/wire"
	"obverse/core/daemon"
)

// Commits provides the headers that the chain's validators have signed. It must be safe for
// concurrent use.
type Commits interface {
	// Signed returns the newest light block with the given app hash, which represents the state
	// after the chain's block at height, or nil. For the newest state, Signed may wait briefly,
	// since the hash of a state is signed in the next header.
	Signed(ctx context.Context, appHash statetree.Hash, height int) (json.RawMessage, error)
	// LightBlock returns the light block at a height of the engine. A height of 0 means the
	// newest block.
	LightBlock(ctx context.Context, height int64) (json.RawMessage, error)
}

// Errors of Prover.
var (
	ErrUnsigned = errors.New("the validators have not signed the newest states yet, retry")
	ErrNoToken  = errors.New("the state that the validators have signed last does not have the token")
)

// Prover implements daemon.Prover.
type Prover struct {
	Manager *chain.Manager
	Keeper  *statetree.Keeper // keeper of the Manager
	Commits Commits
}

var _ daemon.Prover = (*Prover)(nil)

// answer holds the data that a light client verifies: the path from one or two leaves to the
// state root, the block that determines the app hash together with that root, and the header
// with the app hash.
type answer struct {
	Tip        wire.Hash       `json:"tip"`
	Height     int             `json:"height"` // height of the tip
	StateRoot  string          `json:"state_root"`
	Token      path            `json:"token"`
	Balance    *path           `json:"balance,omitempty"`
	LightBlock json.RawMessage `json:"light_block"`
}

// path is a statetree.Proof in hexadecimal.
type path struct {
	Leaf     *leaf    `json:"leaf"` // null if the path ends at an empty subtree
	Siblings []string `json:"siblings"`
}

type leaf struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Balance implements daemon.Prover.
func (p *Prover) Balance(ctx context.Context, id wire.Hash, holder chain.Address) (int64, json.RawMessage, error) {
	at, a, err := p.signed(ctx, id)
	if err != nil {
		return 0, nil, err
	}
	key := statetree.KeyOf(chain.TokenBalanceKey(id, holder))
	found := at.Prove(key)
	result := show(found)
	a.Balance = &result
	balance := int64(0)
	if found.Leaf != nil && found.Leaf.Key == key {
		balance = int64(binary.LittleEndian.Uint64([]byte(found.Leaf.Value)))
	}
	raw, err := json.Marshal(a)
	return balance, raw, err
}

// Token implements daemon.Prover.
func (p *Prover) Token(ctx context.Context, id wire.Hash) (json.RawMessage, error) {
	_, a, err := p.signed(ctx, id)
	if err != nil {
		return nil, err
	}
	return json.Marshal(a)
}

// LightBlock implements daemon.Prover.
func (p *Prover) LightBlock(ctx context.Context, height int64) (json.RawMessage, error) {
	if height < 0 {
		return nil, fmt.Errorf("height is %d, want 0 or more", height)
	}
	return p.Commits.LightBlock(ctx, height)
}

// signed returns the newest state that validators have signed, and the part of the answer that
// proves the state and the token.
func (p *Prover) signed(ctx context.Context, id wire.Hash) (at statetree.Version, a answer, err error) {
	var versions []statetree.Version
	err = p.Manager.Read(ctx, func(v *chain.View) error {
		versions = p.Keeper.Versions(v)
		return nil
	})
	if err != nil {
		return at, a, err
	}
	for _, at := range versions {
		block, err := p.Commits.Signed(ctx, at.AppHash(), at.Height)
		if err != nil {
			return at, a, fmt.Errorf("signed header of block %d: %w", at.Height, err)
		}
		if block == nil {
			continue
		}
		key, root := statetree.KeyOf(chain.TokenKey(id)), at.Root()
		found := at.Prove(key)
		if found.Leaf == nil || found.Leaf.Key != key {
			return at, a, ErrNoToken
		}
		return at, answer{Tip: at.Tip, Height: at.Height, StateRoot: hex.EncodeToString(root[:]), Token: show(found), LightBlock: block}, nil
	}
	return at, a, ErrUnsigned
}

func show(p statetree.Proof) path {
	result := path{Siblings: make([]string, len(p.Siblings))}
	for i, sibling := range p.Siblings {
		result.Siblings[i] = hex.EncodeToString(sibling[:])
	}
	if p.Leaf != nil {
		result.Leaf = &leaf{hex.EncodeToString(p.Leaf.Key[:]), hex.EncodeToString([]byte(p.Leaf.Value))}
	}
	return result
}
