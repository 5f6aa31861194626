package dapp

import (
	"context"
	"encoding/json"
	"slices"

	"obverse/core/wallet/dapp"
)

// readable are the methods that programs may call, which change nothing and tell no more
// than any node does.
var readable = []string{
	"eth_chainId", "eth_blockNumber", "eth_call", "eth_estimateGas", "eth_gasPrice", "eth_maxPriorityFeePerGas", "eth_feeHistory", "eth_getBalance", "eth_getCode",
	"eth_getTransactionCount", "eth_getTransactionReceipt", "eth_getTransactionByHash", "eth_getBlockByNumber", "eth_getBlockByHash", "eth_getLogs", "eth_getStorageAt",
}

// Limits of what is passed on.
const (
	maxParams = 8
	maxRead   = 2*maxData + 4<<10 // bytes of all parameters
)

// Read implements dapp.Wallet.
func (w *Wallet) Read(ctx context.Context, r *dapp.Request) (json.RawMessage, error) {
	if !slices.Contains(readable, r.Method) {
		return nil, dapp.Unsupported("the method %.60q is not supported", r.Method)
	}
	var params []json.RawMessage
	if len(r.Params) > maxRead || len(r.Params) > 0 && json.Unmarshal(r.Params, &params) != nil || len(params) > maxParams {
		return nil, dapp.Invalid("params must be a list of at most %d parameters and %d bytes", maxParams, maxRead)
	}
	return w.Nodes.Forward(ctx, r.Method, params)
}
