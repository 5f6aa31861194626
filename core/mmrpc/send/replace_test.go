package send_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/send"
	"obverse/core/mmrpc/servertest"
	"obverse/core/number"
	"obverse/core/wallet/coin"
)

// waitingCoin is a coin that replaces any transaction, or fails.
type waitingCoin struct {
	servertest.BareCoin
	err error
}

func (c *waitingCoin) Replace(_ context.Context, raw []byte, cancel bool) (coin.Transaction, error) {
	t := coin.Transaction{Raw: append(raw, 1), Hash: "ab", Total: number.Int(3), Coin: c.Symbol}
	if cancel {
		t.Total = number.Int(0)
	}
	return t, c.err
}

func (c *waitingCoin) IsContract(_ context.Context, address string) (bool, error) {
	return address == "0xc0", c.err
}

func TestReplacing(t *testing.T) {
	b := servertest.NewCoinsBench(t, func(active *coin.Active) []mmrpc.Area { return []mmrpc.Area{send.Replacing{Active: active}} })
	b.Add(t, &waitingCoin{servertest.BareCoin{Symbol: "ETH"}, nil})
	b.Add(t, &waitingCoin{servertest.BareCoin{Symbol: "AWAY"}, coin.ErrTransport})
	b.Add(t, &waitingCoin{servertest.BareCoin{Symbol: "POOR"}, &coin.ShortageError{Coin: "ETH", ForFee: true}})
	b.Add(t, &waitingCoin{servertest.BareCoin{Symbol: "WRONG"}, &coin.InvalidError{Field: coin.FieldRaw, Reason: errors.New("it is late")}})
	b.Add(t, &waitingCoin{servertest.BareCoin{Symbol: "BAD"}, &coin.InvalidError{Field: coin.FieldTo, Reason: errors.New("it is short")}})
	b.Add(t, &servertest.BareCoin{Symbol: "BARE"})
	for _, c := range []struct{ method, params, want string }{
		{"replace_transaction", `{"coin":"ETH","tx_hex":"00"}`, `"tx_hex":"0001","tx_hash":"ab","from":[],"to":[],"total_amount":"3"`},
		{"replace_transaction", `{"coin":"ETH","tx_hex":"00","cancel":true}`, `"total_amount":"0"`},
		{"replace_transaction", `{"coin":"ETH","tx_hex":"0"}`, `must be a signed transaction in hexadecimal`},
		{"replace_transaction", `{"coin":"ETH"}`, "tx_hex"},
		{"replace_transaction", `{"coin":"KMD","tx_hex":"00"}`, `"error_type":"NoSuchCoin"`},
		{"replace_transaction", `{"coin":"BARE","tx_hex":"00"}`, `"error_type":"CoinNotSupported"`},
		{"replace_transaction", `{"coin":"AWAY","tx_hex":"00"}`, `"error_type":"Transport"`},
		{"replace_transaction", `{"coin":"POOR","tx_hex":"00"}`, `"error_type":"NotSufficientPlatformBalanceForFee"`},
		{"replace_transaction", `{"coin":"WRONG","tx_hex":"00"}`, `it is late`},
		{"is_contract", `{"coin":"ETH","address":"0xc0"}`, `"result":{"is_contract":true}`},
		{"is_contract", `{"coin":"ETH","address":"0xe0"}`, `"result":{"is_contract":false}`},
		{"is_contract", `{"coin":"KMD","address":"0xe0"}`, `"error_type":"NoSuchCoin"`},
		{"is_contract", `{"coin":"BARE","address":"0xe0"}`, `"error_type":"CoinNotSupported"`},
		{"is_contract", `{"coin":"AWAY","address":"0xe0"}`, `"error_type":"Transport"`},
		{"is_contract", `{"coin":"BAD","address":"0xe0"}`, `"error_type":"InvalidAddress","error_data":"it is short"`},
	} {
		_, reply := b.Ask(t, mmrpctest.Request(c.method, c.params))
		require.Contains(t, reply, c.want, c.method+" "+c.params)
	}
}
