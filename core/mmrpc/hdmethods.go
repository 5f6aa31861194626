package mmrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// This file has what the methods of HD wallets take and do.

// gapLimit is how many unused addresses in a row end a search; 0: the coin's.
type gapLimit uint32

// UnmarshalParam implements rpc.Unmarshaler.
func (g *gapLimit) UnmarshalParam(raw json.RawMessage) error {
	return boundedParam((*uint32)(g), raw, 1, hd.MaxGap)
}

// JSONSchema implements rpc.Described.
func (gapLimit) JSONSchema() *rpc.Schema { return boundedSchema(1, hd.MaxGap) }

// maxIndex is the greatest number of an account or an address: greater ones in a path are hardened.
const maxIndex = uint64(key.Hardened - 1)

// hdIndex is the number of an account or an address.
type hdIndex uint32

// UnmarshalParam implements rpc.Unmarshaler.
func (i *hdIndex) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return &rpc.ParamError{Want: fmt.Sprintf("a whole number from 0 to %d", maxIndex), Got: rpc.KindNull, Err: rpc.ErrType, Value: raw}
	}
	return boundedParam((*uint32)(i), raw, 0, maxIndex)
}

// JSONSchema implements rpc.Described.
func (hdIndex) JSONSchema() *rpc.Schema { return boundedSchema(0, maxIndex) }

// optionalIndex is an hdIndex that may be null or absent.
type optionalIndex struct{ given *uint32 }

// UnmarshalParam implements rpc.Unmarshaler.
func (i *optionalIndex) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	i.given = new(uint32)
	return boundedParam(i.given, raw, 0, maxIndex)
}

// JSONSchema implements rpc.Described.
func (optionalIndex) JSONSchema() *rpc.Schema { return boundedSchema(0, maxIndex) }

// addressCount is how many addresses there should be.
type addressCount uint32

// UnmarshalParam implements rpc.Unmarshaler.
func (c *addressCount) UnmarshalParam(raw json.RawMessage) error {
	return boundedParam((*uint32)(c), raw, 0, hd.MaxAddresses)
}

// JSONSchema implements rpc.Described.
func (addressCount) JSONSchema() *rpc.Schema { return boundedSchema(0, hd.MaxAddresses) }

// boundedParam reads a whole number within bounds; null leaves it as it is.
func boundedParam(into *uint32, raw json.RawMessage, least, most uint64) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	want := fmt.Sprintf("a whole number from %d to %d", least, most)
	n, err := wholeNumber(raw, want)
	if err != nil {
		return err
	}
	if n < least || n > most {
		return &rpc.ParamError{Want: want, Got: rpc.KindNumber, Err: rpc.ErrRange, Value: raw}
	}
	*into = uint32(n)
	return nil
}

func boundedSchema(least, most uint64) *rpc.Schema {
	return &rpc.Schema{Type: "integer", Minimum: json.Number(fmt.Sprint(least)), Maximum: json.Number(fmt.Sprint(most))}
}

// scanPolicy says when an activation looks for used addresses.
type scanPolicy string

// Values implements rpc.Enum.
func (scanPolicy) Values() []string {
	return []string{string(hd.DoNotScan), string(hd.ScanIfNewWallet), string(hd.Scan)}
}

// accountsParams are what activations take for HD wallets.
type accountsParams struct {
	Policy scanPolicy   `json:"scan_policy" default:"scan_if_new_wallet" doc:"when to look for used addresses of an HD wallet: scan, before each activation; scan_if_new_wallet, before the first"`
	Least  addressCount `json:"min_addresses_number" rpc:"optional" doc:"how many addresses of an HD wallet's account are known afterwards, at least"`
	Gap    gapLimit     `json:"gap_limit" rpc:"optional" doc:"how many unused addresses in a row end a scan; 20 when absent"`
}

// options are nil for older methods, which have no accounts.
func (p accountsParams) options() *hd.Options {
	if p.Policy == "" {
		return nil
	}
	return &hd.Options{Policy: hd.Policy(p.Policy), MinAddresses: uint32(p.Least), Gap: uint32(p.Gap)}
}

type accountParams struct {
	Coin    string  `json:"coin" doc:"ticker of an active coin or token"`
	Account hdIndex `json:"account_index" doc:"number of the account"`
}

type accountPageParams struct {
	accountParams
	Chain  pathChain `json:"chain" default:"External"`
	Limit  uint32    `json:"limit" default:"10" doc:"addresses of a page"`
	Paging hdPaging  `json:"paging_options" rpc:"optional" doc:"which page; the first when absent"`
}

type accountPage struct {
	Index     uint32                 `json:"account_index"`
	Path      string                 `json:"derivation_path"`
	Addresses []hdAddress            `json:"addresses"`
	Balance   map[string]balanceInfo `json:"page_balance" doc:"of the page's addresses, by ticker; without coins whose balance is unknown of one of them"`
	Limit     uint32                 `json:"limit"`
	Skipped   uint32                 `json:"skipped" doc:"addresses before the page"`
	Total     uint32                 `json:"total" doc:"addresses of the chain that are known"`
	Pages     uint64                 `json:"total_pages"`
	Paging    hdPaging               `json:"paging_options" doc:"as in the request"`
}

func (h HD) page(ctx context.Context, p accountPageParams) (accountPage, error) {
	view, err := h.view(p.Coin)
	if err != nil {
		return accountPage{}, err
	}
	page, err := view.Page(ctx, uint32(p.Account), p.Chain.chain(), p.Paging.first(p.Limit), p.Limit)
	if err != nil {
		return accountPage{}, hdFailure(err)
	}
	total, _ := viewHeld(page.Total)
	return accountPage{Index: page.Index, Path: page.Path.String(), Addresses: viewHDAddresses(page.Addresses), Balance: total, Limit: p.Limit,
		Skipped: page.Skipped, Total: page.Number, Pages: pagesOf(int(page.Number), uint64(p.Limit)), Paging: p.Paging}, nil
}

func (h HD) view(ticker string) (hd.View, error) {
	active, err := h.coin(ticker)
	if err != nil {
		return hd.View{}, err
	}
	return accountsOf(active)
}

func (h HD) beginBalance(ctx context.Context, p accountParams) (startedTask, error) {
	return h.begin(ctx, accountBalanceTask(), p.Coin, func(ctx context.Context, view hd.View) (any, error) {
		a, err := view.Account(ctx, uint32(p.Account))
		return viewHDAccount(a), err
	})
}

type newAddressParams struct {
	Coin    string    `json:"coin" doc:"ticker of an active coin or token"`
	Account hdIndex   `json:"account_id" doc:"number of the account"`
	Chain   pathChain `json:"chain" default:"External"`
	Gap     gapLimit  `json:"gap_limit" rpc:"optional" doc:"how many unused addresses in a row there may be; that of the activation when absent"`
}

type newAddress struct {
	New hdAddress `json:"new_address"`
}

func (h HD) newAddress(ctx context.Context, p newAddressParams) (newAddress, error) {
	view, err := h.view(p.Coin)
	if err != nil {
		return newAddress{}, err
	}
	fresh, err := p.make(ctx, view)
	return fresh, hdFailure(err)
}

func (p newAddressParams) make(ctx context.Context, view hd.View) (newAddress, error) {
	fresh, err := view.NewAddress(ctx, uint32(p.Account), p.Chain.chain(), uint32(p.Gap))
	return newAddress{viewHDAddress(fresh)}, err
}

func (h HD) beginAddress(ctx context.Context, p newAddressParams) (startedTask, error) {
	return h.begin(ctx, newAddressTask(), p.Coin, func(ctx context.Context, view hd.View) (any, error) { return p.make(ctx, view) })
}

type scanParams struct {
	accountParams
	Gap gapLimit `json:"gap_limit" rpc:"optional" doc:"how many unused addresses in a row end the scan; that of the activation when absent"`
}

type scannedAddresses struct {
	Index uint32      `json:"account_index"`
	Path  string      `json:"derivation_path"`
	New   []hdAddress `json:"new_addresses"`
}

func (h HD) beginScan(ctx context.Context, p scanParams) (startedTask, error) {
	return h.begin(ctx, scanTask(), p.Coin, func(ctx context.Context, view hd.View) (any, error) {
		found, err := view.Scan(ctx, uint32(p.Account), uint32(p.Gap))
		return scannedAddresses{found.Index, found.Path.String(), viewHDAddresses(found.Addresses)}, err
	})
}

type newAccountParams struct {
	Coin    string        `json:"coin" doc:"ticker of an active coin or token"`
	Scan    bool          `json:"scan" default:"true" doc:"look for used addresses"`
	Gap     gapLimit      `json:"gap_limit" rpc:"optional" doc:"how many unused addresses in a row end the scan; that of the activation when absent"`
	Account optionalIndex `json:"account_id" rpc:"optional" doc:"number of the account; the one after the last when absent"`
}

func (h HD) beginAccount(ctx context.Context, p newAccountParams) (startedTask, error) {
	return h.begin(ctx, newAccountTask(), p.Coin, func(ctx context.Context, view hd.View) (any, error) {
		a, err := view.NewAccount(ctx, p.Account.given, p.Scan, uint32(p.Gap))
		return viewHDAccount(a), err
	})
}

// knownAccount refuses an address of an account that is not known.
func knownAccount(ctx context.Context, view hd.View, from coin.From) error {
	account, err := view.AccountOf(from)
	if err == nil {
		err = view.Has(ctx, account)
	}
	var unknown *hd.UnknownAccountError
	if errors.As(err, &unknown) { // upstream has other words for it here
		return mmerr.UnknownAccount.From(err, mmerr.Account{ID: unknown.Account}, fmt.Sprintf("Unknown '%d' account", unknown.Account))
	}
	return err
}

// chain is the number of a chain.
func (c pathChain) chain() key.Chain {
	if c == "Internal" {
		return key.Internal
	}
	return key.External
}

// hdPaging selects a page of addresses, by its number or by the address before it.
type hdPaging struct {
	number uint64  // 0: the first
	after  *uint64 // nil: by number
}

// first is the number of the page's first address.
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
	members, err := object(raw, wantPaging, byNumber, byID)
	if err != nil {
		return err
	}
	if len(members) != 1 {
		return &rpc.ParamError{Want: wantPaging, Got: rpc.KindObject, Err: errOnePaging}
	}
	if id := members[byID]; id != nil {
		var after uint32
		g.after = new(uint64)
		err := boundedParam(&after, id, 0, maxIndex)
		*g.after = uint64(after)
		return below(byID, err)
	}
	var number uint32
	err = boundedParam(&number, members[byNumber], 1, math.MaxUint32)
	g.number = uint64(number)
	return below(byNumber, err)
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
	one := func(name, what string, least json.Number) *rpc.Schema {
		of := &rpc.Schema{Type: "integer", Minimum: least, Description: what}
		return &rpc.Schema{Type: "object", Properties: rpc.Properties{{Name: name, Schema: of}}, Required: []string{name}}
	}
	return &rpc.Schema{OneOf: []*rpc.Schema{one("PageNumber", "from 1", "1"), one("FromId", "number of the address before the page", "0")}}
}
