package tx

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
)

// Network is what a wallet is told of a network, in the words of EIP-3085. It can be
// taught one only if no member is empty.
type Network struct {
	ChainID uint64 `json:"chain_id"`
	Name    string `json:"name"`   // for people
	Ticker  string `json:"ticker"` // of the coin that pays fees, which has 18 decimals
	RPC     string `json:"rpc,omitempty"`
}

// Holder is an account whose address is known and its public key perhaps not, as of
// wallets of EIP-1193.
type Holder interface {
	key.Account
	Address() address.Address
}

// Sender is an account that signs whole transactions, so that its owner sees what is
// signed, and sends them. It gives none away that is only signed. It may set another fee
// and nonce: what was sent is looked for on the network, and checked.
type Sender interface {
	key.Account
	// SendTransaction gives the hash. After a *key.WalletError of WalletTimeout or
	// WalletGone, and after those of ctx, the owner may have it sent all the same.
	SendTransaction(ctx context.Context, t wire.Transaction) (hash [32]byte, err error)
}

// TextSigner is an account that signs texts for people as EIP-191 has them.
type TextSigner interface {
	key.Account
	SignText(ctx context.Context, text string) (signature [65]byte, err error)
}

// AddressOf is the address of an account, and its public key if it shows that.
func AddressOf(account key.Account) (a address.Address, public *[33]byte, err error) {
	if keyer, is := account.(key.PublicKeyer); is {
		p := keyer.PublicKey()
		a, err = address.OfKey(p)
		return a, &p, err
	}
	holder, err := key.As[Holder](account)
	if err != nil {
		return a, nil, err
	}
	return holder.Address(), nil, nil
}

var errRecovery = errors.New("unsupported signature recovery id")

// sign has a transaction signed.
func sign(ctx context.Context, account key.Account, t wire.Transaction) (raw []byte, err error) {
	signature, err := signHash(ctx, account, t.SigningHash())
	if err != nil {
		return nil, err
	}
	return t.Signed(signature), nil
}

func signHash(ctx context.Context, account key.Account, hash [32]byte) (signature [65]byte, err error) {
	signer, err := key.As[key.HashSigner](account)
	if err != nil {
		return signature, err
	}
	s, err := signer.SignHash(ctx, hash)
	if err == nil && s.Recovery > 1 { // which has one chance in 2^127
		err = fmt.Errorf("%w: %w", coin.ErrSigning, errRecovery)
	}
	return s.Recoverable(), err
}
