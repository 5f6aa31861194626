package chain

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"obverse/core/chain/wire"
	"obverse/core/store"
)

// audit compares sums over the store's records with the stored sums: the total value of all
// coins with the total recorded for the tip's block, and each token's outputs with the balances
// of its owners. It reads every coin at every start, so it scans the two large tables in
// parallel and decodes only the amounts.
func (m *Manager) audit(ctx context.Context, tip Record) error {
	var outputs map[wire.Hash]int64
	var outputsErr error
	var work sync.WaitGroup
	work.Go(func() { outputs, outputsErr = m.tokenSums(ctx, tableTokenUnspent) })
	coins, err := m.coinSum(ctx)
	work.Wait()
	if err := errors.Join(err, outputsErr); err != nil {
		return err
	}
	if tip.Totals.Known && coins != tip.Totals.Value {
		return fmt.Errorf("%w: the coins are worth %d satoshis together, block %d says %d", ErrCorrupt, coins, tip.Height, tip.Totals.Value)
	}
	balances, err := m.tokenSums(ctx, tableTokenBalance)
	if err != nil {
		return err
	}
	for id, sum := range outputs {
		if balances[id] != sum {
			return fmt.Errorf("%w: the outputs of token %v hold %d, its owners %d", ErrCorrupt, id, sum, balances[id])
		}
		delete(balances, id)
	}
	for id, sum := range balances {
		return fmt.Errorf("%w: the outputs of token %v hold nothing, its owners %d", ErrCorrupt, id, sum)
	}
	return nil
}

// coinSum returns the total value of all coins.
func (m *Manager) coinSum(ctx context.Context) (sum int64, err error) {
	err = m.each(ctx, tableCoin, func(e store.Entry) error {
		value, err := int64At(e.Data, coinHead-8)
		sum += value
		return err
	})
	return sum, err
}

// tokenSums returns the sum of the amounts in a table of tokens, for each token.
func (m *Manager) tokenSums(ctx context.Context, table byte) (map[wire.Hash]int64, error) {
	const end = 1 + len(wire.Hash{})
	sums := map[wire.Hash]int64{}
	var last string // the keys of one token are consecutive
	var sum int64
	add := func() {
		if sum != 0 {
			sums[wire.Hash([]byte(last))] += sum
		}
		sum = 0
	}
	err := m.each(ctx, table, func(e store.Entry) error {
		if len(e.Key) < end {
			return wire.ErrShort
		}
		if id := e.Key[1:end]; id != last {
			add()
			last = id
		}
		amount, err := int64At(e.Data, 0)
		sum += amount
		return err
	})
	add()
	return sums, err
}

// int64At decodes a number in the format of wire.AppendInt64 without copying the data.
func int64At(data string, at int) (int64, error) {
	var b [8]byte
	if len(data) < at+len(b) {
		return 0, wire.ErrShort
	}
	copy(b[:], data[at:])
	return int64(binary.LittleEndian.Uint64(b[:])), nil
}

// each calls do for every record of a table.
func (m *Manager) each(ctx context.Context, table byte, do func(store.Entry) error) error {
	for after := ""; ; {
		page, err := m.kv.Scan(ctx, string([]byte{table}), after, pageSize)
		if err != nil {
			return err
		}
		for _, e := range page {
			after = e.Key
			if err := do(e); err != nil {
				return corrupt(fmt.Sprintf("record %x", e.Key), err)
			}
		}
		if len(page) < pageSize {
			return nil
		}
	}
}
