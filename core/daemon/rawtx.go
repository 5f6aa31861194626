package daemon

import (
	"context"
	"errors"

	"obverse/core/chain"
	"obverse/core/chain/wire"
	"obverse/core/number"
)

type rawParams struct {
	TxID    Text `json:"txid" doc:"the transaction's id"`
	Verbose Int  `json:"verbose" rpc:"optional" doc:"0 for the bytes, anything else for what they say"`
}

// fullTx is the result of getrawtransaction. The fields after the transaction exist once it is
// in a block.
type fullTx struct {
	Hex hexBytes `json:"hex"`
	txJSON
	BlockHash        *wire.Hash `json:"blockhash,omitempty"`
	Height           *int       `json:"height,omitempty"`
	Confirmations    *int       `json:"confirmations,omitempty"`
	RawConfirmations *int       `json:"rawconfirmations,omitempty" doc:"blocks from its own up to the tip; equal to confirmations, since nothing is notarised"`
	Time             *uint32    `json:"time,omitempty" doc:"of the block, Unix seconds"`
	BlockTime        *uint32    `json:"blocktime,omitempty"`
}

// getRawTransaction answers with a string or a fullTx.
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

// lookup finds transactions of the chain and of the mempool at one tip.
type lookup struct {
	*Backend
	view *chain.View
}

// foundTx is a transaction and, if it is in the chain, where.
type foundTx struct {
	raw []byte
	at  *chain.Located
}

// find fails with chain.ErrNotFound.
func (l lookup) find(id wire.Hash) (foundTx, error) {
	if entry, ok := l.Pool.Entry(id); ok {
		return foundTx{raw: entry.Raw}, nil
	}
	at, err := l.view.Tx(id)
	return foundTx{at.Raw, &at}, err
}

// show adds to a transaction what the chain knows of its inputs and outputs
// [komodod rpc/rawtransaction.cpp TxToJSONExpanded].
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

// addSpent adds to each input the value and address of what it spends.
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

// addSpender adds who spends an output, in the chain or in the mempool.
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
