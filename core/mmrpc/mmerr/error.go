package mmerr

import (
	"errors"
)

// Error is an error of the node API. It consists of a kind, a text for the caller, and the
// error that caused it, if any.
type Error struct {
	kind  *Row
	data  any // of the type required by the kind; nil if the error has no data
	text  string
	cause error
	place Place
}

// Error returns the text for the caller.
func (e *Error) Error() string { return e.text }

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.cause }

// Type returns the error_type.
func (e *Error) Type() string { return e.kind.Name }

// Status returns the HTTP status.
func (e *Error) Status() int { return e.kind.Status }

// Data returns the error_data, and whether there is any.
func (e *Error) Data() (data any, present bool) { return e.data, e.data != nil }

// Kind is a kind of error with data of type D. The kinds are listed in kinds.go.
type Kind[D any] struct{ row *Row }

// None is the data of kinds without data, for which error_data is absent.
type None struct{}

// New returns an error of this kind with a text for the caller.
func (k Kind[D]) New(data D, text string) error {
	return k.row.make(1, data, text, nil)
}

// From returns an error of this kind with a cause. The text of the cause is not sent to
// callers.
func (k Kind[D]) From(cause error, data D, text string) error {
	return k.row.make(1, data, text, cause)
}

// Above is like From, for a function that returns errors on behalf of its callers. The place of
// the error is the call of the function skip levels above, where 0 means the function that
// calls Above.
func (k Kind[D]) Above(skip int, cause error, data D, text string) error {
	return k.row.make(1+skip, data, text, cause)
}

// make implements the functions above, as far as they do not depend on D. It is compiled once,
// which reduces the size of a page.
func (r *Row) make(skip int, data any, text string, cause error) error {
	e := &Error{kind: r, data: data, text: text, cause: cause, place: Caller(skip)}
	if _, none := data.(None); none {
		e.data = nil
	}
	return e
}

// Is reports whether err or one of the errors it wraps is of this kind.
func (k Kind[D]) Is(err error) bool { return k.row.made(err) }

func (r *Row) made(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if e, ok := err.(*Error); ok && e.kind == r {
			return true
		}
	}
	return false
}

// Nested is the data of an error that contains another error with its own kind and data.
type Nested struct {
	Type string `json:"error_type"`
	Data any    `json:"error_data"`
}

// Expected is the data of an answer to an action that was not requested.
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

// Coin is the data of kinds that concern a coin.
type Coin struct {
	Coin string `json:"coin"`
}

// Ticker is the data of kinds that describe a problem with a configured coin.
type Ticker struct {
	Ticker string `json:"ticker"`
	Error  string `json:"error"`
}

// Shortage is the data of kinds that describe missing amounts, as decimal strings.
type Shortage struct {
	Coin      string `json:"coin"`
	Available string `json:"available"`
	Required  string `json:"required"`
	Locked    string `json:"locked_by_swaps,omitempty"`
}

// Threshold is the data of kinds that describe a minimum amount, as decimal strings.
type Threshold struct {
	Amount    string `json:"amount"`
	Threshold string `json:"threshold"`
}

// Fee is the data of kinds about a fee that cannot be paid.
type Fee struct {
	Reason  string     `json:"reason"`
	Details FeeDetails `json:"details"`
}

// FeeDetails are gas prices in billionths of a coin, as decimal strings.
type FeeDetails struct {
	Provided string `json:"provided_fee_cap_gwei"`
	Required string `json:"required_base_fee_gwei"`
}

// Stake is the data of kinds about the stake of an address with a validator.
type Stake struct {
	Delegator string `json:"delegator_addr"`
	Validator string `json:"validator_addr"`
}

// TooMuch is the data of kinds that report that the requested amount exceeds the available one,
// as decimal strings.
type TooMuch struct {
	Available string `json:"available"`
	Requested string `json:"requested"`
}

// Unprofitable is the data of kinds that report that a reward does not exceed its fee, as
// decimal strings.
type Unprofitable struct {
	Reward string `json:"reward"`
	Fee    string `json:"fee"`
}

// Reason is the data of kinds that contain a reason.
type Reason struct {
	Reason string `json:"reason"`
}

// TaskLimit is the data of kinds about a task that took too long.
type TaskLimit struct {
	Duration Duration `json:"duration" doc:"the duration of the request"`
}

// Duration is a duration in the format of Komodo DeFi Framework.
type Duration struct {
	Seconds     uint64 `json:"secs"`
	Nanoseconds uint32 `json:"nanos"`
}

// Duplicate is the data of kinds that refuse a custom token. One of its members is set.
type Duplicate struct {
	Ticker   *ConfigTicker   `json:"DuplicateTickerInConfig,omitempty" doc:"the coins file has the ticker"`
	Contract *ConfigTicker   `json:"DuplicateContractInConfig,omitempty" doc:"the coins file has the contract"`
	Active   *ActiveContract `json:"TokenWithSameContractAlreadyActivated,omitempty" doc:"the contract is active"`
}

// ConfigTicker identifies an entry of the coins file.
type ConfigTicker struct {
	Ticker string `json:"ticker_in_config"`
}

// ActiveContract identifies an active token.
type ActiveContract struct {
	Ticker   string `json:"ticker"`
	Contract string `json:"contract_address"`
}

// TokenProtocol is the data of kinds that concern a protocol.
type TokenProtocol struct {
	Protocol string `json:"protocol"`
}

// NFT is the data of kinds that concern an NFT.
type NFT struct {
	Address string `json:"token_address"`
	ID      string `json:"token_id"`
}

// NFTOwner is the data of kinds about an NFT that belongs to another owner.
type NFTOwner struct {
	MyAddress string `json:"my_address"`
	Owner     string `json:"token_owner"`
}

// NFTShortage is the data of kinds that report missing NFTs, as decimal strings.
type NFTShortage struct {
	Address   string `json:"token_address"`
	ID        string `json:"token_id"`
	Available string `json:"available"`
	Required  string `json:"required"`
}

// IBC is the data of kinds about a connection to another chain. One of its members is set.
type IBC struct {
	Unknown   *IBCPrefix  `json:"IBCChannelCouldNotBeFound,omitempty" doc:"no channel is configured to the chain of addresses with this prefix"`
	Missing   *IBCChannel `json:"IBCChannelMissingOnNode,omitempty" doc:"channel not found on the chain"`
	Unhealthy *IBCChannel `json:"IBCChannelNotHealthy,omitempty" doc:"packets on this channel do not arrive"`
}

// IBCPrefix identifies a chain by the prefix of its addresses.
type IBCPrefix struct {
	Prefix string `json:"address_prefix"`
}

// IBCChannel is a channel with the reason why it cannot be used.
type IBCChannel struct {
	ID     uint64 `json:"channel_id"`
	Reason string `json:"reason,omitempty"`
}

// Refusal is the data of kinds that report a chain's refusal.
type Refusal struct {
	Code      uint32 `json:"code" doc:"error code of the chain within codespace"`
	Codespace string `json:"codespace"`
	Log       string `json:"log" doc:"error text of the chain"`
	TxHash    string `json:"tx_hash"`
	Height    uint64 `json:"block_height" doc:"height of the block in which the transaction failed, 0 if it is not in a block"`
}

// PlatformToken is the data of kinds about a token that does not belong on its platform.
type PlatformToken struct {
	Platform string `json:"platform_coin_ticker"`
	Token    string `json:"token_ticker"`
}

// TickerProtocol is the data of kinds about a coin with the wrong protocol.
type TickerProtocol struct {
	Ticker   string   `json:"ticker"`
	Protocol Protocol `json:"protocol"`
}

// Protocol is a coin's protocol in the format of the coins file.
type Protocol struct {
	Type string `json:"type"`
	Data any    `json:"protocol_data,omitempty"`
}
