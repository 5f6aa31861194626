// Package dapp answers requests of other programs for accounts, signatures and transactions,
// such as web pages make with EIP-1193 or Keplr's interface. It finds the active coin for a
// request and converts errors to codes of EIP-1193. The families of coins describe and sign
// requests.
//
// The caller shows the description of a request to the user, and executes the request if the
// user agrees. This package does not ask the user, and does not identify the program.
//
// # Requests
//
// A request is a JSON object, and so is its reply: {"result": …} or {"error": {"code",
// "message", "data"?}}, with the codes of EIP-1193 and EIP-1474, so that they can be passed
// unchanged to a program of an EVM network.
//
//	type Request =
//	  | {do: "accounts"}                                           → Account[]
//	  | {do: "describe", chain: Chain, method: Method, params}     → Description
//	  | {do: "execute", chain: Chain, method: Method, params}      → the method's result
//	  | {do: "read", chain: Chain, method: string, params?}        → the node's answer, of an EVM network
//
//	type Chain = `eip155:${number}` | `cosmos:${string}`           // "eip155:1", "cosmos:cosmoshub-4"
//	type Account = {chain: Chain, coin: string, address: string, pubkey?: string /* hexadecimal, compressed */, policy: string}
//
//	type Description = {
//	  coin: string, chain: Chain, address: string,                 // the coin's ticker; who signs
//	  kind: "send" | "transfer" | "approve" | "call" | "deploy" | "message" | "typedData" | "transaction",
//	  lines: {name: string, value: string}[],                      // what will happen, in words; values may have several lines
//	  warnings: string[],
//	  fee?: {coin: string, amount: string},                        // at most, in whole coins
//	  params,                                                      // what to execute: those of the request, with gas and prices filled in
//	}
//
// Execute the params of the description. A transaction without gas or price is rejected, so
// that the fee paid is the fee that was shown.
//
//	method               params                                    result
//	eth_sendTransaction  [{from, to?, value?, data?, gas?, …}]     hash
//	personal_sign        [data in hexadecimal or text, address]    signature of 65 bytes
//	eth_signTypedData_v4 [address, typed data or its JSON text]    signature of 65 bytes
//	signDirect           {signerAddress, signDoc: {bodyBytes, authInfoBytes, chainId, accountNumber}}, bytes in base64
//	                                                               {signed: SignDoc, signature: {pub_key: {type, value}, signature}}
//	signAmino            {signerAddress, signDoc: StdSignDoc}      the same, signed: StdSignDoc; a text (ADR-036) too
//
// Sources: EIP-1193 and EIP-1474 (codes), CAIP-2 (names of chains), Keplr's documentation.
//
// Invariant: Only execute signs, and only for the account that the request names.
package dapp

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"obverse/core/guard"
	"obverse/core/key"
	"obverse/core/text"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

// Request is a request of a program to a chain.
type Request struct {
	Chain  string          `json:"chain"` // in the format of CAIP-2
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Description describes the effect of a request, for a person.
type Description struct {
	Coin     string          `json:"coin"` // ticker
	Chain    string          `json:"chain"`
	Address  string          `json:"address"` // address of the signer
	Kind     Kind            `json:"kind"`
	Lines    []Line          `json:"lines"`
	Warnings []string        `json:"warnings"`
	Fee      *Fee            `json:"fee,omitempty"`
	Params   json.RawMessage `json:"params"` // params to execute
}

// Show adds a line. It quotes a value with invisible or misleading characters, in the syntax of
// Go.
func (d *Description) Show(name, value string) {
	if !Readable(value) {
		value = strconv.QuoteToASCII(value)
	}
	if !Readable(name) {
		name = strconv.QuoteToASCII(name)
	}
	d.Lines = append(d.Lines, Line{name, value})
}

// ShowPart is like Show for a value that may be long. If the value has more than limit bytes,
// it shows the beginning and the size of the rest, and adds a warning.
func (d *Description) ShowPart(name, value string, limit int) {
	part := text.Truncate(value, limit)
	d.Show(name, part)
	if len(part) < len(value) {
		d.Show("Not shown", fmt.Sprintf("%s: the last %d of %d bytes", name, len(value)-len(part), len(value)))
		d.Warn("A part of this request is too long to be shown. Sign it only if you know all of it.")
	}
}

// Readable reports whether a text displays all of its content: no character is invisible or
// changes the order of the characters around it.
func Readable(text string) bool {
	const (
		joiner       = '\u200d' // used in emoji
		emojiVariant = '\ufe0f'
		blankBraille = '\u2800'
	)
	hides := func(r rune) bool {
		switch r {
		case '\n', '\t', '\r', joiner, emojiVariant:
			return false
		case blankBraille:
			return true
		}
		return !unicode.IsGraphic(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	}
	return utf8.ValidString(text) && !strings.ContainsFunc(text, hides)
}

// ShowText shows a text to be signed.
func (d *Description) ShowText(message string) {
	d.Kind = Message
	if Readable(message) {
		d.Show("Message", message)
		return
	}
	d.Show("Message (hexadecimal)", text.Hex([]byte(message)))
	d.Warn("The message is not readable text. Sign it only if you know what it means.")
}

// Warn adds a warning unless it was added before.
func (d *Description) Warn(text string) {
	if !Readable(text) {
		text = strconv.QuoteToASCII(text)
	}
	if !slices.Contains(d.Warnings, text) {
		d.Warnings = append(d.Warnings, text)
	}
}

// MaxLines is the maximum number of lines of a description.
const MaxLines = 500

// Check returns an error if a description is too long to be read.
func (d *Description) Check() error {
	if len(d.Lines) > MaxLines {
		return Unsupported("the request has %d facts to show, limit is %d", len(d.Lines), MaxLines)
	}
	return nil
}

// Kind is the main effect of a request.
type Kind string

// Kinds.
const (
	Send        Kind = "send"        // transfers the chain's own coin
	Transfer    Kind = "transfer"    // transfers a token
	Approve     Kind = "approve"     // allows another account to transfer a token
	Call        Kind = "call"        // calls a contract
	Deploy      Kind = "deploy"      // creates a contract
	Message     Kind = "message"     // signs a text
	TypedData   Kind = "typedData"   // signs data of EIP-712
	Transaction Kind = "transaction" // any other transaction, or one with several messages
)

// Line is one statement about a request.
type Line struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Fee is the maximum fee of a transaction.
type Fee struct {
	Coin   string `json:"coin"`
	Amount string `json:"amount"` // in whole coins
}

// Wallet answers the requests for one chain. Errors are *Error, and errors of keys, coins and
// nodes.
type Wallet interface {
	Chain() string // in the format of CAIP-2
	// Describe sets all fields except Chain. It sets Params if more than the request's params
	// must be executed.
	Describe(ctx context.Context, r *Request, d *Description) error
	Execute(ctx context.Context, r *Request) (any, error)
	Read(ctx context.Context, r *Request) (json.RawMessage, error)
}

// Coin is a chain's own coin with an account that programs may use.
type Coin interface {
	coin.Keyed
	Owner() account.Owner
	DApps() Wallet
}

// Front answers requests for all active coins.
type Front struct{ Active *coin.Active }

// Account is an account that programs may use.
type Account struct {
	Chain   string         `json:"chain"`
	Coin    string         `json:"coin"`
	Address string         `json:"address"`
	Public  string         `json:"pubkey,omitempty"`
	Policy  key.PolicyName `json:"policy"`
}

// MaxRequest is the maximum size of a request in bytes.
const MaxRequest = 1 << 20

// Answer answers a request in the format of the package documentation.
func (f Front) Answer(ctx context.Context, request []byte) []byte {
	result, err := f.answer(ctx, request)
	if err == nil {
		var text []byte
		if text, err = json.Marshal(map[string]any{"result": result}); err == nil {
			return text
		}
	}
	text, _ := json.Marshal(map[string]*Error{"error": ErrorOf(err)})
	return text
}

func (f Front) answer(ctx context.Context, text []byte) (result any, err error) {
	defer guard.Catch(ctx, "a request of a program", &err)
	var request struct {
		Do string `json:"do"`
		Request
	}
	if len(text) > MaxRequest {
		return nil, Invalid("the request has %d bytes, limit is %d", len(text), MaxRequest)
	}
	if err := Decode("the request", text, &request); err != nil {
		return nil, err
	}
	if request.Do == "accounts" {
		return f.accounts(), nil
	}
	wallet, err := f.wallet(request.Chain)
	if err != nil {
		return nil, err
	}
	switch request.Do {
	case "describe":
		d := &Description{Chain: request.Chain, Lines: []Line{}, Warnings: []string{}, Params: request.Params}
		if err := wallet.Describe(ctx, &request.Request, d); err != nil {
			return nil, err
		}
		return d, d.Check()
	case "execute":
		return wallet.Execute(ctx, &request.Request)
	case "read":
		return wallet.Read(ctx, &request.Request)
	}
	return nil, Invalid("do is %.40q, want accounts, describe, execute or read", request.Do)
}

// coins returns the active coins with accounts that programs may use.
func (f Front) coins() (all []Coin) {
	for _, active := range f.Active.List() {
		if c, is := active.(Coin); is {
			all = append(all, c)
		}
	}
	return all
}

func (f Front) accounts() []Account {
	all := []Account{}
	for _, c := range f.coins() {
		owner := c.Owner()
		a := Account{Chain: c.DApps().Chain(), Coin: c.Ticker(), Address: owner.Address, Policy: c.Policy().Name()}
		if owner.PublicKey != nil {
			a.Public = hex.EncodeToString(owner.PublicKey[:])
		}
		all = append(all, a)
	}
	return all
}

// wallet returns the wallet of a chain. If several coins are on the chain, it is the wallet of
// the coin that was activated first.
func (f Front) wallet(chain string) (Wallet, error) {
	for _, c := range f.coins() {
		if w := c.DApps(); w.Chain() == chain {
			return w, nil
		}
	}
	return nil, fail(CodeUnknownChain, "no active coin is on the chain %.100q: activate its coin first", chain)
}
