package node

import (
	"context"
	"encoding/json"
	"errors"

	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/evm/address"
)

// Agreed returns what a contract's function returns by more than half of the nodes, for what
// must not depend on a single one: money is sent by it. It returns nothing if the address is no contract, or the
// function reverts. Errors are a *nodepool.DisagreementError and
// those of the pool.
func (p *Pool) Agreed(ctx context.Context, contract address.Address, input []byte) ([]byte, error) {
	returned, _, err := p.agreed(ctx, contract, input)
	return returned, err
}

// agreed is Agreed that also returns why the function reverts, in the words of one of the nodes.
func (p *Pool) agreed(ctx context.Context, contract address.Address, input []byte) (returned []byte, reverts *RevertError, err error) {
	type said struct {
		returned []byte
		reverts  *RevertError
	}
	q := one("", "eth_call", func(result json.RawMessage) (any, int64, error) {
		b, err := data(result)
		return said{returned: b}, 0, err
	}, map[string]string{"to": contract.Plain(), "data": text.Hex(input)}, "latest")
	q.Refine = func(e *nodepool.RPCError) (any, error) {
		err := refusal(e)
		if reverted, is := errors.AsType[*RevertError](err); is {
			return said{reverts: reverted}, nil
		}
		return nil, err
	}
	answer, _, err := p.Agree(ctx, "the contract "+contract.String(), q, func(answer any) any { return text.Hex(answer.(said).returned) })
	got, _ := answer.(said)
	return got.returned, got.reverts, failed(err)
}
