package daemon

import (
	"context"
	"encoding/hex"
	"errors"

	"obverse/core/chain"
	"obverse/core/chain/mempool"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/core/rpc"
)

// categoryTransactions is komodod's category for methods about transactions.
const categoryTransactions = "Rawtransactions"

func (b *Backend) transactionMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("sendrawtransaction", rpc.Doc{
			Usage:    `sendrawtransaction "hexstring" ( allowhighfees )`,
			Summary:  "Add a signed transaction to the mempool",
			Detail:   "Returns the txid once the transaction is on disk, so that a crash does not lose it.",
			Category: categoryTransactions,
		}, b.sendRawTransaction).Gives(wire.Hash{}),
		rpc.Handle("decoderawtransaction", rpc.Doc{Reads: true,
			Usage:    `decoderawtransaction "hexstring"`,
			Summary:  "Decode a transaction without looking up its inputs",
			Category: categoryTransactions,
		}, b.decodeRawTransaction),
		rpc.Handle("getrawtransaction", rpc.Doc{Reads: true,
			Usage:    `getrawtransaction "txid" ( verbose )`,
			Summary:  "Return a transaction of the chain or the mempool",
			Detail:   "Returns the transaction in hexadecimal. With verbose 1, the result also contains the decoded transaction and its block.",
			Category: categoryTransactions,
		}, b.getRawTransaction).Gives("", fullTx{}),
		rpc.Handle("decodescript", rpc.Doc{
			Usage:    `decodescript "hex"`,
			Summary:  "Decode an output script or redeem script",
			Category: categoryTransactions,
		}, b.decodeScript),
		rpc.Handle("validateaddress", rpc.Doc{
			Usage:    `validateaddress "komodoaddress"`,
			Summary:  "Report whether an address is valid on this chain and belongs to the wallet",
			Category: "Util",
		}, b.validateAddress),
	}
}

type sendRawParams struct {
	Hex           TypedString `json:"hexstring" doc:"the transaction in hexadecimal"`
	AllowHighFees TypedBool   `json:"allowhighfees" rpc:"optional" doc:"accept a fee that is far above the usual one"`
}

// errDecode is the error for bytes that are not a transaction.
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
	P2SH script.Address `json:"p2sh" doc:"address of outputs that have the script as their redeem script"`
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

type rawParams struct {
	TxID    Text `json:"txid" doc:"id of the transaction"`
	Verbose Int  `json:"verbose" rpc:"optional" doc:"0: return the transaction in hexadecimal; other values: return it decoded as well"`
}

// fullTx is the result of getrawtransaction. The fields after the transaction are present only
// if it is in a block.
type fullTx struct {
	Hex hexBytes `json:"hex"`
	txJSON
	BlockHash        *wire.Hash `json:"blockhash,omitempty"`
	Height           *int       `json:"height,omitempty"`
	Confirmations    *int       `json:"confirmations,omitempty"`
	RawConfirmations *int       `json:"rawconfirmations,omitempty" doc:"number of blocks from the block of the transaction to the tip; equal to confirmations, since the chain has no notarisations"`
	Time             *uint32    `json:"time,omitempty" doc:"time of the block, in seconds since 1970"`
	BlockTime        *uint32    `json:"blocktime,omitempty"`
}

// getRawTransaction returns a string or a *fullTx.
func (b *Backend) getRawTransaction(ctx context.Context, p rawParams) (result any, err error) {
	id, err := parseHash("parameter 1", p.TxID)
	if err != nil {
		return nil, err
	}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		look := lookup{b, v}
		found, err := look.find(id)
		switch {
		case errors.Is(err, chain.ErrNotFound):
			return &Error{CodeAddress, "No information available about transaction"}
		case err != nil:
			return err
		case p.Verbose == 0:
			result = hexBytes(found.raw)
			return nil
		}
		result, err = look.show(id, found)
		return err
	})
	return result, err
}

// lookup finds transactions in the chain and in the mempool at one tip.
type lookup struct {
	*Backend
	view *chain.View
}

// foundTx is a transaction with its place, if it is in the chain.
type foundTx struct {
	raw []byte
	at  *chain.Located
}

// find returns a transaction, or chain.ErrNotFound.
func (l lookup) find(id wire.Hash) (foundTx, error) {
	if entry, ok := l.Pool.Entry(id); ok {
		return foundTx{raw: entry.Raw}, nil
	}
	at, err := l.view.Tx(id)
	return foundTx{at.Raw, &at}, err
}

// show returns a transaction with the information that the chain has about its inputs and
// outputs (komodod rpc/rawtransaction.cpp TxToJSONExpanded).
func (l lookup) show(id wire.Hash, found foundTx) (*fullTx, error) {
	tx, err := wire.DecodeTx(found.raw)
	if err != nil {
		return nil, err
	}
	result := &fullTx{Hex: found.raw, txJSON: showTx(tx, id, l.Manager.Params())}
	result.Notarized = new(int)
	if err := l.addSpent(result, tx); err != nil {
		return nil, err
	}
	for i := range result.Outputs {
		out := &result.Outputs[i]
		out.ValueZat, out.ValueSat = nil, out.ValueZat
		if err := l.addSpender(out, wire.OutPoint{Hash: id, Index: uint32(i)}); err != nil {
			return nil, err
		}
	}
	if found.at != nil {
		return result, l.addBlock(result, found.at)
	}
	return result, nil
}

// addSpent adds the value and the address of the spent output to each input.
func (l lookup) addSpent(result *fullTx, tx *wire.Tx) error {
	if tx.IsCoinbase() {
		return nil
	}
	parents := make(map[wire.Hash]*wire.Tx)
	for i := range tx.Inputs {
		from := tx.Inputs[i].PrevOut
		if parents[from.Hash] == nil {
			found, err := l.find(from.Hash)
			if err != nil {
				return err
			}
			if parents[from.Hash], err = wire.DecodeTx(found.raw); err != nil {
				return err
			}
		}
		out := &parents[from.Hash].Outputs[from.Index]
		in := &result.Inputs[i]
		in.Address = destination(out.Script, l.Manager.Params())
		in.Value, in.ValueSat = new(number.Coins(out.Value)), &out.Value
	}
	return nil
}

// addSpender adds the input that spends an output, in the chain or in the mempool.
func (l lookup) addSpender(result *outputJSON, out wire.OutPoint) error {
	if id, ok := l.Pool.SpentBy(out); ok {
		entry, _ := l.Pool.Entry(id)
		result.SpentTxID, result.SpentHeight = &id, new(-1)
		for i := range entry.Tx.Inputs {
			if entry.Tx.Inputs[i].PrevOut == out {
				result.SpentIndex = &i
			}
		}
		return nil
	}
	spender, spent, err := l.view.Spender(out)
	if spent {
		result.SpentTxID, result.SpentIndex, result.SpentHeight = &spender.TxID, &spender.Input, &spender.Height
	}
	return err
}

func (l lookup) addBlock(result *fullTx, at *chain.Located) error {
	block, err := l.view.Record(at.Block)
	if err != nil {
		return err
	}
	result.BlockHash, result.Height = &at.Block, &at.Height
	result.Confirmations = new(l.view.Tip().Height - at.Height + 1)
	result.RawConfirmations = result.Confirmations
	result.Time, result.BlockTime = &block.Time, &block.Time
	return nil
}
