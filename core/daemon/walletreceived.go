package daemon

import (
	"context"
	"slices"

	"obverse/core/chain/keyring"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/core/rpc"
)

func (b *Backend) receivedMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("listreceivedbyaddress", rpc.Doc{Reads: true,
			Usage:    "listreceivedbyaddress ( minconf includeempty includeWatchonly )",
			Summary:  "List the amounts that the named addresses of the wallet have received",
			Category: categoryWallet,
		}, b.listReceivedByAddress),
		rpc.Handle("listreceivedbyaccount", rpc.Doc{Reads: true,
			Usage:    "listreceivedbyaccount ( minconf includeempty includeWatchonly )",
			Summary:  "List the amounts that the accounts of the wallet have received",
			Category: categoryWallet,
		}, b.listReceivedByAccount),
		rpc.Handle("getreceivedbyaddress", rpc.Doc{Reads: true,
			Usage:    `getreceivedbyaddress "komodoaddress" ( minconf )`,
			Summary:  "Return the amount that an address of the wallet has received",
			Detail:   "The amount includes outputs to the public key of the address, and excludes coinbases.",
			Category: categoryWallet,
		}, b.getReceivedByAddress),
		rpc.Handle("getreceivedbyaccount", rpc.Doc{Reads: true,
			Usage:    `getreceivedbyaccount "account" ( minconf )`,
			Summary:  "Return the amount that the addresses of an account have received",
			Category: categoryWallet,
		}, b.getReceivedByAccount),
		rpc.Handle("listaccounts", rpc.Doc{Reads: true,
			Usage:    "listaccounts ( minconf includeWatchonly )",
			Summary:  "Return the balances of all accounts",
			Category: categoryWallet,
		}, b.listAccounts),
		rpc.Handle("listaddressgroupings", rpc.Doc{Reads: true,
			Usage:    "listaddressgroupings",
			Summary:  "List groups of addresses that have a common owner, as transactions that spend their coins together show",
			Detail:   "Each entry is an array: address, amount, and the account if it is set.",
			Category: categoryWallet,
		}, b.listAddressGroupings).Gives([][]addressGrouping{}),
	}
}

type receivedParams struct {
	MinConf   Int  `json:"minconf" default:"1" doc:"confirmations that a payment must have"`
	Empty     Flag `json:"includeempty" rpc:"optional" doc:"include addresses that received nothing"`
	WatchOnly Flag `json:"includeWatchonly" rpc:"optional" doc:"include watched addresses"`
}

type receivedByAddress struct {
	WatchOnly        bool           `json:"involvesWatchonly,omitempty"`
	Address          script.Address `json:"address"`
	Account          string         `json:"account"`
	Amount           number.Coins   `json:"amount"`
	RawConfirmations int            `json:"rawconfirmations" doc:"confirmations of the newest payment"`
	Confirmations    int            `json:"confirmations"`
	TxIDs            []wire.Hash    `json:"txids" doc:"ids of the payments, one for each output"`
}

type receivedByAccount struct {
	WatchOnly        bool         `json:"involvesWatchonly,omitempty"`
	Account          string       `json:"account"`
	Amount           number.Coins `json:"amount"`
	RawConfirmations int          `json:"rawconfirmations" doc:"confirmations of the newest payment"`
	Confirmations    int          `json:"confirmations"`
}

// receipts holds the payments to one address.
type receipts struct {
	amount    int64
	depth     int // confirmations of the newest payment
	ids       []wire.Hash
	watchOnly bool
}

// receipts returns the payments to each address of the wallet with at least minConf confirmations,
// without coinbases.
func (w *walletView) receipts(ctx context.Context, minConf int, f filter) (map[script.Address]*receipts, error) {
	found := map[script.Address]*receipts{}
	list, err := w.transactions(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, byID)
	for _, t := range list {
		if t.depth(w.tip) < minConf {
			continue
		}
		if _, err := w.load(t); err != nil {
			return nil, err
		}
		if t.tx.IsCoinbase() {
			continue
		}
		for i := range t.tx.Outputs {
			out := &t.tx.Outputs[i]
			to := destination(out.Script, w.Manager.Params())
			relation := w.ring.Relation(out.Script)
			if to == nil || !f.includes(relation) {
				continue
			}
			r := found[*to]
			if r == nil {
				r = &receipts{depth: t.depth(w.tip)}
				found[*to] = r
			}
			r.amount += out.Value
			r.depth = min(r.depth, t.depth(w.tip))
			r.ids = append(r.ids, t.id)
			r.watchOnly = r.watchOnly || relation == keyring.WatchOnly
		}
	}
	return found, nil
}

func (b *Backend) listReceivedByAddress(ctx context.Context, p receivedParams) (list []receivedByAddress, err error) {
	list = []receivedByAddress{}
	if b.Wallet == nil {
		return list, nil
	}
	err = b.viewWallet(ctx, func(w *walletView) error {
		found, err := w.receipts(ctx, int(p.MinConf), filterOf(bool(p.WatchOnly)))
		if err != nil {
			return err
		}
		for _, a := range w.ring.Named() {
			r := found[a]
			if r == nil && !p.Empty {
				continue
			}
			if r == nil {
				r = &receipts{ids: []wire.Hash{}}
			}
			account, _ := w.account(&a)
			list = append(list, receivedByAddress{r.watchOnly, a, account, number.Coins(r.amount), r.depth, r.depth, r.ids})
		}
		return nil
	})
	return list, err
}

func (b *Backend) listReceivedByAccount(ctx context.Context, p receivedParams) (list []receivedByAccount, err error) {
	addresses, err := b.listReceivedByAddress(ctx, p)
	if err != nil {
		return nil, err
	}
	list = []receivedByAccount{}
	for _, a := range addresses {
		i := slices.IndexFunc(list, func(r receivedByAccount) bool { return r.Account == a.Account })
		if i < 0 {
			i = len(list)
			list = append(list, receivedByAccount{Account: a.Account, RawConfirmations: -1})
		}
		r := &list[i]
		r.Amount += a.Amount
		r.WatchOnly = r.WatchOnly || a.WatchOnly
		if len(a.TxIDs) > 0 && (r.RawConfirmations < 0 || a.Confirmations < r.RawConfirmations) {
			r.RawConfirmations = a.Confirmations
		}
	}
	for i := range list {
		list[i].RawConfirmations = max(0, list[i].RawConfirmations)
		list[i].Confirmations = list[i].RawConfirmations
	}
	slices.SortFunc(list, func(a, b receivedByAccount) int {
		if a.Account < b.Account {
			return -1
		}
		return 1
	})
	return list, nil
}

type receivedParamsOf struct {
	Address Text `json:"komodoaddress"`
	MinConf Int  `json:"minconf" default:"1" doc:"confirmations that a payment must have"`
}

func (b *Backend) getReceivedByAddress(ctx context.Context, p receivedParamsOf) (number.Coins, error) {
	a, err := script.ParseAddress(string(p.Address))
	if err != nil {
		return 0, errAddress
	}
	return b.received(ctx, int(p.MinConf), func(to script.Address) bool { return to == a })
}

type receivedAccountParams struct {
	Account Text `json:"account"`
	MinConf Int  `json:"minconf" default:"1" doc:"confirmations that a payment must have"`
}

func (b *Backend) getReceivedByAccount(ctx context.Context, p receivedAccountParams) (number.Coins, error) {
	return b.received(ctx, int(p.MinConf), func(to script.Address) bool {
		entry, named := b.Ring.Entry(to)
		return named && entry.Account == string(p.Account)
	})
}

// received returns the sum of the payments to the addresses for which counts returns true.
func (b *Backend) received(ctx context.Context, minConf int, counts func(script.Address) bool) (sum number.Coins, err error) {
	if b.Wallet == nil {
		return 0, nil
	}
	err = b.viewWallet(ctx, func(w *walletView) error {
		found, err := w.receipts(ctx, minConf, filterOf(true))
		for a, r := range found {
			if counts(a) {
				sum += number.Coins(r.amount)
			}
		}
		return err
	})
	return sum, err
}

type accountsParams struct {
	MinConf   Int  `json:"minconf" default:"1" doc:"confirmations that a payment to an account must have"`
	WatchOnly Flag `json:"includeWatchonly" rpc:"optional" doc:"include watched addresses"`
}

func (b *Backend) listAccounts(ctx context.Context, p accountsParams) (sums map[string]number.Coins, err error) {
	sums = map[string]number.Coins{}
	if b.Wallet == nil {
		return sums, nil
	}
	err = b.viewWallet(ctx, func(w *walletView) error {
		f := filterOf(bool(p.WatchOnly))
		for _, a := range w.ring.Named() {
			if f.includes(w.ring.Relation(a.PkScript())) {
				account, _ := w.account(&a)
				sums[account] += 0
			}
		}
		return w.each(ctx, func(t *walletTx) bool {
			if w.blocksToMaturity(t) > 0 {
				return true
			}
			paid := false
			for _, e := range w.entries(t, "*", f, false) {
				switch {
				case e.Category == "send":
					sums[e.Account] += e.Amount
					if !paid {
						sums[e.Account] += *e.Fee
					}
					paid = true
				case t.depth(w.tip) >= int(p.MinConf):
					sums[e.Account] += e.Amount
				}
			}
			return true
		})
	})
	return sums, err
}

// ignoredParams accepts one parameter of any type, as komodod does.
type ignoredParams struct {
	Ignored unreadText `json:"ignored" rpc:"optional" doc:"ignored"`
}

// addressGrouping is an address in the result of listaddressgroupings.
type addressGrouping struct {
	Address script.Address
	Amount  number.Coins
	Account *string
}

// MarshalJSON implements json.Marshaler.
func (g addressGrouping) MarshalJSON() ([]byte, error) {
	text := append(appendString([]byte("["), g.Address.String()), ',')
	text = append(text, g.Amount.String()...)
	if g.Account != nil {
		text = appendString(append(text, ','), *g.Account)
	}
	return append(text, ']'), nil
}

// JSONSchema implements rpc.Described.
func (addressGrouping) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "array", Description: "address, amount in coins, and account if it is set", Items: &rpc.Schema{OneOf: []*rpc.Schema{{Type: "string"}, {Type: "number"}}}}
}

func (b *Backend) listAddressGroupings(ctx context.Context, _ ignoredParams) (groups [][]addressGrouping, err error) {
	groups = [][]addressGrouping{}
	if b.Wallet == nil {
		return groups, nil
	}
	err = b.viewWallet(ctx, func(w *walletView) error {
		together, err := w.groupings(ctx)
		if err != nil {
			return err
		}
		coins, err := w.coins()
		if err != nil {
			return err
		}
		amounts := map[script.Address]int64{}
		for i := range coins {
			if c := &coins[i]; w.mature(c) && w.trusted(c) {
				if a := destination(c.Script, w.Manager.Params()); a != nil {
					amounts[*a] += c.Value
				}
			}
		}
		for _, addresses := range together {
			var group []addressGrouping
			for _, a := range addresses {
				g := addressGrouping{Address: a, Amount: number.Coins(amounts[a])}
				if account, named := w.account(&a); named {
					g.Account = &account
				}
				group = append(group, g)
			}
			groups = append(groups, group)
		}
		return nil
	})
	return groups, err
}

// groupings returns groups of addresses of the wallet. Addresses are in one group if a transaction
// spent their coins together, or if an address received the change [komodod wallet/wallet.cpp
// GetAddressGroupings].
func (w *walletView) groupings(ctx context.Context) (groups [][]script.Address, err error) {
	group := map[script.Address]script.Address{} // parents of a disjoint-set forest; a root is its own parent
	root := func(a script.Address) script.Address {
		for group[a] != a {
			a = group[a]
		}
		return a
	}
	join := func(a, b script.Address) { group[root(a)] = root(b) }
	add := func(pkScript []byte) *script.Address {
		a := destination(pkScript, w.Manager.Params())
		if a == nil || w.ring.Relation(pkScript) == keyring.Foreign {
			return nil
		}
		if _, known := group[*a]; !known {
			group[*a] = *a
		}
		return a
	}
	err = w.each(ctx, func(t *walletTx) bool {
		var first *script.Address
		for _, out := range t.spent {
			if a := add(out.Script); a != nil {
				if first != nil {
					join(*a, *first)
				}
				first = a
			}
		}
		for i := range t.tx.Outputs {
			a := add(t.tx.Outputs[i].Script)
			if a == nil || first == nil {
				continue
			}
			if _, named := w.account(a); !named && w.ring.Relation(t.tx.Outputs[i].Script) == keyring.Mine {
				join(*a, *first)
			}
		}
		return true
	})
	byRoot := map[script.Address][]script.Address{}
	for a := range group {
		byRoot[root(a)] = append(byRoot[root(a)], a)
	}
	for _, addresses := range byRoot {
		slices.SortFunc(addresses, keyring.CompareAddresses)
		groups = append(groups, addresses)
	}
	slices.SortFunc(groups, func(a, b []script.Address) int { return slices.CompareFunc(a, b, keyring.CompareAddresses) })
	return groups, err
}
