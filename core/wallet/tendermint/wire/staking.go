package wire

// Stake is the form that delegating and taking back share.
type Stake struct {
	Delegator, Validator string // addresses
	Amount               Coin
}

// MsgDelegate stakes a coin with a validator.
type MsgDelegate struct{ Stake }

// TypeURL implements Named.
func (*MsgDelegate) TypeURL() string { return "/cosmos.staking.v1beta1.MsgDelegate" }

// MsgUndelegate takes a staked coin back.
type MsgUndelegate struct{ Stake }

// TypeURL implements Named.
func (*MsgUndelegate) TypeURL() string { return "/cosmos.staking.v1beta1.MsgUndelegate" }

// MsgBeginRedelegate moves a staked coin from one validator to another.
type MsgBeginRedelegate struct {
	Delegator, From, To string // addresses
	Amount              Coin
}

// TypeURL implements Named.
func (*MsgBeginRedelegate) TypeURL() string { return "/cosmos.staking.v1beta1.MsgBeginRedelegate" }

// MsgWithdrawDelegatorReward takes the rewards that a validator owes a delegator.
type MsgWithdrawDelegatorReward struct{ Delegator, Validator string }

// TypeURL implements Named.
func (*MsgWithdrawDelegatorReward) TypeURL() string {
	return "/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward"
}
