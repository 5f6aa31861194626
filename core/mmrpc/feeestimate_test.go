package mmrpc

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/events"
	"obverse/core/number"
	"obverse/core/wallet/coin"
)

// feeCoin has fixed fees, or fails.
type feeCoin struct {
	bareCoin
	err error
}

func (c feeCoin) FeeLevels(context.Context) (coin.FeeLevels, error) {
	level := func(tip, most int64) coin.FeeLevel { return coin.FeeLevel{Tip: number.Int(tip), Max: number.Int(most)} }
	return coin.FeeLevels{BaseFee: number.Int(20), Rising: true, Levels: [3]coin.FeeLevel{level(1, 24), level(2, 31), level(3, 44)}}, c.err
}

func TestFeeEstimate(t *testing.T) {
	b := newCoinsBench(t, func(active *coin.Active) []Area { return []Area{events.FeeEstimates{Active: active}} })
	b.activate(t, &feeCoin{bareCoin{"ETH"}, nil})
	b.activate(t, &feeCoin{bareCoin{"OLD"}, coin.ErrNoFeeLevels})
	b.activate(t, &feeCoin{bareCoin{"AWAY"}, coin.ErrTransport})
	b.activate(t, &bareCoin{"BARE"})
	_, reply := b.ask(t, request("get_eth_estimated_fee_per_gas", `{"coin":"ETH","estimator_type":"Simple"}`))
	require.Equal(t, `{"mmrpc":"2.0","result":{"base_fee":"20","low":{"max_priority_fee_per_gas":"1","max_fee_per_gas":"24","min_wait_time":null,"max_wait_time":null},`+
		`"medium":{"max_priority_fee_per_gas":"2","max_fee_per_gas":"31","min_wait_time":null,"max_wait_time":null},`+
		`"high":{"max_priority_fee_per_gas":"3","max_fee_per_gas":"44","min_wait_time":null,"max_wait_time":null},`+
		`"source":"simple","base_fee_trend":"up","priority_fee_trend":"","units":"Gwei"},"id":5}`, reply)
	for params, want := range map[string]string{
		`{"coin":"BARE"}`: `"error_type":"CoinNotSupported"`, `{"coin":"OLD"}`: `"error_type":"CoinNotSupported"`, `{"coin":"KMD"}`: `"error_type":"CoinNotFound"`,
		`{"coin":"AWAY"}`: `"error_type":"Internal"`, `{"coin":"ETH","estimator_type":"x"}`: "Simple",
	} {
		_, reply := b.ask(t, request("get_eth_estimated_fee_per_gas", params))
		require.Contains(t, reply, want)
	}
}
