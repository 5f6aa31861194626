package wire

import "encoding/json"

// MsgExecuteContract calls a contract of CosmWasm.
type MsgExecuteContract struct {
	Sender   string          `json:"sender"`
	Contract string          `json:"contract"` // address
	Msg      json.RawMessage `json:"msg"`      // JSON, if it is sound
	Funds    []Coin          `json:"funds" wire:"5"`
}

// TypeURL implements Named.
func (*MsgExecuteContract) TypeURL() string { return "/cosmwasm.wasm.v1.MsgExecuteContract" }
