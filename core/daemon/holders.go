package daemon

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"obverse/core/chain"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/core/rpc"
)

func (b *Backend) holderMethods() []rpc.Method {
	doc := func(usage, summary, detail string) rpc.Doc {
		return rpc.Doc{Usage: usage, Summary: summary, Category: "Tokens", Reads: true,
			Detail: detail}
	}
	return []rpc.Method{
		rpc.Handle("tokenholders", doc(`tokenholders "tokenid" ( "after" limit )`, "List the holders of a token with their balances",
			"The order of the holders does not change, so that an address that holds the token while a client reads all pages is on one of them. Unconfirmed transactions do not count."), b.tokenHolders),
		rpc.Handle("tokentransactions", doc(`tokentransactions "tokenid" ( "pubkey" "after" limit )`, "List the transfers of a token, or of one of its holders, oldest first",
			"Unconfirmed transactions are not listed."), b.tokenTransactions),
	}
}

const (
	defaultPage = 100
	maxHolders  = 10_000
	maxTokenTxs = 1000
)

// pageLimit returns the number of items that a client requests, or an error if it is not
// allowed.
func pageLimit(limit *Int, maxLimit int) (int, error) {
	switch {
	case limit == nil:
		return defaultPage, nil
	case *limit < 1 || int(*limit) > maxLimit:
		return 0, &Error{CodeParameter, fmt.Sprintf("limit must be a whole number from 1 to %d, got %d", maxLimit, *limit)}
	}
	return int(*limit), nil
}

type holdersParams struct {
	TokenID Text  `json:"tokenid" doc:"id of the token"`
	After   *Text `json:"after" doc:"the value of next on the previous page; empty for the first page"`
	Limit   *Int  `json:"limit" doc:"maximum number of holders, 1 to 10000; by default 100"`
}

// moment is the block to which an answer belongs.
type moment struct {
	Height int       `json:"height" doc:"height of the last block, at which the result is valid"`
	Block  wire.Hash `json:"blockhash"`
}

func momentOf(v *chain.View) moment { return moment{v.Tip().Height, v.Tip().Hash} }

type tokenHolders struct {
	Result  string    `json:"result" doc:"success"`
	TokenID wire.Hash `json:"tokenid"`
	moment
	Count   int64         `json:"count" doc:"total number of holders on all pages"`
	Holders []tokenHolder `json:"holders"`
	Next    string        `json:"next,omitempty" doc:"value of after for the next page; absent on the last page"`
}

type tokenHolder struct {
	Address script.Address `json:"address" doc:"address that holds the tokens"`
	PubKey  hexBytes       `json:"pubkey,omitempty" doc:"public key of the holder; absent if no transaction on the chain contains it"`
	Balance int64          `json:"balance" doc:"number of tokens"`
}

func (b *Backend) tokenHolders(ctx context.Context, p holdersParams) (page tokenHolders, err error) {
	id, err := parseTokenID(p.TokenID)
	if err != nil {
		return page, err
	}
	limit, err := pageLimit(p.Limit, maxHolders)
	if err != nil {
		return page, err
	}
	var after *chain.Address
	if p.After != nil && *p.After != "" {
		address, err := script.ParseAddress(string(*p.After))
		if err != nil {
			return page, &Error{CodeParameter, fmt.Sprintf("after must be an address or empty, got %q: %v", clip(string(*p.After)), err)}
		}
		after = &chain.Address{Kind: chain.ConditionAddress, Hash: address.Hash}
	}
	page = tokenHolders{Result: "success", TokenID: id, Holders: []tokenHolder{}}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		if err := b.requireCreation(v, id); err != nil {
			return err
		}
		page.moment = momentOf(v)
		if page.Count, err = v.HolderCount(id); err != nil {
			return err
		}
		found, err := v.Holders(id, after, limit+1)
		if len(found) > limit {
			found = found[:limit]
			page.Next = found[limit-1].Address.Text().String()
		}
		for _, h := range found {
			holder := tokenHolder{Address: h.Address.Text(), Balance: h.Balance}
			if h.Known {
				holder.PubKey = h.Key[:]
			}
			page.Holders = append(page.Holders, holder)
		}
		return err
	})
	return page, err
}

// requireCreation rejects an id that is not a token of the chain, with the error text of
// tokeninfo.
func (b *Backend) requireCreation(v *chain.View, id wire.Hash) error {
	if _, ok := v.Creation(id); ok {
		return nil
	}
	if _, waiting := b.Pool.Entry(id); waiting {
		return refusedWaiting
	}
	known, err := v.HasTx(id)
	switch {
	case err != nil:
		return err
	case known:
		return refusedNoToken
	}
	return refusedUnknown
}

type tokenTxsParams struct {
	TokenID Text  `json:"tokenid" doc:"id of the token"`
	PubKey  *Text `json:"pubkey" doc:"list only transactions that change the balance of this public key or address; empty for all"`
	After   *Text `json:"after" doc:"the value of next on the previous page, or the height to start at; empty for the first page"`
	Limit   *Int  `json:"limit" doc:"maximum number of transactions, 1 to 1000; by default 100"`
}

type tokenTxs struct {
	Result  string    `json:"result" doc:"success"`
	TokenID wire.Hash `json:"tokenid"`
	moment
	Transactions []tokenTx `json:"transactions"`
	Next         string    `json:"next,omitempty" doc:"value of after for the next page; absent on the last page"`
}

type tokenTx struct {
	TxID   wire.Hash `json:"txid"`
	Height int       `json:"height"`
	Time   uint32    `json:"time" doc:"time of the block"`
	Amount int64     `json:"amount" doc:"number of tokens transferred; with pubkey, the change of its balance"`
}

func (b *Backend) tokenTransactions(ctx context.Context, p tokenTxsParams) (page tokenTxs, err error) {
	id, err := parseTokenID(p.TokenID)
	if err != nil {
		return page, err
	}
	limit, err := pageLimit(p.Limit, maxTokenTxs)
	if err != nil {
		return page, err
	}
	after, height, err := afterTx(p.After)
	if err != nil {
		return page, err
	}
	page = tokenTxs{Result: "success", TokenID: id, Transactions: []tokenTx{}}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		if err := b.requireCreation(v, id); err != nil {
			return err
		}
		page.moment = momentOf(v)
		var holder *chain.Address
		if p.PubKey != nil && *p.PubKey != "" {
			creation, _ := v.Creation(id)
			found, err := b.holderOf(v, *p.PubKey, creation)
			if err != nil {
				return err
			}
			holder = &found
		}
		found, err := v.TokenTxs(id, holder, after, height, limit+1)
		if errors.Is(err, chain.ErrNotFound) {
			return &Error{CodeParameter, fmt.Sprintf("after: no transaction of this chain has the id %v", *after)}
		}
		if len(found) > limit {
			found = found[:limit]
			page.Next = found[limit-1].TxID.String()
		}
		for _, tx := range found {
			hash, err := v.HashAt(tx.Height)
			if err != nil {
				return err
			}
			block, err := v.Record(hash)
			if err != nil {
				return err
			}
			page.Transactions = append(page.Transactions, tokenTx{tx.TxID, tx.Height, block.Time, tx.Amount})
		}
		return err
	})
	return page, err
}

// afterTx parses the beginning of a list of transactions, which is a transaction or a height.
func afterTx(text *Text) (after *wire.Hash, height int, err error) {
	if text == nil || *text == "" {
		return nil, 0, nil
	}
	if id, err := wire.ParseHash(string(*text)); err == nil {
		return &id, 0, nil
	}
	n, err := strconv.ParseInt(string(*text), 10, 32)
	if err != nil || n < 0 {
		return nil, 0, &Error{CodeParameter, fmt.Sprintf("after must be a txid of 64 hexadecimal digits, a height or empty, got %q", clip(string(*text)))}
	}
	return nil, int(n), nil
}

// holderOf returns the address at which a key holds a token. The key may be given as an
// address. If the chain does not know the key of the address, the address itself is the
// holder's.
func (b *Backend) holderOf(v *chain.View, text Text, creation token.Creation) (chain.Address, error) {
	key, err := b.keyIn(v, string(text))
	if err == nil {
		if creation.NFT != 0 {
			return conditionAddress(token.HolderCodes(creation.NFT), key), nil
		}
		return b.tokensOf(key), nil
	}
	address, bad := script.ParseAddress(string(text))
	if bad != nil || address.Version != script.PubKeyHashVersion {
		return chain.Address{}, err
	}
	return chain.Address{Kind: chain.ConditionAddress, Hash: address.Hash}, nil
}

// parseKey parses a public key, or an address with a key that the wallet or the chain knows.
func (b *Backend) parseKey(ctx context.Context, text string) (key token.Key, err error) {
	if key, err = wallet.ParseKey(text); err == nil || !isAddress(text) {
		return key, refuse(err)
	}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		key, err = b.keyIn(v, text)
		return err
	})
	return key, err
}

func isAddress(text string) bool {
	address, err := script.ParseAddress(text)
	return err == nil && address.Version == script.PubKeyHashVersion
}

// keyIn is like parseKey, for a caller that already reads the chain.
func (b *Backend) keyIn(v *chain.View, text string) (token.Key, error) {
	key, err := wallet.ParseKey(text)
	if err == nil || !isAddress(text) {
		return key, refuse(err)
	}
	address, _ := script.ParseAddress(text)
	plain := chain.Address{Kind: chain.KeyAddress, Hash: address.Hash}
	if self := b.Wallet.PublicKey(); plainAddress(self) == plain || b.tokensOf(self).Hash == address.Hash {
		return self, nil
	}
	if b.Ring != nil {
		if held, ok := b.Ring.Key(address.Hash); ok && len(held.Public) == token.KeySize {
			return token.Key(held.Public), nil
		}
	}
	key, known := v.PublicKey(plain)
	// The result determines who is paid, so it is checked.
	if known && (plainAddress(key) == plain || b.tokensOf(key).Hash == address.Hash) {
		return key, nil
	}
	if err := v.Err(); err != nil {
		return key, err
	}
	return key, refusal(fmt.Sprintf("invalid pubkey %q: tokens are sent to a public key, and no transaction of this chain shows the one of this address; "+
		"ask its owner for it, whose node shows it in getinfo as pubkey", text))
}

// tokenListed is a token in a list with details.
type tokenListed struct {
	TokenID     wire.Hash `json:"tokenid"`
	Owner       hexBytes  `json:"owner" doc:"public key of the creator"`
	Name        rawText   `json:"name" doc:"name, in which U+FFFD replaces invalid UTF-8"`
	NameHex     hexBytes  `json:"namehex,omitempty" doc:"name in hexadecimal, if it is invalid UTF-8"`
	Supply      string    `json:"supply" doc:"coins that were converted to tokens at creation, with eight decimals"`
	Description rawText   `json:"description" doc:"description, in which U+FFFD replaces invalid UTF-8"`
	DescHex     hexBytes  `json:"descriptionhex,omitempty" doc:"description in hexadecimal, if it is invalid UTF-8"`
	Data        hexBytes  `json:"data,omitempty" doc:"data of a non-fungible token"`
	Height      int       `json:"height" doc:"height of the block that created the token"`
	Holders     int64     `json:"holders" doc:"number of holders"`
}

// listed returns details of tokens of the chain.
func listed(v *chain.View, ids []wire.Hash) ([]tokenListed, error) {
	list := make([]tokenListed, 0, len(ids))
	for _, id := range ids {
		t, err := v.Token(id)
		if err != nil {
			return nil, err
		}
		holders, err := v.HolderCount(id)
		if err != nil {
			return nil, err
		}
		one := tokenListed{TokenID: id, Owner: t.Payload.Owner, Supply: number.Coins(t.Supply).String(), Data: t.Payload.Blob(token.NFTData), Height: t.Height, Holders: holders}
		one.Name, one.NameHex = validText(t.Payload.Name)
		one.Description, one.DescHex = validText(t.Payload.Description)
		list = append(list, one)
	}
	return list, nil
}

// validText returns a text of a transaction as valid UTF-8, and its bytes if they are not. Many
// clients would reject a whole page because of one token of which anyone chose the name.
func validText(text string) (valid rawText, original hexBytes) {
	if utf8.ValidString(text) {
		return rawText(text), nil
	}
	return rawText(strings.ToValidUTF8(text, "\uFFFD")), hexBytes(text)
}
