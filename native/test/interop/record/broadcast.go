package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"obverse/native/test/interop"
)

// hash returns the id of a transaction.
func hash(raw []byte) []byte {
	sum := sha256.Sum256(raw)
	return sum[:]
}

// attempt is a recorded broadcast.
type attempt struct {
	name   string
	method string // broadcast_tx_sync if empty
	draft
	lands bool // whether the transaction gets into a block
}

// tapeBroadcasts records accepted and rejected broadcasts. Accepted transactions are part of the
// story.
func (r *recorder) tapeBroadcasts(ctx context.Context) error {
	number, sequence, err := r.account(ctx, r.User)
	if err != nil {
		return err
	}
	for _, a := range r.attempts(number, sequence) {
		raw, err := r.sign(ctx, a.draft)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		method := a.method
		if method == "" {
			method = "broadcast_tx_sync"
		}
		if err := r.broadcast.take(ctx, r.Chain, a.name, method, params{{"tx", raw}}); err != nil {
			return err
		}
		if !a.lands {
			continue
		}
		if err := r.await(ctx, a.name, raw); err != nil {
			return err
		}
	}
	return errors.Join(r.tapeQueue(ctx), r.tapeRubbish(ctx))
}

// The order of the attempts matters, since the accepted ones use consecutive sequences.
func (r *recorder) attempts(number, sequence uint64) []attempt {
	coin, first := r.Denom, r.Vouchers[0].Denom
	user := func(flags ...string) draft {
		return draft{from: r.User, arguments: send(r.User, r.Other.Address, "21"+coin, flags...)}
	}
	offline := func(number, sequence uint64, chain string) draft {
		d := user()
		d.offline, d.number, d.sequence, d.chain = true, number, sequence, chain
		return d
	}
	change := func(key string, value any) draft {
		d := user()
		d.rewrite = func(messages []any) []any {
			messages[0].(map[string]any)[key] = value
			return messages
		}
		return d
	}
	unfunded := draft{from: r.Empty, arguments: send(r.Empty, r.User.Address, "1"+coin), offline: true}
	return []attempt{
		{"sync, taken", "", user(), true},
		{"async, taken", "broadcast_tx_async", user(), true},
		{"commit, taken", "broadcast_tx_commit", user(), true},
		{"commit, fails in its block", "broadcast_tx_commit", draft{from: r.User, arguments: send(r.User, r.Other.Address, interop.Plenty+coin)}, true},
		{"sync, fails in its block", "", draft{from: r.User, arguments: send(r.User, r.Other.Address, interop.Plenty+coin)}, true},
		{"commit, refused", "broadcast_tx_commit", offline(number, 0, ""), false},
		{"sequence of the past", "", offline(number, sequence-1, ""), false},
		{"sequence of the future", "", offline(number, sequence+1000, ""), false},
		{"signed for another chain", "", offline(number, sequence+5, "elsewhere-1"), false},
		{"signed with another account number", "", offline(number+1, sequence+5, ""), false},
		{"fee too small", "", user("--fees", "1"+coin), false},
		{"no fee", "", user("--fees", "0"+coin), false},
		{"fee in another denom", "", user("--fees", "100000"+first), false},
		{"fee is more than it has", "", user("--fees", "99999999999"+coin), false},
		{"has no coin for the fee", "", draft{from: r.Poor, arguments: send(r.Poor, r.Other.Address, "1"+first)}, false},
		{"no such account", "", unfunded, false},
		{"memo too long", "", user("--note", strings.Repeat("m", 257)), false},
		{"gas too little for the check", "", user("--gas", "1000"), false},
		{"too late", "", user("--timeout-height", "3"), false},
		{"address of another chain", "", change("to_address", "osmo19rl4cm2hmr8afy4kldpxz3fka4jguq0a5m7df8"), false},
		{"address with a mistake", "", change("to_address", r.Other.Address[:len(r.Other.Address)-1]+"q"), false},
		{"amount of nothing", "", change("amount", coins("0", coin)), false},
		{"sync, taken again", "", user(), true},
	}
}

// tapeQueue records two pending transactions of one account. It sends the first one again while it
// is pending, and after it is in a block.
func (r *recorder) tapeQueue(ctx context.Context) error {
	number, sequence, err := r.account(ctx, r.User)
	if err != nil {
		return err
	}
	var queue [2][]byte
	for n := range queue {
		queue[n], err = r.sign(ctx, draft{from: r.User, arguments: send(r.User, r.Other.Address, "22"+r.Denom), offline: true,
			number: number, sequence: sequence + uint64(n)})
		if err != nil {
			return err
		}
	}
	height, err := r.Height(ctx)
	if err != nil {
		return err
	}
	if err := r.WaitHeight(ctx, height+1); err != nil {
		return err
	}
	for _, s := range []struct {
		name string
		raw  []byte
	}{{"first of a queue", queue[0]}, {"second of a queue", queue[1]}, {"first of a queue, while it waits", queue[0]}} {
		if err := r.broadcast.take(ctx, r.Chain, s.name, "broadcast_tx_sync", params{{"tx", s.raw}}); err != nil {
			return err
		}
	}
	for n, name := range []string{"first of a queue", "second of a queue"} {
		if err := r.await(ctx, name, queue[n]); err != nil {
			return err
		}
	}
	return r.broadcast.take(ctx, r.Chain, "first of a queue, after it landed", "broadcast_tx_sync", params{{"tx", queue[0]}})
}

// tapeRubbish records broadcasts of invalid transactions.
func (r *recorder) tapeRubbish(ctx context.Context) error {
	for _, rubbish := range []struct {
		name string
		with params
	}{
		{"no transaction", params{{"tx", []byte("rubbish")}}},
		{"empty transaction", params{{"tx", []byte{}}}},
		{"transaction that is null", params{{"tx", nil}}},
		{"transaction in hexadecimal with 0x", params{{"tx", "0x0a0b"}}},
		{"transaction that is a number", params{{"tx", 5}}},
		{"without a transaction", params{}},
	} {
		if err := r.broadcast.take(ctx, r.Chain, rubbish.name, "broadcast_tx_sync", rubbish.with); err != nil {
			return err
		}
	}
	return nil
}

// tapeSimulations records the gas and the errors of simulated transactions.
func (r *recorder) tapeSimulations(ctx context.Context) error {
	validator, err := r.validator(ctx)
	if err != nil {
		return err
	}
	number, sequence, err := r.account(ctx, r.User)
	if err != nil {
		return err
	}
	coin, first := r.Denom, r.Vouchers[0].Denom
	userDraft := func(arguments ...string) draft { return draft{from: r.User, arguments: arguments} }
	transfer := func(channel, amount string) draft {
		return userDraft("ibc-transfer", "transfer", "transfer", channel, "counterparty1receiver", amount)
	}
	late := userDraft(send(r.User, r.Other.Address, "1"+coin)...)
	late.offline, late.number, late.sequence = true, number, sequence+7
	unfunded := draft{from: r.Empty, arguments: send(r.Empty, r.User.Address, "1"+coin), offline: true}
	for _, s := range []struct {
		name string
		draft
		signed bool
	}{
		{"coin", userDraft(send(r.User, r.Other.Address, "1"+coin)...), false},
		{"coin, signed", userDraft(send(r.User, r.Other.Address, "1"+coin)...), true},
		{"coin, without gas and fee", userDraft(send(r.User, r.Other.Address, "1"+coin, "--gas", "0", "--fees", "0"+coin)...), false},
		{"voucher", userDraft(send(r.User, r.Other.Address, "1"+first)...), false},
		{"stake", userDraft("staking", "delegate", validator, "1"+coin), false},
		{"IBC", transfer(interop.HealthyChannel, "1"+coin), false},
		{"voucher over IBC", transfer(interop.HealthyChannel, "1"+first), false},
		{"IBC, expired client", transfer(interop.ExpiredChannel, "1"+coin), false},
		{"IBC, frozen client", transfer(interop.FrozenChannel, "1"+coin), false},
		{"IBC, closed channel", transfer(interop.ClosedChannel, "1"+coin), false},
		{"more than it has", userDraft(send(r.User, r.Other.Address, interop.Plenty+coin)...), false},
		{"fee is more than it has", userDraft(send(r.User, r.Other.Address, "1"+coin, "--fees", "99999999999"+coin)...), false},
		{"has no coin for the fee", draft{from: r.Poor, arguments: send(r.Poor, r.Other.Address, "1"+first)}, false},
		{"more than it may spend", draft{from: r.Vesting, arguments: send(r.Vesting, r.User.Address, interop.Half+coin)}, false},
		{"no such account", unfunded, false},
		{"sequence of the future", late, false},
	} {
		raw, err := r.sign(ctx, s.draft)
		if err == nil && !s.signed {
			raw, err = unsign(raw)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		const transaction = 2 // of SimulateRequest; 1 is deprecated
		if err := r.ask(ctx, &r.broadcast, "simulate: "+s.name, "/cosmos.tx.v1beta1.Service/Simulate", bytesField(nil, transaction, raw)); err != nil {
			return err
		}
	}
	return r.ask(ctx, &r.broadcast, "simulate: no transaction", "/cosmos.tx.v1beta1.Service/Simulate", bytesField(nil, 2, "rubbish"))
}

// tapeBare records the responses of a node of another chain without a gRPC server.
func (r *recorder) tapeBare(ctx context.Context) (err error) {
	bare, err := interop.Settings{NoGRPC: true}.Start(ctx, r.Kind)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.Stop()) }()
	b := &recorder{Chain: bare}
	raw, err := b.sign(ctx, draft{from: b.User, arguments: send(b.User, b.Other.Address, "1"+b.Denom)})
	if err != nil {
		return err
	}
	return b.ask(ctx, &r.broadcast, "simulate: on a node without gRPC", "/cosmos.tx.v1beta1.Service/Simulate", bytesField(nil, 2, raw))
}

// ask records an abci_query as a wallet sends it.
func (r *recorder) ask(ctx context.Context, on *tape, name, path string, data []byte) error {
	return on.take(ctx, r.Chain, name, "abci_query", params{{"path", path}, {"data", fmt.Sprintf("%x", data)}, {"prove", false}})
}

// found decodes the result of a recorded response.
func (e entry) found(result any) error {
	return json.Unmarshal(e.Response, &struct{ Result any }{result})
}
