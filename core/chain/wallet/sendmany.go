package wallet

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

const (
	// MaxChain is the maximum number of transactions of a Payout that spend the change of one
	// another.
	MaxChain = 25

	payeesOfTx   = 2    // maximum number of keys that a transfer may pay by consensus
	maxBranches  = 800  // maximum number of branches of a fan-out, each of which has two outputs
	maxFanInputs = 250  // maximum number of token inputs, and of coin inputs
	scanned      = 2000 // number of outputs that largest compares at a time
)

// Sizes of the parts of a fan-out in bytes. They are upper bounds.
const (
	tokenInputSize = 165
	coinInputSize  = 150
	branchSize     = 57 + 44
	fanRestSize    = 400
)

// Payee is a key that receives tokens.
type Payee struct {
	Key    token.Key
	Amount int64
}

// Payout is a plan to pay many keys with short chains of dependent transactions. Each
// transaction pays at most two keys, since the consensus rules allow no more. The transactions
// of a branch spend the change of one another. Branches do not depend on one another.
type Payout struct {
	// Fan must be sent first. It splits the wallet's coins and tokens for the branches. It is
	// nil if there is one branch, which spends them directly.
	Fan      *wire.Tx
	Branches []*Branch
	Later    []Payee // payees that would require more outputs of the wallet than one transaction may spend
}

// Branch makes the transactions of a part of a Payout one after the other.
type Branch struct {
	w      *Wallet
	id     wire.Hash
	codes  []byte // codes of the outputs
	holder []byte // holder codes of the spent tokens
	height int
	gift   int64
	plain  []Coin
	tokens []Coin
	payees []Payee
}

// PayTokens returns a plan to pay tokens to many keys, and coins to each of them. gift is the
// number of satoshis for each key, and may be 0. It fails with an Error if the wallet has too
// few tokens or coins.
func (w *Wallet) PayTokens(from Source, id wire.Hash, payees []Payee, gift int64) (*Payout, error) {
	w = w.active()
	if !w.params.CCEnabled {
		return nil, ErrNoCC
	}
	creation, ok, err := from.Creation(id)
	if err != nil {
		return nil, err
	} else if !ok {
		return nil, ErrNoTokens
	}
	b := Branch{w: w, id: id, codes: outputCodes(creation), holder: token.HolderCodes(creation.NFT), height: from.NextHeight(), gift: gift}
	needTokens, needCoins := total(payees), b.need(len(payees))
	tokens, allTokens, err := largest(from.Tokens(id, script.PubKeyAddress(token.Script(b.holder, w.public))), needTokens, nil)
	if err != nil {
		return nil, err
	}
	coins, allCoins, err := largest(from.Trusted(w.address), needCoins, func(c Coin) bool { return w.Owns(c.Script) && w.isFree(c, from.NextHeight()) })
	if err != nil {
		return nil, err
	}
	if allCoins < needCoins {
		return nil, fmt.Errorf("%w: %d payees take %d satoshis, %v has %d that can be spent", ErrFee, len(payees), needCoins, w.address, allCoins)
	}
	if allTokens < needTokens {
		return nil, fmt.Errorf("%w: the payees get %d, the node's key has %d that can be spent", tooFew(tokens), needTokens, allTokens)
	}
	n := b.fit(payees, value(tokens), value(coins))
	if n == 0 {
		return nil, fmt.Errorf("%w: they are in outputs too small for one transaction; join them with tokentransfer and sendtoaddress to the node itself", ErrFewTokens)
	}
	p := &Payout{Later: payees[n:]}
	payees = payees[:n]
	tokens, coins = take(tokens, total(payees)), take(coins, b.need(n))
	if transactions(n) <= MaxChain {
		b.plain, b.tokens, b.payees = coins, tokens, payees
		p.Branches = []*Branch{&b}
		return p, nil
	}
	return p, p.fan(b, tokens, coins, payees)
}

// tooFew returns komodod's error for insufficient tokens.
func tooFew(tokens []Coin) Error {
	if len(tokens) == 0 {
		return ErrNoTokens
	}
	return ErrFewTokens
}

// largest returns the usable coins with the largest values, at most maxFanInputs and the largest
// first, and the sum of all usable coins. If usable is nil, all coins are usable. Anyone can send
// many small outputs to the wallet, so it stops before the end of the list, with the sum of the
// coins until then, only if the returned ones have the value need.
func largest(list iter.Seq2[Coin, error], need int64, usable func(Coin) bool) (coins []Coin, sum int64, err error) {
	keep := func() {
		slices.SortStableFunc(coins, func(a, b Coin) int { return cmp.Compare(b.Value, a.Value) })
		coins = coins[:min(len(coins), maxFanInputs)]
	}
	for c, err := range list {
		if err != nil {
			return nil, 0, err
		}
		if c.Value <= 0 || usable != nil && !usable(c) {
			continue
		}
		sum += c.Value
		if coins = append(coins, c); len(coins) == scanned {
			if keep(); value(coins) >= need {
				return coins, sum, nil
			}
		}
	}
	keep()
	return coins, sum, nil
}

// take returns the first coins with a sufficient sum, at least one.
func take(coins []Coin, need int64) []Coin {
	var sum int64
	for i := range coins {
		if sum += coins[i].Value; sum >= need {
			return coins[:i+1]
		}
	}
	return coins
}

func total(payees []Payee) (sum int64) {
	for i := range payees {
		sum += payees[i].Amount
	}
	return sum
}

// transactions returns the number of transactions that pay n payees.
func transactions(n int) int { return (n + payeesOfTx - 1) / payeesOfTx }

// branches returns the number of branches that pay n payees, and the number of payees of each
// branch except the last.
func branches(n int) (count, each int) {
	count = (transactions(n) + MaxChain - 1) / MaxChain
	each = (transactions(n) + count - 1) / count * payeesOfTx
	return (n + each - 1) / each, each
}

// cost returns the satoshis that a branch spends on n payees.
func (b *Branch) cost(n int) int64 { return int64(transactions(n))*Fee + int64(n)*b.gift }

// need returns the maximum number of satoshis for paying n payees.
func (b *Branch) need(n int) int64 {
	if n == 0 || transactions(n) <= MaxChain {
		return b.cost(n)
	}
	count, _ := branches(n)
	return b.cost(n) + fanFee(count, maxFanInputs, maxFanInputs)
}

// MaxPayoutFee returns the maximum number of satoshis that a Payout to n payees spends on fees.
func MaxPayoutFee(n int) int64 { return (&Branch{}).need(n) }

// fanFee returns the fee of a fan-out, which is twice the default relay fee for its size.
func fanFee(branches, tokens, coins int) int64 {
	return max(Fee, int64(branches*branchSize+tokens*tokenInputSize+coins*coinInputSize+fanRestSize)/5)
}

// maxFit returns the maximum number of payees of a plan. The transaction that splits coins and
// tokens must not exceed the size limit, which is smaller before Sapling.
func (b *Branch) maxFit() int {
	size := b.w.params.MaxTxSize(b.height) - maxFanInputs*(tokenInputSize+coinInputSize) - fanRestSize
	return min(maxBranches, size/branchSize) * MaxChain * payeesOfTx
}

// fit returns how many of the first payees can be paid with the given tokens and coins.
func (b *Branch) fit(payees []Payee, tokens, coins int64) (n int) {
	for n < min(len(payees), b.maxFit()) {
		if tokens -= payees[n].Amount; tokens < 0 || b.need(n+1) > coins {
			break
		}
		n++
	}
	return n
}

// fan makes the branches and the transaction with which they begin.
func (p *Payout) fan(b Branch, tokens, coins []Coin, payees []Payee) (err error) {
	count, each := branches(len(payees))
	d := &draft{plain: coins, tokens: tokens, holder: b.holder, fee: fanFee(count, len(tokens), len(coins)),
		payload: &token.Payload{Func: token.Transfer, TokenID: b.id, Keys: []token.Key{b.w.public}}}
	self := token.Script(b.codes, b.w.public)
	for part := range slices.Chunk(payees, each) {
		d.outputs = append(d.outputs, wire.TxOut{Value: total(part), Script: self}, wire.TxOut{Value: b.cost(len(part)), Script: b.w.payToSelf()})
		one := b
		one.payees = part
		p.Branches = append(p.Branches, &one)
	}
	if rest := value(tokens) - total(payees); rest > 0 {
		d.outputs = append(d.outputs, wire.TxOut{Value: rest, Script: self})
	}
	if p.Fan, err = b.w.finish(d, b.height); err != nil {
		return err
	}
	id := p.Fan.ID()
	for i, one := range p.Branches {
		one.tokens, one.plain = []Coin{output(p.Fan, id, 2*i, b.height)}, []Coin{output(p.Fan, id, 2*i+1, b.height)}
	}
	return nil
}

func output(tx *wire.Tx, id wire.Hash, i, height int) Coin {
	out := &tx.Outputs[i]
	return Coin{Out: wire.OutPoint{Hash: id, Index: uint32(i)}, Value: out.Value, Script: out.Script, Height: height}
}

// Left returns the payees that no transaction of Next has paid.
func (b *Branch) Left() []Payee { return b.payees }

// Return returns the payees of the last transaction, which was not sent, to the branch. The
// branch must not be used to make further transactions.
func (b *Branch) Return(paid []Payee) { b.payees = append(slices.Clone(paid), b.payees...) }

// Next returns the next transaction and its payees, or nil if all are paid.
func (b *Branch) Next() (*wire.Tx, []Payee, error) {
	paid := b.payees[:min(len(b.payees), payeesOfTx)]
	if len(paid) == 0 {
		return nil, nil, nil
	}
	d := &draft{plain: b.plain, tokens: b.tokens, holder: b.holder, payload: &token.Payload{Func: token.Transfer, TokenID: b.id}}
	for i := range paid {
		d.outputs = append(d.outputs, wire.TxOut{Value: paid[i].Amount, Script: token.Script(b.codes, paid[i].Key)})
		d.payload.Keys = append(d.payload.Keys, paid[i].Key)
	}
	rest := value(b.tokens) - total(paid)
	if rest > 0 {
		d.outputs = append(d.outputs, wire.TxOut{Value: rest, Script: token.Script(b.codes, b.w.public)})
	}
	for i := range paid {
		if b.gift > 0 && paid[i].Key != token.BurnKey() { // coins of the burn key could not be spent
			d.outputs = append(d.outputs, wire.TxOut{Value: b.gift, Script: script.PubKeyAddress(paid[i].Key[:]).PkScript()})
		}
	}
	tx, err := b.w.finish(d, b.height)
	if err != nil {
		return nil, nil, err
	}
	id := tx.ID()
	b.tokens, b.plain = nil, nil
	if rest > 0 {
		b.tokens = []Coin{output(tx, id, len(paid), b.height)}
	}
	if change := len(d.outputs); change < len(tx.Outputs)-1 { // the change is before the payload
		b.plain = []Coin{output(tx, id, change, b.height)}
	}
	b.payees = b.payees[len(paid):]
	return tx, paid, nil
}
