package cosmos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"obverse/core/wallet/account"
	"obverse/core/wallet/cosmos/address"
)

// Names of the Interchain Name Service: alice.osmo stands for an address of the prefix osmo. The
// contract that knows them is on Osmosis.
const (
	NamesChain = "osmosis-1"
	resolver   = "osmo1xk0s8xgktn9x5vwcgtjdxqzadg88fgn33p8u9cnpdxwemvxscvast52cdd"
	maxName    = 64 // bytes
)

// Reasons for which a name has no address.
var (
	ErrName         = errors.New("invalid name")
	ErrNameNotFound = errors.New("name not found")
)

// Prefix is what addresses of the chain begin with.
func (p *Platform) Prefix() string { return p.params.Prefix }

// ChainID is the id of the chain.
func (p *Platform) ChainID() string { return p.params.ID }

// NormaliseName gives a name in the spelling that it is registered in, which has to be one for
// addresses of a prefix. Its error is ErrName.
func NormaliseName(name, prefix string) (string, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	user, suffix, found := strings.Cut(name, ".")
	unfit := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' }
	switch {
	case !found || user == "" || len(name) > maxName:
		return "", fmt.Errorf("%w: must be like alice.%s, at most %d characters", ErrName, prefix, maxName)
	case strings.ContainsFunc(user, unfit):
		return "", fmt.Errorf("%w: only the letters a to z, digits, hyphens and underscores are supported before the dot", ErrName)
	case suffix != prefix:
		return "", fmt.Errorf("%w: the name is for addresses of another chain, those of this coin end in .%s", ErrName, prefix)
	}
	return name, nil
}

// ResolveName gives the address of a name in its normal spelling. The chain has to be NamesChain.
// Errors are ErrNameNotFound, a *nodepool.DisagreementError and coin.ErrTransport.
func (p *Platform) ResolveName(ctx context.Context, name, prefix string) (string, error) {
	type question struct {
		Name string `json:"icns"`
	}
	query, err := json.Marshal(map[string]question{"address_by_icns": {name}})
	if err != nil {
		return "", err
	}
	answer, err := p.nodes.pool.Contract(ctx, resolver, query)
	if err != nil {
		return "", account.Failed(err)
	}
	var found struct {
		Address string `json:"bech32_address"`
	}
	if answer == nil || json.Unmarshal(answer, &found) != nil || found.Address == "" {
		return "", fmt.Errorf("%w: %s", ErrNameNotFound, name)
	}
	at, err := address.Check(found.Address, prefix)
	if err != nil {
		return "", fmt.Errorf("%w: the address of %s is not one of the prefix %s", ErrNameNotFound, name, prefix)
	}
	return at.String(), nil
}
