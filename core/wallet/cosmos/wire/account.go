package wire

import (
	"fmt"
	"strings"

	"obverse/core/wallet/protobuf"

	"google.golang.org/protobuf/encoding/protowire"
)

// PathAccount is the query for an account. One that never held anything is not there:
// the node answers with code 22 of codespace sdk.
const PathAccount = "/cosmos.auth.v1beta1.Query/Account"

// AccountRequest asks for an account.
type AccountRequest struct{ Address string }

// PathAccounts is the query for all accounts of a chain.
const PathAccounts = "/cosmos.auth.v1beta1.Query/Accounts"

// AccountsRequest asks for a page of accounts.
type AccountsRequest struct{ Page *PageRequest }

// AccountsResponse answers it.
type AccountsResponse struct{ Accounts []Any }

// AccountResponse answers it.
type AccountResponse struct{ Account Any } // see Base

// BaseAccount is what all accounts have.
type BaseAccount struct {
	Address  string
	PubKey   Any    // absent until the account has signed something
	Number   uint64 // of the account, part of what it signs
	Sequence uint64 // of its next transaction
}

// TypeURL implements Named.
func (*BaseAccount) TypeURL() string { return "/cosmos.auth.v1beta1.BaseAccount" }

// PubKey is a secp256k1 key, compressed: 33 bytes, if it is sound.
type PubKey struct{ Key []byte }

// TypeURL implements Named.
func (*PubKey) TypeURL() string { return "/cosmos.crypto.secp256k1.PubKey" }

// maxNesting limits how deep in an account its BaseAccount may be.
const maxNesting = 5

// Base returns the BaseAccount of an address in an account of any kind: plain, vesting, of
// a module. Kinds are many, and chains add their own, so that it is found by the address.
// Errors are ErrUnknownType for an account that has none, and ErrMalformed.
func (r *AccountResponse) Base(address string) (BaseAccount, error) {
	account, err := baseIn(r.Account.Value, address, maxNesting)
	if err == nil && account.Address != address {
		err = fmt.Errorf("%w: account type %.100q has no base account of %s", ErrUnknownType, r.Account.TypeURL, address)
	}
	return account, err
}

// baseIn finds a BaseAccount in a message; without one its Address is empty.
func baseIn(message []byte, address string, depth int) (account BaseAccount, err error) {
	if Decode(message, &account) == nil && account.Address == address {
		return account, nil
	}
	for rest := message; len(rest) > 0; {
		f, n := protobuf.Consume(rest)
		if n < 0 {
			return BaseAccount{}, fmt.Errorf("%w: account: %w", ErrMalformed, protowire.ParseError(n))
		}
		if f.Kind == protowire.BytesType && depth > 0 {
			if account, err := baseIn(f.Bytes, address, depth-1); err == nil && account.Address != "" {
				return account, nil
			}
		}
		rest = rest[n:]
	}
	return BaseAccount{}, nil
}

// Vesting reports whether an account may own coins that it cannot send yet.
func (r *AccountResponse) Vesting() bool { return strings.Contains(r.Account.TypeURL, ".vesting.") }

// EthereumKey reports whether an account, with its BaseAccount, has a key whose address is
// made as on Ethereum, by Keccak-256.
func (r *AccountResponse) EthereumKey(base BaseAccount) bool {
	return strings.HasSuffix(r.Account.TypeURL, ".EthAccount") || strings.Contains(base.PubKey.TypeURL, "ethsecp256k1")
}
