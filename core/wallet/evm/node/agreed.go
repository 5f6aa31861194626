package node

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/evm/address"
)

// Agreed returns what a contract's function returns by more than half of the nodes, for what
// must not depend on a single one: money is sent by it. It returns nothing if the address is no contract, or the
// function reverts. Errors are a *nodepool.DisagreementError and
// those of the pool.
func (p *Pool) Agreed(ctx context.Context, contract address.Address, input []byte) ([]byte, error) {
	q := one("", "eth_call", func(result json.RawMessage) (any, int64, error) {
		returned, err := data(result)
		return returned, 0, err
	}, map[string]string{"to": contract.Plain(), "data": hexOf(input)}, "latest")
	q.Refine = func(e *nodepool.RPCError) (any, error) {
		err := refusal(e)
		if _, reverted := errors.AsType[*RevertError](err); reverted {
			return []byte{}, nil
		}
		return nil, err
	}
	returned, err := nodepool.Agree(ctx, p.Pool, "the contract "+contract.String(), q, func(answer any) string { return hexOf(answer.([]byte)) })
	if err != nil {
		return nil, failed(err)
	}
	return hex.DecodeString(strings.TrimPrefix(returned, "0x"))
}
