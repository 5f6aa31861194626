package daemon

import (
	"context"
	"encoding/json"
	"fmt"

	"obverse/core/chain"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/rpc"
)

// Prover proves signed state to anyone who trusts the chain's validators. Package proof
// implements it.
type Prover interface {
	// Balance returns an address's balance of a token, which may be zero, and a proof of the
	// balance and the token.
	Balance(ctx context.Context, id wire.Hash, holder chain.Address) (balance int64, proof json.RawMessage, err error)
	// Token returns a proof of a token's fields.
	Token(ctx context.Context, id wire.Hash) (json.RawMessage, error)
	// LightBlock returns a header with its commit and its validators. A height of 0 means the
	// newest header.
	LightBlock(ctx context.Context, height int64) (json.RawMessage, error)
}

// errNoProofs is returned on chains without validators that sign the state.
var errNoProofs = &Error{CodeMisc, "no proofs: one node makes the blocks of this chain, and no validators sign its state"}

// provable is the last parameter of a method that can prove its answer. komodod does not have
// this parameter, so for a value that is not an object the error is that for too many
// parameters.
type provable struct{ prove Flag }

// UnmarshalParam implements rpc.Unmarshaler.
func (p *provable) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) != rpc.KindObject {
		return rpc.ErrCount
	}
	fields, err := rpc.Fields(raw)
	for _, f := range fields {
		if f.Name != "prove" {
			return &Error{CodeParameter, fmt.Sprintf(`options: unknown name %q, want "prove"`, clip(f.Name))}
		}
		if err == nil {
			err = p.prove.UnmarshalParam(f.Value)
		}
	}
	return err
}

// JSONSchema implements rpc.Described.
func (provable) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "object", Properties: rpc.Properties{{Name: "prove", Schema: &rpc.Schema{Type: "boolean"}}}}
}

// prover returns the Prover, or an error on a chain without proofs.
func (b *Backend) prover() (Prover, error) {
	if b.Prover == nil {
		return nil, errNoProofs
	}
	return b.Prover, nil
}

// proveBalance returns the balance in the newest signed state.
func (b *Backend) proveBalance(ctx context.Context, id wire.Hash, owner token.Key, result tokenBalance) (tokenBalance, error) {
	p, err := b.prover()
	if err != nil {
		return tokenBalance{}, err
	}
	holder := b.tokensOf(owner)
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		if creation, _ := v.Creation(id); creation.NFT != 0 {
			holder = conditionAddress(token.HolderCodes(creation.NFT), owner)
		}
		return v.Err()
	})
	if err == nil {
		result.Balance, result.Proof, err = p.Balance(ctx, id, holder)
	}
	if err != nil {
		return tokenBalance{}, fmt.Errorf("prove balance: %w", err)
	}
	return result, nil
}

func (b *Backend) proveToken(ctx context.Context, id wire.Hash) (json.RawMessage, error) {
	p, err := b.prover()
	if err != nil {
		return nil, err
	}
	proof, err := p.Token(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("prove token: %w", err)
	}
	return proof, nil
}

type lightBlockParams struct {
	Height int64 `json:"height" rpc:"optional" doc:"height of the consensus engine; by default the latest"`
}

// lightBlockJSON is a light block in CometBFT's JSON format.
type lightBlockJSON struct {
	SignedHeader struct {
		Header json.RawMessage `json:"header" doc:"header, with the app hash of the previous height"`
		Commit json.RawMessage `json:"commit" doc:"signatures of the validators"`
	} `json:"signed_header"`
	ValidatorSet json.RawMessage `json:"validator_set" doc:"validator set of the same height"`
}

// lightBlock returns a light block to a light client that follows the validators, starting with
// a known set.
func (b *Backend) lightBlock(ctx context.Context, p lightBlockParams) (json.RawMessage, error) {
	prover, err := b.prover()
	if err != nil {
		return nil, err
	}
	return prover.LightBlock(ctx, p.Height)
}
