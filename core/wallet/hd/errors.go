package hd

import (
	"errors"
	"fmt"
)

// ErrNotHD says that a coin has one address. The text is Komodo DeFi Framework's.
var ErrNotHD = errors.New("Coin is expected to be activated with the HD wallet derivation method")

// ErrStore says that the known accounts cannot be read or written.
var ErrStore = errors.New("the known accounts cannot be read or written")

// UnknownAccountError says that an account was never created.
type UnknownAccountError struct{ Account uint32 }

func (e *UnknownAccountError) Error() string {
	return fmt.Sprintf("HD account '%d' is not activated", e.Account)
}

// AccountExistsError refuses to create an account twice.
type AccountExistsError struct{ Account uint32 }

func (e *AccountExistsError) Error() string {
	return fmt.Sprintf("account %d exists already", e.Account)
}

// GapError refuses a new address while as many before it are unused.
type GapError struct{ Limit uint32 }

func (e *GapError) Error() string {
	return fmt.Sprintf("Empty addresses limit reached. Gap limit: %d", e.Limit)
}

// AddressLimitError refuses more addresses than MaxAddresses.
type AddressLimitError struct{ Max uint32 }

func (e *AddressLimitError) Error() string {
	return fmt.Sprintf("Addresses limit reached. Max number of addresses: %d", e.Max)
}

// AccountLimitError refuses more accounts than MaxAccounts, or a number beyond those of paths.
type AccountLimitError struct{ Max uint32 }

func (e *AccountLimitError) Error() string {
	return fmt.Sprintf("Accounts limit reached. Max number of accounts: %d", e.Max)
}
