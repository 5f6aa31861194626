package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"obverse/core/chain"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/core/rpc"
)

func (b *Backend) tokenMethods() []rpc.Method {
	doc := func(usage, summary string) rpc.Doc {
		return rpc.Doc{Usage: usage, Summary: summary, Category: "Tokens", Terse: true,
			Detail: `If the request fails, the result is {"result":"error","error":"…"}.`}
	}
	methods := []rpc.Method{
		rpc.Handle("tokenaddress", doc("tokenaddress [pubkey]", "Return the addresses of the tokens module and of a public key, with their balances"),
			b.tokenAddress),
		rpc.Handle("tokenbalance", doc("tokenbalance tokenid [pubkey]", "Return the token balance of a public key"),
			b.tokenBalance),
		rpc.Handle("tokencreate", doc("tokencreate name supply [description][data]", "Create and sign a transaction that creates a token, for sendrawtransaction"),
			b.tokenCreate),
		rpc.Handle("tokeninfo", doc("tokeninfo tokenid", "Return information about a token"), b.tokenInfo),
		rpc.Handle("tokenlist", doc("tokenlist", "List all tokens, by id or with details"), b.tokenList).Gives([]wire.Hash{}, []tokenListed{}),
		rpc.Handle("tokentransfer", doc("tokentransfer tokenid destpubkey amount", "Create and sign a transaction that transfers tokens, for sendrawtransaction"),
			b.tokenTransfer),
	}
	methods = append(append(methods, b.holderMethods()...), b.payingMethods()...)
	for i := range methods {
		methods[i] = methods[i].Guarded(b.requireTokens)
	}
	return methods
}

// errNoTokens is komodod's error of every token method on a node without -pubkey, and on a
// chain on which the module is disabled.
var errNoTokens = &Error{CodeMisc, "to use CC contracts, you need to launch daemon with valid -pubkey= for an address in your wallet\n"}

// requireTokens returns an error if tokens could be created but never moved
// (ensure_CCrequirements).
func (b *Backend) requireTokens(ctx context.Context) error {
	if b.Wallet == nil {
		return errNoTokens
	}
	tip, err := b.tip(ctx)
	if err == nil && !b.Manager.Params().EvalEnabled(token.Eval, tip.Height+1) {
		return errNoTokens
	}
	return err
}

// Reasons why a query fails, with komodod's texts.
const (
	refusedUnknown  refusal = "cant find tokenid"
	refusedWaiting  refusal = "the transaction is still in mempool"
	refusedNoToken  refusal = "tokenid isnt token creation txid"
	refusedBadToken refusal = refusal(wallet.ErrTokenID)
)

// refuse converts the wallet's errors to refusals.
func refuse(err error) error {
	if errors.As(err, new(wallet.Error)) {
		return refusal(err.Error())
	}
	return err
}

// parseTokenID parses a token id. komodod accepts any text here, and crashes on some.
func parseTokenID(text Text) (wire.Hash, error) {
	id, err := wire.ParseHash(string(text))
	if err != nil {
		return id, refusedBadToken
	}
	return id, nil
}

// parseOwner parses the public key whose tokens are counted. Without a key, it returns the
// wallet's own. For an empty key, it returns the module's, as komodod does.
func (b *Backend) parseOwner(ctx context.Context, text *Text) (token.Key, error) {
	switch {
	case text == nil:
		return b.Wallet.PublicKey(), nil
	case *text == "":
		return token.GlobalKey(), nil
	}
	return b.parseKey(ctx, string(*text))
}

// conditionAddress returns the address of a key's tokens under the given eval codes.
func conditionAddress(codes []byte, key token.Key) chain.Address {
	address := script.PubKeyAddress(token.Script(codes, key))
	return chain.Address{Kind: chain.ConditionAddress, Hash: address.Hash}
}

// plainAddress returns the address of a key's ordinary coins.
func plainAddress(key token.Key) chain.Address {
	return chain.Address{Kind: chain.KeyAddress, Hash: script.PubKeyAddress(key[:]).Hash}
}

// tokensOf returns the address of a key's tokens that are not bound to a further module. For
// its own key, which is requested most often, the wallet caches the address.
func (b *Backend) tokensOf(key token.Key) chain.Address {
	if key == b.Wallet.PublicKey() {
		return chain.Address{Kind: chain.ConditionAddress, Hash: b.Wallet.TokenAddress().Hash}
	}
	return conditionAddress(token.CreateCodes(nil), key)
}

// maxTokenPage limits the number of tokens in a page.
const maxTokenPage = 10_000

// maxDetails is the maximum number of tokens with details.
const maxDetails = 1000

type tokenListParams struct {
	After *Text `json:"after" doc:"not in komodod: id of the last token on the previous page, empty for the first page; without after and limit, the result lists all tokens"`
	Limit *Int  `json:"limit" doc:"maximum number of tokens, 1 to 10000; 1 to 1000 with details"`

	Details Flag `json:"details" rpc:"optional" doc:"not in komodod: include the fields of tokeninfo and the number of holders"`
}

// page returns the requested range: all tokens, or a page of tokens after a given one.
func (p *tokenListParams) page() (after *wire.Hash, limit int, err error) {
	switch {
	case p.After == nil && p.Limit == nil && !bool(p.Details):
		return nil, 0, nil
	case p.After == nil || p.Limit == nil:
		return nil, 0, rpc.ErrCount
	case *p.After != "":
		id, err := wire.ParseHash(string(*p.After))
		if err != nil {
			return nil, 0, &Error{CodeParameter, fmt.Sprintf("after must be a token id of 64 hexadecimal digits or empty, got %q", clip(string(*p.After)))}
		}
		after = &id
	}
	maxLimit := maxTokenPage
	if p.Details {
		maxLimit = maxDetails
	}
	limit, err = pageLimit(p.Limit, maxLimit)
	return after, limit, err
}

func (b *Backend) tokenList(ctx context.Context, p tokenListParams) (list any, err error) {
	after, limit, err := p.page()
	if err != nil {
		return nil, err
	}
	var ids []wire.Hash
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		if limit == 0 {
			ids, err = v.Tokens()
		} else if ids, err = v.TokensAfter(after, limit); errors.Is(err, chain.ErrNotFound) {
			err = &Error{CodeParameter, fmt.Sprintf("after: no token of this chain has the id %v", *after)}
		}
		if err == nil && p.Details {
			list, err = listed(v, ids)
		}
		return err
	})
	switch {
	case bool(p.Details):
	case ids == nil:
		list = []wire.Hash{}
	default:
		list = ids
	}
	return list, err
}

type tokenBalanceParams struct {
	TokenID Text  `json:"tokenid" rpc:"absent=null" doc:"id of the token"`
	PubKey  *Text `json:"pubkey" doc:"public key of the owner; by default the node's key"`

	Options provable `json:"options" rpc:"optional" doc:"{\"prove\":true} requests a proof, on chains with multiple validators"`
}

type tokenBalance struct {
	Result    string         `json:"result" doc:"success"`
	CCAddress script.Address `json:"CCaddress" doc:"address that holds the owner's fungible tokens"`
	TokenID   Text           `json:"tokenid"`
	Balance   int64          `json:"balance" doc:"number of confirmed tokens, without those that the mempool spends; with a proof, including them"`

	Proof json.RawMessage `json:"proof,omitempty" doc:"proof of the balance, which obverse/light verifies without trust in the node"`

	address string // text of CCAddress, if it has been computed already
}

// appendJSON implements appender.
func (r tokenBalance) appendJSON(dst []byte) (text []byte, printed bool) {
	if r.Proof != nil {
		return dst, false
	}
	if r.address == "" {
		r.address = r.CCAddress.String()
	}
	dst = appendString(append(dst, `{"result":`...), r.Result)
	dst = appendString(append(dst, `,"CCaddress":`...), r.address)
	dst = appendString(append(dst, `,"tokenid":`...), string(r.TokenID))
	return append(strconv.AppendInt(append(dst, `,"balance":`...), r.Balance, 10), '}'), true
}

func (b *Backend) tokenBalance(ctx context.Context, p tokenBalanceParams) (tokenBalance, error) {
	id, err := parseTokenID(p.TokenID)
	if err != nil {
		return tokenBalance{}, err
	}
	owner, err := b.parseOwner(ctx, p.PubKey)
	if err != nil {
		return tokenBalance{}, err
	}
	holder := b.tokensOf(owner)
	result := tokenBalance{Result: "success", CCAddress: holder.Text(), TokenID: p.TokenID}
	if owner == b.Wallet.PublicKey() {
		result.address = b.Wallet.TokenAddressText()
	}
	if p.Options.prove {
		return b.proveBalance(ctx, id, owner, result)
	}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		creation, isToken := v.Creation(id)
		if !isToken {
			known, err := v.HasTx(id)
			if _, waiting := b.Pool.Entry(id); err == nil && !known && !waiting {
				err = refusedUnknown
			}
			if err != nil {
				return err
			}
		}
		if creation.NFT != 0 {
			holder = conditionAddress(token.HolderCodes(creation.NFT), owner)
		}
		result.Balance, err = wallet.Snapshot{View: v, Pool: b.Pool}.TokenBalance(id, holder)
		return err
	})
	return result, err
}

type tokenInfoParams struct {
	TokenID Text `json:"tokenid" doc:"id of the token"`

	Options provable `json:"options" rpc:"optional" doc:"{\"prove\":true} requests a proof, on chains with multiple validators"`
}

type tokenInfo struct {
	Result        string    `json:"result" doc:"success"`
	TokenID       wire.Hash `json:"tokenid"`
	Owner         hexBytes  `json:"owner" doc:"public key of the creator"`
	Name          rawText   `json:"name"`
	Supply        string    `json:"supply" doc:"coins that were converted to tokens at creation, with eight decimals"`
	Description   rawText   `json:"description"`
	Data          hexBytes  `json:"data,omitempty" doc:"data of a non-fungible token"`
	IsImported    string    `json:"IsImported,omitempty" doc:"yes if the token was imported from another chain"`
	SourceChain   string    `json:"sourceChain,omitempty" doc:"name of the other chain"`
	SourceTokenID string    `json:"sourceTokenId,omitempty" doc:"id of the token on the other chain"`

	Proof json.RawMessage `json:"proof,omitempty" doc:"proof of the result, which obverse/light verifies without trust in the node"`
}

func (b *Backend) tokenInfo(ctx context.Context, p tokenInfoParams) (tokenInfo, error) {
	id, err := parseTokenID(p.TokenID)
	if err != nil {
		return tokenInfo{}, err
	}
	var found chain.Token
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		if _, waiting := b.Pool.Entry(id); waiting {
			return refusedWaiting
		}
		if found, err = v.Token(id); !errors.Is(err, chain.ErrNotFound) {
			return err
		}
		known, err := v.HasTx(id)
		switch {
		case err != nil:
			return err
		case known:
			return refusedNoToken
		}
		return refusedUnknown
	})
	if err != nil {
		return tokenInfo{}, err
	}
	result := showToken(id, &found)
	if p.Options.prove {
		result.Proof, err = b.proveToken(ctx, id)
	}
	return result, err
}

func showToken(id wire.Hash, t *chain.Token) tokenInfo {
	result := tokenInfo{
		Result: "success", TokenID: id, Owner: t.Payload.Owner, Name: rawText(t.Payload.Name),
		Supply: number.Coins(t.Supply).String(), Description: rawText(t.Payload.Description),
		Data: t.Payload.Blob(token.NFTData),
	}
	if t.Imported { // anyone can write import data
		result.IsImported = "yes"
		result.SourceChain, result.SourceTokenID = importSource(t.Payload.Blob(token.ImportData))
	}
	return result
}

// builtTx is a signed transaction that has not been sent.
type builtTx struct {
	Result string   `json:"result" doc:"success"`
	Hex    hexBytes `json:"hex" doc:"the signed transaction in hexadecimal, for sendrawtransaction"`

	hint string
}

// Hint implements hinter.
func (b builtTx) Hint() string { return b.hint }

// build calls draw with a snapshot of the coins, and returns the transaction that draw signed.
func (b *Backend) build(ctx context.Context, draw func(wallet.Snapshot) (*wire.Tx, error)) (builtTx, error) {
	var tx *wire.Tx
	err := b.Manager.Read(ctx, func(v *chain.View) (err error) {
		tx, err = draw(wallet.Snapshot{View: v, Pool: b.Pool})
		return err
	})
	if err != nil {
		return builtTx{}, refuse(err)
	}
	return builtTx{Result: "success", Hex: tx.Encode()}, nil
}

type tokenTransferParams struct {
	TokenID    Text    `json:"tokenid" doc:"id of the token"`
	DestPubKey Text    `json:"destpubkey" doc:"public key of the new owner; getinfo of the owner's node returns it as pubkey"`
	Amount     Decimal `json:"amount" doc:"a whole number of tokens"`
}

func (b *Backend) tokenTransfer(ctx context.Context, p tokenTransferParams) (builtTx, error) {
	id, err := parseTokenID(p.TokenID)
	if err != nil {
		return builtTx{}, err
	}
	dest, err := b.parseKey(ctx, string(p.DestPubKey))
	if err != nil {
		return builtTx{}, err
	}
	amount, err := number.ParseWhole(string(p.Amount))
	if err != nil {
		return builtTx{}, badNumber("amount", "a whole number of tokens", p.Amount)
	}
	return b.build(ctx, func(from wallet.Snapshot) (*wire.Tx, error) {
		tx, err := b.Wallet.TransferToken(from, id, dest, amount)
		return tx, b.hintTransfer(err, from, id, amount)
	})
}

// badNumber refuses a number of which komodod would read only a part.
func badNumber(name, want string, got Decimal) error {
	return refusal(fmt.Sprintf("%s must be %s, got %q", name, want, clip(string(got))))
}
