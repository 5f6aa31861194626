package send

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"strings"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/nft"
)

type withdrawNFTParams struct {
	Type      nftWithdrawal `json:"type" doc:"withdraw_erc721, or withdraw_erc1155 for contracts with multiple NFTs per id"`
	Data      nftSending    `json:"withdraw_data"`
	Broadcast bool          `json:"broadcast" default:"false" doc:"also send the transaction"`
}

// nftWithdrawal is the kind of contract of a withdrawn NFT.
type nftWithdrawal string

const withdrawERC1155 nftWithdrawal = "withdraw_erc1155"

// Values implements rpc.Enum.
func (nftWithdrawal) Values() []string { return []string{"withdraw_erc721", string(withdrawERC1155)} }

type nftSending struct {
	wire.NFTToken
	To     string    `json:"to" doc:"address"`
	Amount nftAmount `json:"amount" rpc:"optional" doc:"withdraw_erc1155: number of NFTs, a decimal number; by default 1"`
	Max    bool      `json:"max" default:"false" doc:"withdraw_erc1155: send all NFTs with the id that the address holds"`
	Fee    feePolicy `json:"fee" rpc:"optional" doc:"fee; by default estimated by the network"`
}

// nftAmount is a number of NFTs, as a string or as a number.
type nftAmount struct{ *big.Int }

// UnmarshalParam implements rpc.Unmarshaler.
func (a *nftAmount) UnmarshalParam(raw json.RawMessage) error {
	text := string(raw)
	switch rpc.KindOf(raw) {
	case rpc.KindNull:
		return nil
	case rpc.KindString:
		text, _ = rpc.Unquote(raw)
	}
	digits, ok := nft.ParseUint256(text)
	if !ok || digits == "0" {
		return &rpc.ParamError{Want: "a decimal number from 1, of up to 256 bits", Got: rpc.KindOf(raw), Err: rpc.ErrRange, Value: raw}
	}
	a.Int, _ = new(big.Int).SetString(digits, 10)
	return nil
}

// JSONSchema implements rpc.Described.
func (nftAmount) JSONSchema() *rpc.Schema {
	return &rpc.Schema{OneOf: []*rpc.Schema{{Type: "string"}, {Type: "integer", Minimum: "1"}}}
}

// nftTransaction is the result of withdraw_nft (TransactionNftDetails in Komodo DeFi
// Framework).
type nftTransaction struct {
	Hex      string               `json:"tx_hex" doc:"the signed transaction in hexadecimal; empty if unknown"`
	Hash     string               `json:"tx_hash"`
	From     []string             `json:"from" doc:"addresses"`
	To       []string             `json:"to" doc:"addresses"`
	Contract string               `json:"contract_type" doc:"ERC721 or ERC1155"`
	Address  string               `json:"token_address" doc:"address of the contract, in lower case"`
	TokenID  string               `json:"token_id"`
	Amount   string               `json:"amount" doc:"number of NFTs"`
	Fee      wire.FeeView         `json:"fee_details"`
	Coin     string               `json:"coin" doc:"ticker of the chain's coin"`
	Height   uint64               `json:"block_height" doc:"0 if the transaction is not in a block"`
	Time     int64                `json:"timestamp" doc:"0 if unknown"`
	ID       uint64               `json:"internal_id" doc:"always 0"`
	Type     wire.TransactionType `json:"transaction_type"`
}

func (t Tokens) withdrawNFT(ctx context.Context, p withdrawNFTParams) (nftTransaction, error) {
	ticker := nft.Chain(p.Data.Chain).Platform()
	active, err := t.Active.Get(ticker)
	if err != nil {
		return nftTransaction{}, wire.NoSuchCoin(err, ticker)
	}
	platform, is := active.(*evm.Platform)
	if !is {
		return nftTransaction{}, mmerr.CoinWithoutNFTs.New(mmerr.Coin{Coin: ticker}, ticker+" coin doesn't support NFT withdrawing")
	}
	n := tx.NFT{ID: new(big.Int), ERC1155: p.Type == withdrawERC1155, Amount: big.NewInt(1)}
	n.Contract, _ = address.Parse(string(p.Data.Address)) // cannot fail, since the address is valid
	n.ID.SetString(string(p.Data.ID), 10)
	switch {
	case n.ERC1155 && p.Data.Max:
		n.Amount = nil
	case n.ERC1155 && p.Data.Amount.Int != nil:
		n.Amount = p.Data.Amount.Int
	}
	done, err := platform.WithdrawNFT(ctx, n, coin.WithdrawRequest{To: p.Data.To, Send: p.Broadcast, Fee: p.Data.Fee.policy})
	if err != nil {
		return nftTransaction{}, nftSendingFailure(err, p.Data)
	}
	kind := strings.ToUpper(strings.TrimPrefix(string(p.Type), "withdraw_"))
	return nftTransaction{Hex: hex.EncodeToString(done.Raw), Hash: done.Hash, From: done.From, To: done.To, Contract: kind, Address: string(p.Data.Address),
		TokenID: string(p.Data.ID), Amount: done.Total.String(), Fee: wire.ViewFee(done.Fee), Coin: ticker, Type: wire.TransactionType{Kind: done.Kind}}, nil
}

func nftSendingFailure(err error, p nftSending) error {
	var owner *tx.NotOwnerError
	var short *tx.NFTShortageError
	switch {
	case errors.As(err, &owner):
		data := mmerr.NFTOwner{MyAddress: owner.Address.String(), Owner: owner.Owner.String()}
		return mmerr.NotNFTOwner.From(err, data, "My address is "+data.MyAddress+", while current Nft owner is "+data.Owner)
	case errors.As(err, &short):
		data := mmerr.NFTShortage{Address: string(p.Address), ID: string(p.ID), Available: short.Available.String(), Required: short.Required.String()}
		return mmerr.NotEnoughNFTAmount.From(err, data, "Not enough NFTs amount with token_address: "+data.Address+" and token_id "+data.ID+
			". Available "+data.Available+", required "+data.Required)
	}
	return wire.SendingFailure(err)
}
