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
			Summary:  "Build an unsigned transaction from its inputs and outputs",
			Detail:   "An output is named by an address, or by a script in hexadecimal that pays to a key, to its hash or to a script's hash; data makes an OP_RETURN output. Nothing is looked up.",
			Category: categoryTransactions,
		}, b.createRawTransaction),
		rpc.Handle("fundrawtransaction", rpc.Doc{Reads: true,
			Usage:    `fundrawtransaction "hexstring"`,
			Summary:  "Add coins of the wallet to a transaction until they pay for its outputs, and an output for the change",
			Detail:   "The coins are not reserved. Nothing is signed.",
			Category: categoryTransactions,
		}, b.fundRawTransaction),
		rpc.Handle("signrawtransaction", rpc.Doc{
			Usage:    `signrawtransaction "hexstring" ( [{"txid":"id","vout":n,"scriptPubKey":"hex","redeemScript":"hex","amount":n},...] ["privatekey",...] "sighashtype" "branchid" )`,
			Summary:  "Sign the inputs of a transaction with the keys of the wallet, or with given keys",
			Detail:   "Copies of a transaction with different signatures, one after the other, are merged. The second parameter describes outputs that the node does not know; an amount that is left out there is the known one.",
			Category: categoryTransactions,
		}, b.signRawTransaction),
		rpc.Handle("lockunspent", rpc.Doc{
			Usage:    `lockunspent unlock [{"txid":"id","vout":n},...]`,
			Summary:  "Keep payments from choosing coins, until the node ends, or allow it again",
			Detail:   "Without a list all coins are allowed again.",
			Category: categoryWallet,
		}, b.lockUnspent),
		rpc.Handle("listlockunspent", rpc.Doc{Reads: true,
			Summary:  "List the coins that lockunspent has locked",
			Category: categoryWallet,
		}, b.listLockUnspent),
	}
}

// typedOrNull checks a parameter under RPCTypeCheck where null passes; given reports whether it is more
// than null.
func typedOrNull(kind string, raw json.RawMessage) (given bool, err error) {
	if rpc.KindOf(raw) == rpc.KindNull {
		return false, nil
	}
	return true, expect(kind, raw)
}

// typedList is an array under RPCTypeCheck, or null.
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

// typedKeys is typedList of texts.
type typedKeys json.RawMessage

// UnmarshalParam implements rpc.Unmarshaler.
func (l *typedKeys) UnmarshalParam(raw json.RawMessage) error {
	return (*typedList)(l).UnmarshalParam(raw)
}

// JSONSchema implements rpc.Described.
func (typedKeys) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "array", Items: &rpc.Schema{Type: "string"}}
}

// typedObject is an object under RPCTypeCheck, or null.
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

// typedNumber is a number under RPCTypeCheck, or null; it is read later.
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
	Inputs   typedList   `json:"inputs" doc:"the outputs that are spent"`
	Outputs  typedObject `json:"outputs" doc:"amounts in coins by address or script, and data in hexadecimal"`
	LockTime typedNumber `json:"locktime" rpc:"optional" doc:"height or Unix time before which no block may have it"`
	Expiry   typedNumber `json:"expiryheight" rpc:"optional" doc:"the last height of a block that may have it; by default 200 blocks from now"`
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

// parseOutPoint reads the members txid and vout with the words of createrawtransaction.
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

// parseOutputs reads outputs in the order of the object.
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

// parseData reads the data of an OP_RETURN output. A number counts as its digits.
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

// parseDestination reads an address, or an output script of one of the forms that have one.
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
	Change int          `json:"changepos" doc:"index of the output with the change; -1 without change"`
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

// fund adds inputs and change to a transaction.
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
		coin, err := w.known(out)
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

// publicOf returns the public key of a hash, or bytes of the length of a compressed one.
func (w *walletView) publicOf(hash [20]byte) []byte {
	if k, has := w.ring.Key(hash); has {
		return k.Public
	}
	return make([]byte, 33)
}

// known finds an output that nothing has spent. It fails with wallet.ErrFunds.
func (w *walletView) known(out wire.OutPoint) (c wallet.Coin, err error) {
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
	Unlock TypedBool `json:"unlock" doc:"true to allow the coins again"`
	Coins  lockList  `json:"transactions" rpc:"optional" doc:"the coins"`
}

// lockList is an array under RPCTypeCheck.
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

// member is a member of an object and its kind.
type member struct{ name, kind string }

// expectMembers checks the members of an object (RPCTypeCheckObj).
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
