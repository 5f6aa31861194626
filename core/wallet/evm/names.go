package evm

import (
	"context"

	"obverse/core/wallet/evm/ens"
)

// ChainID is the id of the network.
func (p *Platform) ChainID() uint64 { return p.chain.id }

// ResolveName gives the address of a name of ENS in its normal spelling, on the network of a chain
// id. The platform has to be Ethereum. Errors are ens.ErrNotFound, a *nodepool.DisagreementError and
// coin.ErrTransport.
func (p *Platform) ResolveName(ctx context.Context, name string, chain uint64) (string, error) {
	at, err := ens.Resolve(ctx, p.nodes, name, chain)
	if err != nil {
		return "", err
	}
	return at.String(), nil
}
