package events_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/events"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/number"
	"obverse/core/wallet/coin"
)

// feeCoin is a coin with fixed fees or an error.
type feeCoin struct {
	servertest.BareCoin
	err error
}

func (c feeCoin) FeeLevels(context.Context) (coin.FeeLevels, error) {
	level := func(tip, maxFee int64) coin.FeeLevel {
		return coin.FeeLevel{Tip: number.Int(tip), Max: number.Int(maxFee)}
	}
	return coin.FeeLevels{BaseFee: number.Int(20), Rising: true, Levels: [3]coin.FeeLevel{level(1, 24), level(2, 31), level(3, 44)}}, c.err
}

func TestFeeEstimate(t *testing.T) {
	b := servertest.NewCoinsBench(t, func(active *coin.Active) []mmrpc.Area { return []mmrpc.Area{events.FeeEstimates{Active: active}} })
	b.Add(t, &feeCoin{servertest.BareCoin{Symbol: "ETH"}, nil})
	b.Add(t, &feeCoin{servertest.BareCoin{Symbol: "OLD"}, coin.ErrNoFeeLevels})
	b.Add(t, &feeCoin{servertest.BareCoin{Symbol: "AWAY"}, coin.ErrTransport})
	b.Add(t, &servertest.BareCoin{Symbol: "BARE"})
	_, reply := b.Ask(t, mmrpctest.Request("get_eth_estimated_fee_per_gas", `{"coin":"ETH","estimator_type":"Simple"}`))
	require.Equal(t, `{"mmrpc":"2.0","result":{"base_fee":"20","low":{"max_priority_fee_per_gas":"1","max_fee_per_gas":"24","min_wait_time":null,"max_wait_time":null},`+
		`"medium":{"max_priority_fee_per_gas":"2","max_fee_per_gas":"31","min_wait_time":null,"max_wait_time":null},`+
		`"high":{"max_priority_fee_per_gas":"3","max_fee_per_gas":"44","min_wait_time":null,"max_wait_time":null},`+
		`"source":"simple","base_fee_trend":"up","priority_fee_trend":"","units":"Gwei"},"id":5}`, reply)
	for params, want := range map[string]string{
		`{"coin":"BARE"}`: `"error_type":"CoinNotSupported"`, `{"coin":"OLD"}`: `"error_type":"CoinNotSupported"`, `{"coin":"KMD"}`: `"error_type":"CoinNotFound"`,
		`{"coin":"AWAY"}`: `"error_type":"Internal"`, `{"coin":"ETH","estimator_type":"x"}`: "Simple",
	} {
		_, reply := b.Ask(t, mmrpctest.Request("get_eth_estimated_fee_per_gas", params))
		require.Contains(t, reply, want)
	}
}
