// Command record runs a chain of each kind, takes it through a story of transfers,
// stakes and mistakes, and writes what the node answers, request by request, into
// core/wallet/cosmos/testdata. It is run by hand, from the top of the repository:
//
//	go run ./native/test/interop/record [gaiad] [iris]
//
// Files of a chain, each a list with one record a line but for the first:
//
//	chain.json      its names, accounts, balances at the end, and the story's transactions
//	rpc.json        health, status, the shapes of JSON-RPC and of its errors
//	query.json      abci_query
//	broadcast.json  simulations and broadcasts, taken and refused
//	history.json    tx_search, tx and block
//	events.json     a conversation over the websocket
//
// All of query.json and history.json is of one moment, after everything else. Blocks
// go on meanwhile, transactions do not.
//
// Invariant: apart from whitespace between JSON tokens, the node's answers are written
// unchanged.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"obverse/native/test/interop"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

const destination = "core/wallet/cosmos/testdata"

func run(ctx context.Context, names []string) error {
	if _, err := os.Stat("core/doc.go"); err != nil {
		return fmt.Errorf("not at the top of the repository: %w", err)
	}
	for _, kind := range interop.Kinds() {
		if len(names) > 0 && !slices.Contains(names, string(kind)) {
			continue
		}
		if err := record(ctx, kind); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

// recorder records one chain.
type recorder struct {
	*interop.Chain
	rpc, query, broadcast, history, events tape
	transactions                           []storyTx
	heights                                map[int64]bool // heights of the story's transactions
}

// storyTx is a transaction of the story.
type storyTx struct {
	Name      string `json:"name"`
	Hash      string `json:"hash"` // upper-case hexadecimal
	Height    int64  `json:"height"`
	Code      int    `json:"code"`
	Codespace string `json:"codespace"`
}

func record(ctx context.Context, kind interop.Kind) (err error) {
	chain, err := interop.Start(ctx, kind)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, chain.Stop()) }()
	r := &recorder{Chain: chain, heights: map[int64]bool{}}
	if err := r.tapeBare(ctx); err != nil {
		return fmt.Errorf("a node without gRPC: %w", err)
	}
	for _, part := range []struct {
		name string
		tape func(context.Context) error
	}{
		{"story", r.playStory}, {"events", r.tapeEvents}, {"broadcasts", r.tapeBroadcasts}, {"simulations", r.tapeSimulations},
		{"rpc", r.tapeRPC}, {"queries", r.tapeQueries}, {"history", r.tapeHistory}, {"files", r.save},
	} {
		fmt.Fprintf(os.Stderr, "record: %s: %s\n", kind, part.name)
		if err := part.tape(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// save writes the files.
func (r *recorder) save(ctx context.Context) error {
	dir := filepath.Join(destination, string(r.Kind))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	about, err := r.about(ctx)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "chain.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	for name, t := range map[string]tape{"rpc": r.rpc, "query": r.query, "broadcast": r.broadcast, "history": r.history, "events": r.events} {
		if err := t.write(filepath.Join(dir, name+".json")); err != nil {
			return err
		}
	}
	return nil
}

// about returns the properties of the chain that tests need.
func (r *recorder) about(ctx context.Context) (map[string]any, error) {
	accounts, balances := map[string]any{}, map[string]any{}
	for name, a := range map[string]interop.Account{"user": r.User, "other": r.Other, "validator": r.Validator, "poor": r.Poor,
		"empty": r.Empty, "vesting": r.Vesting, "passphrase": r.Passphrase} {
		accounts[name] = map[string]string{"address": a.Address, "passphrase": a.Passphrase}
		var held struct{ Balances []json.RawMessage }
		if err := r.Query(ctx, &held, "bank", "balances", a.Address); err != nil {
			return nil, err
		}
		balances[name] = held.Balances
	}
	height, err := r.Height(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]any{"kind": r.Kind, "chain_id": r.ID, "denom": r.Denom, "prefix": r.Prefix, "gas_price": r.GasPrice,
		"vouchers": r.Vouchers, "accounts": accounts, "balances": balances, "height": height, "transactions": r.transactions,
		"channels": map[string]string{"healthy": interop.HealthyChannel, "expired": interop.ExpiredChannel,
			"frozen": interop.FrozenChannel, "closed": interop.ClosedChannel}}, nil
}
