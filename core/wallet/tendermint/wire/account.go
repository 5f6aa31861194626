package wire

import "fmt"

// PathAccount is the query for an account. One that never held anything is not there:
// the node answers with code 22 of codespace sdk.
const PathAccount = "/cosmos.auth.v1beta1.Query/Account"

// AccountRequest asks for an account.
type AccountRequest struct{ Address string }

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

// nested reports how deep in its first field a kind of account has its BaseAccount.
var nested = map[string]int{
	"/cosmos.auth.v1beta1.BaseAccount":                           0,
	"/cosmos.auth.v1beta1.ModuleAccount":                         1,
	"/cosmos.vesting.v1beta1.BaseVestingAccount":                 1,
	"/cosmos.vesting.v1beta1.ContinuousVestingAccount":           2,
	"/cosmos.vesting.v1beta1.DelayedVestingAccount":              2,
	"/cosmos.vesting.v1beta1.PeriodicVestingAccount":             2,
	"/cosmos.vesting.v1beta1.PermanentLockedAccount":             2,
	"/ibc.applications.interchain_accounts.v1.InterchainAccount": 1,
	"/stride.vesting.StridePeriodicVestingAccount":               2,
	"/ethermint.types.v1.EthAccount":                             1,
	"/injective.types.v1beta1.EthAccount":                        1,
}

// first is any message, of which only the first field is read.
type first struct{ Value []byte }

// Base finds the BaseAccount in an account of any kind: plain, vesting, of a module. Its
// errors are ErrUnknownType and those of Decode.
func (r *AccountResponse) Base() (BaseAccount, error) {
	depth, known := nested[r.Account.TypeURL]
	if !known {
		return BaseAccount{}, fmt.Errorf("%w: %.100q is no kind of account", ErrUnknownType, r.Account.TypeURL)
	}
	inner := first{r.Account.Value}
	for range depth {
		if err := Decode(inner.Value, &inner); err != nil {
			return BaseAccount{}, fmt.Errorf("%s: %w", r.Account.TypeURL, err)
		}
	}
	var account BaseAccount
	if err := Decode(inner.Value, &account); err != nil {
		return BaseAccount{}, fmt.Errorf("%s: %w", r.Account.TypeURL, err)
	}
	return account, nil
}
