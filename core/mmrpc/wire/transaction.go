package wire

import (
	"encoding/hex"
	"encoding/json"

	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// TransactionView is a transaction in a result. Its members are in the order of Komodo DeFi
// Framework.
type TransactionView struct {
	Hex      string          `json:"tx_hex" doc:"the signed transaction in hexadecimal; empty if unknown"`
	Hash     string          `json:"tx_hash"`
	From     []string        `json:"from" doc:"addresses"`
	To       []string        `json:"to" doc:"addresses"`
	Total    string          `json:"total_amount" doc:"amount of the coin that the transaction moves, including a fee in it; amounts are decimal numbers of whole coins"`
	Spent    string          `json:"spent_by_me" doc:"including a fee in the coin"`
	Received string          `json:"received_by_me"`
	Change   string          `json:"my_balance_change" doc:"amount received minus amount spent"`
	Height   uint64          `json:"block_height" doc:"0 if the transaction is not in a block"`
	Time     int64           `json:"timestamp" doc:"time of the block, in seconds since 1970; 0 if unknown"`
	Fee      FeeView         `json:"fee_details"`
	Coin     string          `json:"coin" doc:"ticker"`
	ID       string          `json:"internal_id" doc:"unique among the entries of the coin"`
	Type     TransactionType `json:"transaction_type"`
	Memo     string          `json:"memo"`

	Simulated bool `json:"simulated,omitempty" doc:"whether the nodes successfully simulated the transaction on the latest state before it was signed"`
}

// Flat implements Flat.
func (TransactionView) Flat() {}

// FeeView is a fee in a result.
type FeeView struct {
	Type     string `json:"type" doc:"type of the chain: Tendermint or Eth"`
	Coin     string `json:"coin" doc:"ticker of the coin that pays the fee"`
	Amount   string `json:"amount" doc:"a decimal number of whole coins; the maximum for Eth"`
	GasLimit uint64 `json:"gas_limit"`

	Gas      uint64 `json:"gas,omitempty" doc:"Eth: same as gas_limit"`
	GasPrice string `json:"gas_price,omitempty" doc:"Eth: maximum price of a unit of gas, in whole coins"`
	MaxFee   string `json:"max_fee_per_gas,omitempty" doc:"Eth: same as gas_price, on networks with a base fee"`
	MaxTip   string `json:"max_priority_fee_per_gas,omitempty" doc:"Eth: part of it above the base fee, in whole coins"`
	Total    string `json:"total_fee,omitempty" doc:"Eth: same as amount"`
	Data     string `json:"data_fee,omitempty" doc:"Eth: part of amount that a rollup charges to store the data of the transaction on another chain"`
}

// ViewFee converts a fee to its form in results.
func ViewFee(f coin.Fee) FeeView {
	v := FeeView{Type: f.Type, Coin: f.Coin, Amount: f.Amount.String(), GasLimit: f.GasLimit}
	if f.Type != coin.FeeEth {
		return v
	}
	v.Gas, v.GasPrice, v.Total = v.GasLimit, f.GasPrice.String(), v.Amount
	if f.MaxTip != nil {
		v.MaxFee, v.MaxTip = v.GasPrice, f.MaxTip.String()
	}
	if !f.Data.IsZero() {
		v.Data = f.Data.String()
	}
	return v
}

// ViewTransaction converts a transaction to its form in results.
func ViewTransaction(t coin.Transaction) TransactionView {
	return TransactionView{
		Hex: hex.EncodeToString(t.Raw), Hash: t.Hash, From: noNil(t.From), To: noNil(t.To),
		Total: t.Total.String(), Spent: t.Spent.String(), Received: t.Received.String(), Change: t.Received.Sub(t.Spent).String(),
		Height: t.Height, Time: t.Timestamp,
		Fee: ViewFee(t.Fee), Coin: t.Coin, ID: t.ID, Type: TransactionType{t.Kind, t.Token, t.Message}, Memo: t.Memo, Simulated: t.Simulated,
	}
}

// HistoryEntry is a transaction in a history.
type HistoryEntry struct {
	TransactionView
	Confirmations uint64 `json:"confirmations" doc:"number of blocks since the transaction, including its own block"`
}

// ViewHistory converts the transactions of a history to their form in results.
func ViewHistory(page coin.History) []HistoryEntry {
	list := []HistoryEntry{}
	for _, tx := range page.Transactions {
		e := HistoryEntry{TransactionView: ViewTransaction(tx)}
		if tx.Height <= page.CurrentBlock {
			e.Confirmations = page.CurrentBlock + 1 - tx.Height
		}
		list = append(list, e)
	}
	return list
}

func noNil(list []string) []string { return append([]string{}, list...) }

// TransactionType is encoded like an enum of Komodo DeFi Framework: a kind without data is a
// string, other kinds are objects with their name as the only member.
type TransactionType struct {
	Kind           coin.TransactionKind
	Token, Message string
}

// MarshalJSON implements json.Marshaler.
func (t TransactionType) MarshalJSON() ([]byte, error) {
	var token *string // nil if there is no token
	if t.Token != "" {
		token = &t.Token
	}
	switch t.Kind {
	case coin.KindTokenTransfer:
		return json.Marshal(map[coin.TransactionKind]string{t.Kind: t.Token})
	case coin.KindIBCTransfer:
		type data struct {
			Token *string `json:"token_id"`
		}
		return json.Marshal(map[coin.TransactionKind]data{t.Kind: {token}})
	case coin.KindCustomMessage:
		type data struct {
			Message string  `json:"msg_type"`
			Token   *string `json:"token_id"`
		}
		return json.Marshal(map[coin.TransactionKind]data{t.Kind: {t.Message, token}})
	}
	return json.Marshal(t.Kind)
}

// JSONSchema implements rpc.Described.
func (TransactionType) JSONSchema() *rpc.Schema {
	id := &rpc.Schema{OneOf: []*rpc.Schema{{Type: "string"}, {Type: "null"}}, Description: "id of the token: the SHA-256 of its denom in small letters, in hexadecimal; null if it is the platform's coin"}
	variant := func(kind coin.TransactionKind, schema *rpc.Schema) *rpc.Schema {
		return &rpc.Schema{Type: "object", Properties: rpc.Properties{{Name: string(kind), Schema: schema}}, Required: []string{string(kind)}}
	}
	plain := []string{string(coin.KindTransfer), string(coin.KindFeeOnly), string(coin.KindDelegation),
		string(coin.KindRemoveDelegation), string(coin.KindClaimRewards), string(coin.KindNFTTransfer)}
	return &rpc.Schema{
		Description: "what the transaction is for",
		OneOf: []*rpc.Schema{
			{Type: "string", Enum: plain},
			variant(coin.KindTokenTransfer, &rpc.Schema{Type: "string", Description: "id of the token"}),
			variant(coin.KindIBCTransfer, &rpc.Schema{Type: "object", Properties: rpc.Properties{{Name: "token_id", Schema: id}}, Required: []string{"token_id"}}),
			variant(coin.KindCustomMessage, &rpc.Schema{Type: "object", Properties: rpc.Properties{
				{Name: "msg_type", Schema: &rpc.Schema{Type: "string"}}, {Name: "token_id", Schema: id}}, Required: []string{"msg_type", "token_id"}}),
		},
	}
}
