package node

import (
	"bytes"
	"context"
	"encoding/json"

	"obverse/core/wallet/evm/address"
)

// A contract acts for an account that has code of this form, and its owner signs as before (EIP-7702).
const (
	delegationSize  = 23
	delegationStart = "\xef\x01\x00"
)

// IsContract reports whether an address is that of a contract, by more than half of the nodes: what
// is sent to one may be lost. Errors are a *nodepool.DisagreementError and those of the pool.
func (p *Pool) IsContract(ctx context.Context, of address.Address) (bool, error) {
	q := one("", "eth_getCode", func(result json.RawMessage) (any, int64, error) {
		code, err := data(result)
		delegated := len(code) == delegationSize && bytes.HasPrefix(code, []byte(delegationStart))
		return len(code) > 0 && !delegated, 0, err
	}, of.Plain(), "latest")
	answer, _, err := p.Agree(ctx, "the code of "+of.String(), q, nil)
	is, _ := answer.(bool)
	return is, failed(err)
}
