package trading

import (
	"context"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/number"
	"obverse/core/rpc"
	"obverse/core/swap"
	"obverse/core/wallet/coin"
)

// NumericFormats is a number in three formats. It has its own schema, because the pairs in the
// rational format cannot be derived from a Go type.
type NumericFormats number.NumericFormats

// JSONSchema implements rpc.Described.
func (NumericFormats) JSONSchema() *rpc.Schema {
	limbs := &rpc.Schema{Type: "array", Items: &rpc.Schema{Type: "integer", Minimum: "0"}}
	return &rpc.Schema{
		Type:        "object",
		Description: "one number, three times",
		Properties: rpc.Properties{
			{Name: "decimal", Schema: &rpc.Schema{Type: "string", Pattern: `^-?[0-9]+(\.[0-9]+)?$`,
				Description: "exactly, or rounded to 100 significant digits"}},
			{Name: "rational", Schema: &rpc.Schema{Type: "array",
				Description: "numerator and denominator in lowest terms, each a pair of its sign (-1, 0 or 1) and its 32-bit digits, the least first",
				Items:       &rpc.Schema{Type: "array", Items: &rpc.Schema{OneOf: []*rpc.Schema{{Type: "integer"}, limbs}}}}},
			{Name: "fraction", Schema: &rpc.Schema{Type: "object", Description: "numerator and denominator in lowest terms",
				Properties: rpc.Properties{
					{Name: "numer", Schema: &rpc.Schema{Type: "string", Pattern: `^-?[0-9]+$`}},
					{Name: "denom", Schema: &rpc.Schema{Type: "string", Pattern: `^[0-9]+$`}},
				}, Required: []string{"numer", "denom"}}},
		},
		Required: []string{"decimal", "rational", "fraction"},
	}
}

const categorySwaps = "Swaps"

// Swaps is the area of the methods for atomic swaps in progress and the amounts that they lock.
type Swaps struct {
	Active *coin.Active
	Ledger *swap.Ledger
}

// Methods implements Area.
func (s Swaps) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("get_locked_amount", rpc.Doc{Reads: true,
			Summary: "Return the amount of a coin that swaps in progress still need", Category: categorySwaps,
		}, s.lockedAmount).Raises(wire.Kinds(mmerr.NoSuchCoin)...),
	}
}

type lockedAmountParams struct {
	Coin string `json:"coin" doc:"ticker of an active coin"`
}

type lockedAmountResult struct {
	Coin   string         `json:"coin" doc:"ticker as in the request"`
	Locked NumericFormats `json:"locked_amount" doc:"payments and fees that running swaps have yet to pay, in whole coins"`
}

func (s Swaps) lockedAmount(_ context.Context, p lockedAmountParams) (lockedAmountResult, error) {
	if _, err := s.Active.Get(p.Coin); err != nil {
		return lockedAmountResult{}, mmerr.NoSuchCoin.From(err, mmerr.Coin{Coin: p.Coin}, "No such coin: "+wire.Clip(p.Coin)+wire.Absence(err))
	}
	locked := s.Ledger.Locked(coin.Canonical(p.Coin))
	return lockedAmountResult{p.Coin, NumericFormats(locked.Formats())}, nil
}
