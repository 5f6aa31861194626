package main

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"obverse/native/test/interop"
)

// step is a transaction that the chain's program sends.
type step struct {
	name      string
	from      interop.Account
	arguments []string
	fails     bool // whether it fails in its block
}

func send(from interop.Account, to, amount string, flags ...string) []string {
	return append([]string{"bank", "send", from.Address, to, amount}, flags...)
}

// newcomer returns an address that has never received anything.
func newcomer(kind interop.Kind) string {
	if kind == interop.Iris {
		return "iaa1erfnkjsmalkwtvj44qnfr2drfzdt4n9ldh0kjv"
	}
	return "cosmos1aghdjgt5gzntzqgdxdzhjfry90upmtfsy2wuwp"
}

// playStory sends transactions, so that the user's account has a history with everything that a
// wallet displays.
func (r *recorder) playStory(ctx context.Context) error {
	validator, err := r.validator(ctx)
	if err != nil {
		return err
	}
	coin, first, second := r.Denom, r.Vouchers[0].Denom, r.Vouchers[1].Denom
	ibc := func(channel, amount string) []string {
		return []string{"ibc-transfer", "transfer", "transfer", channel, "counterparty1receiver", amount}
	}
	for _, s := range []step{
		{"coin out, with memo", r.User, send(r.User, r.Other.Address, "1000000"+coin, "--note", "Grüße, \"first\" <memo> & 🚀"), false},
		{"coin in", r.Other, send(r.Other, r.User.Address, "2500000"+coin), false},
		{"voucher out", r.User, send(r.User, r.Other.Address, "3000000"+first), false},
		{"voucher in", r.Other, send(r.Other, r.User.Address, "4000000"+first), false},
		{"beyond 64 bits out", r.User, send(r.User, r.Other.Address, "100000000000000000000000000"+second), false},
		{"beyond 64 bits in", r.Other, send(r.Other, r.User.Address, "36893488147419103232"+second), false},
		{"to itself", r.User, send(r.User, r.User.Address, "5"+coin), false},
		{"coin and voucher in one message", r.User, send(r.User, r.Other.Address, "6"+coin+",7"+first), false},
		{"to a new account", r.User, send(r.User, newcomer(r.Kind), "8"+first), false},
		{"more than it has", r.User, send(r.User, r.Other.Address, interop.Plenty+coin), true},
		{"out of gas in its message", r.User, send(r.User, r.Other.Address, "9"+coin+",9"+first+",9"+second, "--gas", "75000"), true},
		{"stake", r.User, []string{"staking", "delegate", validator, "5000000" + coin}, false},
		{"reward", r.User, []string{"distribution", "withdraw-rewards", validator}, false},
		{"stake back", r.User, []string{"staking", "unbond", validator, "1000000" + coin}, false},
		{"over IBC", r.User, ibc(interop.HealthyChannel, "10"+coin), false},
		{"voucher over IBC", r.User, ibc(interop.HealthyChannel, "11"+first), false},
		{"over IBC by an expired client", r.User, ibc(interop.ExpiredChannel, "12"+coin), true},
		{"grant, which moves no coin but its fee", r.User, []string{"feegrant", "grant", r.User.Address, r.Poor.Address}, false},
		{"amino", r.User, send(r.User, r.Other.Address, "13"+coin, "--sign-mode", "amino-json"), false},
	} {
		tx, err := r.Tx(ctx, s.from, s.arguments...)
		if s.fails != errors.Is(err, interop.ErrRefused) || !s.fails && err != nil {
			return fmt.Errorf("%s: fails %v, but %w", s.name, s.fails, err)
		}
		r.add(s.name, tx)
	}
	return r.sendDrafts(ctx)
}

func (r *recorder) add(name string, tx interop.Tx) {
	r.transactions = append(r.transactions, storyTx{name, tx.Hash, tx.Height, tx.Code, tx.Codespace})
	r.heights[tx.Height] = true
}

func (r *recorder) validator(ctx context.Context) (string, error) {
	text, err := r.CLI(ctx, "keys", "show", r.Validator.Name, "--bech", "val", "--address", "--keyring-backend", "test")
	return strings.TrimSpace(text), err
}

func coins(amount, denom string) []any {
	return []any{map[string]any{"amount": amount, "denom": denom}}
}

// sendDrafts sends the transactions for which the chain's program has no command.
func (r *recorder) sendDrafts(ctx context.Context) error {
	coin := r.Denom
	multi := func(payer interop.Account, outputs ...interop.Account) func([]any) []any {
		return func([]any) []any {
			var to []any
			for n, account := range outputs {
				to = append(to, map[string]any{"address": account.Address, "coins": coins(fmt.Sprint(n+1), coin)})
			}
			total := fmt.Sprint(len(outputs) * (len(outputs) + 1) / 2)
			from := []any{map[string]any{"address": payer.Address, "coins": coins(total, coin)}}
			return []any{map[string]any{"@type": "/cosmos.bank.v1beta1.MsgMultiSend", "inputs": from, "outputs": to}}
		}
	}
	another := func(messages []any) []any {
		return append(messages, map[string]any{"@type": "/cosmos.bank.v1beta1.MsgSend", "from_address": r.User.Address,
			"to_address": r.Passphrase.Address, "amount": coins("15", r.Vouchers[0].Denom)})
	}
	for _, d := range []struct {
		name string
		draft
	}{
		{"multi-send out", draft{from: r.User, arguments: send(r.User, r.Other.Address, "1"+coin), rewrite: multi(r.User, r.Other, r.Poor)}},
		{"multi-send in", draft{from: r.Other, arguments: send(r.Other, r.User.Address, "1"+coin), rewrite: multi(r.Other, r.Poor, r.User, r.Passphrase)}},
		{"two messages", draft{from: r.User, arguments: send(r.User, r.Other.Address, "14"+coin), rewrite: another}},
	} {
		raw, err := r.sign(ctx, d.draft)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		if err := r.commit(ctx, d.name, raw); err != nil {
			return err
		}
	}
	return r.sendNeighbours(ctx)
}

// sendNeighbours sends two transactions for the same block.
func (r *recorder) sendNeighbours(ctx context.Context) error {
	out, err := r.sign(ctx, draft{from: r.User, arguments: send(r.User, r.Other.Address, "16"+r.Denom)})
	if err != nil {
		return err
	}
	in, err := r.sign(ctx, draft{from: r.Other, arguments: send(r.Other, r.User.Address, "17"+r.Denom)})
	if err != nil {
		return err
	}
	height, err := r.Height(ctx)
	if err != nil {
		return err
	}
	if err := r.WaitHeight(ctx, height+1); err != nil {
		return err
	}
	for _, raw := range [][]byte{out, in} {
		if _, err := r.post(ctx, raw); err != nil {
			return err
		}
	}
	if err := r.await(ctx, "out, in one block with the next", out); err != nil {
		return err
	}
	return r.await(ctx, "in, in one block with the last", in)
}

// commit sends a transaction and waits until it is in a block.
func (r *recorder) commit(ctx context.Context, name string, raw []byte) error {
	if _, err := r.post(ctx, raw); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return r.await(ctx, name, raw)
}

// post sends a transaction, which must be accepted, without recording it.
func (r *recorder) post(ctx context.Context, raw []byte) (hash string, err error) {
	var answer struct {
		Code      int
		Log, Hash string
	}
	err = r.Call(ctx, &answer, "broadcast_tx_sync", params{{"tx", raw}})
	if err == nil && answer.Code != 0 {
		err = fmt.Errorf("%w: code %d: %s", interop.ErrRefused, answer.Code, answer.Log)
	}
	return answer.Hash, err
}

// await waits for a transaction and adds it to the story.
func (r *recorder) await(ctx context.Context, name string, raw []byte) error {
	id := hash(raw)
	for range 100 {
		var tx struct {
			Height int64 `json:"height,string"`
			Result struct {
				Code      int
				Codespace string
			} `json:"tx_result"`
		}
		if r.Call(ctx, &tx, "tx", params{{"hash", base64.StdEncoding.EncodeToString(id)}}) == nil {
			r.add(name, interop.Tx{Height: tx.Height, Hash: strings.ToUpper(hex.EncodeToString(id)), Code: tx.Result.Code,
				Codespace: tx.Result.Codespace})
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s does not get into a block", name)
}
