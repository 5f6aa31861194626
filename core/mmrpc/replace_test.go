package mmrpc

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/send"
	"obverse/core/number"
	"obverse/core/wallet/coin"
)

// waitingCoin replaces any transaction, or fails.
type waitingCoin struct {
	bareCoin
	err error
}

func (c *waitingCoin) Replace(_ context.Context, raw []byte, cancel bool) (coin.Transaction, error) {
	t := coin.Transaction{Raw: append(raw, 1), Hash: "ab", Total: number.Int(3), Coin: c.ticker}
	if cancel {
		t.Total = number.Int(0)
	}
	return t, c.err
}

func (c *waitingCoin) IsContract(_ context.Context, address string) (bool, error) {
	return address == "0xc0", c.err
}

func TestReplacing(t *testing.T) {
	b := newCoinsBench(t, func(active *coin.Active) []Area { return []Area{send.Replacing{Active: active}} })
	b.activate(t, &waitingCoin{bareCoin{"ETH"}, nil})
	b.activate(t, &waitingCoin{bareCoin{"AWAY"}, coin.ErrTransport})
	b.activate(t, &waitingCoin{bareCoin{"POOR"}, &coin.ShortageError{Coin: "ETH", ForFee: true}})
	b.activate(t, &waitingCoin{bareCoin{"WRONG"}, &coin.InvalidError{Field: coin.FieldRaw, Reason: errors.New("it is late")}})
	b.activate(t, &waitingCoin{bareCoin{"BAD"}, &coin.InvalidError{Field: coin.FieldTo, Reason: errors.New("it is short")}})
	b.activate(t, &bareCoin{"BARE"})
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
		_, reply := b.ask(t, request(c.method, c.params))
		require.Contains(t, reply, c.want, c.method+" "+c.params)
	}
}
