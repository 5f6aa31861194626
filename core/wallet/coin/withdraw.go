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

// Withdrawer is a coin of which one can send some. Withdraw makes a transaction and has
// it signed, and sends it if the request says Send; those of one account that do so take
// turns, so that each has its own number. A wallet outside the node that sends whatever it
// signs demands Send, or fails with ErrSends. Errors are the ones below, those of
// Broadcaster, and those of keys. The transaction has its Hash beside an error of sending:
// after one that is no *RefusedError it may have arrived all the same.
type Withdrawer interface {
	Withdraw(ctx context.Context, r WithdrawRequest) (Transaction, error)
}

// WithdrawRequest is what to send.
type WithdrawRequest struct {
	To      string
	Amount  number.Rational // in whole coins; with Max it does not count
	Max     bool            // everything
	Fee     FeePolicy       // nil: the coin estimates
	Memo    string
	From    *From   // nil: the coin's own address
	Channel *uint64 // of IBC, to another chain; nil: the coin finds it
	Send    bool    // the transaction is sent at once
}

// ErrSends says that the coin's wallet sends what it signs, that nobody asked for that,
// and that nothing else is wrong with a request. The text is Komodo DeFi Framework's, for one wallet of those.
var ErrSends = errors.New("Set 'broadcast' to generate, sign and broadcast a transaction with the browser's wallet")

// FeePolicy is a fee that the user chose. Coins take only their own kind of it.
type FeePolicy interface{ PolicyType() string }

// CosmosGas is a fee on a chain of the Cosmos family.
type CosmosGas struct {
	Price number.Rational // of a unit of gas, in units of the chain's denom
	Limit uint64          // 0: the coin estimates it
}

// PolicyType implements FeePolicy.
func (CosmosGas) PolicyType() string { return "CosmosGas" }

// EthGas is a fee on an EVM network with one price for gas.
type EthGas struct {
	Price number.Rational // of a unit of gas, in billionths of a coin
	Limit uint64
}

// PolicyType implements FeePolicy.
func (EthGas) PolicyType() string { return "EthGas" }

// EthGasEIP1559 is a fee on an EVM network that has a price of its own. Prices are in
// billionths of a coin.
type EthGasEIP1559 struct {
	MaxFee number.Rational // of a unit of gas, at most
	MaxTip number.Rational // of that, beyond the network's price
	Limit  uint64          // 0: the coin estimates it
}

// PolicyType implements FeePolicy.
func (EthGasEIP1559) PolicyType() string { return "EthGasEip1559" }

// OtherFee is a kind of fee that no coin of this node takes, by its name.
type OtherFee string

// PolicyType implements FeePolicy.
func (f OtherFee) PolicyType() string { return string(f) }

// FeePolicyError refuses a fee of a kind that the coin does not take.
type FeePolicyError struct {
	Takes []string // by PolicyType
	Got   string
}

func (e *FeePolicyError) Error() string {
	return "unsupported kind of fee " + e.Got + ", want " + strings.Join(e.Takes, " or ")
}

// ErrPhrase refuses a text that everybody can read on a chain.
var ErrPhrase = errors.New("it contains a recovery phrase: anyone who reads the chain could take the coins of its wallet")

// ErrTip refuses a fee whose tip is more than all that is paid for the gas.
var ErrTip = errors.New("the tip is more than the highest price of gas")

// GasLimitError refuses a fee for less gas than the transaction uses.
type GasLimitError struct{ Limit, Used uint64 }

func (e *GasLimitError) Error() string {
	return fmt.Sprintf("limit of gas is %d, and the transaction uses %d", e.Limit, e.Used)
}

// FeeCapError refuses a chosen price of gas that is below the network's own. Prices are in
// billionths of a coin.
type FeeCapError struct{ Provided, Required number.Rational }

// Error is Komodo DeFi Framework's sentence.
func (*FeeCapError) Error() string {
	return "Provided gas fee cap is less than the required network base fee."
}

// From is an address of an HD wallet.
type From struct {
	Path    key.Path // all of it; nil: Account, Chain and Address below the coin's path
	Account uint32
	Chain   key.Chain
	Address uint32
}

// In gives the path of the address, which has to be one of a coin whose paths begin
// with base.
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

// Field is a part of a request.
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

// InvalidError refuses a field of a request.
type InvalidError struct {
	Field  Field
	Reason error
}

func (e *InvalidError) Error() string { return "invalid " + string(e.Field) + ": " + e.Reason.Error() }

// Unwrap gives the reason.
func (e *InvalidError) Unwrap() error { return e.Reason }

// ErrZeroBalance says that there is nothing of which to send everything.
var ErrZeroBalance = errors.New("balance is zero")

// ShortageError says that an account has too little of a coin.
type ShortageError struct {
	Coin                string // ticker
	Available, Required number.Rational
	ForFee              bool // of a coin that pays the fee of another
}

func (e *ShortageError) Error() string {
	if e.ForFee {
		return fmt.Sprintf("not enough %s for the fee: available %s, required %s", e.Coin, e.Available, e.Required)
	}
	return fmt.Sprintf("not enough %s: available %s, required %s", e.Coin, e.Available, e.Required)
}

// TooLowError says that an amount is less than can be sent.
type TooLowError struct{ Amount, Threshold number.Rational }

func (e *TooLowError) Error() string {
	return fmt.Sprintf("amount %s is too small, required %s", e.Amount, e.Threshold)
}

// ChannelError says that there is no way to another chain. Of its members one is set
// beside Channel.
type ChannelError struct {
	Channel uint64 // its number on this chain
	Prefix  string // of addresses to whose chain no channel is known
	Missing bool   // channel not found on the chain
	Reason  string // why what is sent over the channel does not arrive
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

// ErrSigning says that a wallet did not sign, or signed something else. What it says
// follows in the error's text.
var ErrSigning = errors.New("the wallet did not sign")

// MessageSigner is a coin whose key signs texts for people and programs that know its
// address.
type MessageSigner interface {
	SignMessage(ctx context.Context, message string) (SignedMessage, error)
}

// AddressSigner is a MessageSigner that may have the addresses of an HD wallet. Errors are an
// *InvalidError about FieldFrom, that of a coin with one address, and those of keys.
type AddressSigner interface {
	SignMessageFrom(ctx context.Context, from From, message string) (SignedMessage, error)
}

// SignedMessage is a signature in the form that the coin's wallets have for it.
type SignedMessage struct {
	Signature string
	PublicKey []byte // of the signer; nil where signatures give it away
}

// MessageVerifier is a coin that checks signatures of texts. An error is an
// *InvalidError and says that the signature, the address or the key is none; a
// signature that is not the address's is false.
type MessageVerifier interface {
	VerifyMessage(ctx context.Context, p MessageProof) (bool, error)
}

// MessageProof is what should prove that the owner of an address signed a text.
type MessageProof struct {
	Message   string
	Signature string
	Address   string
	PublicKey []byte // nil: the address is enough
}

// Fields of messages and proofs that an InvalidError can be about.
const (
	FieldMessage   Field = "message"
	FieldSignature Field = "signature"
	FieldAddress   Field = "address"
	FieldPublicKey Field = "public key"
)

// Keyed is a coin that tells whose key it uses.
type Keyed interface {
	Coin
	Policy() key.Policy
}

// PolicyError says that a coin that is there already uses another key than the one that
// a request names.
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

// CheckPolicy fails with a *PolicyError if a coin uses another key than a request names.
// A nil request names none, and a policy without its data any of its kind.
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
