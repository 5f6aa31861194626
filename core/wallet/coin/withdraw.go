package coin

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"obverse/core/key"
	"obverse/core/number"
)

// Withdrawer is a coin that can be sent. Withdraw makes and signs a transaction, and sends it
// if Send is set. Requests of one account that send take turns, so that each transaction has
// its own number. With an external wallet that sends all that it signs, Send must be set, or
// Withdraw fails with ErrSends. Errors are the ones below, the errors of Broadcaster, and
// errors of keys. If sending fails, Withdraw returns the transaction with its Hash, and the
// error. Unless the error is a *RefusedError, the transaction may have arrived.
type Withdrawer interface {
	Withdraw(ctx context.Context, r WithdrawRequest) (Transaction, error)
}

// WithdrawRequest is a request to send an amount.
type WithdrawRequest struct {
	To      string
	Amount  number.Rational // in whole coins; ignored if Max is set
	Max     bool            // everything
	Fee     FeePolicy       // nil means that the coin estimates it
	Memo    string
	From    *From   // nil means the coin's own address
	Channel *uint64 // IBC channel to another chain; nil means that the coin finds it
	Send    bool    // whether the transaction is sent at once
}

// ErrSends means that the coin's wallet sends all transactions that it signs, but a request,
// otherwise valid, does not set Send. Komodo DeFi Framework has the text for one such wallet.
var ErrSends = errors.New("Set 'broadcast' to generate, sign and broadcast a transaction with the browser's wallet")

// FeePolicy is a fee that the user chose. Each coin accepts only its own kind.
type FeePolicy interface{ PolicyType() string }

// CosmosGas is a fee on a chain of the Cosmos family.
type CosmosGas struct {
	Price number.Rational // price of a unit of gas, in units of the chain's denom
	Limit uint64          // 0 means the coin estimates it
}

// PolicyType implements FeePolicy.
func (CosmosGas) PolicyType() string { return "CosmosGas" }

// EthGas is a fee on an EVM network with one price for gas.
type EthGas struct {
	Price number.Rational // price of a unit of gas, in billionths of a coin
	Limit uint64
}

// PolicyType implements FeePolicy.
func (EthGas) PolicyType() string { return "EthGas" }

// EthGasEIP1559 is a fee on an EVM network with a base fee. Prices are in billionths of a coin.
type EthGasEIP1559 struct {
	MaxFee number.Rational // maximum price of a unit of gas
	MaxTip number.Rational // maximum part of it in addition to the base fee
	Limit  uint64          // 0 means the coin estimates it
}

// PolicyType implements FeePolicy.
func (EthGasEIP1559) PolicyType() string { return "EthGasEip1559" }

// OtherFee is the name of a kind of fee that no coin of this node accepts.
type OtherFee string

// PolicyType implements FeePolicy.
func (f OtherFee) PolicyType() string { return string(f) }

// FeePolicyError means that the coin does not accept the kind of fee.
type FeePolicyError struct {
	Takes []string // accepted kinds, by PolicyType
	Got   string
}

func (e *FeePolicyError) Error() string {
	return "unsupported kind of fee " + e.Got + ", want " + strings.Join(e.Takes, " or ")
}

// ErrPhrase rejects a recovery phrase in a text that is public on the chain.
var ErrPhrase = errors.New("text contains a recovery phrase: anyone who reads the chain could take the coins of its wallet")

// ErrTip rejects a fee with a tip above the total price of gas.
var ErrTip = errors.New("the tip is more than the highest price of gas")

// GasLimitError rejects a gas limit below the gas that the transaction uses.
type GasLimitError struct{ Limit, Used uint64 }

func (e *GasLimitError) Error() string {
	return fmt.Sprintf("limit of gas is %d, and the transaction uses %d", e.Limit, e.Used)
}

// FeeCapError rejects a price of gas that is below the network's base fee. Prices are in billionths
// of a coin.
type FeeCapError struct{ Provided, Required number.Rational }

// Error returns Komodo DeFi Framework's text.
func (*FeeCapError) Error() string {
	return "Provided gas fee cap is less than the required network base fee."
}

// From is an address of an HD wallet.
type From struct {
	Path    key.Path // complete path; nil means Account, Chain and Address below the coin's path
	Account uint32
	Chain   key.Chain
	Address uint32
}

// In returns the path of the address, which must begin with base, the path of the coin.
func (f From) In(base key.Path) (key.Path, error) {
	if f.Path == nil {
		path, err := base.Address(f.Account, f.Chain, f.Address)
		if err != nil {
			return nil, &InvalidError{FieldFrom, err}
		}
		return path, nil
	}
	if n := len(base); len(f.Path) == n+3 && slices.Equal(f.Path[:n], base) && f.Path[n] >= key.Hardened {
		chain, address := f.Path[n+1], f.Path[n+2]
		if chain <= uint32(key.Internal) && address < key.Hardened {
			return f.Path, nil
		}
	}
	return nil, &InvalidError{FieldFrom, fmt.Errorf("the path %s is not one of an address of the coin, which are %s/account'/chain/address, chain 0 or 1", f.Path, base)}
}

// Field names a field of a request.
type Field string

// Fields of requests that an InvalidError can be about.
const (
	FieldTo      Field = "recipient"
	FieldSpender Field = "spender"
	FieldAmount  Field = "amount"
	FieldFee     Field = "fee"
	FieldMemo    Field = "memo"
	FieldFrom    Field = "sender"
	FieldChannel Field = "IBC channel"
	FieldRaw     Field = "transaction"
)

// InvalidError means that a field of a request is invalid.
type InvalidError struct {
	Field  Field
	Reason error
}

func (e *InvalidError) Error() string { return "invalid " + string(e.Field) + ": " + e.Reason.Error() }

// Unwrap returns the reason.
func (e *InvalidError) Unwrap() error { return e.Reason }

// ErrZeroBalance means that Max is set and the balance is zero.
var ErrZeroBalance = errors.New("balance is zero")

// ShortageError means that the balance of a coin is insufficient.
type ShortageError struct {
	Coin                string // ticker
	Available, Required number.Rational
	ForFee              bool // whether the coin pays the fee of another coin's transaction
}

func (e *ShortageError) Error() string {
	if e.ForFee {
		return fmt.Sprintf("not enough %s for the fee: available %s, required %s", e.Coin, e.Available, e.Required)
	}
	return fmt.Sprintf("not enough %s: available %s, required %s", e.Coin, e.Available, e.Required)
}

// TooLowError means that an amount is below the smallest that can be sent.
type TooLowError struct{ Amount, Threshold number.Rational }

func (e *TooLowError) Error() string {
	return fmt.Sprintf("amount %s is too small, required %s", e.Amount, e.Threshold)
}

// ChannelError means that a channel to another chain is unknown or unusable. Exactly one of Prefix,
// Missing and Reason is set.
type ChannelError struct {
	Channel uint64 // number of the channel on this chain
	Prefix  string // prefix of addresses on a chain to which no channel is known
	Missing bool   // whether the channel was not found on the chain
	Reason  string // reason why a transfer over the channel would not arrive
}

func (e *ChannelError) Error() string {
	switch {
	case e.Prefix != "":
		return "no IBC channel to addresses with prefix " + e.Prefix + " is known"
	case e.Missing:
		return fmt.Sprintf("IBC channel %d does not exist", e.Channel)
	}
	return fmt.Sprintf("IBC channel %d is not usable: %s", e.Channel, e.Reason)
}

// ErrSigning means that a wallet did not sign, or signed something else. The wallet's message
// follows in the error text.
var ErrSigning = errors.New("the wallet did not sign")

// MessageSigner is a coin that signs texts with the key of its address.
type MessageSigner interface {
	SignMessage(ctx context.Context, message string) (SignedMessage, error)
}

// AddressSigner is a MessageSigner for all addresses of an HD wallet. Errors are an
// *InvalidError about FieldFrom, the error of a coin with one address, and errors of keys.
type AddressSigner interface {
	SignMessageFrom(ctx context.Context, from From, message string) (SignedMessage, error)
}

// SignedMessage is a signature in the form that wallets of the coin use.
type SignedMessage struct {
	Signature string
	PublicKey []byte // public key of the signer; nil if it follows from the signature
}

// MessageVerifier is a coin that verifies signatures of texts. VerifyMessage returns false for a
// signature by another address, and an *InvalidError if the signature, the address or the key is
// malformed.
type MessageVerifier interface {
	VerifyMessage(ctx context.Context, p MessageProof) (bool, error)
}

// MessageProof is a signature of a text by an address, to be verified.
type MessageProof struct {
	Message   string
	Signature string
	Address   string
	PublicKey []byte // nil means not needed
}

// Fields of messages and proofs that an InvalidError can be about.
const (
	FieldMessage   Field = "message"
	FieldSignature Field = "signature"
	FieldAddress   Field = "address"
	FieldPublicKey Field = "public key"
)

// Keyed is a coin that reports the key that it uses.
type Keyed interface {
	Coin
	Policy() key.Policy
}

// PolicyError means that an active coin uses another key than the one that a request names.
type PolicyError struct {
	Ticker       string
	Has, Request key.PolicyName
}

func (e *PolicyError) Error() string {
	if e.Has == e.Request {
		return fmt.Sprintf("%s is activated with another wallet of policy %s", e.Ticker, e.Has)
	}
	return fmt.Sprintf("%s is activated with policy %s, not %s", e.Ticker, e.Has, e.Request)
}

// CheckPolicy fails with a *PolicyError if a coin uses another key than the request names. A nil
// request allows any key, and a policy without data any key of its kind.
func CheckPolicy(c Coin, request key.Policy) error {
	keyed, is := c.(Keyed)
	if request == nil || !is {
		return nil
	}
	has := keyed.Policy()
	if has == request || has.Name() == request.Name() && reflect.ValueOf(request).IsZero() {
		return nil
	}
	return &PolicyError{c.Ticker(), has.Name(), request.Name()}
}
