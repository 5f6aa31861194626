package daemon

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"obverse/core/chain"
	"obverse/core/chain/keyring"
	"obverse/core/chain/mempool"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/rpc"
)

func (b *Backend) sendMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("sendtoaddress", rpc.Doc{
			Usage:    `sendtoaddress "komodoaddress" amount ( "comment" "comment-to" subtractfeefromamount )`,
			Summary:  "Pay coins of the wallet to an address",
			Detail:   "The result is the txid. The change is paid to the public key that getinfo returns.",
			Category: categoryWallet,
		}, b.sendToAddress).Gives(wire.Hash{}),
		rpc.Handle("sendmany", rpc.Doc{
			Usage:    `sendmany "fromaccount" {"address":amount,...} ( minconf "comment" ["address",...] )`,
			Summary:  "Pay coins of the wallet to many addresses or public keys in one transaction",
			Detail:   "The addresses in the last parameter pay the fee. The result is the txid.",
			Category: categoryWallet,
		}, b.sendMany).Gives(wire.Hash{}),
		rpc.Handle("sendfrom", rpc.Doc{
			Usage:    `sendfrom "fromaccount" "toaddress" amount ( minconf "comment" "comment-to" )`,
			Summary:  "Pay coins of an account to an address",
			Category: categoryWallet,
		}, b.sendFrom).Gives(wire.Hash{}),
		rpc.Handle("settxfee", rpc.Doc{
			Usage:    "settxfee amount",
			Summary:  "Set the fee rate of payments, in coins per 1000 bytes, until the node stops",
			Detail:   "0 means the automatic fee. The rate does not apply to token transactions.",
			Category: categoryWallet,
		}, b.setTxFee),
	}
}

type payParams struct {
	Address     Text          `json:"address"`
	Amount      unreadDecimal `json:"amount" doc:"in coins"`
	Comment     unreadText    `json:"comment" rpc:"optional" doc:"stored in the wallet"`
	CommentTo   unreadText    `json:"comment-to" rpc:"optional" doc:"name of the recipient, stored in the wallet"`
	SubtractFee unreadFlag    `json:"subtractfeefromamount" rpc:"optional" doc:"whether the recipient pays the fee"`
}

var (
	errAddress    = &Error{CodeAddress, "Invalid Komodo address"}
	errSendAmount = &Error{CodeType, string(wallet.ErrSendAmount)}
	errFunds      = &Error{CodeFunds, string(wallet.ErrFunds)}
)

func (b *Backend) sendToAddress(ctx context.Context, p payParams) (id sent, err error) {
	if b.Wallet == nil || b.Ring == nil {
		return id, errNoWallet
	}
	to, err := script.ParseAddress(string(p.Address))
	if err != nil {
		return id, errAddress
	}
	amount, err := p.Amount.amount(b.Manager.Params().MaxMoney)
	if err != nil {
		return id, err
	}
	if amount == 0 {
		return id, errSendAmount
	}
	note, err := readNote(p.Comment, p.CommentTo)
	if err != nil {
		return id, err
	}
	subtract, err := p.SubtractFee.or(false)
	if err != nil {
		return id, err
	}
	if b.Ring.Locked() {
		return id, errLocked
	}
	return b.execute(ctx, paymentOrder{
		recipients: []wallet.Recipient{{Script: to.PkScript(), Amount: amount, PaysFee: subtract}}, note: note,
		code: CodeWallet, check: func(w *walletView) error {
			held, err := w.balances()
			if err == nil && amount > held.trusted {
				err = errFunds
			}
			return err
		},
	})
}

func readNote(comment, to unreadText) (note keyring.Note, err error) {
	for _, t := range []struct {
		name string
		text unreadText
	}{{"comment", comment}, {"to", to}} {
		text, err := t.text.optional()
		if err != nil {
			return note, err
		}
		if text != "" {
			note.Texts = append(note.Texts, keyring.Text{Name: t.name, Value: text})
		}
	}
	return note, nil
}

// paymentOrder is a payment that a client requests.
type paymentOrder struct {
	recipients []wallet.Recipient
	note       keyring.Note
	code       int // code of the builder's errors
	check      func(*walletView) error
}

// execute builds a payment and sends it. Payments are built one at a time, so that two payments
// never spend the same coins.
func (b *Backend) execute(ctx context.Context, o paymentOrder) (id sent, err error) {
	b.paying.Lock()
	defer b.paying.Unlock()
	var tx *wire.Tx
	err = b.viewWallet(ctx, func(w *walletView) error {
		for i := range o.recipients {
			if err := b.checkPayee(w.view, o.recipients[i].Script); err != nil {
				return err
			}
		}
		if err := o.check(w); err != nil {
			return err
		}
		paid, held, err := w.build(o.recipients)
		if err != nil {
			return builderError(err, o, held)
		}
		tx = paid.Tx
		return nil
	})
	if err != nil {
		return id, err
	}
	id, err = b.sendNoted(ctx, tx.Encode(), false, o.note)
	var refused *mempool.Error
	if errors.As(err, &refused) {
		return id, &Error{CodeWallet, "Error: The transaction was rejected: " + refused.Message}
	}
	return id, err
}

// build builds a payment from the wallet's coins. held is the spendable balance.
func (w *walletView) build(recipients []wallet.Recipient) (paid wallet.Paid, held int64, err error) {
	candidates, err := w.candidates()
	if err != nil {
		return paid, 0, err
	}
	sum, err := w.balances()
	if err != nil {
		return paid, 0, err
	}
	payment := w.payment(candidates)
	payment.Recipients = recipients
	payment.Sign = w.signAll
	paid, err = payment.Build()
	return paid, sum.trusted, err
}

func (w *walletView) payment(candidates []wallet.Candidate) *wallet.Payment {
	return &wallet.Payment{
		Params: w.Manager.Params(), Height: w.tip + 1, LockTime: w.view.Tip().MedianTime, Candidates: candidates,
		Change: w.Wallet.Change(), FeeRate: w.ring.FeeRate(),
	}
}

// signAll signs a payment with the keys of the wallet.
func (w *walletView) signAll(tx *wire.Tx, coins []wallet.Coin) error {
	in := wallet.InputSigner{Keys: w.ring, Tx: tx, Branch: w.Manager.Params().BranchID(w.tip + 1), HashType: script.SigHashAll}
	for i := range coins {
		if tx.Inputs[i].ScriptSig = in.Sign(i, coins[i].Script, coins[i].Value); tx.Inputs[i].ScriptSig == nil {
			return wallet.ErrSigning
		}
	}
	return nil
}

// builderError converts an error of the builder to an Error with the code of the method. If the
// balance covers the payment but not the fee, the error contains the fee.
func builderError(err error, o paymentOrder, held int64) error {
	var fee *wallet.FeeError
	var amount int64
	subtract := false
	for _, r := range o.recipients {
		amount += r.Amount
		subtract = subtract || r.PaysFee
	}
	if errors.As(err, &fee) && !subtract && o.code == CodeWallet && amount+fee.Fee > held {
		return &Error{o.code, fmt.Sprintf("Error: This transaction requires a transaction fee of at least %s because of its amount, complexity, or use of recently received funds!",
			shortCoins(fee.Fee))}
	}
	if reason := wallet.Error(""); errors.As(err, &reason) {
		return &Error{o.code, reason.Error()}
	}
	return err
}

type manyParams struct {
	Account  Text       `json:"fromaccount" doc:"account with a sufficient balance; empty means the default account"`
	Amounts  outputs    `json:"amounts" doc:"coins by address or public key"`
	MinConf  unreadInt  `json:"minconf" rpc:"optional" doc:"confirmations that payments to the account must have to count"`
	Comment  unreadText `json:"comment" rpc:"optional" doc:"stored in the wallet"`
	Subtract textList   `json:"subtractfeefromamount" rpc:"optional" doc:"addresses that pay the fee in equal parts"`
}

// outputs is an object of amounts. Its members are checked when the method reads them.
type outputs []rpc.Field

// UnmarshalParam implements rpc.Unmarshaler.
func (o *outputs) UnmarshalParam(raw json.RawMessage) (err error) {
	if err := expectObject(raw); err != nil {
		return err
	}
	*o, err = rpc.Fields(raw)
	return err
}

// JSONSchema implements rpc.Described.
func (outputs) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "object", Values: Decimal("").JSONSchema()}
}

// textList is an array of strings. Its type is checked when the method reads it.
type textList []byte

// UnmarshalParam implements rpc.Unmarshaler.
func (l *textList) UnmarshalParam(raw json.RawMessage) error {
	*l = textList(raw)
	return nil
}

// JSONSchema implements rpc.Described.
func (textList) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "array", Items: &rpc.Schema{Type: "string"}}
}

// read returns the texts of the list.
func (l textList) read() (texts []string, err error) {
	if len(l) == 0 {
		return nil, nil
	}
	if err := expectArray([]byte(l)); err != nil {
		return nil, err
	}
	for item := range rpc.Items(l) {
		text, err := unreadText(item).read()
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

var errAccountFunds = &Error{CodeFunds, "Account has insufficient funds"}

func (b *Backend) sendMany(ctx context.Context, p manyParams) (id sent, err error) {
	if b.Wallet == nil || b.Ring == nil {
		return id, errNoWallet
	}
	minConf, err := p.MinConf.or(1)
	if err != nil {
		return id, err
	}
	note, err := readNote(p.Comment, nil)
	if err != nil {
		return id, err
	}
	subtract, err := p.Subtract.read()
	if err != nil {
		return id, err
	}
	o := paymentOrder{note: note, code: CodeFunds}
	o.note.Account = string(p.Account)
	var total int64
	for _, field := range p.Amounts {
		to, err := parsePayee(field.Name)
		if err != nil {
			return id, err
		}
		amount, err := unreadDecimal(field.Value).amount(b.Manager.Params().MaxMoney)
		if err != nil {
			return id, err
		}
		if amount == 0 {
			return id, errSendAmount
		}
		pays := false
		for _, text := range subtract {
			pays = pays || text == field.Name
		}
		o.recipients = append(o.recipients, wallet.Recipient{Script: to, Amount: amount, PaysFee: pays})
		total += amount
	}
	if b.Ring.Locked() {
		return id, errLocked
	}
	o.check = func(w *walletView) error { return w.checkAccount(ctx, string(p.Account), total, minConf) }
	return b.execute(ctx, o)
}

// parsePayee returns the script for an address or a public key in hexadecimal.
func parsePayee(text string) (pkScript []byte, err error) {
	if a, err := script.ParseAddress(text); err == nil {
		return a.PkScript(), nil
	}
	public, err := hex.DecodeString(text)
	if err != nil || len(public) != 33 && len(public) != 65 || !isPublicKey(public) {
		return nil, &Error{CodeAddress, "Invalid Komodo address or pubkey: " + clip(text)}
	}
	return script.PayToPubKey(public), nil
}

// checkAccount returns an error if the balance of an account is less than total.
func (w *walletView) checkAccount(ctx context.Context, account string, total int64, minConf int) error {
	held, err := w.accountBalance(ctx, account, minConf, filterOf(false))
	if err == nil && total > held {
		err = errAccountFunds
	}
	return err
}

type fromParams struct {
	Account   Text          `json:"fromaccount" doc:"account with a sufficient balance; empty means the default account"`
	Address   unreadText    `json:"toaddress"`
	Amount    unreadDecimal `json:"amount" doc:"in coins"`
	MinConf   unreadInt     `json:"minconf" rpc:"optional" doc:"confirmations that payments to the account must have to count"`
	Comment   unreadText    `json:"comment" rpc:"optional" doc:"stored in the wallet"`
	CommentTo unreadText    `json:"comment-to" rpc:"optional" doc:"name of the recipient, stored in the wallet"`
}

func (b *Backend) sendFrom(ctx context.Context, p fromParams) (id sent, err error) {
	if b.Wallet == nil || b.Ring == nil {
		return id, errNoWallet
	}
	text, err := p.Address.read()
	if err != nil {
		return id, err
	}
	to, err := script.ParseAddress(text)
	if err != nil {
		return id, errAddress
	}
	amount, err := p.Amount.amount(b.Manager.Params().MaxMoney)
	if err != nil {
		return id, err
	}
	if amount == 0 {
		return id, errSendAmount
	}
	minConf, err := p.MinConf.or(1)
	if err != nil {
		return id, err
	}
	note, err := readNote(p.Comment, p.CommentTo)
	if err != nil {
		return id, err
	}
	if b.Ring.Locked() {
		return id, errLocked
	}
	note.Account = string(p.Account)
	return b.execute(ctx, paymentOrder{
		recipients: []wallet.Recipient{{Script: to.PkScript(), Amount: amount}}, note: note, code: CodeWallet,
		check: func(w *walletView) error { return w.checkAccount(ctx, string(p.Account), amount, minConf) },
	})
}

type feeParams struct {
	Amount unreadDecimal `json:"amount" doc:"coins per 1000 bytes"`
}

func (b *Backend) setTxFee(_ context.Context, p feeParams) (bool, error) {
	if b.Ring == nil {
		return false, errNoWallet
	}
	rate, err := p.Amount.amount(b.Manager.Params().MaxMoney)
	if err != nil {
		return false, err
	}
	b.Ring.SetFeeRate(rate)
	return true, nil
}

// noteArrival stores the arrival time of a transaction of the wallet with the client's note.
func (b *Backend) noteArrival(ctx context.Context, id wire.Hash, note keyring.Note) error {
	if b.Ring == nil {
		return nil
	}
	mine := note.Texts != nil || note.Account != ""
	err := b.Manager.Read(ctx, func(v *chain.View) error {
		if entry, waits := b.Pool.Entry(id); waits && !mine {
			mine = b.walletAt(v).touches(entry)
		}
		return nil
	})
	if err != nil || !mine {
		return err
	}
	known, err := b.Ring.Notes(ctx, id)
	if err != nil || known[0] != nil {
		return err
	}
	note.Time, note.Order = b.Now().Unix(), b.arrivals.Add(1)
	_, err = b.Ring.Note(ctx, id, note)
	return err
}

// touches reports whether a transaction in the mempool pays to the wallet or spends its coins.
func (w *walletView) touches(e *mempool.Entry) bool {
	if w.isFromMe(e) {
		return true
	}
	_, known := w.ring.Places()
	for i := range e.Tx.Outputs {
		if belongs(known, e.Tx.Outputs[i].Script) && w.ring.Relation(e.Tx.Outputs[i].Script) != keyring.Foreign {
			return true
		}
	}
	return false
}

// checkPayee returns an error for an address at which no key, or anyone, could spend the coins.
// The token address that tokenaddress returns is the hash of a condition but looks like the hash
// of a key. komodod pays to it as to a key, and the coins are lost.
func (b *Backend) checkPayee(v *chain.View, pkScript []byte) error {
	to := destination(pkScript, b.Manager.Params())
	if to == nil || to.Version != script.PubKeyHashVersion {
		return nil
	}
	condition := chain.Address{Kind: chain.ConditionAddress, Hash: to.Hash}
	global := token.GlobalKey()
	known := condition == b.tokensOf(b.Wallet.PublicKey()) || condition == b.tokensOf(global)
	if !known {
		_, received, err := v.Balance(condition)
		if err != nil {
			return err
		}
		known = received > 0
	}
	switch {
	case known:
		return &Error{CodeAddress, fmt.Sprintf("Invalid Komodo address %q: it is an address of tokens, where no key could spend coins: "+
			"pay to the address of a key, as myaddress of tokenaddress is", to)}
	case to.Hash == plainAddress(global).Hash:
		return &Error{CodeAddress, fmt.Sprintf("Invalid Komodo address %q: the private key of the tokens' module is public, so that anyone could take the coins", to)}
	}
	return nil
}
