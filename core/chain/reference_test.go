package chain_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// reference answers every query about a chain from its blocks alone. It is slow: it stores
// lists, sorts and sums, and has neither keys nor undo data.
type reference struct {
	blocks   []*wire.Block // starting at height 1
	coins    map[wire.OutPoint]consensus.Coin
	all      map[wire.OutPoint]consensus.Coin // includes spent outputs
	spenders map[wire.OutPoint]chain.Spender
	events   map[chain.Address][]chain.Event
	txs      map[wire.Hash]chain.Located
	tokens   map[wire.Hash]chain.Token
	old      []wire.Hash // tokens listed by a payment to the module's plain address
	totals   []chain.Totals
	owners   map[chain.Address]bool
	moves    map[wire.Hash][]chain.TokenTx // by token
	movesOf  map[owned][]chain.TokenTx
	keys     map[chain.Address]token.Key
}

// owned identifies an address and a token that it holds.
type owned struct {
	id    wire.Hash
	owner chain.Address
}

func newReference(blocks ...*wire.Block) *reference {
	r := &reference{blocks: blocks, coins: map[wire.OutPoint]consensus.Coin{}, all: map[wire.OutPoint]consensus.Coin{},
		spenders: map[wire.OutPoint]chain.Spender{}, events: map[chain.Address][]chain.Event{},
		txs: map[wire.Hash]chain.Located{}, tokens: map[wire.Hash]chain.Token{}, owners: map[chain.Address]bool{},
		moves: map[wire.Hash][]chain.TokenTx{}, movesOf: map[owned][]chain.TokenTx{}, keys: map[chain.Address]token.Key{}}
	total := chain.Totals{Known: true}
	for i, b := range blocks {
		total.Delta, total.BurnedDelta = 0, 0
		for position, tx := range b.Txs {
			r.tx(tx, i+1, position, b.Hash(), &total)
		}
		total.Value, total.Burned = total.Value+total.Delta, total.Burned+total.BurnedDelta
		r.totals = append(r.totals, total)
	}
	return r
}

func (r *reference) tx(tx *wire.Tx, height, position int, block wire.Hash, total *chain.Totals) {
	id := tx.ID()
	r.txs[id] = chain.Located{Raw: tx.Encode(), Height: height, Position: position, Block: block}
	var spent []token.Coin
	changes, created := map[owned]int64{}, []wire.Hash{}
	change := func(coin consensus.Coin, sign int64) {
		if coin.Claim == token.Backed {
			changes[owned{coin.TokenID, chain.AddressesOf(coin.Script)[0]}] += sign * coin.Value
		}
	}
	event := func(pkScript []byte, i int, value int64, spending bool) {
		for _, a := range chain.AddressesOf(pkScript) {
			r.owners[a] = true
			r.events[a] = append(r.events[a], chain.Event{Height: height, Position: position, TxID: id, Index: i, Value: value, Spending: spending})
		}
	}
	if !tx.IsCoinbase() {
		for i, in := range tx.Inputs {
			coin := r.coins[in.PrevOut]
			delete(r.coins, in.PrevOut)
			change(coin, -1)
			spent = append(spent, coin.Coin)
			r.spenders[in.PrevOut] = chain.Spender{TxID: id, Input: i, Height: height}
			event(coin.Script, i, -coin.Value, true)
			total.Delta -= coin.Value
		}
	}
	moves := token.Examine(tx, id, spent, func(id wire.Hash) (token.Creation, bool) {
		t, ok := r.tokens[id]
		return t.Creation, ok
	})
	r.show(tx, moves.NFT())
	for i, out := range tx.Outputs {
		event(out.Script, i, out.Value, false)
		if script.IsUnspendable(out.Script) {
			total.BurnedDelta += out.Value
			continue
		}
		total.Delta += out.Value
		r.keep(tx, moves, i, height)
		change(r.coins[wire.OutPoint{Hash: id, Index: uint32(i)}], 1)
	}
	if moves.Creates() {
		created = append(created, id)
		r.tokens[id] = chain.Token{Payload: moves.Payload, Creation: moves.Payload.Creation(), Supply: moves.Supply(), Height: height}
		for _, out := range tx.Outputs {
			if class := script.Classify(out.Script); class.Type == script.TypePubKeyHash && class.Addresses[0].String() == oldMarker {
				r.old = append(r.old, id)
			}
		}
	}
	r.move(chain.TokenTx{TxID: id, Height: height, Position: position}, changes, created)
}

// move records the changes of a transaction, and the tokens that it creates.
func (r *reference) move(tx chain.TokenTx, changes map[owned]int64, created []wire.Hash) {
	amounts := map[wire.Hash]int64{}
	for _, id := range created {
		amounts[id] = 0
	}
	for moved, change := range changes {
		amounts[moved.id] += max(change, 0)
		tx.Amount = change
		r.movesOf[moved] = append(r.movesOf[moved], tx)
	}
	for id, amount := range amounts {
		tx.Amount = amount
		r.moves[id] = append(r.moves[id], tx)
	}
}

// show records the public keys in a transaction. These are all 33 bytes, at any place except in
// scripts with several keys, that follow their length and begin like a key. nft is the code that
// guards the token of tx; 0 means that there is no such code.
func (r *reference) show(tx *wire.Tx, nft byte) {
	var texts [][]byte
	for _, in := range tx.Inputs {
		texts = append(texts, in.ScriptSig)
	}
	for _, out := range tx.Outputs {
		if script.Classify(out.Script).Type != script.TypeMultiSig {
			texts = append(texts, out.Script)
		}
	}
	for _, text := range texts {
		for i := 1; i+33 <= len(text); i++ {
			if text[i-1] == 33 && (text[i] == 2 || text[i] == 3) {
				key := token.Key(text[i : i+33])
				r.keys[chain.Address{Kind: chain.KeyAddress, Hash: script.Hash160(key[:])}] = key
				r.keys[chain.AddressesOf(token.Script([]byte{token.Eval}, key))[0]] = key
				if nft != 0 {
					r.keys[chain.AddressesOf(token.Script(token.HolderCodes(nft), key))[0]] = key
				}
			}
		}
	}
}

func (r *reference) keep(tx *wire.Tx, moves *token.Transfers, i, height int) {
	coin := consensus.Coin{Height: height, Coinbase: tx.IsCoinbase(), Listed: moves.Creates() && token.IsMarker(tx.Outputs[i].Script)}
	coin.Value, coin.Script = tx.Outputs[i].Value, tx.Outputs[i].Script
	if moves.Claims != nil && moves.Claims[i] != token.None {
		coin.Claim, coin.TokenID = moves.Claims[i], moves.TokenID
	}
	out := wire.OutPoint{Hash: tx.ID(), Index: uint32(i)}
	r.coins[out], r.all[out] = coin, coin
}

// requireIndexes compares every index of a chain with the results computed from its blocks.
func requireIndexes(t *testing.T, m *chain.Manager, blocks ...*wire.Block) {
	t.Helper()
	r := newReference(blocks...)
	require.NoError(t, m.Read(t.Context(), func(v *chain.View) error {
		require.Equal(t, len(blocks), v.Tip().Height)
		r.checkBlocks(t, v)
		r.checkTxs(t, v)
		r.checkCoins(t, v)
		for a := range r.owners {
			r.checkAddress(t, v, a)
		}
		r.checkTokens(t, v)
		return v.Err()
	}))
}

func (r *reference) checkBlocks(t *testing.T, v *chain.View) {
	for i, b := range r.blocks {
		hash, err := v.HashAt(i + 1)
		require.NoError(t, err)
		require.Equal(t, b.Hash(), hash)
		record, err := v.Record(hash)
		require.NoError(t, err)
		require.Equal(t, r.totals[i], record.Totals)
		require.True(t, v.InChain(hash, record))
		raw, err := v.RawBlock(hash)
		require.NoError(t, err)
		require.Equal(t, b.Encode(), raw)
		var times []uint32
		for _, earlier := range r.blocks[max(0, i-10) : i+1] {
			times = append(times, earlier.Time)
		}
		if i >= 10 { // below this height, genesis is among the eleven blocks
			slices.Sort(times)
			median, err := v.MedianTime(hash, record)
			require.NoError(t, err)
			require.Equal(t, times[5], median)
		}
	}
	for _, height := range []int{-1, len(r.blocks) + 1} {
		_, err := v.HashAt(height)
		require.ErrorIs(t, err, chain.ErrNotFound)
	}
}

func (r *reference) checkTxs(t *testing.T, v *chain.View) {
	for id, want := range r.txs {
		got, err := v.Tx(id)
		require.NoError(t, err)
		require.Equal(t, want, got)
		known, err := v.HasTx(id)
		require.NoError(t, err)
		require.True(t, known)
		unspent := false
		for out := range r.coins {
			unspent = unspent || out.Hash == id
		}
		has, err := v.HasCoins(id)
		require.NoError(t, err)
		require.Equal(t, unspent, has)
	}
	_, err := v.Tx(wire.Hash{1})
	require.ErrorIs(t, err, chain.ErrNotFound)
}

func (r *reference) checkCoins(t *testing.T, v *chain.View) {
	for out, coin := range r.all {
		_, unspent := r.coins[out]
		found, ok, err := v.Coins(out, wire.OutPoint{Hash: out.Hash, Index: 1 << 20})
		require.NoError(t, err)
		require.Equal(t, []bool{unspent, false}, ok)
		if unspent {
			require.Equal(t, coin, found[0])
		}
		spender, spent, err := v.Spender(out)
		require.NoError(t, err)
		require.Equal(t, !unspent, spent)
		require.Equal(t, r.spenders[out], spender)
	}
}

// unspent returns the coins of an address, in the order of komodod's index.
func (r *reference) unspent(a chain.Address, which func(consensus.Coin) bool) (list []chain.Unspent) {
	for out, coin := range r.coins {
		if which(coin) && slices.Contains(chain.AddressesOf(coin.Script), a) {
			list = append(list, chain.Unspent{Out: out, Value: coin.Value, Height: coin.Height})
		}
	}
	slices.SortFunc(list, func(a, b chain.Unspent) int { return slices.Compare(a.Out.Append(nil), b.Out.Append(nil)) })
	return list
}

func (r *reference) checkAddress(t *testing.T, v *chain.View, a chain.Address) {
	var received int64
	events := slices.Clone(r.events[a])
	slices.SortStableFunc(events, func(a, b chain.Event) int {
		return cmp.Or(cmp.Compare(a.Height, b.Height), cmp.Compare(a.Position, b.Position), cmp.Compare(a.Index, b.Index))
	})
	for _, e := range events {
		if !e.Spending {
			received += e.Value
		}
	}
	var balance int64
	want := r.unspent(a, func(consensus.Coin) bool { return true })
	for _, e := range events {
		balance += e.Value
	}
	gotBalance, gotReceived, err := v.Balance(a)
	require.NoError(t, err)
	require.Equal(t, []int64{balance, received}, []int64{gotBalance, gotReceived})
	require.Equal(t, want, slices.Collect(v.Unspent(a)))
	for _, from := range []int{0, 1, len(r.blocks) / 2, len(r.blocks) + 1} {
		later := slices.DeleteFunc(slices.Clone(events), func(e chain.Event) bool { return e.Height < from })
		got := slices.Collect(v.History(a, from))
		if len(later) > 0 || len(got) > 0 {
			require.Equal(t, sides(later), sides(got))
		}
	}
}

// sides sorts events with equal index so that receiving comes before spending, as in the index.
func sides(events []chain.Event) []chain.Event {
	slices.SortStableFunc(events, func(a, b chain.Event) int {
		order := cmp.Or(cmp.Compare(a.Height, b.Height), cmp.Compare(a.Position, b.Position), cmp.Compare(a.Index, b.Index))
		if order == 0 && a.Spending != b.Spending {
			return cmp.Compare(b.Value, a.Value)
		}
		return order
	})
	return events
}

// checkPages reads the tokens in pages, which must contain each token once, in the order of the
// whole list.
func checkPages(t *testing.T, v *chain.View, all []wire.Hash) {
	t.Helper()
	var each []wire.Hash
	for _, id := range all {
		if !slices.Contains(each, id) {
			each = append(each, id)
		}
	}
	for _, size := range []int{1, 2, len(all) + 1} {
		var read []wire.Hash
		for after := (*wire.Hash)(nil); ; after = &read[len(read)-1] {
			page, err := v.TokensAfter(after, size)
			require.NoError(t, err)
			require.LessOrEqual(t, len(page), size)
			if len(page) == 0 {
				break
			}
			read = append(read, page...)
		}
		require.Equal(t, each, read, "pages of %d", size)
	}
	_, err := v.TokensAfter(&wire.Hash{1}, 1)
	require.ErrorIs(t, err, chain.ErrNotFound)
}

func (r *reference) checkTokens(t *testing.T, v *chain.View) {
	var listed []wire.OutPoint
	for out, coin := range r.coins {
		if coin.Listed {
			listed = append(listed, out)
		}
	}
	slices.SortFunc(listed, func(a, b wire.OutPoint) int { return slices.Compare(a.Append(nil), b.Append(nil)) })
	want := slices.Clone(r.old)
	for _, out := range listed {
		want = append(want, out.Hash)
	}
	got, err := v.Tokens()
	require.NoError(t, err)
	require.Equal(t, want, got)
	checkPages(t, v, want)
	for id, token := range r.tokens {
		found, err := v.Token(id)
		require.NoError(t, err)
		require.Equal(t, token, found)
		creation, ok := v.Creation(id)
		require.True(t, ok)
		require.Equal(t, token.Creation, creation)
		for a := range r.owners {
			r.checkHolder(t, v, id, a)
			r.checkTokenTxs(t, v, id, &a, r.movesOf[owned{id, a}])
		}
		r.checkHolders(t, v, id)
		r.checkTokenTxs(t, v, id, nil, r.moves[id])
	}
	for a := range r.owners {
		want, revealed := r.keys[a]
		key, known := v.PublicKey(a)
		require.Equal(t, revealed, known, "%v", a.Text())
		require.Equal(t, want, key)
	}
	_, err = v.Token(wire.Hash{1})
	require.ErrorIs(t, err, chain.ErrNotFound)
}

func (r *reference) checkHolder(t *testing.T, v *chain.View, id wire.Hash, a chain.Address) {
	held := r.unspent(a, func(c consensus.Coin) bool { return c.Claim == token.Backed && c.TokenID == id })
	var sum int64
	for i := range held {
		sum += held[i].Value
		held[i].Height = 0 // the index of tokens has no heights
	}
	got, err := v.TokenBalance(id, a)
	require.NoError(t, err)
	require.Equal(t, sum, got)
	require.Equal(t, held, slices.Collect(v.TokenUnspent(id, a)))
}

// checkHolders compares the holders of a token, in pages of several sizes.
func (r *reference) checkHolders(t *testing.T, v *chain.View, id wire.Hash) {
	balances := map[chain.Address]int64{}
	for _, c := range r.coins {
		if c.Claim == token.Backed && c.TokenID == id && c.Value > 0 {
			balances[chain.AddressesOf(c.Script)[0]] += c.Value
		}
	}
	want := []chain.Holder{}
	for a, balance := range balances {
		key, known := r.keys[a]
		want = append(want, chain.Holder{Address: a, Balance: balance, Key: key, Known: known})
	}
	slices.SortFunc(want, func(a, b chain.Holder) int { return slices.Compare(a.Address.Hash[:], b.Address.Hash[:]) })
	for _, size := range []int{1, 2, len(want) + 1} {
		got, after := []chain.Holder{}, (*chain.Address)(nil)
		for {
			page, err := v.Holders(id, after, size)
			require.NoError(t, err)
			if len(page) == 0 {
				break
			}
			got, after = append(got, page...), &page[len(page)-1].Address
		}
		require.Equal(t, want, got, "pages of %d", size)
	}
	count, err := v.HolderCount(id)
	require.NoError(t, err)
	require.EqualValues(t, len(want), count)
}

// checkTokenTxs compares the transactions of a token, or of one of its holders, in pages and from
// every height.
func (r *reference) checkTokenTxs(t *testing.T, v *chain.View, id wire.Hash, holder *chain.Address, want []chain.TokenTx) {
	for _, size := range []int{1, len(want) + 1} {
		var got []chain.TokenTx
		for after := (*wire.Hash)(nil); ; after = &got[len(got)-1].TxID {
			page, err := v.TokenTxs(id, holder, after, 0, size)
			require.NoError(t, err)
			if len(page) == 0 {
				break
			}
			got = append(got, page...)
		}
		require.Equal(t, want, got, "pages of %d", size)
	}
	for height := range len(r.blocks) + 2 {
		later := slices.DeleteFunc(slices.Clone(want), func(tx chain.TokenTx) bool { return tx.Height < height })
		got, err := v.TokenTxs(id, holder, nil, height, len(want)+1)
		require.NoError(t, err)
		if len(later) > 0 || len(got) > 0 {
			require.Equal(t, later, got, "from height %d", height)
		}
	}
	_, err := v.TokenTxs(id, holder, &wire.Hash{1}, 0, 1)
	require.ErrorIs(t, err, chain.ErrNotFound)
}
