package interop

// mnemonic is the well-known one for tests. Accounts are at m/44'/118'/0'/0/index.
const mnemonic = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"

// Account is a key that everybody knows.
type Account struct {
	Name       string // in the keyring of the chain's program; "" when it is not there
	Address    string
	Secret     string // 64 hex digits, the secp256k1 key; with "0x" before it, a passphrase of a node
	Passphrase string // of a node that has this key
}

// Coins are amounts by denom, whole numbers of any length.
type Coins map[string]string

// Accounts of a chain at its genesis.
type Accounts struct {
	User  Account // 1000 coins, 777 of the first voucher, much of the second
	Other Account // a million coins and as many of each voucher; funds the other accounts
	// Validator holds a million coins; half of them are staked.
	Validator Account
	// Poor holds the vouchers and none of the coin that pays fees.
	Poor Account
	// Empty never held anything: the chain has no account of it.
	Empty Account
	// Vesting holds a million coins, half of which it may not spend in this century.
	Vesting Account
	// Passphrase is the account of a node with that passphrase. It holds what User
	// holds; the chain's program has not got its key.
	Passphrase Account
}

// Amounts at genesis, in units of the denom.
const (
	UserCoins   = "1000000000"
	UserVoucher = "777000000"
	UserHuge    = "123456789012345678901234567890" // of the second voucher
	Plenty      = "1000000000000"
	Half        = "500000000000"
)

// derived returns the accounts of the mnemonic, by index.
func derived() []Account {
	return []Account{
		{Name: "user", Secret: "c4a48e2fce1481cd3294b4490f6678090ea98d3d0e5cd984558ab0968741b104"},
		{Name: "other", Secret: "c9ba8e1818baf4ceb063420dcedc7a482056a1580e4dbe797af3484aff7b8651"},
		{Name: "validator", Secret: "42cb671a145903fcb5be9dd2a2446eec676bd000c63eb0a7efd181c9fa5a28ac"},
		{Name: "poor", Secret: "11fceba5b76f3ad188a4dea32fcc632aa92538e51fd2039fa7994510cb2bbd9d"},
		{Name: "empty", Secret: "33988c78ae11f09b1548b1662d3b01462d7e1d3850e377ae46c8b18bcdf74669"},
		{Name: "vesting", Secret: "359465d96f2a893a1be91ec63ec7cddcff69557848b93142c5778b5890779147"},
	}
}

// balances returns the coins of each account at genesis.
func (c *Chain) balances() map[string]Coins {
	first, second := c.Vouchers[0].Denom, c.Vouchers[1].Denom
	user := Coins{c.Denom: UserCoins, first: UserVoucher, second: UserHuge}
	rich := Coins{c.Denom: Plenty, first: Plenty, second: UserHuge}
	return map[string]Coins{
		c.User.Address:       user,
		c.Passphrase.Address: user,
		c.Other.Address:      rich,
		c.Validator.Address:  {c.Denom: Plenty},
		c.Vesting.Address:    {c.Denom: Plenty},
		c.Poor.Address:       {first: UserVoucher, second: UserHuge},
	}
}
