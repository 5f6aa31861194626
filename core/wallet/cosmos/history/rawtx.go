package history

import (
	"strings"

	"obverse/core/wallet/cosmos/wire"
)

// offered holds the fields of a transaction's bytes that entries need.
type offered struct {
	memo     string
	fee      []quantity
	gasLimit uint64
}

const maxMemo = 4 << 10 // bytes; Cosmos chains allow 256 by default

// parseTx reads a transaction as far as an entry needs it. Parts that are something
// else are as if they were empty.
func parseTx(raw []byte) (o offered) {
	var tx wire.Tx
	var body wire.TxBody
	var auth wire.AuthInfo
	if wire.Decode(raw, &tx) != nil {
		return o
	}
	if wire.Decode(tx.Body, &body) == nil && len(body.Memo) <= maxMemo {
		o.memo = strings.ToValidUTF8(body.Memo, "\uFFFD")
	}
	if wire.Decode(tx.AuthInfo, &auth) == nil {
		o.gasLimit = auth.Fee.GasLimit
		for _, c := range auth.Fee.Amount {
			o.fee = append(o.fee, parseCoins(c.Amount+c.Denom, 1)...)
		}
	}
	return o
}
