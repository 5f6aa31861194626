package daemon

import (
	"cmp"
	"context"
	"slices"

	"obverse/core/chain"
	"obverse/core/chain/keyring"
	"obverse/core/chain/mempool"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/number"
)

// filter selects outputs by their relation to the wallet.
type filter keyring.Relation

// filterOf returns a filter that selects the outputs of the wallet and, if watched is set, the
// outputs that it watches.
func filterOf(watched bool) filter {
	if watched {
		return filter(keyring.WatchOnly)
	}
	return filter(keyring.Mine)
}

// includes reports whether the filter selects outputs with a relation.
func (f filter) includes(r keyring.Relation) bool { return r >= keyring.Relation(f) }

// walletTx is a transaction that pays to the wallet, or spends outputs that the wallet owns or
// watches.
type walletTx struct {
	id       wire.Hash
	height   int // 0 means that it is in the mempool
	position int
	time     int64 // time of arrival in Unix seconds
	order    uint64
	note     *keyring.Note
	waiting  *mempool.Entry

	// Set by load.
	tx    *wire.Tx
	raw   []byte
	block wire.Hash
	mined uint32         // time of the block
	spent []*wire.TxOut  // spent outputs, in the order of the inputs
	rel   []relationPair // values and relations of the spent outputs
}

// relationPair is the value of an output and its relation to the wallet.
type relationPair struct {
	value    int64
	relation keyring.Relation
}

// depth returns the number of confirmations at the height tip.
func (t *walletTx) depth(tip int) int {
	if t.height == 0 {
		return 0
	}
	return tip - t.height + 1
}

// transactions returns the transactions that the address index and the mempool have for the
// wallet's addresses, sorted by arrival. The list may contain transactions that are not the
// wallet's; load reports whether a transaction is.
func (w *walletView) transactions(ctx context.Context) (list []*walletTx, err error) {
	places, known := w.ring.Places()
	found := map[wire.Hash]*walletTx{}
	for _, place := range places {
		for e := range w.view.History(place, 0) {
			if found[e.TxID] == nil {
				found[e.TxID] = &walletTx{id: e.TxID, height: e.Height, position: e.Position}
			}
		}
	}
	if err := w.view.Err(); err != nil {
		return nil, err
	}
	for i, entry := range w.Pool.Entries() {
		pays := slices.ContainsFunc(entry.Tx.Outputs, func(out wire.TxOut) bool { return belongs(known, out.Script) })
		if pays || w.isFromMe(entry) {
			found[entry.ID] = &walletTx{id: entry.ID, position: i, waiting: entry, time: entry.Time.Unix()}
		}
	}
	for _, t := range found {
		list = append(list, t)
	}
	if err := w.arrivals(ctx, list); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b *walletTx) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.order, b.order), cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.position, b.position))
	})
	return list, nil
}

// rank returns a sort key by height. Transactions in the mempool come after those in the chain.
func (t *walletTx) rank() int {
	if t.height == 0 {
		return int(^uint(0) >> 1)
	}
	return t.height
}

// arrivals sets the arrival times of transactions from their notes. A transaction without a note
// was first seen in its block and has the time of the block.
func (w *walletView) arrivals(ctx context.Context, list []*walletTx) error {
	ids := make([]wire.Hash, len(list))
	for i, t := range list {
		ids[i] = t.id
	}
	notes, err := w.ring.Notes(ctx, ids...)
	if err != nil {
		return err
	}
	times := map[int]int64{}
	for i, t := range list {
		if t.note = notes[i]; t.note != nil {
			t.time, t.order = t.note.Time, t.note.Order
			continue
		}
		if t.height == 0 {
			continue
		}
		if _, known := times[t.height]; !known {
			hash, err := w.view.HashAt(t.height)
			if err != nil {
				return err
			}
			block, err := w.view.Record(hash)
			if err != nil {
				return err
			}
			times[t.height] = int64(block.Time)
		}
		t.time = times[t.height]
	}
	return nil
}

// load reads a transaction and the outputs that it spends. mine reports whether the transaction
// is the wallet's.
func (w *walletView) load(t *walletTx) (mine bool, err error) {
	if t.waiting != nil {
		t.tx, t.raw = t.waiting.Tx, t.waiting.Raw
	} else {
		at, err := w.view.Tx(t.id)
		if err != nil {
			return false, err
		}
		if t.tx, err = wire.DecodeTx(at.Raw); err != nil {
			return false, err
		}
		block, err := w.view.Record(at.Block)
		if err != nil {
			return false, err
		}
		t.raw, t.block, t.mined = at.Raw, at.Block, block.Time
	}
	if t.spent, err = w.spentOutputs(t.tx); err != nil {
		return false, err
	}
	for _, out := range t.spent {
		relation := w.ring.Relation(out.Script)
		mine = mine || relation != keyring.Foreign
		t.rel = append(t.rel, relationPair{out.Value, relation})
	}
	return mine || slices.ContainsFunc(t.tx.Outputs, func(out wire.TxOut) bool { return w.ring.Relation(out.Script) != keyring.Foreign }), nil
}

// debit returns the sum of the selected outputs that a loaded transaction spends.
func (t *walletTx) debit(f filter) (sum int64) {
	for _, r := range t.rel {
		if f.includes(r.relation) {
			sum += r.value
		}
	}
	return sum
}

// watched reports whether a loaded transaction spends outputs that the wallet watches without
// their keys.
func (t *walletTx) watched() bool {
	return slices.ContainsFunc(t.rel, func(r relationPair) bool { return r.relation == keyring.WatchOnly })
}

// total returns the sum of a transaction's outputs.
func (t *walletTx) total() (sum int64) {
	for i := range t.tx.Outputs {
		sum += t.tx.Outputs[i].Value
	}
	return sum
}

// payer returns the account that pays with a transaction.
func (t *walletTx) payer() string {
	if t.note == nil {
		return ""
	}
	return t.note.Account
}

// blocksToMaturity returns the number of blocks until a coinbase can be spent.
func (w *walletView) blocksToMaturity(t *walletTx) int {
	if !t.tx.IsCoinbase() {
		return 0
	}
	return max(0, w.Manager.Params().Maturity-t.depth(w.tip))
}

// walletEntry is an entry in a list of transactions [komodod wallet/rpcwallet.cpp
// ListTransactions]. A transaction has one entry for each output that the wallet pays, and one for
// each output that it receives.
type walletEntry struct {
	WatchOnly        bool            `json:"involvesWatchonly,omitempty"`
	Account          string          `json:"account"`
	Address          *script.Address `json:"address,omitempty"`
	Category         string          `json:"category" doc:"send, receive, generate or immature"`
	BlocksToMaturity int             `json:"blockstomaturity,omitempty"`
	Amount           number.Coins    `json:"amount" doc:"negative for a payment by the wallet"`
	Index            int             `json:"vout"`
	Fee              *number.Coins   `json:"fee,omitempty" doc:"fee of a payment by the wallet, negative"`
	*walletTxFields
	Size int `json:"size" doc:"size of the transaction in bytes"`
}

// walletTxFields are the fields that describe a transaction [komodod wallet/rpcwallet.cpp
// WalletTxToJSON].
type walletTxFields struct {
	RawConfirmations int         `json:"rawconfirmations"`
	Generated        bool        `json:"generated,omitempty"`
	Confirmations    int         `json:"confirmations"`
	BlockHash        *wire.Hash  `json:"blockhash,omitempty"`
	BlockIndex       *int        `json:"blockindex,omitempty"`
	BlockTime        *uint32     `json:"blocktime,omitempty"`
	Expiry           *uint32     `json:"expiryheight,omitempty"`
	TxID             wire.Hash   `json:"txid"`
	Conflicts        []wire.Hash `json:"walletconflicts" doc:"always empty, because the wallet removes transactions that can no longer be mined"`
	Time             int64       `json:"time" doc:"time of arrival, or the time of the block if the node first saw the transaction in a block"`
	Received         int64       `json:"timereceived"`
	Comment          rawText     `json:"comment,omitempty"`
	To               rawText     `json:"to,omitempty"`
	JoinSplits       []splitJSON `json:"vjoinsplit"`
}

func (w *walletView) fields(t *walletTx) *walletTxFields {
	f := &walletTxFields{
		RawConfirmations: t.depth(w.tip), Confirmations: t.depth(w.tip), Generated: t.tx.IsCoinbase(), TxID: t.id,
		Conflicts: []wire.Hash{}, Time: t.time, Received: t.time, JoinSplits: []splitJSON{},
	}
	if t.height > 0 {
		f.BlockHash, f.BlockIndex, f.BlockTime, f.Expiry = &t.block, &t.position, &t.mined, &t.tx.ExpiryHeight
	}
	if t.note != nil {
		for _, text := range t.note.Texts {
			switch text.Name {
			case "comment":
				f.Comment = rawText(text.Value)
			case "to":
				f.To = rawText(text.Value)
			}
		}
	}
	return f
}

// entries returns the entries of a loaded transaction for an account, or for all accounts if
// account is *. Payments come before receipts, each in the order of the outputs. If long is set,
// the entries include walletTxFields.
func (w *walletView) entries(t *walletTx, account string, f filter, long bool) (list []walletEntry) {
	sends, debit := t.debit(f) > 0, t.debit(f)
	var fields *walletTxFields
	if long {
		fields = w.fields(t)
	}
	base := walletEntry{walletTxFields: fields, Size: len(t.raw)}
	watched := t.watched()
	if sends && (account == "*" || account == t.payer()) {
		fee := number.Coins(t.total() - debit)
		for i := range t.tx.Outputs {
			e := base
			e.Address = destination(t.tx.Outputs[i].Script, w.Manager.Params())
			e.WatchOnly = watched || w.watchedAddress(e.Address)
			e.Account, e.Category, e.Index, e.Fee = t.payer(), "send", i, &fee
			e.Amount = number.Coins(-t.tx.Outputs[i].Value)
			list = append(list, e)
		}
	}
	for i := range t.tx.Outputs {
		out := &t.tx.Outputs[i]
		if !f.includes(w.ring.Relation(out.Script)) {
			continue
		}
		e := base
		e.Address = destination(out.Script, w.Manager.Params())
		e.Account, _ = w.account(e.Address)
		if account != "*" && account != e.Account {
			continue
		}
		e.WatchOnly = watched || w.watchedAddress(e.Address)
		e.Category, e.Index, e.Amount = "receive", i, number.Coins(out.Value)
		if t.tx.IsCoinbase() {
			e.Category = "generate"
			if e.BlocksToMaturity = w.blocksToMaturity(t); e.BlocksToMaturity > 0 {
				e.Category = "immature"
			}
		}
		list = append(list, e)
	}
	return list
}

func (w *walletView) watchedAddress(a *script.Address) bool {
	return a != nil && w.ring.Relation(a.PkScript()) == keyring.WatchOnly
}

// accountBalance returns the receipts of an account with at least minConf confirmations, less its
// payments [komodod wallet/rpcwallet.cpp getbalance, GetAccountBalance]. The account * stands for
// all accounts.
func (w *walletView) accountBalance(ctx context.Context, account string, minConf int, f filter) (sum int64, err error) {
	err = w.each(ctx, func(t *walletTx) bool {
		if w.blocksToMaturity(t) > 0 {
			return true
		}
		paid := false
		for _, e := range w.entries(t, account, f, false) {
			switch {
			case e.Category == "send":
				if sum += int64(e.Amount); !paid {
					sum += int64(*e.Fee)
				}
				paid = true
			case t.depth(w.tip) >= minConf:
				sum += int64(e.Amount)
			}
		}
		return true
	})
	return sum, err
}

// each calls do with the transactions of the wallet, sorted by arrival, until it returns false.
func (w *walletView) each(ctx context.Context, do func(*walletTx) bool) error {
	list, err := w.transactions(ctx)
	if err != nil {
		return err
	}
	for _, t := range list {
		mine, err := w.load(t)
		if err != nil {
			return err
		}
		if mine && !do(t) {
			return nil
		}
	}
	return nil
}

// byID compares transactions in the order in which komodod's wallet stores them.
func byID(a, b *walletTx) int {
	return compareOuts(wire.OutPoint{Hash: a.id}, wire.OutPoint{Hash: b.id})
}

// at returns a transaction of the wallet, or chain.ErrNotFound.
func (w *walletView) at(ctx context.Context, id wire.Hash) (*walletTx, error) {
	t := &walletTx{id: id}
	if entry, waits := w.Pool.Entry(id); waits {
		t.waiting, t.time = entry, entry.Time.Unix()
	} else {
		at, err := w.view.Tx(id)
		if err != nil {
			return nil, err
		}
		t.height, t.position = at.Height, at.Position
	}
	if err := w.arrivals(ctx, []*walletTx{t}); err != nil {
		return nil, err
	}
	mine, err := w.load(t)
	if err == nil && !mine {
		err = chain.ErrNotFound
	}
	return t, err
}
