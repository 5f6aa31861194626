package tx

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
)

// Network describes a network to a wallet, with the members of EIP-3085. A wallet can add an
// unknown network only if all fields are set.
type Network struct {
	ChainID uint64 `json:"chain_id"`
	Name    string `json:"name"`   // for display
	Ticker  string `json:"ticker"` // of the coin that pays fees, which has 18 decimals
	RPC     string `json:"rpc,omitempty"`
}

// CAIP2 returns the CAIP-2 id of a network.
func CAIP2(chain uint64) string { return "eip155:" + strconv.FormatUint(chain, 10) }

// Methods of wallets for signatures and transactions.
const (
	MethodSignText = "personal_sign"
	MethodSend     = "eth_sendTransaction"
)

// Holder is an account with a known address, but possibly without a known public key, like
// accounts of EIP-1193 wallets.
type Holder interface {
	key.Account
	Address() address.Address
}

// Sender is an account that signs and sends whole transactions, so that its owner can see them.
// It does not return signed transactions. Since it may change the fee and the nonce, the sent
// transaction is queried from the network and checked.
type Sender interface {
	key.Account
	// SendTransaction returns the hash. After errors of ctx, and after a *key.WalletError with
	// WalletTimeout or WalletGone, the owner may still send the transaction.
	SendTransaction(ctx context.Context, t wire.Transaction) (hash [32]byte, err error)
}

// TransactionSigner is an account that signs whole transactions, so that its owner can see them.
// The node sends them.
type TransactionSigner interface {
	key.Account
	// SignTransaction returns r, s and the recovery number.
	SignTransaction(ctx context.Context, t wire.Transaction) (key.Signature, error)
}

// TextSigner is an account that signs texts by EIP-191.
type TextSigner interface {
	key.Account
	SignText(ctx context.Context, text string) (signature [65]byte, err error)
}

// AddressOf returns the address of an account, and its public key if available.
func AddressOf(account key.Account) (a address.Address, public *[33]byte, err error) {
	if keyer, is := account.(key.PublicKeyer); is {
		p := keyer.PublicKey()
		a, err = address.FromKey(p)
		return a, &p, err
	}
	if elsewhere, is := account.(key.ExternalAccount); is && elsewhere.ExternalKey().Algorithm() == key.AccountID {
		copy(a[:], elsewhere.ExternalKey().Bytes())
		return a, nil, nil
	}
	holder, err := key.As[Holder](account)
	if err != nil {
		return a, nil, err
	}
	return holder.Address(), nil, nil
}

// TypedSigner is an account that signs typed data (EIP-712). It gets the hashes of the domain
// and the message, and displays to its owner as much as it can.
type TypedSigner interface {
	key.Account
	// SignTyped returns r, s and the recovery number.
	SignTyped(ctx context.Context, domain, message [32]byte) (key.Signature, error)
}

var errRecovery = errors.New("unsupported signature recovery id")

// sign signs a transaction of an address.
func sign(ctx context.Context, account key.Account, from address.Address, t wire.Transaction) (raw []byte, err error) {
	var signature [65]byte
	if outside, is := account.(TransactionSigner); is {
		signature, err = checked(t.SigningHash(), from)(outside.SignTransaction(ctx, t))
	} else {
		signature, err = signHash(ctx, account, t.SigningHash())
	}
	if err != nil {
		return nil, err
	}
	return t.Signed(signature), nil
}

var errSigner = errors.New("the signature does not match the transaction or text and the address")

// checked checks the signature of a hash by an external account.
func checked(hash [32]byte, from address.Address) func(key.Signature, error) ([65]byte, error) {
	return func(s key.Signature, err error) ([65]byte, error) {
		signature, err := recoverable(s, err)
		if err != nil {
			return signature, err
		}
		if who, err := wire.Signer(hash, big.NewInt(int64(s.Recovery)), s.R[:], s.S[:]); err != nil || who != from {
			return signature, fmt.Errorf("%w: %w", coin.ErrSigning, errSigner)
		}
		return signature, nil
	}
}

func signHash(ctx context.Context, account key.Account, hash [32]byte) (signature [65]byte, err error) {
	signer, err := key.As[key.HashSigner](account)
	if err != nil {
		return signature, err
	}
	return recoverable(signer.SignHash(ctx, hash))
}

// recoverable rejects a recovery number that transactions cannot have. It occurs with a
// probability of 2^-127.
func recoverable(s key.Signature, err error) ([65]byte, error) {
	if err == nil && s.Recovery > 1 {
		err = fmt.Errorf("%w: %w", coin.ErrSigning, errRecovery)
	}
	return s.Recoverable(), err
}

// shows reports whether an account displays transactions to its owner before it signs them.
func shows(account key.Account) bool {
	_, sends := account.(Sender)
	_, signs := account.(TransactionSigner)
	return sends || signs
}

var (
	errNegative = errors.New("must not be negative")
	errDecimals = errors.New("more decimals than the coin has")
	errTooMuch  = errors.New("more than 256 bits in the smallest unit")
)

// Units converts an amount to the smallest units, of at most 256 bits.
func Units(amount number.Rational, decimals uint8) (*big.Int, error) {
	if amount.Sign() < 0 {
		return nil, errNegative
	}
	units, err := amount.Units(decimals)
	switch {
	case err != nil:
		return nil, errDecimals
	case units.BitLen() > 256:
		return nil, errTooMuch
	}
	return units, nil
}

// sameDecimals returns an error if most nodes report other decimals of a token than the wallet
// uses, since the amount depends on them. A contract need not have decimals.
func (w *Wallet) sameDecimals(ctx context.Context, a Asset) error {
	decimals, err := w.Node.Decimals(ctx, []address.Address{*a.Contract})
	if err != nil || decimals[0] == a.Decimals {
		return ctx.Err()
	}
	return invalidf(coin.FieldAmount, "decimals of %s are %d in the wallet, and %d by the servers; disable the token, check its entry, and activate it again", a.Ticker, a.Decimals, decimals[0])
}
