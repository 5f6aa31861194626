package hd

import (
	"errors"
	"fmt"
)

// ErrNotHD means that a coin has a single address. The text is from Komodo DeFi Framework.
var ErrNotHD = errors.New("Coin is expected to be activated with the HD wallet derivation method")

// ErrStore means that the known accounts could not be read or written.
var ErrStore = errors.New("the known accounts cannot be read or written")

// UnknownAccountError reports an account that was never created.
type UnknownAccountError struct{ Account uint32 }

func (e *UnknownAccountError) Error() string {
	return fmt.Sprintf("HD account '%d' is not activated", e.Account)
}

// AccountExistsError reports an account that already exists.
type AccountExistsError struct{ Account uint32 }

func (e *AccountExistsError) Error() string {
	return fmt.Sprintf("account %d exists already", e.Account)
}

// GapError reports that a new address would exceed the gap limit.
type GapError struct{ Limit uint32 }

func (e *GapError) Error() string {
	return fmt.Sprintf("Empty addresses limit reached. Gap limit: %d", e.Limit)
}

// AddressLimitError reports more addresses than MaxAddresses.
type AddressLimitError struct{ Max uint32 }

func (e *AddressLimitError) Error() string {
	return fmt.Sprintf("Addresses limit reached. Max number of addresses: %d", e.Max)
}

// AccountLimitError reports more accounts than MaxAccounts, or an account number out of range.
type AccountLimitError struct{ Max uint32 }

func (e *AccountLimitError) Error() string {
	return fmt.Sprintf("Accounts limit reached. Max number of accounts: %d", e.Max)
}
