package cosmos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
)

// Names of the Interchain Name Service: alice.osmo resolves to an address with the prefix osmo. The
// contract of the service is on Osmosis.
const (
	NamesChain = "osmosis-1"
	resolver   = "osmo1xk0s8xgktn9x5vwcgtjdxqzadg88fgn33p8u9cnpdxwemvxscvast52cdd"
	maxName    = 64 // bytes
)

// Reasons why a name has no address.
var (
	ErrName         = errors.New("invalid name")
	ErrNameNotFound = errors.New("name not found")
)

// Prefix returns the prefix of addresses of the chain.
func (p *Platform) Prefix() string { return p.params.Prefix }

// ChainID returns the id of the chain.
func (p *Platform) ChainID() string { return p.params.ID }

// NormaliseName returns the normalised spelling of a name, with which it is registered. The
// name must be for addresses with the prefix. Its error is ErrName.
func NormaliseName(name, prefix string) (string, error) {
	given := strings.TrimSpace(name)
	name = strings.ToLower(given)
	user, suffix, found := strings.Cut(name, ".")
	unfit := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' }
	foreign := func(r rune) bool { return r > '~' } // the lower case of some non-ASCII letters is ASCII
	switch {
	case !found || user == "" || len(name) > maxName:
		return "", fmt.Errorf("%w: must be like alice.%s, at most %d characters", ErrName, prefix, maxName)
	case strings.ContainsFunc(user, unfit), strings.ContainsFunc(given, foreign):
		return "", fmt.Errorf("%w: only the letters a to z, digits, hyphens and underscores are supported before the dot", ErrName)
	case suffix != prefix:
		return "", fmt.Errorf("%w: the name is for addresses of another chain, those of this coin end in .%s", ErrName, prefix)
	}
	return name, nil
}

// ResolveName returns the address of a normalised name. The chain must be NamesChain. Errors are
// ErrNameNotFound, a *nodepool.DisagreementError and coin.ErrTransport.
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
		return "", coin.Failed(err)
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
