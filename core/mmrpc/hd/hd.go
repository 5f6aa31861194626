// Package hd implements the methods of the node API for the accounts and addresses of HD
// wallets. core/wallet/hd does the work.
//
// Source: Komodo DeFi Framework's hd_wallet.
package hd

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/task"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

const categoryHD = "HD wallets"

// HD is the area of the methods for accounts and addresses of HD wallets.
type HD struct {
	Active *coin.Active
	Tasks  *task.Manager
}

// Methods implements Area.
func (h HD) Methods() []rpc.Method {
	kinds := append(wire.Kinds(mmerr.NoSuchHDCoin, mmerr.CoinIsActivatedNotWithHDWallet, mmerr.UnknownAccount, mmerr.ErrorDerivingAddress, mmerr.WalletStorageError,
		mmerr.Transport), wire.KeyKinds()...)
	newAddress := slices.Concat(kinds, wire.Kinds(mmerr.EmptyAddressesLimitReached, mmerr.AddressLimitReached))
	list := []rpc.Method{
		rpc.Handle("account_balance", rpc.Doc{Reads: true,
			Summary: "Return the known addresses of an account with their balances, by page", Category: categoryHD,
		}, h.page).Raises(kinds...),
		rpc.Handle("get_new_address", rpc.Doc{Whole: true,
			Summary:  "Add the next address of an account",
			Detail:   "The method fails if the number of unused addresses at the end has reached the gap limit, because a scan by another wallet would not find the new address.",
			Category: categoryHD,
		}, h.newAddress).Raises(newAddress...),
	}
	list = append(list, accountBalanceTask.Methods(h.Tasks, rpc.Handle(accountBalanceTask.Name+"::init", rpc.Doc{
		Summary: "Start to query the balances of the known addresses of an account", Category: categoryHD,
	}, h.beginBalance).Raises(kinds...))[:withoutAction]...)
	list = append(list, newAddressTask.Methods(h.Tasks, rpc.Handle(newAddressTask.Name+"::init", rpc.Doc{
		Summary: "Start to add the next address of an account", Detail: "See get_new_address.", Category: categoryHD,
	}, h.beginAddress).Raises(newAddress...))...)
	list = append(list, scanTask.Methods(h.Tasks, rpc.Handle(scanTask.Name+"::init", rpc.Doc{
		Summary: "Start a scan for used addresses of an account",
		Detail: "The scan starts after the last known address and ends when the number of consecutive unused addresses reaches the gap limit. It adds the used addresses, and the unused " +
			"addresses before them. It does not cover internal addresses, because these chains have no change.",
		Category: categoryHD,
	}, h.beginScan).Raises(kinds...))[:withoutAction]...)
	return append(list, newAccountTask.Methods(h.Tasks, rpc.Handle(newAccountTask.Name+"::init", rpc.Doc{
		Summary: "Start to create an account", Category: categoryHD,
	}, h.beginAccount).Raises(slices.Concat(kinds, wire.Kinds(mmerr.AccountLimitReached))...))...)
}

// withoutAction is the number of methods of a task that does not ask its user.
const withoutAction = 3

const (
	requestingBalance = "RequestingAccountBalance"
	taskErrors        = ". Details of Error hold an error of init, or TaskTimedOut."
)

// Kinds of tasks.
var (
	accountBalanceTask = wire.TaskKind{Name: "task::account_balance", Category: categoryHD, What: "a question for an account's balance",
		First: requestingBalance, Next: requestingBalance, Limit: wire.ActivationLimit,
		Details: "In progress, details are " + requestingBalance + ". With Ok, they are account_index, derivation_path, total_balance and addresses, as in the accounts of enable_eth_with_tokens" + taskErrors}
	newAddressTask = wire.TaskKind{Name: "task::get_new_address", Category: categoryHD, What: "a new address",
		First: requestingBalance, Next: requestingBalance, Limit: wire.ActivationLimit,
		Details: "In progress, details are " + requestingBalance + ". With Ok, they are the result of get_new_address" + taskErrors}
	scanTask = wire.TaskKind{Name: "task::scan_for_new_addresses", Category: categoryHD, What: "a scan for addresses",
		First: "InProgress", Next: "InProgress", Limit: wire.ActivationLimit,
		Details: "In progress, details are InProgress. With Ok, they are account_index, derivation_path and new_addresses" + taskErrors}
	newAccountTask = wire.TaskKind{Name: "task::create_new_account", Category: categoryHD, What: "a new account",
		First: requestingBalance, Next: requestingBalance, Limit: wire.ActivationLimit,
		Details: "In progress, details are " + requestingBalance + ". With Ok, they are the account, as those of enable_eth_with_tokens" + taskErrors}
)

// coin returns an active coin.
func (h HD) coin(ticker string) (coin.Coin, error) {
	active, err := h.Active.Get(ticker)
	if err != nil {
		return nil, mmerr.NoSuchHDCoin.From(err, mmerr.Coin{Coin: ticker}, "No such coin "+wire.Clip(ticker)+wire.Absence(err))
	}
	return active, nil
}

// begin starts a task for an active coin's accounts. If the coin has no accounts, the task
// fails, as in Komodo DeFi Framework.
func (h HD) begin(ctx context.Context, kind wire.TaskKind, ticker string, work func(context.Context, hd.View) (any, error)) (wire.StartedTask, error) {
	active, err := h.coin(ticker)
	if err != nil {
		return wire.StartedTask{}, err
	}
	return kind.Start(ctx, h.Tasks, func(ctx context.Context) (any, error) {
		view, err := wire.AccountsOf(active)
		if err != nil {
			return nil, err
		}
		result, err := work(ctx, view)
		return result, wire.HDFailure(err)
	})
}

type accountParams struct {
	Coin    string       `json:"coin" doc:"ticker of an active coin or token"`
	Account wire.HDIndex `json:"account_index" doc:"index of the account"`
}

type accountPageParams struct {
	accountParams
	Chain  wire.PathChain `json:"chain" default:"External"`
	Limit  uint32         `json:"limit" default:"10" doc:"number of addresses per page"`
	Paging hdPaging       `json:"paging_options" rpc:"optional" doc:"page to return; by default the first"`
}

type accountPage struct {
	Index     uint32                      `json:"account_index"`
	Path      string                      `json:"derivation_path"`
	Addresses []wire.HDAddress            `json:"addresses"`
	Balance   map[string]wire.BalanceInfo `json:"page_balance" doc:"total balance of the addresses on the page, by ticker; without coins for which the balance of an address is unknown"`
	Limit     uint32                      `json:"limit"`
	Skipped   uint32                      `json:"skipped" doc:"number of addresses before the page"`
	Total     uint32                      `json:"total" doc:"number of known addresses of the chain"`
	Pages     uint64                      `json:"total_pages"`
	Paging    hdPaging                    `json:"paging_options" doc:"as in the request"`
}

func (h HD) page(ctx context.Context, p accountPageParams) (accountPage, error) {
	view, err := h.view(p.Coin)
	if err != nil {
		return accountPage{}, err
	}
	page, err := view.Page(ctx, uint32(p.Account), p.Chain.Chain(), p.Paging.first(p.Limit), p.Limit)
	if err != nil {
		return accountPage{}, wire.HDFailure(err)
	}
	total, _ := wire.ViewHeld(page.Total)
	return accountPage{Index: page.Index, Path: page.Path.String(), Addresses: wire.ViewHDAddresses(page.Addresses), Balance: total, Limit: p.Limit,
		Skipped: page.Skipped, Total: page.Number, Pages: wire.PagesOf(int(page.Number), uint64(p.Limit)), Paging: p.Paging}, nil
}

func (h HD) view(ticker string) (hd.View, error) {
	active, err := h.coin(ticker)
	if err != nil {
		return hd.View{}, err
	}
	return wire.AccountsOf(active)
}

func (h HD) beginBalance(ctx context.Context, p accountParams) (wire.StartedTask, error) {
	return h.begin(ctx, accountBalanceTask, p.Coin, func(ctx context.Context, view hd.View) (any, error) {
		a, err := view.Account(ctx, uint32(p.Account))
		return wire.ViewHDAccount(a), err
	})
}

type newAddressParams struct {
	Coin    string         `json:"coin" doc:"ticker of an active coin or token"`
	Account wire.HDIndex   `json:"account_id" doc:"index of the account"`
	Chain   wire.PathChain `json:"chain" default:"External"`
	Gap     wire.GapLimit  `json:"gap_limit" rpc:"optional" doc:"maximum number of consecutive unused addresses; by default the limit of the activation"`
}

type newAddress struct {
	New wire.HDAddress `json:"new_address"`
}

func (h HD) newAddress(ctx context.Context, p newAddressParams) (newAddress, error) {
	view, err := h.view(p.Coin)
	if err != nil {
		return newAddress{}, err
	}
	fresh, err := p.make(ctx, view)
	return fresh, wire.HDFailure(err)
}

func (p newAddressParams) make(ctx context.Context, view hd.View) (newAddress, error) {
	fresh, err := view.NewAddress(ctx, uint32(p.Account), p.Chain.Chain(), uint32(p.Gap))
	return newAddress{wire.ViewHDAddress(fresh)}, err
}

func (h HD) beginAddress(ctx context.Context, p newAddressParams) (wire.StartedTask, error) {
	return h.begin(ctx, newAddressTask, p.Coin, func(ctx context.Context, view hd.View) (any, error) { return p.make(ctx, view) })
}

type scanParams struct {
	accountParams
	Gap wire.GapLimit `json:"gap_limit" rpc:"optional" doc:"number of consecutive unused addresses that ends the scan; by default the limit of the activation"`
}

type scannedAddresses struct {
	Index uint32           `json:"account_index"`
	Path  string           `json:"derivation_path"`
	New   []wire.HDAddress `json:"new_addresses"`
}

func (h HD) beginScan(ctx context.Context, p scanParams) (wire.StartedTask, error) {
	return h.begin(ctx, scanTask, p.Coin, func(ctx context.Context, view hd.View) (any, error) {
		found, err := view.Scan(ctx, uint32(p.Account), uint32(p.Gap))
		return scannedAddresses{found.Index, found.Path.String(), wire.ViewHDAddresses(found.Addresses)}, err
	})
}

type newAccountParams struct {
	Coin    string             `json:"coin" doc:"ticker of an active coin or token"`
	Scan    bool               `json:"scan" default:"true" doc:"scan for used addresses"`
	Gap     wire.GapLimit      `json:"gap_limit" rpc:"optional" doc:"number of consecutive unused addresses that ends the scan; by default the limit of the activation"`
	Account wire.OptionalIndex `json:"account_id" rpc:"optional" doc:"index of the account; by default the one after the last"`
}

func (h HD) beginAccount(ctx context.Context, p newAccountParams) (wire.StartedTask, error) {
	return h.begin(ctx, newAccountTask, p.Coin, func(ctx context.Context, view hd.View) (any, error) {
		a, err := view.NewAccount(ctx, p.Account.Given, p.Scan, uint32(p.Gap))
		return wire.ViewHDAccount(a), err
	})
}

// hdPaging selects a page of addresses by its number or by the address before it.
type hdPaging struct {
	number uint64  // 0 means the first page
	after  *uint64 // nil if the page is selected by its number
}

// first returns the number of the first address in the page.
func (g hdPaging) first(limit uint32) uint32 {
	if g.after != nil {
		return uint32(min(*g.after+1, math.MaxUint32))
	}
	return uint32(min((max(g.number, 1)-1)*uint64(limit), math.MaxUint32))
}

// UnmarshalParam implements rpc.Unmarshaler.
func (g *hdPaging) UnmarshalParam(raw json.RawMessage) error {
	*g = hdPaging{}
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	const byNumber, byID = "PageNumber", "FromId"
	members, err := wire.Object(raw, wire.WantPaging, byNumber, byID)
	if err != nil {
		return err
	}
	if len(members) != 1 {
		return &rpc.ParamError{Want: wire.WantPaging, Got: rpc.KindObject, Err: wire.ErrOnePaging}
	}
	if id := members[byID]; id != nil {
		var after uint32
		g.after = new(uint64)
		err := wire.BoundedParam(&after, id, 0, wire.MaxIndex)
		*g.after = uint64(after)
		return wire.Below(byID, err)
	}
	var number uint32
	err = wire.BoundedParam(&number, members[byNumber], 1, math.MaxUint32)
	g.number = uint64(number)
	return wire.Below(byNumber, err)
}

// MarshalJSON implements json.Marshaler.
func (g hdPaging) MarshalJSON() ([]byte, error) {
	if g.after != nil {
		return json.Marshal(struct{ FromId uint64 }{*g.after})
	}
	return json.Marshal(struct{ PageNumber uint64 }{max(g.number, 1)})
}

// JSONSchema implements rpc.Described.
func (hdPaging) JSONSchema() *rpc.Schema {
	one := func(name, what string, minimum json.Number) *rpc.Schema {
		schema := &rpc.Schema{Type: "integer", Minimum: minimum, Description: what}
		return &rpc.Schema{Type: "object", Properties: rpc.Properties{{Name: name, Schema: schema}}, Required: []string{name}}
	}
	return &rpc.Schema{OneOf: []*rpc.Schema{one("PageNumber", "from 1", "1"), one("FromId", "number of the address before the page", "0")}}
}
