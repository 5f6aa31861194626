package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/evm/address"
)

// ErrDisagree says that nodes return different data from a contract.
var ErrDisagree = errors.New("the nodes do not agree")

// Agreed asks all nodes for what a contract's function returns, for what must not depend on a
// single one: money is sent by it. It gives nothing if the address is no contract, or the
// function reverts. Errors are ErrDisagree and those of the pool.
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
	votes, err := p.Poll(ctx, q, voteTimeout)
	if err != nil {
		return nil, failed(err)
	}
	first := votes[0].Answer.([]byte)
	for _, v := range votes[1:] {
		if !bytes.Equal(first, v.Answer.([]byte)) {
			urls := []string{votes[0].URL, v.URL}
			return nil, fmt.Errorf("%w on the contract %s: %s", ErrDisagree, contract, strings.Join(urls, " and "))
		}
	}
	return first, nil
}
