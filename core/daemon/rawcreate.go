package daemon

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/core/rpc"
)

func (b *Backend) rawMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("createrawtransaction", rpc.Doc{
			Usage:    `createrawtransaction [{"txid":"id","vout":n,"sequence":n},...] {"address":amount,"data":"hex",...} ( locktime expiryheight )`,
			Summary:  "Create an unsigned transaction from its inputs and outputs",
			Detail:   "The name of an output is an address, or a script in hexadecimal that pays to a key, to the hash of a key or to the hash of a script. The name data adds an OP_RETURN output. The method does not check whether the inputs exist.",
			Category: categoryTransactions,
		}, b.createRawTransaction),
		rpc.Handle("fundrawtransaction", rpc.Doc{Reads: true,
			Usage:    `fundrawtransaction "hexstring"`,
			Summary:  "Add coins of the wallet to a transaction until they cover its outputs and the fee, and add a change output",
			Detail:   "The method neither locks the coins nor signs the transaction.",
			Category: categoryTransactions,
		}, b.fundRawTransaction),
		rpc.Handle("signrawtransaction", rpc.Doc{
			Usage:    `signrawtransaction "hexstring" ( [{"txid":"id","vout":n,"scriptPubKey":"hex","redeemScript":"hex","amount":n},...] ["privatekey",...] "sighashtype" "branchid" )`,
			Summary:  "Sign the inputs of a transaction with the keys of the wallet, or with given keys",
			Detail:   "If the first parameter contains multiple copies of a transaction, one after the other, their signatures are merged. The second parameter describes outputs that are unknown to the node. If an amount is absent there, the node uses the amount that it knows.",
			Category: categoryTransactions,
		}, b.signRawTransaction),
		rpc.Handle("lockunspent", rpc.Doc{
			Usage:    `lockunspent unlock [{"txid":"id","vout":n},...]`,
			Summary:  "Exclude coins from payments until the node stops, or allow them again",
			Detail:   "Without a list, all coins are allowed again.",
			Category: categoryWallet,
		}, b.lockUnspent),
		rpc.Handle("listlockunspent", rpc.Doc{Reads: true,
			Summary:  "List the coins that lockunspent has locked",
			Category: categoryWallet,
		}, b.listLockUnspent),
	}
}

// typedOrNull checks the type of a parameter, as komodod's RPCTypeCheck does when it allows null.
// given reports whether the parameter is not null.
func typedOrNull(kind string, raw json.RawMessage) (given bool, err error) {
	if rpc.KindOf(raw) == rpc.KindNull {
		return false, nil
	}
	return true, expect(kind, raw)
}

// typedList is an array or null, checked as by RPCTypeCheck.
type typedList json.RawMessage

// UnmarshalParam implements rpc.Unmarshaler.
func (l *typedList) UnmarshalParam(raw json.RawMessage) error {
	given, err := typedOrNull(rpc.KindArray, raw)
	if given {
		*l = typedList(raw)
	}
	return err
}

// JSONSchema implements rpc.Described.
func (typedList) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "array", Items: &rpc.Schema{Type: "object"}}
}

// typedKeys is a typedList of strings.
type typedKeys json.RawMessage

// UnmarshalParam implements rpc.Unmarshaler.
func (l *typedKeys) UnmarshalParam(raw json.RawMessage) error {
	return (*typedList)(l).UnmarshalParam(raw)
}

// JSONSchema implements rpc.Described.
func (typedKeys) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "array", Items: &rpc.Schema{Type: "string"}}
}

// typedObject is an object or null, checked as by RPCTypeCheck.
type typedObject struct {
	fields []rpc.Field
	given  bool
}

// UnmarshalParam implements rpc.Unmarshaler.
func (o *typedObject) UnmarshalParam(raw json.RawMessage) (err error) {
	if o.given, err = typedOrNull(rpc.KindObject, raw); err != nil || !o.given {
		return err
	}
	o.fields, err = rpc.Fields(raw)
	return err
}

// JSONSchema implements rpc.Described.
func (typedObject) JSONSchema() *rpc.Schema { return outputs{}.JSONSchema() }

// typedNumber is a number or null, checked as by RPCTypeCheck. Its value is parsed by read.
type typedNumber json.RawMessage

// UnmarshalParam implements rpc.Unmarshaler.
func (n *typedNumber) UnmarshalParam(raw json.RawMessage) error {
	given, err := typedOrNull(rpc.KindNumber, raw)
	if given {
		*n = typedNumber(raw)
	}
	return err
}

// JSONSchema implements rpc.Described.
func (typedNumber) JSONSchema() *rpc.Schema { return &rpc.Schema{Type: "integer"} }

func (n typedNumber) read() (int64, error) {
	value, err := number.ParseWhole(string(n))
	if err != nil {
		return 0, &Error{CodeMisc, "JSON integer out of range"}
	}
	return value, nil
}

type createRawParams struct {
	Inputs   typedList   `json:"inputs" doc:"outputs to spend"`
	Outputs  typedObject `json:"outputs" doc:"amounts in coins by address or script, and data in hexadecimal"`
	LockTime typedNumber `json:"locktime" rpc:"optional" doc:"height or Unix time before which no block may include the transaction"`
	Expiry   typedNumber `json:"expiryheight" rpc:"optional" doc:"height of the last block that may include the transaction; by default 200 blocks after the tip"`
}

// Limits of createrawtransaction.
const (
	finalSequence   = 0xffffffff
	maxExpiryHeight = 500_000_000
)

func (b *Backend) createRawTransaction(ctx context.Context, p createRawParams) (hexBytes, error) {
	if p.Inputs == nil || !p.Outputs.given {
		return nil, &Error{CodeParameter, "Invalid parameter, arguments 1 and 2 must be non-null"}
	}
	tip, err := b.tip(ctx)
	if err != nil {
		return nil, err
	}
	next, chainParams := tip.Height+1, b.Manager.Params()
	format := chainParams.TxFormat(next)
	tx := &wire.Tx{Overwintered: format.Overwintered, Version: format.Version, VersionGroupID: format.VersionGroupID, ExpiryHeight: chainParams.TxExpiry(next)}
	if p.LockTime != nil {
		lockTime, err := p.LockTime.read()
		if err != nil {
			return nil, err
		}
		if lockTime < 0 || lockTime > finalSequence {
			return nil, &Error{CodeParameter, "Invalid parameter, locktime out of range"}
		}
		tx.LockTime = uint32(lockTime)
	}
	if p.Expiry != nil {
		if err := setExpiry(tx, p.Expiry, chainParams, next); err != nil {
			return nil, err
		}
	}
	for item := range rpc.Items(p.Inputs) {
		in, err := parseInput(item, tx.LockTime)
		if err != nil {
			return nil, err
		}
		tx.Inputs = append(tx.Inputs, in)
	}
	if tx.Outputs, err = b.parseOutputs(p.Outputs.fields); err != nil {
		return nil, err
	}
	return tx.Encode(), nil
}

func setExpiry(tx *wire.Tx, text typedNumber, p *params.Params, next int) error {
	expiry, err := text.read()
	switch {
	case err != nil:
		return err
	case !p.OverwinterActive(next):
		return &Error{CodeParameter, "Invalid parameter, expiryheight can only be used if Overwinter is active when the transaction is mined"}
	case expiry < 0 || expiry >= maxExpiryHeight:
		return &Error{CodeParameter, "Invalid parameter, expiryheight must be nonnegative and less than 500000000."}
	}
	tx.ExpiryHeight = uint32(expiry)
	return nil
}

// parseOutPoint parses the members txid and vout. Its errors have the texts of
// createrawtransaction.
func parseOutPoint(fields []rpc.Field) (out wire.OutPoint, err error) {
	text := ""
	if raw := first(fields, "txid"); rpc.KindOf(raw) == rpc.KindString {
		if text, err = rpc.Unquote(raw); err != nil {
			return out, err
		}
	}
	if out.Hash, err = parseHash("txid", Text(text)); err != nil {
		return out, err
	}
	raw := first(fields, "vout")
	if rpc.KindOf(raw) != rpc.KindNumber {
		return out, &Error{CodeParameter, "Invalid parameter, missing vout key"}
	}
	var n Int
	if err := n.UnmarshalParam(raw); err != nil {
		return out, err
	}
	if n < 0 {
		return out, &Error{CodeParameter, "Invalid parameter, vout must be positive"}
	}
	out.Index = uint32(n)
	return out, nil
}

func parseInput(raw json.RawMessage, lockTime uint32) (in wire.TxIn, err error) {
	if err := expectObject(raw); err != nil {
		return in, err
	}
	fields, err := rpc.Fields(raw)
	if err != nil {
		return in, err
	}
	if in.PrevOut, err = parseOutPoint(fields); err != nil {
		return in, err
	}
	in.Sequence = finalSequence
	if lockTime != 0 {
		in.Sequence--
	}
	if raw := first(fields, "sequence"); rpc.KindOf(raw) == rpc.KindNumber {
		var n Int
		if err := n.UnmarshalParam(raw); err != nil {
			return in, err
		}
		in.Sequence = uint32(n)
	}
	return in, nil
}

// parseOutputs parses the outputs, in the order of the members of the object.
func (b *Backend) parseOutputs(fields []rpc.Field) (outs []wire.TxOut, err error) {
	seen := map[script.Address]bool{}
	for _, f := range fields {
		if f.Name == "data" {
			data, err := parseData(f.Value)
			if err != nil {
				return nil, err
			}
			outs = append(outs, wire.TxOut{Script: script.NullData(data)})
			continue
		}
		pkScript, address, err := b.parseDestination(f.Name)
		if err != nil {
			return nil, err
		}
		if seen[address] {
			return nil, &Error{CodeParameter, "Invalid parameter, duplicated destination: " + clip(f.Name)}
		}
		seen[address] = true
		amount, err := unreadDecimal(f.Value).amount(b.Manager.Params().MaxMoney)
		if err != nil {
			return nil, err
		}
		outs = append(outs, wire.TxOut{Value: amount, Script: pkScript})
	}
	return outs, nil
}

// parseData parses the data of an OP_RETURN output. A number is accepted as the text of its digits.
func parseData(raw json.RawMessage) ([]byte, error) {
	text := string(raw)
	if rpc.KindOf(raw) == rpc.KindString {
		var err error
		if text, err = rpc.Unquote(raw); err != nil {
			return nil, err
		}
	}
	data, err := hex.DecodeString(text)
	if err != nil || len(data) == 0 {
		return nil, &Error{CodeParameter, fmt.Sprintf("Data must be hexadecimal string (not '%s')", clip(text))}
	}
	return data, nil
}

// parseDestination parses an address, or an output script in hexadecimal that pays to one address.
func (b *Backend) parseDestination(text string) (pkScript []byte, a script.Address, err error) {
	if a, err := script.ParseAddress(text); err == nil {
		return a.PkScript(), a, nil
	}
	pkScript, err = hex.DecodeString(text)
	if err != nil || len(pkScript) == 0 {
		return nil, a, &Error{CodeAddress, "Invalid Komodo address or script: " + clip(text)}
	}
	class := script.Classify(pkScript)
	switch class.Type {
	case script.TypePubKey, script.TypePubKeyHash, script.TypeScriptHash:
		return pkScript, class.Addresses[0], nil
	}
	return nil, a, &Error{CodeAddress, "Invalid script: " + clip(text) + " (only P2PKH, P2PK and P2SH scripts are allowed)"}
}

type fundParams struct {
	Hex TypedString `json:"hexstring" doc:"the transaction in hexadecimal"`
}

type funded struct {
	Hex    hexBytes     `json:"hex"`
	Change int          `json:"changepos" doc:"index of the change output, or -1"`
	Fee    number.Coins `json:"fee"`
}

func (b *Backend) fundRawTransaction(ctx context.Context, p fundParams) (result funded, err error) {
	raw, err := hex.DecodeString(string(p.Hex))
	if err != nil {
		return result, errDecode
	}
	tx, err := wire.DecodeTx(raw)
	if err != nil {
		return result, errDecode
	}
	err = b.viewWallet(ctx, func(w *walletView) error {
		paid, err := w.fund(tx)
		reason := wallet.Error("")
		var fee *wallet.FeeError
		switch {
		case errors.As(err, &fee):
			return &Error{CodeInternal, string(wallet.ErrFunds)}
		case errors.As(err, &reason):
			return &Error{CodeInternal, reason.Error()}
		case err != nil:
			return err
		}
		result = funded{paid.Tx.Encode(), paid.Change, number.Coins(paid.Fee)}
		return nil
	})
	return result, err
}

// fund adds inputs and a change output to a transaction.
func (w *walletView) fund(tx *wire.Tx) (wallet.Paid, error) {
	candidates, err := w.candidates()
	if err != nil {
		return wallet.Paid{}, err
	}
	payment := w.payment(nil)
	payment.Base = tx
	preset := map[wire.OutPoint]bool{}
	for i := range tx.Inputs {
		out := tx.Inputs[i].PrevOut
		coin, err := w.unspent(out)
		if err != nil {
			return wallet.Paid{}, err
		}
		preset[out] = true
		payment.Preset = append(payment.Preset, coin)
	}
	for _, c := range candidates {
		if !preset[c.Out] {
			payment.Candidates = append(payment.Candidates, c)
		}
	}
	for i := range tx.Outputs {
		payment.Recipients = append(payment.Recipients, wallet.Recipient{Script: tx.Outputs[i].Script, Amount: tx.Outputs[i].Value})
	}
	scriptSigs := make([][]byte, len(tx.Inputs))
	for i := range tx.Inputs {
		scriptSigs[i] = tx.Inputs[i].ScriptSig
	}
	payment.Sign = func(tx *wire.Tx, coins []wallet.Coin) error {
		for i := range coins {
			tx.Inputs[i].ScriptSig = wallet.Dummy(w.publicOf, w.ring.Redeem, coins[i].Script)
		}
		return nil
	}
	paid, err := payment.Build()
	if err != nil {
		return paid, err
	}
	for i := range paid.Tx.Inputs {
		paid.Tx.Inputs[i].ScriptSig = nil
		if i < len(scriptSigs) {
			paid.Tx.Inputs[i].ScriptSig = scriptSigs[i]
		}
	}
	return paid, nil
}

// publicOf returns the public key with a hash. For an unknown hash, it returns bytes with the
// length of a compressed key.
func (w *walletView) publicOf(hash [20]byte) []byte {
	if k, has := w.ring.Key(hash); has {
		return k.Public
	}
	return make([]byte, 33)
}

// unspent returns an unspent output of the chain or the mempool. It fails with wallet.ErrFunds if
// there is no such output.
func (w *walletView) unspent(out wire.OutPoint) (c wallet.Coin, err error) {
	coins, found, err := w.view.Coins(out)
	if err != nil {
		return c, err
	}
	coin := coins[0]
	if !found[0] {
		waiting, has := w.Pool.Coin(out)
		if !has {
			return c, wallet.ErrFunds
		}
		coin = waiting
	}
	if _, spent := w.Pool.SpentBy(out); spent {
		return c, wallet.ErrFunds
	}
	return wallet.Coin{Out: out, Value: coin.Value, Script: coin.Script, Height: coin.Height, Coinbase: coin.Coinbase}, nil
}

type lockParams struct {
	Unlock TypedBool `json:"unlock" doc:"true allows the coins again, false excludes them"`
	Coins  lockList  `json:"transactions" rpc:"optional" doc:"coins to exclude or to allow again"`
}

// lockList is an array, checked as by RPCTypeCheck.
type lockList json.RawMessage

// UnmarshalParam implements rpc.Unmarshaler.
func (l *lockList) UnmarshalParam(raw json.RawMessage) error {
	*l = lockList(raw)
	return expect(rpc.KindArray, raw)
}

// JSONSchema implements rpc.Described.
func (lockList) JSONSchema() *rpc.Schema { return typedList{}.JSONSchema() }

func (b *Backend) lockUnspent(_ context.Context, p lockParams) (bool, error) {
	if b.Ring == nil {
		return false, errNoWallet
	}
	if p.Coins == nil {
		if p.Unlock {
			b.Ring.UnlockCoins()
		}
		return true, nil
	}
	for item := range rpc.Items(p.Coins) {
		out, err := parseLocked(item)
		if err != nil {
			return false, err
		}
		b.Ring.LockCoin(out, !bool(p.Unlock))
	}
	return true, nil
}

func parseLocked(raw json.RawMessage) (out wire.OutPoint, err error) {
	if rpc.KindOf(raw) != rpc.KindObject {
		return out, &Error{CodeParameter, "Invalid parameter, expected object"}
	}
	fields, err := rpc.Fields(raw)
	if err != nil {
		return out, err
	}
	if err := expectMembers(fields, member{"txid", rpc.KindString}, member{"vout", rpc.KindNumber}); err != nil {
		return out, err
	}
	text, err := rpc.Unquote(first(fields, "txid"))
	if err != nil {
		return out, err
	}
	if _, err := hex.DecodeString(text); err != nil || text == "" {
		return out, &Error{CodeParameter, "Invalid parameter, expected hex txid"}
	}
	var n Int
	if err := n.UnmarshalParam(first(fields, "vout")); err != nil {
		return out, err
	}
	if n < 0 {
		return out, &Error{CodeParameter, "Invalid parameter, vout must be positive"}
	}
	return wire.OutPoint{Hash: looseHash(text), Index: uint32(n)}, nil
}

// member is the name of a member of an object, and the kind of its value.
type member struct{ name, kind string }

// expectMembers checks that an object has the members [komodod RPCTypeCheckObj].
func expectMembers(fields []rpc.Field, members ...member) error {
	for _, m := range members {
		raw := first(fields, m.name)
		if raw == nil || rpc.KindOf(raw) == rpc.KindNull {
			return &Error{CodeType, "Missing " + m.name}
		}
		if got := rpc.KindOf(raw); got != m.kind {
			return &Error{CodeType, fmt.Sprintf("Expected type %s for %s, got %s", m.kind, m.name, got)}
		}
	}
	return nil
}

type lockedCoin struct {
	TxID  wire.Hash `json:"txid"`
	Index uint32    `json:"vout"`
}

func (b *Backend) listLockUnspent(context.Context, struct{}) ([]lockedCoin, error) {
	list := []lockedCoin{}
	if b.Ring != nil {
		for _, out := range b.Ring.LockedCoins() {
			list = append(list, lockedCoin{out.Hash, out.Index})
		}
	}
	return list, nil
}
