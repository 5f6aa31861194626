package history

import (
	"context"
	"errors"
	"math"
	"strings"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/wallet/coin"
)

// This file implements my_tx_history for requests without "mmrpc".

type olderHistoryParams struct {
	Coin   string            `json:"coin"`
	Limit  uint64            `json:"limit" default:"10"`
	FromID string            `json:"from_id" rpc:"optional"`
	Page   *wire.PageNumber  `json:"page_number"`
	Max    bool              `json:"max" default:"false"`
	Target wire.IgnoredParam `json:"target" rpc:"optional"`
}

type olderHistory struct {
	Transactions []wire.HistoryEntry `json:"transactions"`
	Limit        uint64              `json:"limit"`
	Skipped      int                 `json:"skipped"`
	FromID       *string             `json:"from_id"`
	Total        int                 `json:"total"`
	CurrentBlock uint64              `json:"current_block"`
	Sync         syncStatus          `json:"sync_status"`
	Page         *wire.PageNumber    `json:"page_number"`
	Pages        uint64              `json:"total_pages"`
}

func (h History) listOlder(ctx context.Context, p olderHistoryParams) (olderHistory, error) {
	active, err := h.Active.Get(p.Coin)
	if err != nil {
		return olderHistory{}, wire.NoSuchCoin(err, p.Coin)
	}
	result := olderHistory{Transactions: []wire.HistoryEntry{}, Limit: min(p.Limit, wire.MaxHistory), Page: p.Page}
	if p.Max {
		result.Limit = wire.MaxHistory
	}
	ask := coin.HistoryQuery{Limit: int(result.Limit), Page: 1, After: strings.ToLower(p.FromID)}
	if p.Page != nil {
		ask.Page = int(min(uint64(*p.Page), math.MaxInt32))
	}
	if p.FromID != "" {
		result.FromID = &p.FromID
	}
	historian, can := active.(coin.Historian)
	if !can {
		return result.without(ctx, active)
	}
	page, err := historian.History(ctx, ask)
	switch {
	case errors.Is(err, coin.ErrNoHistory):
		return result.without(ctx, active)
	case err != nil:
		return olderHistory{}, historyFailure(err, active.Ticker())
	case p.FromID != "" && page.Skipped == 0:
		text := "from_id " + wire.Clip(p.FromID) + " is not found"
		return olderHistory{}, mmerr.InvalidRequest.New(text, text)
	}
	result.Transactions, result.Skipped, result.Total = wire.ViewHistory(page), page.Skipped, page.Total
	result.CurrentBlock, result.Sync, result.Pages = page.CurrentBlock, viewSync(page.Sync), wire.PagesOf(page.Total, result.Limit)
	return result, nil
}

// without returns the answer for a coin without a history.
func (o olderHistory) without(ctx context.Context, active coin.Coin) (olderHistory, error) {
	o.Sync.State = coin.SyncNotEnabled
	chain, has := active.(wire.Heighted)
	if !has {
		return o, nil
	}
	height, err := chain.Height(ctx)
	if err != nil {
		return o, historyFailure(err, active.Ticker())
	}
	o.CurrentBlock = height
	return o, nil
}
