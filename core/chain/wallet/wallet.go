// Package wallet builds and signs transactions: token creations and transfers of one key, and
// payments from all keys of a keyring. It is komodod's builder, byte for byte: the same
// coins, in the same order, with the same outputs, fee and signatures.
//
// The package has no state and broadcasts nothing. A Source provides the coins; in a running node,
// it is a Snapshot.
//
// Source: komodod cc/CCtx.cpp (AddNormalinputsRemote, CC_vinselect, FinalizeCCTx),
// cc/CCtokens.cpp (CreateToken, TokenTransfer, AddTokenCCInputs), wallet/wallet.cpp
// (CreateTransaction, SelectCoins), script/sign.cpp and wallet/rpcwallet.cpp (checks and their texts).
//
// Invariant: the same Source results in the same bytes, since signatures are deterministic (RFC
// 6979) and the order of maps is not used.
package wallet

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"

	"obverse/core/chain/cc"
	"obverse/core/chain/keyring"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/key"
)

// Fee is the fee of every transaction that a Wallet builds, in satoshis. A transaction without
// a change output pays up to twice as much.
const Fee = 10_000

// Config holds the dependencies and settings of a Wallet.
type Config struct {
	Key    *key.Private
	Ring   *keyring.Ring // keys with coins that pay the fees of transfers; nil means only Key
	Params *params.Params
	// DataCarrierSize is the maximum size of an OP_RETURN output script that nodes relay, in
	// bytes (-datacarriersize).
	DataCarrierSize int
	AllowUnheld     bool // allows tokens that no key holds, as in komodod
}

// Wallet builds transactions for one key. It is safe for concurrent use.
type Wallet struct {
	selected    atomic.Pointer[Wallet] // wallet that builds transactions; nil means this one
	key         *key.Private
	ring        *keyring.Ring
	public      token.Key
	address     script.Address
	tokens      script.Address
	tokensText  string
	params      *params.Params
	dataCarrier int
	allowUnheld bool
}

// New returns a wallet with the key of c.
func New(c Config) *Wallet {
	pub := c.Key.PublicKey()
	w := &Wallet{key: c.Key, ring: c.Ring, public: pub, address: script.PubKeyAddress(pub[:]),
		tokens: script.PubKeyAddress(token.Script(token.CreateCodes(nil), pub)), params: c.Params, dataCarrier: c.DataCarrierSize, allowUnheld: c.AllowUnheld}
	w.tokensText = w.tokens.String()
	return w
}

// Select selects the key with which transactions are built (setpubkey).
func (w *Wallet) Select(k *key.Private) {
	w.selected.Store(New(Config{Key: k, Ring: w.ring, Params: w.params, DataCarrierSize: w.dataCarrier, AllowUnheld: w.allowUnheld}))
}

// active returns the wallet of the selected key. Exported methods begin with it, so that a
// concurrent Select does not change their key.
func (w *Wallet) active() *Wallet {
	if selected := w.selected.Load(); selected != nil {
		return selected
	}
	return w
}

// PublicKey returns the key that owns the outputs of the transactions that the wallet builds
// (-pubkey).
func (w *Wallet) PublicKey() token.Key { return w.active().public }

// Address returns the address of the wallet's plain coins: P2PK and P2PKH outputs of its key.
func (w *Wallet) Address() script.Address { return w.active().address }

// TokenAddress returns the address of the wallet's tokens that are not bound to a further
// module.
func (w *Wallet) TokenAddress() script.Address { return w.active().tokens }

// TokenAddressText returns the text of TokenAddress, which is cached, since encoding it takes
// longer than reading a balance.
func (w *Wallet) TokenAddressText() string { return w.active().tokensText }

// Change returns the output script of the wallet's change.
func (w *Wallet) Change() []byte { return w.active().payToSelf() }

// Owns reports whether pkScript is one of the two scripts that the key alone can spend. Other
// scripts can have the same address, such as a multisig with the key or a script with a lock
// time.
func (w *Wallet) Owns(pkScript []byte) bool {
	return bytes.Equal(pkScript, w.payToSelf()) || bytes.Equal(pkScript, w.address.PkScript())
}

// payToSelf returns the output script of change.
func (w *Wallet) payToSelf() []byte { return script.PayToPubKey(w.public[:]) }

// ErrForeign reports a coin that the wallet's key cannot spend.
var ErrForeign = errors.New("coin is not the wallet's")

// sign sets the scriptSig of every input. coins are the coins that the inputs spend, in order, and
// holder contains the eval codes of the token conditions.
func (w *Wallet) sign(tx *wire.Tx, coins []Coin, holder []byte, branch uint32) error {
	s := signer{w, tx, token.Condition(holder, w.public), branch, script.NewSigHashes(tx)}
	for i := range coins {
		scriptSig, err := s.unlock(i, coins[i])
		if err != nil {
			return fmt.Errorf("sign input %d: %w", i, err)
		}
		tx.Inputs[i].ScriptSig = scriptSig
	}
	return nil
}

type signer struct {
	*Wallet
	tx     *wire.Tx
	tree   *cc.Node
	branch uint32
	hashes *script.SigHashes
}

// unlock returns the scriptSig of input i.
func (s *signer) unlock(i int, coin Coin) ([]byte, error) {
	if bare, ok := script.BareCondition(coin.Script); ok {
		return s.fulfill(i, coin.Value, bare)
	}
	if !s.Owns(coin.Script) {
		return s.unlockOther(i, coin)
	}
	hash, err := s.hash(i, coin.Value, coin.Script)
	if err != nil {
		return nil, err
	}
	sig := script.PushData(append(s.key.SignDER(hash), script.SigHashAll))
	if bytes.Equal(coin.Script, s.payToSelf()) {
		return sig, nil
	}
	return script.AppendPush(sig, s.public[:]), nil
}

// unlockOther returns the scriptSig of an input that another key of the ring signs.
func (s *signer) unlockOther(i int, coin Coin) ([]byte, error) {
	if s.ring != nil {
		in := InputSigner{Keys: s.ring, Tx: s.tx, Branch: s.branch, HashType: script.SigHashAll, hashes: s.hashes}
		if scriptSig := in.Sign(i, coin.Script, coin.Value); scriptSig != nil {
			return scriptSig, nil
		}
	}
	return nil, ErrForeign
}

// fulfill returns the scriptSig that spends a token condition. The data that follows the
// condition in the output's script is not signed.
func (s *signer) fulfill(i int, value int64, bare []byte) ([]byte, error) {
	if !bytes.Equal(bare, script.PayToCondition(s.tree.Condition())) {
		return nil, ErrForeign
	}
	hash, err := s.hash(i, value, bare)
	if err != nil {
		return nil, err
	}
	sig := s.key.SignCompact(hash)
	s.tree.Fill(s.public[:], sig[:])
	fulfillment, err := s.tree.Encode()
	return script.FulfillCondition(fulfillment, script.SigHashAll), err
}

func (s *signer) hash(i int, value int64, code []byte) (wire.Hash, error) {
	return script.SignatureHash(s.tx, i, code, value, script.SigHashAll, s.branch, s.hashes)
}

// Error is a reason why a transaction cannot be built. Clients receive its text, which is
// komodod's, unchanged. Use errors.As to distinguish it from a failure of the Source.
type Error string

func (e Error) Error() string { return string(e) }

// Errors of CreateToken, in the order of the checks.
const (
	ErrName        Error = "Token name must not be empty and up to 32 characters"
	ErrSupply      Error = "Token supply must be positive"
	ErrDescription Error = "Token description must be <= 4096 characters"
	ErrDataSize    Error = "Non-fungible data size must be <= 10001"
	ErrData        Error = "Non-fungible data incorrect"
	ErrUnheld      Error = "no key would hold a non-fungible token whose data begins with 00 or f2: begin it with f1, or set chain.allow_unheld_tokens"
	ErrDataSupply  Error = "for non-fungible tokens tokensupply should be equal to 1"
	ErrNoCC        Error = "this chain has no tokens: ac_cc is 0"             // not in komodod
	ErrRelay       Error = "token does not fit into what nodes relay"         // not in komodod; wrapped with the sizes
	ErrHolders     Error = "the first holders get more tokens than there are" // ours, wrapped with the figures
	ErrCoins       Error = "cant find normal inputs"
)

// Errors of TransferToken, in the order of the checks.
const (
	ErrTokenID   Error = "invalid tokenid"
	ErrPubKey    Error = "invalid pubkey" // not in komodod; wrapped with the key
	ErrAmount    Error = "amount must be positive"
	ErrFee       Error = "insufficient normal inputs for tx fee"
	ErrNoTokens  Error = "no token inputs"
	ErrFewTokens Error = "insufficient token inputs"
)

// Reasons of payments, with the texts of sendtoaddress.
const (
	ErrSendAmount Error = "Invalid amount for send"
	ErrFunds      Error = "Insufficient funds"
)
