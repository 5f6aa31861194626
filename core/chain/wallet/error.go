package wallet

// Error is a reason why a transaction cannot be built. It is reported unchanged, with
// upstream's text. Use errors.As to distinguish it from a failure of the Source.
type Error string

func (e Error) Error() string { return string(e) }

// The reasons of CreateToken, in the order in which they are looked for.
const (
	ErrName        Error = "Token name must not be empty and up to 32 characters"
	ErrSupply      Error = "Token supply must be positive"
	ErrDescription Error = "Token description must be <= 4096 characters"
	ErrDataSize    Error = "Non-fungible data size must be <= 10001"
	ErrData        Error = "Non-fungible data incorrect"
	ErrUnheld      Error = "no key would hold a non-fungible token whose data begins with 00 or f2: begin it with f1, or set chain.allow_unheld_tokens"
	ErrDataSupply  Error = "for non-fungible tokens tokensupply should be equal to 1"
	ErrNoCC        Error = "this chain has no tokens: ac_cc is 0"     // ours
	ErrRelay       Error = "token does not fit into what nodes relay" // ours, wrapped with the figures
	ErrCoins       Error = "cant find normal inputs"
)

// The reasons of TransferToken, in the order in which they are looked for.
const (
	ErrTokenID   Error = "invalid tokenid"
	ErrPubKey    Error = "invalid pubkey" // ours, wrapped with the key
	ErrAmount    Error = "amount must be positive"
	ErrFee       Error = "insufficient normal inputs for tx fee"
	ErrNoTokens  Error = "no token inputs"
	ErrFewTokens Error = "insufficient token inputs"
)

// The reasons of Send, with the texts of sendtoaddress.
const (
	ErrSendAmount Error = "Invalid amount for send"
	ErrFunds      Error = "Insufficient funds"
)
