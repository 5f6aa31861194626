package airdrop

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/native/client"
)

// Node is the daemon API of the node that pays.
type Node interface {
	// Call returns the result of a method. An error of the node is a *client.RemoteError.
	Call(ctx context.Context, method string, params ...any) (json.RawMessage, error)
}

// ask decodes the result of a method.
func ask[T any](ctx context.Context, n Node, method string, params ...any) (result T, err error) {
	text, err := n.Call(ctx, method, params...)
	if err == nil {
		err = json.Unmarshal(text, &result)
	}
	return result, err
}

// Info describes the node and the token.
type Info struct {
	Chain  string
	PubKey string // of the node's key, which pays
	Coins  number.Coins
	Token  string // name
	Tokens int64  // that the node's key can spend

	key token.Key
}

// Inspect asks the node for its key and what it has.
func Inspect(ctx context.Context, n Node, id string) (info Info, err error) {
	about, err := ask[struct {
		Name, PubKey string
		Balance      number.Coins
	}](ctx, n, "getinfo")
	if err != nil {
		return info, err
	}
	held, err := ask[struct{ Name string }](ctx, n, "tokeninfo", id)
	if err != nil {
		return info, err
	}
	balance, err := ask[struct{ Balance int64 }](ctx, n, "tokenbalance", id)
	if err != nil {
		return info, err
	}
	info = Info{Chain: about.Name, PubKey: about.PubKey, Coins: about.Balance, Token: held.Name, Tokens: balance.Balance}
	return info, info.setKey()
}

func (i *Info) setKey() error {
	key, err := hex.DecodeString(i.PubKey)
	if err != nil || len(key) != token.KeySize {
		return fmt.Errorf("the node has the public key %q, want %d hexadecimal digits", i.PubKey, 2*token.KeySize)
	}
	i.key = token.Key(key)
	return nil
}

// Resolve asks the node for the keys of the addresses, and refuses keys that are on two lines and the
// key of the node. It reports all errors, as Problems.
func (l *List) Resolve(ctx context.Context, n Node, id string, info Info) error {
	problems, self := &Problems{}, HolderAddress(info.key)
	for i := range l.Lines {
		line := &l.Lines[i]
		if line.isAddress() && !problems.isFull() {
			found, err := ask[struct{ CCAddress script.Address }](ctx, n, "tokenbalance", id, line.Name)
			var refused *client.RemoteError
			if errors.As(err, &refused) {
				problems.add(line.Number, "%s", refused.Text)
				continue
			}
			if err != nil {
				return err
			}
			line.Holder = found.CCAddress
		}
		if line.Holder == self {
			problems.add(line.Number, "%s is the key of the node, which pays: its change would be taken for a payment", line.Name)
		}
	}
	if !problems.isFull() {
		l.refuseTwice(problems)
	}
	return problems.err()
}

// waitingTokens returns the last block, and how many tokens of the node's key unconfirmed
// transactions spend.
func waitingTokens(ctx context.Context, n Node, id string, key token.Key) (tip Block, tokens int64, err error) {
	for {
		before, err := ask[string](ctx, n, "getbestblockhash")
		if err != nil {
			return tip, 0, err
		}
		self := HolderAddress(key)
		page, err := ask[struct {
			Height    int
			BlockHash string
			Holders   []struct {
				Address script.Address
				Balance int64
			}
		}](ctx, n, "tokenholders", id, previous(self).String(), 1)
		if err != nil {
			return tip, 0, err
		}
		free, err := ask[struct{ Balance int64 }](ctx, n, "tokenbalance", id)
		if err != nil {
			return tip, 0, err
		}
		after, err := ask[string](ctx, n, "getbestblockhash")
		if err != nil {
			return tip, 0, err
		}
		if before != page.BlockHash || after != page.BlockHash {
			continue // a block came in between
		}
		confirmed := int64(0)
		if len(page.Holders) > 0 && page.Holders[0].Address == self {
			confirmed = page.Holders[0].Balance
		}
		return Block{page.Height, page.BlockHash}, confirmed - free.Balance, nil
	}
}

// previous returns the address that precedes a in the order of addresses.
func previous(a script.Address) script.Address {
	n := new(big.Int).SetBytes(a.Hash[:])
	n.Sub(n, big.NewInt(1)).FillBytes(a.Hash[:])
	return a
}

// blocks returns the block at a height and some before it, the highest first: the nearest ones, and
// then a few down to the first.
func blocks(ctx context.Context, n Node, height int) (list []Block, err error) {
	const near = 16
	for distance := 0; ; distance++ {
		at := height - distance
		if distance > near {
			at = height - near<<(distance-near)
		}
		at = max(at, 0)
		hash, err := ask[string](ctx, n, "getblockhash", at)
		if err != nil {
			return nil, err
		}
		list = append(list, Block{at, hash})
		if at == 0 {
			return list, nil
		}
	}
}

// since returns the height of the highest block of the journal that the chain still has.
func (j *Journal) since(ctx context.Context, n Node) (int, error) {
	for _, b := range j.Blocks {
		hash, err := ask[string](ctx, n, "getblockhash", b.Height)
		var refused *client.RemoteError
		if errors.As(err, &refused) { // the chain is shorter
			continue
		}
		if err != nil {
			return 0, err
		}
		if hash == b.Hash {
			return b.Height, nil
		}
	}
	return 0, fmt.Errorf("the airdrop began on another chain: the node does not have the blocks in the journal %s", j.path)
}

// paidBy looks for the transaction that paid a line in a block after a height.
func paidBy(ctx context.Context, n Node, id string, line *Line, since int) (txid string, err error) {
	after := strconv.Itoa(since + 1)
	for {
		page, err := ask[struct {
			Transactions []struct {
				TxID   string
				Amount int64
			}
			Next string
		}](ctx, n, "tokentransactions", id, line.Name, after, 1000)
		if err != nil {
			return "", err
		}
		for _, tx := range page.Transactions {
			if tx.Amount == line.Amount {
				return tx.TxID, nil
			}
		}
		if page.Next == "" {
			return "", nil
		}
		after = page.Next
	}
}

// waitingPayments returns the outputs of the unconfirmed transactions, with their ids.
func waitingPayments(ctx context.Context, n Node) (found map[payment]string, err error) {
	ids, err := ask[[]string](ctx, n, "getrawmempool")
	if err != nil {
		return nil, err
	}
	found = map[payment]string{}
	for _, id := range ids {
		text, err := ask[string](ctx, n, "getrawtransaction", id)
		var refused *client.RemoteError
		if errors.As(err, &refused) { // replaced with the chain
			continue
		}
		if err != nil {
			return nil, err
		}
		raw, err := hex.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("transaction %s: %w", id, err)
		}
		tx, err := wire.DecodeTx(raw)
		if err != nil {
			return nil, fmt.Errorf("transaction %s: %w", id, err)
		}
		for _, out := range tx.Outputs {
			found[payment{script.PubKeyAddress(out.Script), out.Value}] = id
		}
	}
	return found, nil
}

// payment is an amount at the address of a holder.
type payment struct {
	holder script.Address
	amount int64
}
