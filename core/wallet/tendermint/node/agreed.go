package node

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/tendermint/wire"
)

// ErrDisagree says that nodes answer a query differently.
var ErrDisagree = errors.New("the nodes do not agree")

// voteTimeout is how long nodes may take to agree after the first has answered.
const voteTimeout = 5 * time.Second

// Contract asks all nodes for what a contract of CosmWasm answers, for what must not depend on a
// single one: money is sent by it. It gives nothing if the contract refuses. Errors are
// ErrDisagree and those of the pool.
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
	votes, err := p.Poll(ctx, q, voteTimeout)
	if err != nil {
		return nil, err
	}
	first := votes[0].Answer.([]byte)
	for _, v := range votes[1:] {
		if !bytes.Equal(first, v.Answer.([]byte)) {
			return nil, fmt.Errorf("%w on the contract %s: %s and %s", ErrDisagree, contract, votes[0].URL, v.URL)
		}
	}
	return first, nil
}
