package walletconnecttest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/text"
	"obverse/core/wallet/cosmos/address"
	cosmoswire "obverse/core/wallet/cosmos/wire"
	evmaddress "obverse/core/wallet/evm/address"
	evmwire "obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// Signer answers requests like a wallet, with a key derived from a passphrase.
type Signer struct {
	t testing.TB

	mu       sync.Mutex
	ring     *key.Ring
	fails    *wire.Error
	requests []string
	hold     chan struct{}
	nonce    uint64

	// Take receives the signed transactions that the wallet is asked to send.
	Take func(t evmwire.Transaction, signature [65]byte) (hash [32]byte)
}

// NewSigner returns a signer with the key of a passphrase.
func NewSigner(t testing.TB, passphrase string) *Signer {
	s := &Signer{t: t}
	s.Switch(passphrase)
	return s
}

func (s *Signer) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// Switch changes the wallet's key.
func (s *Signer) Switch(passphrase string) {
	ring, err := key.Open(passphrase, false)
	require.NoError(s.t, err)
	s.set(func() { s.ring = ring })
}

// Fail makes all requests fail with err; nil makes them succeed.
func (s *Signer) Fail(err *wire.Error) { s.set(func() { s.fails = err }) }

// Hold delays the wallet's answers until the channel is closed.
func (s *Signer) Hold(until chan struct{}) { s.set(func() { s.hold = until }) }

// Methods returns the methods that were requested since its last call.
func (s *Signer) Methods() (methods []string) {
	s.set(func() { methods, s.requests = s.requests, nil })
	return methods
}

// Cosmos returns the address with a prefix.
func (s *Signer) Cosmos(prefix string) string {
	a, err := address.FromKey(prefix, s.ring.Node().PublicKey())
	require.NoError(s.t, err)
	return a.String()
}

// EVM returns the address on EVM networks.
func (s *Signer) EVM() string {
	a, err := evmaddress.FromKey(s.ring.Node().PublicKey())
	require.NoError(s.t, err)
	return a.String()
}

// prefix returns the address prefix of a chain that the tests use.
func prefix(chain string) string {
	if strings.HasPrefix(chain, "cosmos:irishub") {
		return "iaa"
	}
	return "cosmos"
}

// Answer handles a request as a Wallet's Answer function.
func (s *Signer) Answer(q wire.Request) (any, *wire.Error) {
	s.mu.Lock()
	s.requests = append(s.requests, q.Request.Method)
	hold := s.hold
	s.mu.Unlock()
	if hold != nil {
		<-hold
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails != nil {
		return nil, s.fails
	}
	switch q.Request.Method {
	case "cosmos_getAccounts":
		public := s.ring.Node().PublicKey()
		return []any{map[string]any{"algo": "secp256k1", "address": s.Cosmos(prefix(q.Chain)), "pubkey": base64.StdEncoding.EncodeToString(public[:])}}, nil
	case "cosmos_signDirect", "cosmos_signAmino":
		return s.cosmos(q)
	case "personal_sign":
		return s.text(q)
	case "eth_sendTransaction":
		return s.send(q)
	}
	return nil, &wire.Error{Code: 5101, Message: "Unsupported methods."}
}

// another returns the error for an account that is not the wallet's.
func another() *wire.Error { return &wire.Error{Code: 4100, Message: "another account"} }

func (s *Signer) read(q wire.Request, into any) {
	require.NoError(s.t, json.Unmarshal(q.Request.Params, into))
}

func (s *Signer) cosmos(q wire.Request) (any, *wire.Error) {
	var order struct {
		Signer string          `json:"signerAddress"`
		Doc    json.RawMessage `json:"signDoc"`
	}
	s.read(q, &order)
	if order.Signer != s.Cosmos(prefix(q.Chain)) {
		return nil, another()
	}
	text := []byte(order.Doc)
	if q.Request.Method == "cosmos_signDirect" {
		var doc struct {
			ChainID  string `json:"chainId"`
			Account  string `json:"accountNumber"`
			AuthInfo []byte `json:"authInfoBytes"`
			Body     []byte `json:"bodyBytes"`
		}
		require.NoError(s.t, json.Unmarshal(order.Doc, &doc))
		number, err := strconv.ParseUint(doc.Account, 10, 64)
		require.NoError(s.t, err)
		text = cosmoswire.Encode(&cosmoswire.SignDoc{Body: doc.Body, AuthInfo: doc.AuthInfo, ChainID: doc.ChainID, Account: number})
	}
	private := s.ring.Node()
	public, signature := private.PublicKey(), private.SignCompact(sha256.Sum256(text))
	return map[string]any{"signed": order.Doc, "signature": map[string]any{"signature": base64.StdEncoding.EncodeToString(signature[:]),
		"pub_key": map[string]any{"type": "tendermint/PubKeySecp256k1", "value": base64.StdEncoding.EncodeToString(public[:])}}}, nil
}

func (s *Signer) text(q wire.Request) (any, *wire.Error) {
	var order [2]string
	s.read(q, &order)
	if order[1] != s.EVM() {
		return nil, another()
	}
	message, err := hex.DecodeString(strings.TrimPrefix(order[0], "0x"))
	require.NoError(s.t, err)
	signature := s.ring.Node().Sign(evmaddress.Keccak([]byte("\x19Ethereum Signed Message:\n"+strconv.Itoa(len(message))), message)).Recoverable()
	signature[64] += 27
	return text.Hex(signature[:]), nil
}

func (s *Signer) send(q wire.Request) (any, *wire.Error) {
	var orders [1]struct{ From, To, Value, Data, Gas, GasPrice, MaxFeePerGas, MaxPriorityFeePerGas string }
	s.read(q, &orders)
	o := orders[0]
	if o.From != s.EVM() {
		return nil, another()
	}
	to, err := evmaddress.Parse(o.To)
	require.NoError(s.t, err)
	data, err := hex.DecodeString(strings.TrimPrefix(o.Data, "0x"))
	require.NoError(s.t, err)
	id, err := strconv.ParseUint(strings.TrimPrefix(q.Chain, "eip155:"), 10, 64)
	require.NoError(s.t, err)
	t := evmwire.Transaction{ChainID: id, Nonce: s.nonce, Gas: s.number(o.Gas).Uint64(), To: to, Value: s.number(o.Value), Data: data}
	if o.GasPrice != "" {
		t.MaxFee = s.number(o.GasPrice)
	} else {
		t.MaxFee, t.Tip = s.number(o.MaxFeePerGas), s.number(o.MaxPriorityFeePerGas)
	}
	s.nonce++
	hash := s.Take(t, s.ring.Node().Sign(t.SigningHash()).Recoverable())
	return text.Hex(hash[:]), nil
}

// number parses a quantity as strictly as wallets do.
func (s *Signer) number(text string) *big.Int {
	require.Regexp(s.t, `^0x(0|[1-9a-f][0-9a-f]*)$`, text)
	n, _ := new(big.Int).SetString(text, 0)
	return n
}
