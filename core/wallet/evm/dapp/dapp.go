// Package dapp describes and executes requests of other programs to an account on an EVM
// network. The requests are for transactions and for signatures of texts and typed data. The
// package also passes read-only calls to the network's nodes. Package core/wallet/dapp defines
// the requests.
//
// Calls of the functions of ERC-20 and ERC-721 are described. For other calls, the description
// has the contract, the function's number and the data, with a warning.
//
// Sources: EIP-1193, EIP-1474, EIP-191, EIP-712; ERC-20 and ERC-721.
//
// Invariant: A request is signed as it was described, with the next nonce of the account.
package dapp

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"obverse/core/key"
	"obverse/core/text"
	"obverse/core/wallet/dapp"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/eip712"
	"obverse/core/wallet/evm/tx"
)

// Wallet is the account of a coin that programs may use.
type Wallet struct {
	*tx.Wallet // without the account's key
	Nodes      Nodes
	// Token returns the token with a contract, if the node knows it.
	Token func(ctx context.Context, contract address.Address) (tx.Asset, bool)
	// Open opens the account to sign with it.
	Open func(ctx context.Context) (key.Account, error)
}

// Nodes passes calls to the nodes, as *node.Pool does.
type Nodes interface {
	Forward(ctx context.Context, method string, params []json.RawMessage) (json.RawMessage, error)
}

var _ dapp.Wallet = (*Wallet)(nil)

// Methods that can be described and executed.
const (
	methodSend  = tx.MethodSend
	methodText  = tx.MethodSignText
	methodTyped = "eth_signTypedData_v4"
)

// Chain implements dapp.Wallet.
func (w *Wallet) Chain() string { return tx.CAIP2(w.ChainID) }

// Describe implements dapp.Wallet.
func (w *Wallet) Describe(ctx context.Context, r *dapp.Request, d *dapp.Description) (err error) {
	d.Coin, d.Address = w.Native.Ticker, w.Address.String()
	switch r.Method {
	case methodSend:
		err = w.describeOrder(ctx, d, r.Params)
	case methodText:
		err = w.describeText(d, r.Params)
	case methodTyped:
		_, err = w.typed(d, r.Params)
	default:
		err = unsupported(r.Method)
	}
	return err
}

// signing signs with an open account.
type signing func(context.Context, *tx.Wallet) ([]byte, error)

// Execute implements dapp.Wallet.
func (w *Wallet) Execute(ctx context.Context, r *dapp.Request) (any, error) {
	var run signing
	var err error
	switch r.Method {
	case methodSend:
		run, err = w.send(r.Params)
	case methodText:
		run, err = w.signText(r.Params)
	case methodTyped:
		run, err = w.signTyped(r.Params)
	default:
		err = unsupported(r.Method)
	}
	if err != nil {
		return nil, err
	}
	account, err := w.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer account.Close()
	opened := *w.Wallet
	opened.Account = account
	result, err := run(ctx, &opened)
	if err != nil {
		return nil, err
	}
	return text.Hex(result), nil
}

func unsupported(method string) error {
	return dapp.Unsupported("the method %.60q is not supported, want %s, %s or %s", method, methodSend, methodText, methodTyped)
}

// requireAccount returns an error unless an address is the wallet's.
func (w *Wallet) requireAccount(text string) error {
	if a, err := address.ParseOn(w.ChainID, text); err != nil || a != w.Address {
		return dapp.OtherAccount(text, w.Address.String())
	}
	return nil
}

// pair parses the two parameters of a signature.
func pair(params json.RawMessage) (all [2]json.RawMessage, err error) {
	var list []json.RawMessage
	if json.Unmarshal(params, &list) != nil || len(list) < 2 {
		return all, dapp.Invalid("params must be a list of 2: what to sign and the account")
	}
	return [2]json.RawMessage(list[:2]), nil
}

// text parses the parameters of personal_sign. In some programs the account is the first
// parameter.
func (w *Wallet) text(params json.RawMessage) (string, error) {
	both, err := pair(params)
	if err != nil {
		return "", err
	}
	var data, account string
	if json.Unmarshal(both[0], &data) != nil || json.Unmarshal(both[1], &account) != nil {
		return "", dapp.Invalid("params must be a list of 2 texts: what to sign and the account")
	}
	if _, err := address.ParseOn(w.ChainID, account); err != nil && w.requireAccount(data) == nil {
		data, account = account, data
	}
	if err := w.requireAccount(account); err != nil {
		return "", err
	}
	if b, err := text.ParseHex(data); err == nil {
		data = string(b)
	}
	if data == "" {
		return "", dapp.Invalid("the message is empty")
	}
	return data, nil
}

func (w *Wallet) describeText(d *dapp.Description, params json.RawMessage) error {
	text, err := w.text(params)
	if err != nil {
		return err
	}
	d.ShowText(text)
	return nil
}

func (w *Wallet) signText(params json.RawMessage) (signing, error) {
	text, err := w.text(params)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, opened *tx.Wallet) ([]byte, error) {
		if _, outside := opened.Account.(tx.TextSigner); outside && !utf8.ValidString(text) {
			return nil, dapp.Unsupported("%s signs text only, and the message is not UTF-8", opened.Account.Policy())
		}
		m, err := opened.SignMessage(ctx, text)
		if err != nil {
			return nil, err
		}
		return hex.DecodeString(strings.TrimPrefix(m.Signature, "0x"))
	}, nil
}

// typed parses the parameters of eth_signTypedData_v4, and describes them.
func (w *Wallet) typed(d *dapp.Description, params json.RawMessage) (h eip712.Hashes, err error) {
	both, err := pair(params)
	if err != nil {
		return h, err
	}
	var account, text string
	_ = json.Unmarshal(both[0], &account) // requireAccount rejects values that are not strings
	if err := w.requireAccount(account); err != nil {
		return h, err
	}
	if json.Unmarshal(both[1], &text) == nil {
		both[1] = json.RawMessage(text)
	}
	data, err := eip712.Parse(both[1])
	if err != nil {
		return h, dapp.Invalid("%w", err)
	}
	d.Kind = dapp.TypedData
	d.Show("Type", data.Primary)
	d.Warn("The program can use this signature at any time, without asking you again.")
	h, err = data.Hash(func(field, value string) {
		if strings.HasSuffix(field, ".spender") {
			d.Warn("With this signature " + value + " may be able to take your tokens.")
		}
		d.Show(field, value)
	})
	var chain *big.Int
	if err == nil {
		chain, err = data.ChainID()
	}
	switch own := new(big.Int).SetUint64(w.ChainID); {
	case err != nil:
		return h, dapp.Invalid("%w", err)
	case chain == nil:
		d.Warn("The signature is not limited to one network.")
	case chain.Cmp(own) != 0:
		return h, dapp.Invalid("the typed data is for the chain id %s, want %s", chain, own)
	}
	return h, nil
}

func (w *Wallet) signTyped(params json.RawMessage) (signing, error) {
	hashes, err := w.typed(new(dapp.Description), params)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, opened *tx.Wallet) ([]byte, error) {
		signature, err := tx.SignTyped(ctx, opened.Account, w.Address, hashes.Domain, hashes.Message)
		return signature[:], err
	}, nil
}

// readable holds the methods that programs may call. They change nothing and reveal nothing
// that other nodes do not.
var readable = []string{
	"eth_chainId", "eth_blockNumber", "eth_call", "eth_estimateGas", "eth_gasPrice", "eth_maxPriorityFeePerGas", "eth_feeHistory", "eth_getBalance", "eth_getCode",
	"eth_getTransactionCount", "eth_getTransactionReceipt", "eth_getTransactionByHash", "eth_getBlockByNumber", "eth_getBlockByHash", "eth_getLogs", "eth_getStorageAt",
}

// Limits of calls to nodes.
const (
	maxParams = 8
	maxRead   = 2*maxData + 4<<10 // of all parameters, in bytes
)

// Read implements dapp.Wallet.
func (w *Wallet) Read(ctx context.Context, r *dapp.Request) (json.RawMessage, error) {
	if !slices.Contains(readable, r.Method) {
		return nil, dapp.Unsupported("the method %.60q is not supported", r.Method)
	}
	var params []json.RawMessage
	if len(r.Params) > maxRead || len(r.Params) > 0 && json.Unmarshal(r.Params, &params) != nil || len(params) > maxParams {
		return nil, dapp.Invalid("params must be a list of at most %d parameters and %d bytes", maxParams, maxRead)
	}
	return w.Nodes.Forward(ctx, r.Method, params)
}
