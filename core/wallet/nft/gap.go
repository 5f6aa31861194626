package nft

import (
	"context"
	"errors"
	"strings"

	"obverse/core/store/table"
	"obverse/core/wallet/coin"
)

const (
	failureKey = "N/nft/failure/" // followed by chain and wallet
	maxFailure = 1_000            // bytes
)

// note stores why the last update of a wallet's list failed or is incomplete. A nil problem
// removes the note.
func (s *records) note(ctx context.Context, c Chain, wallet string, problem error) error {
	text := ""
	if problem != nil {
		text = singleLine(strings.ReplaceAll(problem.Error(), "\n", "; "), maxFailure)
	}
	key := failureKey + part(c, wallet)
	values, err := s.kv.Get(ctx, key)
	if err != nil || values[0].Data == text {
		return failed(ctx, err)
	}
	return failed(ctx, table.Change(ctx, s.kv, func(tx *table.Tx) error {
		tx.Put(key, text)
		return nil
	}))
}

// noteFailure stores that an update of a chain failed. Its lists may be incomplete until the
// next update.
func (g *Gallery) noteFailure(ctx context.Context, c Chain, problem error) {
	if !errors.Is(problem, coin.ErrTransport) && !errors.Is(problem, context.DeadlineExceeded) {
		return
	}
	wallet, err := g.walletOf(ctx, c)
	if err == nil && wallet != "" {
		err = g.records.note(ctx, c, wallet, problem)
	}
	if err != nil {
		g.warn("the failure of an update was not stored", 1, c, err)
	}
}

// Gaps returns the chains whose lists of NFTs and transfers may be incomplete, with one reason
// each.
func (g *Gallery) Gaps(ctx context.Context, chains []Chain) (gaps []coin.Gap, err error) {
	seen := map[Chain]bool{}
	for _, c := range chains {
		if seen[c] {
			continue
		}
		seen[c] = true
		gap, err := g.gap(ctx, c)
		if err != nil {
			return nil, err
		}
		if gap.Reason != "" {
			gaps = append(gaps, gap)
		}
	}
	return gaps, nil
}

func (g *Gallery) gap(ctx context.Context, c Chain) (coin.Gap, error) {
	gap := coin.Gap{Part: string(c)}
	wallet, err := g.walletOf(ctx, c)
	if err != nil {
		return gap, err
	}
	values, err := g.Store.Get(ctx, failureKey+part(c, wallet))
	if err != nil {
		return gap, failed(ctx, err)
	}
	scan, err := g.records.scan(ctx, c, wallet)
	switch {
	case err != nil:
	case values[0].Data != "":
		gap.Reason, gap.Err = coin.GapNoAnswer, values[0].Data
	case scan.Full || scan.Cut:
		gap.Reason = coin.GapTooMany
	case scan.Bottom:
		gap.Reason = coin.GapNoLogs
	case scan.Next > 0 && (scan.Behind || !scan.Done()):
		gap.Reason = coin.GapInProgress
	}
	return gap, err
}
