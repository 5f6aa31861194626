package mmerr

import (
	"errors"
)

// Error is an error of the node API: its kind, what the caller reads, and the error
// that it came from, if there was one.
type Error struct {
	kind  *Row
	data  any // of the type that the kind demands; nil: none
	text  string
	cause error
	place Place
}

// Error is the text for people.
func (e *Error) Error() string { return e.text }

// Unwrap gives the cause, or nil.
func (e *Error) Unwrap() error { return e.cause }

// Type is error_type.
func (e *Error) Type() string { return e.kind.Name }

// Status is the HTTP status.
func (e *Error) Status() int { return e.kind.Status }

// Data is error_data, and whether there is any.
func (e *Error) Data() (data any, present bool) { return e.data, e.data != nil }

// Kind is one kind of error with data of type D. The kinds are listed in kinds.go.
type Kind[D any] struct{ row *Row }

// None is the data of kinds that have none: the member is absent then.
type None struct{}

// New makes an error of this kind with its text for people.
func (k Kind[D]) New(data D, text string) error {
	return k.row.make(1, data, text, nil)
}

// From makes an error of this kind from a cause, whose text callers are not shown.
func (k Kind[D]) From(cause error, data D, text string) error {
	return k.row.make(1, data, text, cause)
}

// Above is From for a function that makes errors for its callers: the place is where
// the skip-th of them was called, 0 being the one that calls Above.
func (k Kind[D]) Above(skip int, cause error, data D, text string) error {
	return k.row.make(1+skip, data, text, cause)
}

// make is the part of the functions above that does not depend on D. It is compiled once, which
// keeps the page small.
func (r *Row) make(skip int, data any, text string, cause error) error {
	e := &Error{kind: r, data: data, text: text, cause: cause, place: Caller(skip)}
	if _, none := data.(None); none {
		e.data = nil
	}
	return e
}

// Is reports whether err was made by this kind, however far down.
func (k Kind[D]) Is(err error) bool { return k.row.made(err) }

func (r *Row) made(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if e, ok := err.(*Error); ok && e.kind == r {
			return true
		}
	}
	return false
}

// Nested is data that is an error of its own, with its kind and data.
type Nested struct {
	Type string `json:"error_type"`
	Data any    `json:"error_data"`
}

// Expected is the data of an answer that was not asked for.
type Expected struct {
	Expected string `json:"expected"`
}

// Account is the data of kinds about an account of an HD wallet.
type Account struct {
	ID uint32 `json:"account_id"`
}

// GapLimit is the data of kinds about too many unused addresses.
type GapLimit struct {
	Limit uint32 `json:"gap_limit"`
}

// AddressLimit is the data of kinds about too many addresses.
type AddressLimit struct {
	Max uint32 `json:"max_addresses_number"`
}

// AccountLimit is the data of kinds about too many accounts.
type AccountLimit struct {
	Max uint32 `json:"max_accounts_number"`
}

// HDRange is the data of kinds about a range of addresses.
type HDRange struct {
	Start uint32 `json:"start_index"`
	End   uint32 `json:"end_index"`
}

// Coin is the data of kinds that concern one coin.
type Coin struct {
	Coin string `json:"coin"`
}

// Ticker is the data of kinds that say what is wrong with a configured coin.
type Ticker struct {
	Ticker string `json:"ticker"`
	Error  string `json:"error"`
}

// Shortage is the data of kinds that say how much is missing, as decimal strings.
type Shortage struct {
	Coin      string `json:"coin"`
	Available string `json:"available"`
	Required  string `json:"required"`
	Locked    string `json:"locked_by_swaps,omitempty"`
}

// Threshold is the data of kinds that say how much it has to be, as decimal strings.
type Threshold struct {
	Amount    string `json:"amount"`
	Threshold string `json:"threshold"`
}

// Fee is the data of kinds about a fee that cannot be paid.
type Fee struct {
	Reason  string     `json:"reason"`
	Details FeeDetails `json:"details"`
}

// FeeDetails are prices of a unit of gas, in billionths of a coin, as decimal strings.
type FeeDetails struct {
	Provided string `json:"provided_fee_cap_gwei"`
	Required string `json:"required_base_fee_gwei"`
}

// Stake is the data of kinds about what an address has with a validator.
type Stake struct {
	Delegator string `json:"delegator_addr"`
	Validator string `json:"validator_addr"`
}

// TooMuch is the data of kinds that say that less is there than is asked, as decimal strings.
type TooMuch struct {
	Available string `json:"available"`
	Requested string `json:"requested"`
}

// Unprofitable is the data of kinds that say that a reward is not worth its fee, as decimal
// strings.
type Unprofitable struct {
	Reward string `json:"reward"`
	Fee    string `json:"fee"`
}

// Reason is the data of kinds that say why.
type Reason struct {
	Reason string `json:"reason"`
}

// TaskLimit is the data of kinds about a task that took too long.
type TaskLimit struct {
	Duration Duration `json:"duration" doc:"what it was given"`
}

// Duration is a time as upstream writes it.
type Duration struct {
	Seconds     uint64 `json:"secs"`
	Nanoseconds uint32 `json:"nanos"`
}

// Duplicate is the data of kinds that refuse a custom token: one of its members.
type Duplicate struct {
	Ticker   *ConfigTicker   `json:"DuplicateTickerInConfig,omitempty" doc:"the coins file has the ticker"`
	Contract *ConfigTicker   `json:"DuplicateContractInConfig,omitempty" doc:"the coins file has the contract"`
	Active   *ActiveContract `json:"TokenWithSameContractAlreadyActivated,omitempty" doc:"the contract is active"`
}

// ConfigTicker names an entry of the coins file.
type ConfigTicker struct {
	Ticker string `json:"ticker_in_config"`
}

// ActiveContract names an active token.
type ActiveContract struct {
	Ticker   string `json:"ticker"`
	Contract string `json:"contract_address"`
}

// TokenProtocol is the data of kinds that concern a protocol.
type TokenProtocol struct {
	Protocol string `json:"protocol"`
}

// NFT is the data of kinds that concern one NFT.
type NFT struct {
	Address string `json:"token_address"`
	ID      string `json:"token_id"`
}

// NFTOwner is the data of kinds about an NFT of another owner.
type NFTOwner struct {
	MyAddress string `json:"my_address"`
	Owner     string `json:"token_owner"`
}

// NFTShortage is the data of kinds that say how many NFTs are missing, as decimal strings.
type NFTShortage struct {
	Address   string `json:"token_address"`
	ID        string `json:"token_id"`
	Available string `json:"available"`
	Required  string `json:"required"`
}

// IBC is the data of kinds that are about a way to another chain: one of its members.
type IBC struct {
	Unknown   *IBCPrefix  `json:"IBCChannelCouldNotBeFound,omitempty" doc:"no channel is configured to the chain of addresses with this prefix"`
	Missing   *IBCChannel `json:"IBCChannelMissingOnNode,omitempty" doc:"channel not found on the chain"`
	Unhealthy *IBCChannel `json:"IBCChannelNotHealthy,omitempty" doc:"what is sent over this channel does not arrive"`
}

// IBCPrefix names a chain by the prefix of its addresses.
type IBCPrefix struct {
	Prefix string `json:"address_prefix"`
}

// IBCChannel is a channel, and what is wrong with it.
type IBCChannel struct {
	ID     uint64 `json:"channel_id"`
	Reason string `json:"reason,omitempty"`
}

// Refusal is the data of kinds that say what a chain answered.
type Refusal struct {
	Code      uint32 `json:"code" doc:"the chain's own number for the reason, within codespace"`
	Codespace string `json:"codespace"`
	Log       string `json:"log" doc:"the chain's own words"`
	TxHash    string `json:"tx_hash"`
	Height    uint64 `json:"block_height" doc:"of the block in which the transaction failed, 0 if it got into none"`
}

// PlatformToken is the data of kinds about a token that does not fit its platform.
type PlatformToken struct {
	Platform string `json:"platform_coin_ticker"`
	Token    string `json:"token_ticker"`
}

// TickerProtocol is the data of kinds that meet the wrong protocol.
type TickerProtocol struct {
	Ticker   string   `json:"ticker"`
	Protocol Protocol `json:"protocol"`
}

// Protocol is a coin's protocol as the coins file has it.
type Protocol struct {
	Type string `json:"type"`
	Data any    `json:"protocol_data,omitempty"`
}
