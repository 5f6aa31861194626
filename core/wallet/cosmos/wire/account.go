package wire

import (
	"fmt"
	"strings"

	"obverse/core/wallet/protobuf"

	"google.golang.org/protobuf/encoding/protowire"
)

// PathAccount is the query for an account. If an account never held anything, the node answers with
// code 22 of codespace sdk.
const PathAccount = "/cosmos.auth.v1beta1.Query/Account"

// AccountRequest is the request of PathAccount.
type AccountRequest struct{ Address string }

// PathAccounts is the query for all accounts of a chain.
const PathAccounts = "/cosmos.auth.v1beta1.Query/Accounts"

// AccountsRequest requests a page of accounts.
type AccountsRequest struct{ Page *PageRequest }

// AccountsResponse is the response of PathAccounts.
type AccountsResponse struct{ Accounts []Any }

// AccountResponse is the response of PathAccount.
type AccountResponse struct{ Account Any } // see Base

// BaseAccount is the part that all accounts have.
type BaseAccount struct {
	Address  string
	PubKey   Any    // absent until the account has signed something
	Number   uint64 // number of the account, part of the signed data
	Sequence uint64 // sequence of its next transaction
}

// TypeURL implements Named.
func (*BaseAccount) TypeURL() string { return "/cosmos.auth.v1beta1.BaseAccount" }

// PubKey is a compressed secp256k1 key: 33 bytes, if it is valid.
type PubKey struct{ Key []byte }

// TypeURL implements Named.
func (*PubKey) TypeURL() string { return "/cosmos.crypto.secp256k1.PubKey" }

// maxNesting limits how deep a BaseAccount may be nested in an account.
const maxNesting = 5

// Base returns the BaseAccount of an address in an account of any type: plain, vesting or module.
// It is found by the address, since chains add account types of their own. Errors are
// ErrUnknownType for an account without a BaseAccount, and ErrMalformed.
func (r *AccountResponse) Base(address string) (BaseAccount, error) {
	account, err := baseIn(r.Account.Value, address, maxNesting)
	if err == nil && account.Address != address {
		err = fmt.Errorf("%w: account type %.100q has no base account of %s", ErrUnknownType, r.Account.TypeURL, address)
	}
	return account, err
}

// baseIn returns the BaseAccount in a message. If there is no BaseAccount, its Address is empty.
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

// Vesting reports whether an account may have coins that it cannot send yet.
func (r *AccountResponse) Vesting() bool { return strings.Contains(r.Account.TypeURL, ".vesting.") }

// EthereumKey reports whether an account with the given BaseAccount has a key with an address by
// Keccak-256, as on Ethereum.
func (r *AccountResponse) EthereumKey(base BaseAccount) bool {
	return strings.HasSuffix(r.Account.TypeURL, ".EthAccount") || strings.Contains(base.PubKey.TypeURL, "ethsecp256k1")
}
