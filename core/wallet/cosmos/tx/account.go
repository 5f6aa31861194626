package tx

// Network is what a wallet is told of a chain. It may know the chain by its id; it can
// be taught a chain only if no member is empty.
type Network struct {
	ID       string `json:"chain_id"`
	Name     string `json:"name"`   // for people
	Prefix   string `json:"prefix"` // of addresses
	CoinType uint32 `json:"coin_type,omitempty"`
	Ticker   string `json:"ticker"`
	Denom    string `json:"denom"` // of the coin that pays fees
	Decimals uint8  `json:"decimals"`
	GasPrice string `json:"gas_price"` // a decimal number, in Denom
	RPC      string `json:"rpc,omitempty"`
	REST     string `json:"rest,omitempty"`
}
