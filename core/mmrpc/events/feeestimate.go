package events

import (
	"context"
	"errors"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// FeeEstimates is the area of the method that estimates gas fees.
type FeeEstimates struct {
	Active *coin.Active
}

// Methods implements Area.
func (f FeeEstimates) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("get_eth_estimated_fee_per_gas", rpc.Doc{Reads: true,
			Summary: "Estimate gas fees of an EVM network at three levels",
			Detail: "A quarter, half and three quarters of the transactions of the last five blocks had lower tips. The maximum fees suffice " +
				"while the base fee rises as fast as it can for one, three and six blocks. The node estimates by itself (Simple): with estimator_type " +
				"Provider too.",
			Category: wire.CategorySending,
		}, f.estimate).Raises(wire.Kinds(mmerr.CoinNotFound, mmerr.CoinNotSupported, mmerr.Internal)...),
	}
}

type feeEstimateParams struct {
	Coin string        `json:"coin" doc:"ticker of an active coin of an EVM network"`
	Type estimatorType `json:"estimator_type" default:"Simple"`
}

// estimatorType selects the estimator.
type estimatorType string

// Values implements rpc.Enum.
func (estimatorType) Values() []string { return []string{"Simple", "Provider"} }

type feeEstimate struct {
	Base          string   `json:"base_fee" doc:"base fee of the next block"`
	Low           feeLevel `json:"low" doc:"for transactions that are not urgent"`
	Medium        feeLevel `json:"medium"`
	High          feeLevel `json:"high" doc:"for urgent transactions"`
	Source        string   `json:"source" doc:"simple"`
	BaseTrend     string   `json:"base_fee_trend" doc:"up or down; empty if neither"`
	PriorityTrend string   `json:"priority_fee_trend" doc:"empty if unknown"`
	Units         string   `json:"units" doc:"Gwei"`
}

type feeLevel struct {
	Tip     string  `json:"max_priority_fee_per_gas"`
	Max     string  `json:"max_fee_per_gas"`
	MinWait *uint64 `json:"min_wait_time" doc:"null if unknown"`
	MaxWait *uint64 `json:"max_wait_time" doc:"null if unknown"`
}

func (f FeeEstimates) estimate(ctx context.Context, p feeEstimateParams) (feeEstimate, error) {
	active, err := f.Active.Get(p.Coin)
	if err != nil {
		return feeEstimate{}, mmerr.CoinNotFound.From(err, mmerr.None{}, "No such coin: "+wire.Clip(p.Coin)+wire.Absence(err))
	}
	estimator, can := active.(coin.FeeEstimator)
	if !can {
		return feeEstimate{}, mmerr.CoinNotSupported.New(mmerr.None{}, "Gas fee estimation not supported for this coin: "+wire.Clip(p.Coin))
	}
	levels, err := estimator.FeeLevels(ctx)
	switch {
	case errors.Is(err, coin.ErrNoFeeLevels):
		return feeEstimate{}, mmerr.CoinNotSupported.From(err, mmerr.None{}, "Gas fee estimation not supported for this coin: "+err.Error())
	case err != nil:
		reason := wire.Text(err)
		return feeEstimate{}, mmerr.Internal.From(err, reason, "Internal error: "+reason)
	}
	result := feeEstimate{Base: levels.BaseFee.String(), Source: "simple", Units: "Gwei"}
	if result.BaseTrend = "down"; levels.Rising {
		result.BaseTrend = "up"
	}
	for i, level := range []*feeLevel{&result.Low, &result.Medium, &result.High} {
		level.Tip, level.Max = levels.Levels[i].Tip.String(), levels.Levels[i].Max.String()
	}
	return result, nil
}
