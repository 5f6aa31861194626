// Package history implements the methods of the node API that list the transactions of coins.
// Package account and the coin families collect the transactions.
//
// Source: Komodo DeFi Framework's my_tx_history_v2.
package history

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

const categoryHistory = "History"

// History is the area of the methods that list the transactions of coins.
type History struct {
	Active *coin.Active
}

// Methods implements Area.
func (h History) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("my_tx_history", rpc.Doc{Reads: true,
			Summary: "List the transactions of a coin's own address, newest first",
			Detail: "The coin must be activated with tx_history. The node loads the list in the background and stores it; sync_status reports the " +
				"progress. A transaction with multiple transfers has an entry for each. Its fee is in the first entry or, with " +
				"tokens, in an entry FeeForTokenTx of the platform coin, as with failed transactions. The sum of my_balance_change over all entries " +
				"is the change of the balance. Nodes of EVM networks do not provide the history of an address; there, the list contains the transactions that " +
				"history_indexer returns, or without it those sent by this node and the transfers of active tokens, but no coins that contracts send.",
			Category: categoryHistory,
		}, h.list).Older(rpc.Handle("my_tx_history", rpc.Doc{Reads: true}, h.listOlder)).
			Raises(wire.Kinds(mmerr.CoinIsNotActive, mmerr.InvalidTarget, mmerr.NotSupportedFor, mmerr.StorageIsNotInitialized,
				mmerr.StorageError, mmerr.RPCError)...),
	}
}

type historyParams struct {
	Coin   string        `json:"coin" doc:"ticker"`
	Limit  uint64        `json:"limit" default:"10" doc:"number of transactions per page; at most 10000, larger values are reduced"`
	Paging historyPaging `json:"paging_options" rpc:"optional" doc:"page to return; by default the first"`
	Target historyTarget `json:"target" rpc:"optional" doc:"address to list; by default the coin's own address"`
}

type historyResult struct {
	Coin         string              `json:"coin" doc:"ticker as in the request"`
	Target       historyTarget       `json:"target" doc:"as in the request"`
	CurrentBlock uint64              `json:"current_block" doc:"height of the newest block"`
	Transactions []wire.HistoryEntry `json:"transactions" doc:"transactions, newest first"`
	Sync         syncStatus          `json:"sync_status"`
	Limit        uint64              `json:"limit" doc:"number of transactions per page"`
	Skipped      int                 `json:"skipped" doc:"number of transactions before the page"`
	Total        int                 `json:"total" doc:"number of loaded transactions"`
	Pages        uint64              `json:"total_pages"`
	Paging       historyPaging       `json:"paging_options" doc:"as in the request"`
	Gaps         []wire.Gap          `json:"incomplete,omitempty" doc:"reasons why transactions may be missing; absent if the list is complete"`
	StartsAt     uint64              `json:"starts_at_height,omitempty" doc:"height of the oldest block that the coin's nodes have; older transactions may be missing; absent if they have all blocks"`
}

type syncStatus struct {
	State coin.SyncState `json:"state" doc:"NotStarted, InProgress, Error (the node retries) or Finished"`
	More  *syncDetail    `json:"additional_info,omitempty" doc:"with InProgress and Error"`
}

type syncDetail struct {
	Left    *uint64 `json:"transactions_left,omitempty" doc:"InProgress: number of known transactions that are not loaded yet"`
	Blocks  uint64  `json:"blocks_left,omitempty" doc:"InProgress: number of blocks that are not searched yet, instead of transactions_left"`
	Message string  `json:"message,omitempty" doc:"Error: reason"`
}

func (h History) list(ctx context.Context, p historyParams) (historyResult, error) {
	active, err := h.Active.Get(p.Coin)
	if err != nil {
		return historyResult{}, mmerr.CoinIsNotActive.From(err, wire.Clip(p.Coin), wire.Clip(p.Coin)+cmp.Or(wire.Absence(err), ": the coin is not active"))
	}
	historian, can := active.(coin.Historian)
	if !can {
		return historyResult{}, mmerr.NotSupportedFor.New(p.Coin, p.Coin)
	}
	limit := min(p.Limit, wire.MaxHistory)
	ask := coin.HistoryQuery{Limit: int(limit), Page: p.Paging.page(), After: strings.ToLower(p.Paging.after)}
	var page coin.History
	if others, has := active.(coin.AddressHistorian); has && p.Target.isOther(active) {
		page, err = others.HistoryOf(ctx, *p.Target.of, ask)
		if err != nil {
			err = targetFailure(err)
		}
	} else {
		page, err = historian.History(ctx, ask)
	}
	if err != nil {
		return historyResult{}, historyFailure(err, active.Ticker())
	}
	result := historyResult{Coin: p.Coin, Target: p.Target, CurrentBlock: page.CurrentBlock, Transactions: wire.ViewHistory(page),
		Sync: viewSync(page.Sync), Limit: limit, Skipped: page.Skipped, Total: page.Total, Paging: p.Paging, StartsAt: page.StartsAt, Gaps: wire.ViewGaps(page.Gaps)}
	result.Pages = wire.PagesOf(page.Total, limit)
	return result, nil
}

func historyFailure(err error, ticker string) error {
	switch {
	case errors.Is(err, coin.ErrNoHistory):
		text := "Storage is not initialized for " + ticker + ": activate it with tx_history"
		return mmerr.StorageIsNotInitialized.From(err, text, text)
	case errors.Is(err, coin.ErrHistoryStore):
		return mmerr.StorageError.From(err, err.Error(), err.Error())
	case errors.Is(err, coin.ErrTransport):
		return mmerr.RPCError.From(err, err.Error(), err.Error())
	}
	return err
}

func viewSync(s coin.SyncStatus) syncStatus {
	shown := syncStatus{State: s.State}
	switch s.State {
	case coin.SyncInProgress:
		shown.More = &syncDetail{Left: &s.Left}
		if s.Blocks > 0 {
			shown.More = &syncDetail{Blocks: s.Blocks}
		}
	case coin.SyncFailed:
		shown.More = &syncDetail{Message: s.Message}
	}
	return shown
}

// historyPaging selects a page by its number or by the transaction before it.
type historyPaging struct {
	number uint64 // 0 means the first page
	after  string // hexadecimal id as given, or "" if the page is selected by its number
}

const (
	wantPage = "a whole number from 1"
	wantID   = "the internal_id of a transaction, in hexadecimal"
	maxID    = 128
)

var errBothPagings = errors.New("PageNumber and FromId exclude each other")

// UnmarshalParam implements rpc.Unmarshaler.
func (g *historyPaging) UnmarshalParam(raw json.RawMessage) error {
	*g = historyPaging{}
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	const byNumber, byID = "PageNumber", "FromId"
	members, err := wire.Object(raw, wire.WantPaging, byNumber, byID)
	if err != nil {
		return err
	}
	switch number, id := members[byNumber], members[byID]; {
	case number != nil && id != nil:
		return &rpc.ParamError{Want: wire.WantPaging, Got: rpc.KindObject, Err: errBothPagings}
	case number != nil:
		if g.number, err = strconv.ParseUint(strings.TrimSpace(string(number)), 10, 64); err != nil || g.number == 0 {
			return &rpc.ParamError{Path: byNumber, Want: wantPage, Got: rpc.KindOf(number), Err: rpc.ErrRange, Value: number}
		}
	case id != nil:
		text, err := wire.Unquote(id, wantID)
		if err != nil {
			return wire.Below(byID, err)
		}
		text = wire.DigitsOf(text)
		if b, err := wire.ReadHex(text); err != nil || len(b) == 0 || len(text) > maxID {
			return &rpc.ParamError{Path: byID, Want: wantID, Got: rpc.KindString, Err: rpc.ErrRange, Value: id}
		}
		g.after = text
	default:
		return &rpc.ParamError{Want: wire.WantPaging, Got: rpc.KindObject, Err: rpc.ErrMissing}
	}
	return nil
}

// page returns the number of the page, counted from 1. Pages after the last one are empty.
func (g historyPaging) page() int { return int(min(max(g.number, 1), math.MaxInt32)) }

// MarshalJSON implements json.Marshaler.
func (g historyPaging) MarshalJSON() ([]byte, error) {
	if g.after != "" {
		return json.Marshal(struct{ FromId string }{g.after})
	}
	return json.Marshal(struct{ PageNumber uint64 }{max(g.number, 1)})
}

// JSONSchema implements rpc.Described.
func (historyPaging) JSONSchema() *rpc.Schema {
	one := func(name string, schema *rpc.Schema) *rpc.Schema {
		return &rpc.Schema{Type: "object", Properties: rpc.Properties{{Name: name, Schema: schema}}, Required: []string{name}}
	}
	return &rpc.Schema{OneOf: []*rpc.Schema{
		one("PageNumber", &rpc.Schema{Type: "integer", Minimum: "1"}),
		one("FromId", &rpc.Schema{Type: "string", Description: "internal_id of the transaction before the page"}),
	}}
}

// historyTarget selects the address whose transactions are listed: the coin's own address, or
// another known address of an HD wallet. For every HD wallet, wallet applications name account
// 0, which means the first address.
type historyTarget struct {
	given json.RawMessage
	of    *coin.From // nil if no address is given
}

const (
	targetIguana  = "iguana"
	targetAddress = "address_id"
	wantTarget    = `an object with the type "iguana", "account_id" or "address_id"`
)

func targets() []string { return []string{targetIguana, "account_id", targetAddress} }

// UnmarshalParam implements rpc.Unmarshaler.
func (t *historyTarget) UnmarshalParam(raw json.RawMessage) error {
	*t = historyTarget{}
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	members, err := wire.Object(raw, wantTarget, "type", "account_id", "chain", "address_id")
	if err != nil {
		return err
	}
	if members["type"] == nil {
		return &rpc.ParamError{Path: "type", Want: wantTarget, Err: rpc.ErrMissing}
	}
	kind, err := wire.Unquote(members["type"], wantTarget)
	if err != nil {
		return wire.Below("type", err)
	}
	if !slices.Contains(targets(), kind) {
		return &rpc.ParamError{Path: "type", Want: wantTarget, Got: rpc.KindString, Err: rpc.ErrVariant, Value: members["type"], Allowed: targets()}
	}
	t.given = raw
	if kind != targetAddress {
		return nil
	}
	var named wire.FromAddress
	delete(members, "type")
	if err := named.Numbers(members); err != nil {
		return err
	}
	t.of = named.From
	return nil
}

// isOther reports whether the target is a different address than the coin's own.
func (t historyTarget) isOther(active coin.Coin) bool {
	of, has := active.(wire.Owned)
	if t.of == nil || !has || of.Owner().Path == nil {
		return false // the coin has one address; Komodo DeFi Framework ignores the target
	}
	path := of.Owner().Path
	const below = 3 // the last numbers of a path: account, chain and address
	at, err := t.of.In(path[:len(path)-below])
	return err != nil || !slices.Equal(at, path)
}

// targetFailure returns the error for an address without a history.
func targetFailure(err error) error {
	var unknown *hd.UnknownAccountError
	var invalid *coin.InvalidError
	reason := err.Error()
	switch {
	case errors.As(err, &invalid):
		reason = invalid.Reason.Error()
	case !errors.As(err, &unknown) && !errors.Is(err, hd.ErrNotHD):
		return err
	}
	return mmerr.InvalidTarget.From(err, reason, "Invalid target: "+reason)
}

// MarshalJSON implements json.Marshaler.
func (t historyTarget) MarshalJSON() ([]byte, error) {
	if t.given == nil {
		return json.Marshal(map[string]string{"type": targetIguana})
	}
	return t.given, nil
}

// JSONSchema implements rpc.Described.
func (historyTarget) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "object", Description: "whose transactions: those of the coin's own address, or with address_id those of another known address of an HD wallet",
		Properties: rpc.Properties{{Name: "type", Schema: &rpc.Schema{Type: "string", Enum: targets()}}}, Required: []string{"type"}}
}
