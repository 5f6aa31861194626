package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/mempool"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/core/rpc"
)

const categoryWallet = "Wallet"

func (b *Backend) walletMethods() []rpc.Method {
	var paying sync.Mutex // prevents two payments from choosing the same coins
	return []rpc.Method{
		rpc.Handle("getbalance", rpc.Doc{Reads: true,
			Usage:    `getbalance ( "account" minconf includeWatchonly )`,
			Summary:  "Return the coins that the node's key can spend",
			Detail:   "Without parameters its own unconfirmed change counts too. There are no accounts: the first must be \"*\" or empty.",
			Category: categoryWallet,
		}, b.getBalance),
		rpc.Handle("listunspent", rpc.Doc{Reads: true,
			Usage:    `listunspent ( minconf maxconf ["address",...] )`,
			Summary:  "List the unspent coins of the node's key",
			Category: categoryWallet,
		}, b.listUnspent),
		rpc.Handle("sendtoaddress", rpc.Doc{
			Usage:    `sendtoaddress "komodoaddress" amount ( "comment" "comment-to" subtractfeefromamount )`,
			Summary:  "Pay coins of the node's key to an address",
			Detail:   "Comments are not kept. The answer is the txid.",
			Category: categoryWallet,
		}, func(ctx context.Context, p payParams) (sent, error) {
			paying.Lock()
			defer paying.Unlock()
			return b.sendToAddress(ctx, p)
		}).Gives(wire.Hash{}),
		rpc.Handle("dumpprivkey", rpc.Doc{
			Usage:    `dumpprivkey "t-addr"`,
			Summary:  "Reveal the private key of the node's address",
			Category: categoryWallet,
		}, b.dumpPrivKey),
	}
}

// errNoWallet is returned by methods that need a key on a node without one.
var errNoWallet = &Error{CodeWallet, "this node has no key: start it with a passphrase"}

type balanceParams struct {
	Account   *Text `json:"account" doc:"* or empty"`
	MinConf   Int   `json:"minconf" default:"1" doc:"confirmations that a coin must have"`
	WatchOnly Flag  `json:"includeWatchonly" rpc:"optional" doc:"nothing is only watched here"`
}

var errAccount = &Error{CodeParameter, `Accounts are not kept: the account must be "*" or ""`}

func (b *Backend) getBalance(ctx context.Context, p balanceParams) (number.Coins, error) {
	confirmations := 0
	if p.Account != nil {
		if *p.Account != "*" && *p.Account != "" {
			return 0, errAccount
		}
		confirmations = int(p.MinConf)
	}
	var total int64
	err := b.Manager.Read(ctx, func(v *chain.View) (err error) {
		total, err = b.balance(v, confirmations)
		return err
	})
	return number.Coins(total), err
}

// balance returns the amount of the node's coins that the next block may spend: the coins in
// the chain with the given number of confirmations and, if that is zero, the node's own coins
// in the mempool (CWallet::GetBalance, IsTrusted).
func (b *Backend) balance(v *chain.View, confirmations int) (total int64, err error) {
	if b.Wallet == nil {
		return 0, nil
	}
	s := wallet.Snapshot{View: v, Pool: b.Pool}
	for coin, err := range s.Coins(b.Wallet.Address()) {
		if err != nil {
			return 0, err
		}
		immature := coin.Coinbase && s.NextHeight()-coin.Height < b.Manager.Params().Maturity
		if s.NextHeight()-coin.Height >= confirmations && b.isMine(coin.Script) && !immature && b.isTrusted(coin) {
			total += coin.Value
		}
	}
	return total, nil
}

// isTrusted reports whether a coin is in the chain or is a payment by the node to itself.
func (b *Backend) isTrusted(coin wallet.Coin) bool {
	entry, waiting := b.Pool.Entry(coin.Out.Hash)
	return !waiting || !slices.ContainsFunc(entry.Coins, func(c consensus.Coin) bool { return !b.isMine(c.Script) })
}

// isMine reports whether pkScript can be spent with the node's key alone. Other scripts, such
// as those with a lock time, can have the same address.
func (b *Backend) isMine(pkScript []byte) bool {
	pub := b.Wallet.PublicKey()
	return bytes.Equal(pkScript, script.PayToPubKey(pub[:])) || bytes.Equal(pkScript, b.Wallet.Address().PkScript())
}

type unspentParams struct {
	MinConf   TypedInt   `json:"minconf" default:"1"`
	MaxConf   TypedInt   `json:"maxconf" default:"9999999"`
	Addresses addressSet `json:"addresses" rpc:"optional" doc:"list only coins of these"`
}

// addressSet is a list of distinct addresses.
type addressSet []script.Address

// UnmarshalParam implements rpc.Unmarshaler.
func (set *addressSet) UnmarshalParam(raw json.RawMessage) error {
	if err := expect(rpc.KindArray, raw); err != nil {
		return err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	seen := make(map[script.Address]bool, len(list))
	for _, item := range list {
		var text Text
		if err := text.UnmarshalParam(item); err != nil {
			return err
		}
		address, err := script.ParseAddress(string(text))
		switch {
		case err != nil:
			return &Error{CodeAddress, "Invalid Komodo address: " + clip(string(text))}
		case seen[address]:
			return &Error{CodeParameter, "Invalid parameter, duplicated address: " + string(text)}
		}
		seen[address] = true
		*set = append(*set, address)
	}
	return nil
}

type unspentCoin struct {
	TxID             wire.Hash      `json:"txid"`
	Index            uint32         `json:"vout"`
	Generated        bool           `json:"generated" doc:"of a coinbase"`
	Address          script.Address `json:"address"`
	SegID            int            `json:"segid"`
	Account          string         `json:"account"`
	Amount           number.Coins   `json:"amount"`
	Interest         *number.Coins  `json:"interest,omitempty"`
	Script           hexBytes       `json:"scriptPubKey"`
	RawConfirmations int            `json:"rawconfirmations"`
	Confirmations    int            `json:"confirmations"`
	Spendable        bool           `json:"spendable"`
}

func (b *Backend) listUnspent(ctx context.Context, p unspentParams) (list []unspentCoin, err error) {
	list = []unspentCoin{}
	if b.Wallet == nil || len(p.Addresses) > 0 && !slices.Contains(p.Addresses, b.Wallet.Address()) {
		return list, nil
	}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		s := wallet.Snapshot{View: v, Pool: b.Pool}
		for coin, err := range s.Coins(b.Wallet.Address()) {
			if err != nil {
				return err
			}
			depth := s.NextHeight() - coin.Height
			if !b.isMine(coin.Script) || depth < int(p.MinConf) || depth > int(p.MaxConf) ||
				coin.Coinbase && depth < b.Manager.Params().Maturity {
				continue
			}
			result, err := b.showUnspent(v, coin, depth)
			if err != nil {
				return err
			}
			list = append(list, result)
		}
		return nil
	})
	return list, err
}

func (b *Backend) showUnspent(v *chain.View, coin wallet.Coin, depth int) (unspentCoin, error) {
	result := unspentCoin{
		TxID: coin.Out.Hash, Index: coin.Out.Index, Generated: coin.Coinbase, Address: b.Wallet.Address(),
		SegID: segment(b.Wallet.Address()), Amount: number.Coins(coin.Value), Script: coin.Script,
		RawConfirmations: depth, Confirmations: depth, Spendable: true,
	}
	tx, err := b.transactionOf(v, coin.Out.Hash)
	if err == nil && tx.LockTime != 0 {
		result.Interest = new(number.Coins) // komodod adds the interest if there is a lock time; it is positive only on KMD
	}
	return result, err
}

func (b *Backend) transactionOf(v *chain.View, id wire.Hash) (*wire.Tx, error) {
	if entry, ok := b.Pool.Entry(id); ok {
		return entry.Tx, nil
	}
	return chainTx(v, id)
}

type payParams struct {
	Address     Text    `json:"address"`
	Amount      Decimal `json:"amount" doc:"in coins"`
	Comment     Text    `json:"comment" rpc:"optional"`
	CommentTo   Text    `json:"comment-to" rpc:"optional"`
	SubtractFee Flag    `json:"subtractfeefromamount" rpc:"optional" doc:"only false"`
}

// codeFunds is komodod's RPC_WALLET_INSUFFICIENT_FUNDS.
const codeFunds = -6

var errSubtractFee = &Error{CodeParameter, "subtractfeefromamount is not offered: the fee is paid on top"}

func (b *Backend) sendToAddress(ctx context.Context, p payParams) (id sent, err error) {
	if b.Wallet == nil {
		return id, errNoWallet
	}
	to, err := script.ParseAddress(string(p.Address))
	if err != nil {
		return id, &Error{CodeAddress, fmt.Sprintf("Invalid Komodo address %q: %v", clip(string(p.Address)), err)}
	}
	amount, err := number.ParseCoins(string(p.Amount))
	if err != nil {
		return id, &Error{CodeType, fmt.Sprintf("Invalid amount %q: %v", clip(string(p.Amount)), err)}
	}
	if p.SubtractFee {
		return id, errSubtractFee
	}
	var tx *wire.Tx
	err = b.Manager.Read(ctx, func(v *chain.View) (err error) {
		if err := b.checkPayee(v, to); err != nil {
			return err
		}
		tx, err = b.Wallet.Send(wallet.Snapshot{View: v, Pool: b.Pool}, to.PkScript(), amount)
		return err
	})
	switch {
	case errors.Is(err, wallet.ErrFunds):
		return id, &Error{codeFunds, err.Error()}
	case errors.Is(err, wallet.ErrSendAmount):
		return id, &Error{CodeType, err.Error()}
	case err != nil:
		return id, err
	}
	id, err = b.send(ctx, tx.Encode(), false)
	var refused *mempool.Error
	if errors.As(err, &refused) {
		return id, &Error{CodeWallet, "The payment was refused: " + refused.Message}
	}
	return id, err
}

// checkPayee refuses addresses whose coins could be spent by no key or by everyone. The token
// address that tokenaddress returns is the hash of a condition but looks like the hash of a
// key: komodod pays to it as to a key, and the coins are lost.
func (b *Backend) checkPayee(v *chain.View, to script.Address) error {
	if to.Version != script.PubKeyHashVersion {
		return nil
	}
	condition := chain.Address{Kind: chain.ConditionAddress, Hash: to.Hash}
	global := token.GlobalKey()
	known := condition == b.tokensOf(b.Wallet.PublicKey()) || condition == b.tokensOf(global)
	if !known {
		_, received, err := v.Balance(condition)
		if err != nil {
			return err
		}
		known = received > 0
	}
	switch {
	case known:
		return &Error{CodeAddress, fmt.Sprintf("Invalid Komodo address %q: it is an address of tokens, where no key could spend coins: "+
			"pay to the address of a key, as myaddress of tokenaddress is", to)}
	case to.Hash == plainAddress(global).Hash:
		return &Error{CodeAddress, fmt.Sprintf("Invalid Komodo address %q: the private key of the tokens' module is public, so that anyone could take the coins", to)}
	}
	return nil
}

type dumpParams struct {
	Address Text `json:"address"`
}

func (b *Backend) dumpPrivKey(_ context.Context, p dumpParams) (string, error) {
	address, err := script.ParseAddress(string(p.Address))
	if err != nil {
		return "", &Error{CodeAddress, "Invalid transparent address"}
	}
	if b.Wallet == nil || address != b.Wallet.Address() {
		return "", &Error{CodeWallet, fmt.Sprintf("Private key for address %s is not known", p.Address)}
	}
	return b.Wallet.WIF(), nil
}

// undecodable replaces values that cannot be read from an import's data.
const undecodable = "can't decode"

// Codes and sizes in an import (komodod importcoin.h, cc/CCinclude.h).
const (
	evalImportCoin = 0xe2
	burnData       = 0x80 // id of a blob in a token transfer

	proofNone         = 0x00
	proofMerkleBranch = 0x11
	proofNotaries     = 0x12
	proofMerkleBlock  = 0x13

	hashSize    = 32
	maxSymbol   = 64
	maxRawProof = 1 << 16
)

var errImport = errors.New("not an import")

// importSource returns the chain and the token from which a creation was imported. The burn
// transaction in its import data contains the symbol of the chain and the id of the token's
// creating transaction on that chain.
func importSource(data []byte) (chain, tokenID string) {
	chain, tokenID = undecodable, undecodable
	r := wire.NewReader(data)
	if r.Byte() != evalImportCoin {
		return chain, tokenID
	}
	skipProof(r)
	burn := wire.ReadTx(r)
	if r.End() != nil {
		return chain, tokenID
	}
	source := wire.NewReader(burnProof(burn))
	symbol := string(source.VarBytes(maxSymbol))
	if source.Err() != nil {
		return chain, tokenID
	}
	chain = symbol
	start := source.Pos()
	if created := wire.ReadTx(source); source.Err() == nil && start < source.Pos() {
		tokenID = created.ID().String()
	}
	return chain, tokenID
}

// skipProof skips the proof that the burn transaction is in its chain.
func skipProof(r *wire.Reader) {
	switch r.Byte() {
	case proofNone:
	case proofMerkleBranch:
		r.Hash()
		skipVarInt(r)
		r.Bytes(r.Count(hashSize) * hashSize)
	case proofNotaries:
		r.Bytes(r.Count(hashSize) * hashSize)
	case proofMerkleBlock:
		r.VarBytes(maxRawProof)
	default:
		r.Fail(errImport)
	}
}

// skipVarInt skips a number with 7 bits per byte (komodod serialize.h VARINT).
func skipVarInt(r *wire.Reader) {
	for r.Byte()&0x80 != 0 {
	}
}

// burnProof returns the raw proof in the last output of a burn transaction, or nil. If the
// transaction burns tokens with a transfer, the proof is in a blob.
func burnProof(burn *wire.Tx) []byte {
	if len(burn.Outputs) == 0 {
		return nil
	}
	last := burn.Outputs[len(burn.Outputs)-1].Script
	data := nullData(last)
	if payload, err := token.DecodePayload(last); err == nil {
		data = payload.Blob(burnData)
	}
	r := wire.NewReader(data)
	if r.Byte() != evalImportCoin {
		return nil
	}
	skipVarInt(r)         // id of the target chain
	r.VarBytes(maxSymbol) // symbol of the target chain
	r.Hash()              // hash of the payouts on the target chain
	return r.VarBytes(maxRawProof)
}

// nullData returns the first push after OP_RETURN.
func nullData(pkScript []byte) []byte {
	it := script.Iterate(pkScript)
	if !it.Next() || it.Op != script.OpReturn || !it.Next() {
		return nil
	}
	return it.Data
}
