package wallet_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/core/store/bunt"
)

// TestKomododBuilds repeats every recorded call on the same chain with the same mempool, and
// compares every byte and every error.
func TestKomododBuilds(t *testing.T) {
	total := tally{}
	for _, r := range recordings(t) {
		t.Run(r.source, func(t *testing.T) {
			p := newReplay(t, r)
			for _, s := range r.steps {
				p.take(s)
			}
			require.Positive(t, p.built)
			if strings.HasPrefix(r.source, "testdata") {
				total.built += p.built
				total.excused += p.excused
				total.failed += p.failed
			}
		})
	}
	require.Equal(t, tally{built: 106, excused: 6, failed: 46}, total)
}

// tally counts the comparisons.
type tally struct {
	built   int // number of transactions
	excused int // number of transactions with one part taken from komodod; see replay.build
	failed  int // number of errors
}

// replay replays a recording.
type replay struct {
	t      *testing.T
	chain  *chaintest.Chain
	blocks [][]byte
	mined  map[wire.Hash]mined
	pool   pool

	tally
}

// mined is a transaction in a block, with the block's height.
type mined struct {
	*wire.Tx
	height int
}

func newReplay(t *testing.T, r recording) *replay {
	chainParams, err := params.New(r.options)
	require.NoError(t, err)
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	p := &replay{t: t, chain: chaintest.New(t, kv, chainParams), blocks: r.blocks, mined: map[wire.Hash]mined{}}
	for height, raw := range r.blocks {
		block, err := wire.DecodeBlock(raw)
		require.NoError(t, err)
		for _, tx := range block.Txs {
			p.mined[tx.ID()] = mined{tx, height}
		}
	}
	return p
}

func (p *replay) take(s step) {
	p.advance(s)
	switch {
	case s.method == sent:
		p.send(s)
	case s.error != "":
		p.fail(s)
	default:
		p.build(s)
	}
}

// advance connects the blocks up to the time of a call. Every block included the whole mempool,
// except for transactions that no block includes.
func (p *replay) advance(s step) {
	if s.tip < 0 && s.method == "tokentransfer" {
		id, err := wire.ParseHash(s.args[0])
		require.NoError(p.t, err, s.name)
		s.tip = p.mined[id].height
	}
	for height := p.chain.Tip().Height + 1; height <= s.tip; height++ {
		_, err := p.chain.Manager.Submit(p.t.Context(), p.blocks[height])
		require.NoError(p.t, err, s.name)
		p.pool = slices.DeleteFunc(p.pool, func(tx *wire.Tx) bool {
			at, mined := p.mined[tx.ID()]
			return mined && at.height <= height
		})
	}
}

// send adds a transaction to the mempool that a later block includes.
func (p *replay) send(s step) {
	id, err := wire.ParseHash(s.txid)
	require.NoError(p.t, err, s.name)
	tx, mined := p.mined[id]
	if !mined { // no block includes it
		tx.Tx = s.tx
	}
	if tx.Tx == nil {
		return // the recording does not contain it either
	}
	known := slices.ContainsFunc(p.pool, func(other *wire.Tx) bool { return other.ID() == id })
	if !known && (!mined || tx.height > p.chain.Tip().Height) {
		p.pool = append(p.pool, tx.Tx)
	}
}

// with calls build with the current state.
func (p *replay) with(s step, tweak func([]wallet.Coin) []wallet.Coin,
	build func(*wallet.Wallet, wallet.Source) (*wire.Tx, error)) (tx *wire.Tx, err error) {
	w := wallet.New(wallet.Config{Key: chaintest.Key(p.t, s.key).Private, Params: p.chain.Params(), DataCarrierSize: relayLimit})
	require.NoError(p.t, p.chain.Read(p.t.Context(), func(v *chain.View) error {
		tx, err = build(w, chainSource{v, p.pool, tweak})
		return nil
	}))
	return tx, err
}

// fail compares an error, if both programs interpret the arguments in the same way.
func (p *replay) fail(s step) {
	build, ok := fromArguments(s)
	if !ok {
		return
	}
	_, err := p.with(s, confirmed(p.chain.Tip().Height), build)
	if errors.Is(err, wallet.ErrRelay) {
		p.excused++ // komodod does not report this before the broadcast
		return
	}
	if !s.signs && s.error == string(wallet.ErrFee) {
		return // the address has coins, but komodod's wallet did not
	}
	require.EqualError(p.t, err, s.error, s.name)
	require.ErrorAs(p.t, err, new(wallet.Error))
	p.failed++
}

// fromArguments parses the arguments of a call. It returns false for arguments that komodod
// reads in part or as garbage.
func fromArguments(s step) (func(*wallet.Wallet, wallet.Source) (*wire.Tx, error), bool) {
	if s.method == "tokencreate" {
		return createFromArguments(append(s.args, "")[:3], s.args[3:])
	}
	id, idErr := wire.ParseHash(s.args[0])
	dest, destErr := wallet.ParseKey(s.args[1])
	amount, amountErr := number.ParseWhole(s.args[2])
	return func(w *wallet.Wallet, from wallet.Source) (*wire.Tx, error) {
		return w.TransferToken(from, id, dest, amount)
	}, idErr == nil && destErr == nil && amountErr == nil
}

func createFromArguments(args, data []string) (func(*wallet.Wallet, wallet.Source) (*wire.Tx, error), bool) {
	supply, err := number.ParseCoins(args[1])
	var bytes []byte
	for _, text := range data {
		bytes = []byte{}
		if b, err := hex.DecodeString(text); err == nil {
			bytes = b
		}
	}
	return func(w *wallet.Wallet, from wallet.Source) (*wire.Tx, error) {
		return w.CreateToken(from, args[0], supply, args[2], bytes)
	}, err == nil
}

// build compares a transaction. It derives the arguments from the recorded transaction, so that
// calls whose arguments komodod interprets differently are included.
func (p *replay) build(s step) {
	want := decodeTx(p.t, s.hex)
	build, ok := fromTransaction(p.t, want)
	if !ok {
		return // the key is invalid
	}
	if p.isTooLong(s, want, build) {
		p.excused++
		return
	}
	tweak := p.komododList(s.method)
	first, _ := p.coin(want.Inputs[0].PrevOut)
	mine := slices.Contains(chain.AddressesOf(first.Script), chaintest.Key(p.t, s.key).Address())
	switch height := p.chain.Tip().Height + 1; {
	case !mine || !s.signs:
		tweak = only(first, chaintest.Key(p.t, s.key).PubKey(), tweak, mine)
		p.excused++
	case first.Coinbase && height-first.Height < p.chain.Params().Maturity:
		_, err := p.with(s, tweak, build)
		require.True(p.t, err == nil || err == wallet.ErrCoins, s.name) // the token is still unconfirmed, or another coin is chosen
		tweak = ripe
		p.excused++
	}
	got, err := p.with(s, tweak, build)
	require.NoError(p.t, err, s.name)
	for i := range want.Inputs {
		if !s.signs || !mine && i == 0 {
			want.Inputs[i].ScriptSig, got.Inputs[i].ScriptSig = nil, nil
		}
	}
	require.Equal(p.t, hex.EncodeToString(want.Encode()), hex.EncodeToString(got.Encode()), s.name)
	p.built++
}

// isTooLong reports whether no node would relay the creation, which the wallet refuses to
// build.
func (p *replay) isTooLong(s step, want *wire.Tx, build func(*wallet.Wallet, wallet.Source) (*wire.Tx, error)) bool {
	if p.chain.Params().Regtest || len(want.Outputs[len(want.Outputs)-1].Script) <= relayLimit {
		return false
	}
	_, err := p.with(s, nil, build)
	require.ErrorIs(p.t, err, wallet.ErrRelay, s.name)
	return true
}

// fromTransaction derives the arguments of a call from its transaction.
func fromTransaction(t *testing.T, tx *wire.Tx) (func(*wallet.Wallet, wallet.Source) (*wire.Tx, error), bool) {
	payload, err := token.DecodePayload(tx.Outputs[len(tx.Outputs)-1].Script)
	require.NoError(t, err)
	if payload.Func == token.Create {
		return func(w *wallet.Wallet, from wallet.Source) (*wire.Tx, error) {
			return w.CreateToken(from, payload.Name, tx.Outputs[1].Value, payload.Description, payload.Blob(token.NFTData))
		}, true
	}
	if len(payload.Keys) == 0 {
		return nil, false
	}
	if _, err := wallet.ParseKey(hex.EncodeToString(payload.Keys[0][:])); err != nil {
		return nil, false
	}
	return func(w *wallet.Wallet, from wallet.Source) (*wire.Tx, error) {
		return w.TransferToken(from, payload.TokenID, payload.Keys[0], tx.Outputs[0].Value)
	}, true
}

// coin returns an output of the chain or the pool.
func (p *replay) coin(out wire.OutPoint) (c wallet.Coin, ok bool) {
	for _, tx := range p.pool {
		if tx.ID() == out.Hash {
			o := tx.Outputs[out.Index]
			return wallet.Coin{Out: out, Value: o.Value, Script: o.Script, Height: p.chain.Tip().Height + 1}, true
		}
	}
	require.NoError(p.t, p.chain.Read(p.t.Context(), func(v *chain.View) error {
		coins, found, err := v.Coins(out)
		c, ok = wallet.Coin{Out: out, Value: coins[0].Value, Script: coins[0].Script, Height: coins[0].Height,
			Coinbase: coins[0].Coinbase}, found[0]
		return err
	}))
	return c, ok
}

// komododList lists plain coins in komodod's order: for a creation the coins of the chain, for
// a transfer all coins of its wallet by txid, whereas this wallet prefers the coins of the
// chain.
func (p *replay) komododList(method string) func([]wallet.Coin) []wallet.Coin {
	if method == "tokencreate" {
		return confirmed(p.chain.Tip().Height)
	}
	return func(coins []wallet.Coin) []wallet.Coin {
		slices.SortStableFunc(coins, func(a, b wallet.Coin) int {
			return bytes.Compare(a.Out.Hash[:], b.Out.Hash[:])
		})
		return coins
	}
}

// confirmed returns a filter that removes the coins of the pool.
func confirmed(tip int) func([]wallet.Coin) []wallet.Coin {
	return func(coins []wallet.Coin) []wallet.Coin {
		return slices.DeleteFunc(coins, func(c wallet.Coin) bool { return c.Height > tip })
	}
}

// ripe marks every coinbase as an ordinary coin. The chain contains all of them.
func ripe(coins []wallet.Coin) []wallet.Coin {
	for i := range coins {
		coins[i].Coinbase = false
	}
	return coins
}

// only returns a list with a single coin that another key of komodod's wallet owned, as if the
// wallet owned it, so that everything but the signature is the same. If mine is set, it returns
// list.
func only(coin wallet.Coin, pkScript []byte, list func([]wallet.Coin) []wallet.Coin, mine bool) func([]wallet.Coin) []wallet.Coin {
	if mine {
		return list
	}
	coin.Script = pkScript
	return func([]wallet.Coin) []wallet.Coin { return []wallet.Coin{coin} }
}

// TestKomododDataCodes builds a token for every recorded first byte of non-fungible data, and
// its transfer.
func TestKomododDataCodes(t *testing.T) {
	eachFile(t, func(path string, content []byte) {
		if filepath.Base(path) != "nft-evalcodes.json" {
			return
		}
		var cases []struct {
			FirstByte string `json:"first_byte"`
			Create    string `json:"create_hex"`
			Transfer  string `json:"tokentransfer_body"`
		}
		require.NoError(t, json.Unmarshal(content, &cases))
		require.NotEmpty(t, cases)
		for _, c := range cases {
			t.Run(c.FirstByte, func(t *testing.T) {
				creation := decodeTx(t, c.Create)
				rebuild(t, creation, nil)
				var answer struct{ Result struct{ Hex, Error string } }
				require.NoError(t, json.Unmarshal([]byte(c.Transfer), &answer))
				if answer.Result.Hex != "" {
					rebuild(t, decodeTx(t, answer.Result.Hex), creation)
					return
				}
				require.EqualValues(t, wallet.ErrNoTokens, answer.Result.Error)
				_, err := k1(t).TransferToken(holding(t, creation, 3), creation.ID(), chaintest.Key(t, 2).Token(), 1)
				require.ErrorIs(t, err, wallet.ErrNoTokens)
			})
		}
	})
}

// rebuild builds a transaction of K1 again from its own coin and, if it is a transfer, from the
// token that was created for it.
func rebuild(t *testing.T, want, creation *wire.Tx) {
	t.Helper()
	var in int64 = wallet.Fee
	for _, out := range want.Outputs {
		in += out.Value
	}
	source := &listSource{next: 1}
	if creation != nil {
		source = holding(t, creation, 1)
		in-- // the non-fungible token
	}
	source.coins = []wallet.Coin{{Out: want.Inputs[0].PrevOut, Value: in, Script: chaintest.Key(t, 1).PubKey()}}
	build, ok := fromTransaction(t, want)
	require.True(t, ok)
	got, err := build(k1(t), source)
	require.NoError(t, err)
	require.Equal(t, hex.EncodeToString(want.Encode()), hex.EncodeToString(got.Encode()))
}

// holding returns a source with output 1 of a creation and a coin for the fee.
func holding(t *testing.T, creation *wire.Tx, next int) *listSource {
	payload, err := token.DecodePayload(creation.Outputs[len(creation.Outputs)-1].Script)
	require.NoError(t, err)
	info, out := payload.Creation(), creation.Outputs[1]
	held := wallet.Coin{Out: wire.OutPoint{Hash: creation.ID(), Index: 1}, Value: out.Value, Script: out.Script}
	return &listSource{next: next, creation: &info,
		coins:  []wallet.Coin{{Value: wallet.Fee, Script: chaintest.Key(t, 1).PubKey()}},
		tokens: map[script.Address][]wallet.Coin{script.PubKeyAddress(out.Script): {held}}}
}

func k1(t *testing.T) *wallet.Wallet {
	return wallet.New(wallet.Config{Key: chaintest.Key(t, 1).Private,
		Params: chaintest.Params(t, "ac_name=TOKTEST ac_cc=2 ac_sapling=100 regtest=true")})
}

// TestKomododTransferCoins builds the recorded transfers from the coins in this wallet's order.
// komodod orders its coins by txid, including unconfirmed ones. If an unconfirmed coin comes
// first, another coin pays the fee; there must be no other difference.
func TestKomododTransferCoins(t *testing.T) {
	same, other := 0, 0
	for _, r := range recordings(t) {
		p := newReplay(t, r)
		for _, s := range r.steps {
			p.advance(s)
			if s.method == sent {
				p.send(s)
			}
			differs, compared := p.replayCoins(s)
			switch bundled := strings.HasPrefix(r.source, "testdata"); {
			case differs && bundled:
				other++
			case compared && bundled:
				same++
			}
		}
	}
	require.Equal(t, []int{63, 1}, []int{same, other})
}

// replayCoins builds a recorded transfer from the coins as they are, unless komodod's wallet
// paid for it with another key.
func (p *replay) replayCoins(s step) (differs, compared bool) {
	if s.method != "tokentransfer" || s.hex == "" || !s.signs {
		return false, false
	}
	want := decodeTx(p.t, s.hex)
	build, ok := fromTransaction(p.t, want)
	fee, _ := p.coin(want.Inputs[0].PrevOut)
	if !ok || !slices.Contains(chain.AddressesOf(fee.Script), chaintest.Key(p.t, s.key).Address()) {
		return false, false
	}
	got, err := p.with(s, nil, build)
	require.NoError(p.t, err, s.name)
	differs = hex.EncodeToString(want.Encode()) != hex.EncodeToString(got.Encode())
	require.Equal(p.t, differs, slices.ContainsFunc(want.Inputs, func(in wire.TxIn) bool {
		c, _ := p.coin(in.PrevOut)
		return c.Height > p.chain.Tip().Height
	}), s.name)
	return differs, true
}
