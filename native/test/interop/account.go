package interop

// mnemonic is a well-known mnemonic for tests. The accounts have the paths m/44'/118'/0'/0/index.
const mnemonic = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"

// Account is an account with a public secret.
type Account struct {
	Name       string // name in the keyring of the chain's program; "" if it is not in the keyring
	Address    string
	Secret     string // secp256k1 key, 64 hexadecimal digits; with the prefix 0x, a passphrase of a node
	Passphrase string // passphrase of a node with this key
}

// Coins maps denoms to amounts, which are whole numbers of any length.
type Coins map[string]string

// Accounts of a chain in its genesis.
type Accounts struct {
	User  Account // has 1000 coins, 777 of the first voucher, and many of the second
	Other Account // has a million coins and a million of each voucher; funds the other accounts
	// Validator has a million coins. Half of them are staked.
	Validator Account
	// Poor has the vouchers, but no coins for fees.
	Poor Account
	// Empty never received anything, so the chain has no account for it.
	Empty Account
	// Vesting has a million coins. Half of them are locked during this century.
	Vesting Account
	// Passphrase is the account of a node with that passphrase. It has the same coins as User. The
	// chain's program does not have its key.
	Passphrase Account
}

// Amounts in the genesis, in units of the denom.
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

// balances returns the coins of each account in the genesis.
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
