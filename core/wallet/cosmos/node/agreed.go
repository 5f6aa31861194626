package node

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/cosmos/wire"
)

// Contract returns what a contract of CosmWasm answers by more than half of the nodes, for what
// must not depend on a single one: money is sent by it. It returns nothing if the contract
// refuses. Errors are a *nodepool.DisagreementError and those of the pool.
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
	answer, _, err := p.Agree(ctx, "the contract "+contract, q, func(answer any) any { return string(answer.([]byte)) })
	data, _ := answer.([]byte)
	return data, err
}
