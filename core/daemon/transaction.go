package daemon

import (
	"context"
	"encoding/hex"
	"errors"

	"obverse/core/chain/mempool"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/rpc"
)

// categoryTransactions is komodod's heading for transactions.
const categoryTransactions = "Rawtransactions"

func (b *Backend) transactionMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("sendrawtransaction", rpc.Doc{
			Usage:    `sendrawtransaction "hexstring" ( allowhighfees )`,
			Summary:  "Take a signed transaction into the mempool, from where it gets into a block",
			Detail:   "The answer is its txid. It comes when the transaction is on disk: a crash does not lose it.",
			Category: categoryTransactions,
		}, b.sendRawTransaction).Gives(wire.Hash{}),
		rpc.Handle("decoderawtransaction", rpc.Doc{Reads: true,
			Usage:    `decoderawtransaction "hexstring"`,
			Summary:  "Show what a transaction says, without looking at the chain",
			Category: categoryTransactions,
		}, b.decodeRawTransaction),
		rpc.Handle("getrawtransaction", rpc.Doc{Reads: true,
			Usage:    `getrawtransaction "txid" ( verbose )`,
			Summary:  "Find a transaction of the chain or of the mempool",
			Detail:   "The answer is its bytes in hexadecimal, or with verbose 1 also what they say and what became of them.",
			Category: categoryTransactions,
		}, b.getRawTransaction).Gives("", fullTx{}),
		rpc.Handle("decodescript", rpc.Doc{
			Usage:    `decodescript "hex"`,
			Summary:  "Show what an output script or redeem script says",
			Category: categoryTransactions,
		}, b.decodeScript),
		rpc.Handle("validateaddress", rpc.Doc{
			Usage:    `validateaddress "komodoaddress"`,
			Summary:  "Tell whether an address is one of this chain, and whose",
			Category: "Util",
		}, b.validateAddress),
	}
}

type sendRawParams struct {
	Hex           TypedString `json:"hexstring" doc:"the transaction in hexadecimal"`
	AllowHighFees TypedBool   `json:"allowhighfees" rpc:"optional" doc:"take it even if its fee looks like a mistake"`
}

// errDecode is the answer to bytes that are no transaction.
var errDecode = &Error{CodeDecode, "TX decode failed"}

func (b *Backend) sendRawTransaction(ctx context.Context, p sendRawParams) (sent, error) {
	raw, err := hex.DecodeString(string(p.Hex))
	if err != nil {
		return sent{}, errDecode
	}
	id, err := b.send(ctx, raw, bool(p.AllowHighFees))
	var refused *mempool.Error
	if errors.As(err, &refused) {
		return id, &Error{refused.Code, refused.Message}
	}
	return id, err
}

type decodeParams struct {
	Hex TypedString `json:"hexstring" doc:"the transaction in hexadecimal"`
}

func (b *Backend) decodeRawTransaction(_ context.Context, p decodeParams) (txJSON, error) {
	raw, err := hex.DecodeString(string(p.Hex))
	if err != nil {
		return txJSON{}, errDecode
	}
	tx, raw, err := mempool.Decode(raw)
	if err != nil {
		return txJSON{}, errDecode
	}
	return showTx(tx, wire.HashOf(raw), b.Manager.Params()), nil
}

type decodeScriptParams struct {
	Hex TypedString `json:"hex" doc:"the script in hexadecimal"`
}

type decodedScript struct {
	outputScript
	P2SH script.Address `json:"p2sh" doc:"the address of outputs for which this is the redeem script"`
}

func (b *Backend) decodeScript(_ context.Context, p decodeScriptParams) (decodedScript, error) {
	raw, err := parseHex("argument", string(p.Hex))
	if err != nil {
		return decodedScript{}, err
	}
	result := showScript(raw, b.Manager.Params())
	result.Hex = nil
	return decodedScript{result, script.ScriptAddress(raw)}, nil
}
