package node

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"

	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/cosmos/wire"
)

// Value is the result of a query.
type Value struct {
	Data   []byte // an encoded message, which must not be modified
	Height int64  // height of the queried state; 0 if the node does not report it
}

// Query queries the chain's application at its newest state. The path is also the quantity. Its
// errors are a *QueryError, which is ErrNotFound if the object does not exist, a
// *nodepool.RPCError and an *UnreachableError.
func (p *Pool) Query(ctx context.Context, path string, data []byte) (Value, error) {
	return p.query(ctx, path, data, func([]byte) error { return nil })
}

// query is like Query, but accepts only answers that pass check.
func (p *Pool) query(ctx context.Context, path string, data []byte, check func([]byte) error) (Value, error) {
	return nodepool.Get[Value](ctx, p.Pool, queryQuestion(path, data, func(v Value, refused *QueryError) (any, error) {
		if refused != nil {
			return nil, refused
		}
		if err := check(v.Data); err != nil {
			return nil, fmt.Errorf("%w: %w", nodepool.ErrAnswer, err)
		}
		return v, nil
	}))
}

// queryQuestion returns a query to the chain's application. read converts a value or a refusal
// to an answer.
func queryQuestion(path string, data []byte, read func(Value, *QueryError) (any, error)) nodepool.Question {
	q := nodepool.Light("abci_query", func(result json.RawMessage) (any, int64, error) {
		var r struct {
			Response *struct {
				Code           uint32
				Codespace, Log string
				Value          []byte
				Height         count
			}
		}
		err := nodepool.Read(result, &r)
		if err == nil && r.Response == nil {
			err = fmt.Errorf("%w: no response member", nodepool.ErrAnswer)
		}
		if err != nil {
			return nil, 0, err
		}
		a := r.Response
		var refused *QueryError
		if a.Code != 0 {
			refused = &QueryError{path, a.Code, text.Clip(a.Codespace, 100), text.Clip(text.Visible(a.Log), 1000), int64(a.Height)}
		}
		answer, err := read(Value{a.Value, int64(a.Height)}, refused)
		return answer, int64(a.Height), err
	})
	q.Params = struct {
		Path  string `json:"path"`
		Data  string `json:"data"`
		Prove bool   `json:"prove"`
	}{path, hex.EncodeToString(data), false}
	q.Quantity, q.Limit = path, 2*wire.MaxSize
	return q
}

// Ask is like Query for messages: Ask[wire.BalanceResponse](ctx, pool, wire.PathBalance,
// &wire.BalanceRequest{…}). A node fails if its answer is not the message, or if one of looks,
// which get an *A, returns an error.
func Ask[A any](ctx context.Context, p *Pool, path string, request wire.Message, looks ...func(wire.Message) error) (A, error) {
	var answer A
	err := p.into(ctx, path, request, &answer, looks)
	return answer, err
}

// into implements Ask. It sets answer.
func (p *Pool) into(ctx context.Context, path string, request, answer wire.Message, looks []func(wire.Message) error) error {
	value, err := p.query(ctx, path, wire.Encode(request), func(data []byte) error {
		fresh, err := decodeLike(answer, data)
		if err != nil {
			return err
		}
		for _, look := range looks {
			if err := look(fresh); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return wire.Decode(value.Data, answer)
}

// decodeLike decodes a message of the same type as another one.
func decodeLike(like wire.Message, data []byte) (wire.Message, error) {
	fresh := reflect.New(reflect.TypeOf(like).Elem()).Interface()
	return fresh, wire.Decode(data, fresh)
}

// Balance returns the balance of an address in a denom. It is at most as old as the TTL of
// wire.PathBalance.
func (p *Pool) Balance(ctx context.Context, address, denom string) (wire.Coin, error) {
	r, err := Ask[wire.BalanceResponse](ctx, p, wire.PathBalance, &wire.BalanceRequest{Address: address, Denom: denom}, func(m wire.Message) error {
		balance := m.(*wire.BalanceResponse).Balance
		if balance.Denom != denom {
			return fmt.Errorf("denom is %.100q, want %q", balance.Denom, denom)
		}
		_, err := balance.Units()
		return err
	})
	return r.Balance, err
}

// Contract returns the answer of a CosmWasm contract that more than half of the nodes give, for
// data on which payments depend. It returns nil if the contract rejects the query. Errors are a
// *nodepool.DisagreementError, ErrAlone and the errors of the pool.
func (p *Pool) Contract(ctx context.Context, contract string, query []byte) ([]byte, error) {
	q := nodepool.Light("abci_query", func(result json.RawMessage) (any, int64, error) {
		var r struct {
			Response struct {
				Code  uint32
				Value []byte
			}
		}
		if err := nodepool.Read(result, &r); err != nil {
			return nil, 0, err
		}
		if r.Response.Code != 0 {
			return []byte(nil), 0, nil
		}
		var answer wire.SmartContractResponse
		if err := wire.Decode(r.Response.Value, &answer); err != nil {
			return nil, 0, fmt.Errorf("%w: %w", nodepool.ErrAnswer, err)
		}
		return answer.Data, 0, nil
	})
	q.Params = struct {
		Path  string `json:"path"`
		Data  string `json:"data"`
		Prove bool   `json:"prove"`
	}{wire.PathSmartContract, hex.EncodeToString(wire.Encode(&wire.SmartContractRequest{Contract: contract, Query: query})), false}
	q.Quantity = wire.PathSmartContract
	answer, err := p.Majority(ctx, "the contract "+contract, q, func(answer any) any { return string(answer.([]byte)) })
	data, _ := answer.([]byte)
	return data, err
}
