package wallet

import (
	"bytes"

	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/key"
)

// Fee is the fee of every transaction that a Wallet builds, in satoshis. Without a change
// output for the rest, a transaction pays up to twice as much.
const Fee = 10_000

// Config holds the dependencies and settings of a Wallet.
type Config struct {
	Key    *key.Private
	Params *params.Params
	// DataCarrierSize is the largest OP_RETURN output script that nodes relay, in
	// bytes (-datacarriersize).
	DataCarrierSize int
	AllowUnheld     bool // build tokens that no key holds, as komodod does
}

// Wallet builds with one key. Any number of goroutines may use it.
type Wallet struct {
	key         *key.Private
	public      token.Key
	address     script.Address
	tokens      script.Address
	tokensText  string
	params      *params.Params
	dataCarrier int
	allowUnheld bool
}

// New is a wallet with the key of c.
func New(c Config) *Wallet {
	pub := c.Key.PublicKey()
	w := &Wallet{key: c.Key, public: pub, address: script.PubKeyAddress(pub[:]),
		tokens: script.PubKeyAddress(token.Script(token.CreateCodes(nil), pub)), params: c.Params, dataCarrier: c.DataCarrierSize, allowUnheld: c.AllowUnheld}
	w.tokensText = w.tokens.String()
	return w
}

// PublicKey is the key that owns what the wallet builds (-pubkey).
func (w *Wallet) PublicKey() token.Key { return w.public }

// Address is where the wallet's plain coins are: P2PK and P2PKH outputs of its key.
func (w *Wallet) Address() script.Address { return w.address }

// TokenAddress is where the wallet's tokens are that no module but that of the tokens
// guards.
func (w *Wallet) TokenAddress() script.Address { return w.tokens }

// TokenAddressText is the text of TokenAddress, which costs more than a balance.
func (w *Wallet) TokenAddressText() string { return w.tokensText }

// WIF is the key in wallet import format, as dumpprivkey shows it. It is the secret.
func (w *Wallet) WIF() string { return w.key.WIF() }

// Owns reports whether pkScript is one of the two scripts that the key alone can spend. Other
// scripts can have its address too, such as a multisig in which it takes part or one with a
// lock time.
func (w *Wallet) Owns(pkScript []byte) bool {
	return bytes.Equal(pkScript, w.payToSelf()) || bytes.Equal(pkScript, w.address.PkScript())
}

// payToSelf is the output script of change.
func (w *Wallet) payToSelf() []byte { return script.PayToPubKey(w.public[:]) }
