package send_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/keys"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/send"
	"obverse/core/mmrpc/servertest"
	"obverse/core/mmrpc/wire"
	"obverse/core/number"
	"obverse/core/wallet/coin"
)

// TestEthFees checks the fees of EVM networks in the forms of Komodo DeFi Framework.
func TestEthFees(t *testing.T) {
	for _, c := range []struct {
		fee, want string
		data      string // data of the InvalidRequest
	}{
		{`{"type":"EthGas","gas_price":"3.5","gas":55000}`, "{3.5 55000}", ""},
		{`{"type":"EthGasEip1559","max_fee_per_gas":"7","max_priority_fee_per_gas":1.5,"gas_option":{"type":"Set","gas":9}}`, "{7 1.5 9}", ""},
		{`{"type":"EthGasEip1559","max_fee_per_gas":7,"max_priority_fee_per_gas":1,"gas_option":{"type":"Calc"}}`, "{7 1 0}", ""},
		{`{"type":"EthGasEip1559","max_fee_per_gas":7,"max_priority_fee_per_gas":1,"gas":8}`, "{7 1 8}", ""},
		{`{"type":"EthGasEip1559","max_fee_per_gas":7,"max_priority_fee_per_gas":1}`, "{7 1 0}", ""},
		{`{"type":"EthGas","gas":1}`, "", "missing field `gas_price`"},
		{`{"type":"EthGas","gas_price":1}`, "", "missing field `gas`"},
		{`{"type":"EthGas","gas_price":-1,"gas":1}`, "", "invalid value: integer `-1`, expected a decimal number that is not negative"},
		{`{"type":"EthGas","gas_price":1,"gas":0}`, "", "invalid value: integer `0`, expected a whole number from 1 to 18446744073709551615"},
		{`{"type":"EthGasEip1559","max_fee_per_gas":7}`, "", "missing field `max_priority_fee_per_gas`"},
		{`{"type":"EthGasEip1559","max_priority_fee_per_gas":7}`, "", "missing field `max_fee_per_gas`"},
		{`{"type":"EthGasEip1559","max_fee_per_gas":7,"max_priority_fee_per_gas":1,"gas_option":{"type":"Set"}}`, "", "missing field `gas`"},
		{`{"type":"EthGasEip1559","max_fee_per_gas":7,"max_priority_fee_per_gas":1,"gas_option":{"type":"Some"}}`, "", "unknown variant `Some`, expected one of `Set`, `Calc`"},
	} {
		b, s := newSender(t)
		status, reply := b.Ask(t, mmrpctest.Request("withdraw", `{"coin":"IRIS","to":"x","amount":1,"fee":`+c.fee+`}`))
		if c.data != "" {
			require.Equal(t, 400, status)
			require.Contains(t, reply, `"error_data":`+mmrpctest.Quote(c.data), c.fee)
			continue
		}
		require.Equal(t, 200, status, reply)
		got := ""
		switch fee := s.request.Fee.(type) {
		case coin.EthGas:
			got = fmt.Sprintf("{%s %d}", fee.Price, fee.Limit)
		case coin.EthGasEIP1559:
			got = fmt.Sprintf("{%s %s %d}", fee.MaxFee, fee.MaxTip, fee.Limit)
		}
		require.Equal(t, c.want, got, c.fee)
	}
}

// sender is a coin that accepts all sends, or fails.
type sender struct {
	servertest.BareCoin
	fails, refuses, lost error
	request              coin.WithdrawRequest
	sent                 []string
	confirmations        uint64
	takes                time.Duration
}

func (s *sender) Withdraw(_ context.Context, r coin.WithdrawRequest) (coin.Transaction, error) {
	s.request = r
	if s.fails != nil {
		return coin.Transaction{}, s.fails
	}
	t := coin.Transaction{
		Raw: []byte{0x0a, 0xff}, Hash: "E00982", From: []string{"iaa1from"}, To: []string{r.To},
		Total: mmrpctest.Rational("13.038553"), Spent: mmrpctest.Rational("13.038553"), Received: mmrpctest.Rational("13"),
		Fee:  coin.Fee{Type: "Tendermint", Coin: "IRIS", Amount: mmrpctest.Rational("0.038553"), GasLimit: 100000},
		Coin: "IRIS", ID: "e00982", Kind: coin.KindTransfer, Memo: r.Memo,
	}
	if !r.Send {
		return t, nil
	}
	s.sent = append(s.sent, fmt.Sprintf("%x", t.Raw))
	return t, unclear(s.refuses)
}

// unclear returns an error of submitting a transaction.
func unclear(err error) error {
	if errors.Is(err, coin.ErrTransport) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &coin.UnclearError{Hash: "E00982", Err: err}
	}
	return err
}

func (s *sender) Broadcast(_ context.Context, raw []byte) (string, error) {
	s.sent = append(s.sent, fmt.Sprintf("%x", raw))
	return "E00982", unclear(s.refuses)
}

func (s *sender) Await(ctx context.Context, _ []byte, confirmations uint64) (coin.Confirmed, error) {
	s.confirmations = confirmations
	select {
	case <-ctx.Done():
		return coin.Confirmed{}, ctx.Err()
	case <-time.After(s.takes):
	}
	return coin.Confirmed{Height: 7, Confirmations: 3}, s.lost
}

func newSender(t *testing.T) (*servertest.CoinsBench, *sender) {
	b := servertest.NewCoinsBench(t, func(active *coin.Active) []mmrpc.Area {
		return []mmrpc.Area{send.Sending{Active: active}, keys.Messages{Active: active}}
	})
	s := &sender{BareCoin: servertest.BareCoin{Symbol: "IRIS"}}
	b.Add(t, s)
	b.Add(t, &servertest.BareCoin{Symbol: "BARE"})
	return b, s
}

// TestWithdraw checks that the answer has the members of Komodo DeFi Framework's in the same
// order.
func TestWithdraw(t *testing.T) {
	b, s := newSender(t)
	const answer = `{"mmrpc":"2.0","result":{"tx_hex":"0aff","tx_hash":"E00982","from":["iaa1from"],"to":["iaa1to"],` +
		`"total_amount":"13.038553","spent_by_me":"13.038553","received_by_me":"13","my_balance_change":"-0.038553","block_height":0,` +
		`"timestamp":0,"fee_details":{"type":"Tendermint","coin":"IRIS","amount":"0.038553","gas_limit":100000},"coin":"IRIS",` +
		`"internal_id":"e00982","transaction_type":"StandardTransfer","memo":%q},"id":5}`
	status, reply := b.Ask(t, mmrpctest.Request("withdraw", `{"coin":"IRIS","to":"iaa1to","amount":13,"memo":"cold day",
		"fee":{"type":"CosmosGas","gas_price":0.05,"gas_limit":150000},"ibc_source_channel":"channel-12"}`))
	require.Equal(t, 200, status)
	require.Equal(t, fmt.Sprintf(answer, "cold day"), reply)
	require.Equal(t, "iaa1to", s.request.To)
	require.Zero(t, mmrpctest.Rational("13").Cmp(s.request.Amount))
	fee := s.request.Fee.(coin.CosmosGas)
	require.Equal(t, "0.05 150000", fmt.Sprint(fee.Price, " ", fee.Limit))
	require.EqualValues(t, 12, *s.request.Channel)
	require.Empty(t, s.sent)

	status, reply = b.Ask(t, mmrpctest.Request("withdraw", `{"coin":"IRIS","to":"iaa1to","max":true,"broadcast":true}`))
	require.Equal(t, 200, status)
	require.Equal(t, fmt.Sprintf(answer, ""), reply)
	require.Equal(t, coin.WithdrawRequest{To: "iaa1to", Max: true, Send: true}, s.request)
	require.Equal(t, []string{"0aff"}, s.sent)
}

type withdrawParameter struct {
	name, params string
	want         func(*testing.T, coin.WithdrawRequest) // nil if the request is refused
	data         string                                 // data of the InvalidRequest
}

func withdrawParameters() []withdrawParameter {
	return []withdrawParameter{
		{name: "an amount of many digits", params: `"amount":"115792089237316195423570985008687907853269984665640564039457.584007913129639936"`, want: func(t *testing.T, r coin.WithdrawRequest) {
			require.Equal(t, "115792089237316195423570985008687907853269984665640564039457.584007913129639936", r.Amount.String())
		}},
		{name: "an amount in a number of many digits", params: `"amount":0.100000000000000000000001`, want: func(t *testing.T, r coin.WithdrawRequest) {
			require.Equal(t, "0.100000000000000000000001", r.Amount.String())
		}},
		{name: "an amount as a fraction", params: `"amount":{"numer":"1","denom":"3"}`, want: func(t *testing.T, r coin.WithdrawRequest) {
			require.Zero(t, r.Amount.Mul(number.Int(3)).Cmp(number.Int(1)))
		}},
		{name: "a negative amount is the coin's to refuse", params: `"amount":"-1"`, want: func(t *testing.T, r coin.WithdrawRequest) { require.Negative(t, r.Amount.Sign()) }},
		{name: "no amount", params: `"max":false`, data: "missing field `amount`"},
		{name: "null for the amount", params: `"amount":null`, data: "missing field `amount`"},
		{name: "words for the amount", params: `"amount":"much"`, data: "not a decimal number"},
		{name: "a list for the amount", params: `"amount":true`, data: "invalid type: boolean `true`, expected an amount in whole coins, as a decimal number"},
		{name: "an endless amount", params: `"amount":1e1000000`, data: "number out of range: at most 1000 digits before and after the point"},
		{name: "channel as a number", params: `"amount":1,"ibc_source_channel":141`, want: func(t *testing.T, r coin.WithdrawRequest) { require.EqualValues(t, 141, *r.Channel) }},
		{name: "channel as digits", params: `"amount":1,"ibc_source_channel":"0"`, want: func(t *testing.T, r coin.WithdrawRequest) { require.EqualValues(t, 0, *r.Channel) }},
		{name: "channel null", params: `"amount":1,"ibc_source_channel":null`, want: func(t *testing.T, r coin.WithdrawRequest) { require.Nil(t, r.Channel) }},
		{name: "channel of another form", params: `"amount":1,"ibc_source_channel":"chan-1"`,
			data: `invalid type: string "chan-1", expected a channel's number, as 12 or channel-12`},
		{name: "channel below 0", params: `"amount":1,"ibc_source_channel":-1`, data: "invalid type: integer `-1`, expected a channel's number, as 12 or channel-12"},
		{name: "channel with a sign", params: `"amount":1,"ibc_source_channel":"channel-+1"`, data: `invalid type: string "channel-+1", expected a channel's number, as 12 or channel-12`},
		{name: "channel with a zero before it", params: `"amount":1,"ibc_source_channel":"012"`, data: `invalid type: string "012", expected a channel's number, as 12 or channel-12`},
		{name: "gas price as a text", params: `"amount":1,"fee":{"type":"CosmosGas","gas_price":"0.1","gas_limit":1}`, want: func(t *testing.T, r coin.WithdrawRequest) {
			require.Equal(t, "0.1", r.Fee.(coin.CosmosGas).Price.String())
		}},
		{name: "gas price of nothing", params: `"amount":1,"fee":{"type":"CosmosGas","gas_price":0,"gas_limit":18446744073709551615}`, want: func(t *testing.T, r coin.WithdrawRequest) {
			require.Equal(t, uint64(18446744073709551615), r.Fee.(coin.CosmosGas).Limit)
		}},
		{name: "gas price below 0", params: `"amount":1,"fee":{"type":"CosmosGas","gas_price":-0.1,"gas_limit":1}`,
			data: "invalid value: floating point `-0.1`, expected a decimal number that is not negative"},
		{name: "no gas price", params: `"amount":1,"fee":{"type":"CosmosGas","gas_limit":1}`, data: "missing field `gas_price`"},
		{name: "no gas limit", params: `"amount":1,"fee":{"type":"CosmosGas","gas_price":1}`, want: func(t *testing.T, r coin.WithdrawRequest) {
			require.Equal(t, coin.CosmosGas{Price: mmrpctest.Rational("1")}, r.Fee)
		}},
		{name: "a gas limit of 0", params: `"amount":1,"fee":{"type":"CosmosGas","gas_price":1,"gas_limit":0}`, data: "invalid value: integer `0`, expected a whole number from 1 to 18446744073709551615"},
		{name: "a gas limit beyond 64 bits", params: `"amount":1,"fee":{"type":"CosmosGas","gas_price":1,"gas_limit":18446744073709551616}`,
			data: "invalid value: integer `18446744073709551616`, expected a whole number from 1 to 18446744073709551615"},
		{name: "a gas limit with decimals", params: `"amount":1,"fee":{"type":"CosmosGas","gas_price":1,"gas_limit":1.5}`,
			data: "invalid type: floating point `1.5`, expected a whole number from 1 to 18446744073709551615"},
		{name: "another coin's fee", params: `"amount":1,"fee":{"type":"UtxoFixed","amount":"3.5"}`, want: func(t *testing.T, r coin.WithdrawRequest) {
			require.Equal(t, coin.OtherFee("UtxoFixed"), r.Fee)
		}},
		{name: "an unknown fee", params: `"amount":1,"fee":{"type":"Tendermint"}`,
			data: "unknown variant `Tendermint`, expected one of `UtxoFixed`, `UtxoPerKbyte`, `Qrc20Gas`, `CosmosGas`, `EthGas`, `EthGasEip1559`"},
		{name: "a fee without a type", params: `"amount":1,"fee":{"gas_price":1}`, data: "missing field `type`"},
		{name: "a fee that is a number", params: `"amount":1,"fee":5`, data: "invalid type: integer `5`, expected an object with the type of the fee and its members"},
		{name: "from a path", params: `"amount":1,"from":{"derivation_path":"m/44'/118'/0'/0/3"}`, want: func(t *testing.T, r coin.WithdrawRequest) {
			require.Equal(t, "m/44'/118'/0'/0/3", r.From.Path.String())
		}},
		{name: "from numbers", params: `"amount":1,"from":{"account_id":1,"chain":"Internal","address_id":2}`, want: func(t *testing.T, r coin.WithdrawRequest) {
			require.Equal(t, coin.From{Account: 1, Chain: key.Internal, Address: 2}, *r.From)
		}},
		{name: "from both", params: `"amount":1,"from":{"derivation_path":"m/44'","chain":"Internal"}`,
			data: "from names an address twice: by derivation_path and by account_id, chain and address_id"},
		{name: "from a text", params: `"amount":1,"from":"m/44'"`, data: `invalid type: string "m/44'", expected an object with derivation_path, or with account_id, chain and address_id`},
		{name: "from another chain", params: `"amount":1,"from":{"account_id":0,"chain":"Outer","address_id":0}`, data: "unknown variant `Outer`, expected one of `External`, `Internal`"},
		{name: "from too high a number", params: `"amount":1,"from":{"account_id":2147483648,"chain":"External","address_id":0}`,
			data: "invalid value: integer `2147483648`, expected a whole number from 0 to 2147483647"},
		{name: "from half an address", params: `"amount":1,"from":{"account_id":0,"chain":"External"}`, data: "missing field `address_id`"},
		{name: "memo that is a number", params: `"amount":1,"memo":5`, data: "invalid type: integer `5`, expected a string"},
	}
}

func TestWithdrawParameters(t *testing.T) {
	for _, c := range withdrawParameters() {
		t.Run(c.name, func(t *testing.T) {
			b, s := newSender(t)
			status, reply := b.Ask(t, mmrpctest.Request("withdraw", `{"coin":"IRIS","to":"iaa1to",`+c.params+`}`))
			if c.want != nil {
				require.Equal(t, 200, status, reply)
				c.want(t, s.request)
				return
			}
			require.Equal(t, 400, status, reply)
			require.Zero(t, s.request.To, "the coin was asked")
			var data string
			require.NoError(t, json.Unmarshal(readFailure(t, reply).Data, &data))
			require.Equal(t, c.data, data)
		})
	}
}

// failureOf is the error part of an answer.
type failureOf struct {
	Text string          `json:"error"`
	Kind string          `json:"error_type"`
	Data json.RawMessage `json:"error_data"`
}

func readFailure(t *testing.T, reply string) failureOf {
	t.Helper()
	f := failureOf{Data: json.RawMessage{}}
	require.NoError(t, json.Unmarshal([]byte(reply), &f))
	return f
}

// sendingFailures returns the errors of coins with the expected answers.
func sendingFailures() []sendingFailureCase {
	return []sendingFailureCase{
		{"too little", &coin.ShortageError{Coin: "RICK", Available: mmrpctest.Rational("69.75066225"), Required: mmrpctest.Rational("1000.00001")}, 400, "NotSufficientBalance",
			"Not enough RICK to withdraw: available 69.75066225, required at least 1000.00001", `{"coin":"RICK","available":"69.75066225","required":"1000.00001"}`},
		{"too little for the fee", &coin.ShortageError{Coin: "IRIS", Available: mmrpctest.Rational("0"), Required: mmrpctest.Rational("0.1"), ForFee: true}, 400, "NotSufficientPlatformBalanceForFee",
			"Not enough IRIS to afford fee. Available 0, required at least 0.1", `{"coin":"IRIS","available":"0","required":"0.1"}`},
		{"nothing", fmt.Errorf("x: %w", coin.ErrZeroBalance), 400, "ZeroBalanceToWithdrawMax", "Balance is zero", ""},
		{"broadcast without a request", fmt.Errorf("x: %w", coin.ErrSends), 400, "BroadcastExpected",
			"Set 'broadcast' to generate, sign and broadcast a transaction with the browser's wallet",
			`"Set 'broadcast' to generate, sign and broadcast a transaction with the browser's wallet"`},
		{"too low", &coin.TooLowError{Amount: mmrpctest.Rational("0"), Threshold: mmrpctest.Rational("0.000001")}, 400, "AmountTooLow",
			"The amount 0 is too small, required at least 0.000001", `{"amount":"0","threshold":"0.000001"}`},
		{"address", &coin.InvalidError{Field: coin.FieldTo, Reason: errors.New("no address")}, 400, "InvalidAddress", "Invalid address: no address", `"no address"`},
		{"fee", &coin.InvalidError{Field: coin.FieldFee, Reason: errors.New("Expected 'CosmosGas' fee type, found EthGas")}, 400, "InvalidFeePolicy",
			"Invalid fee policy: Expected 'CosmosGas' fee type, found EthGas", `"Expected 'CosmosGas' fee type, found EthGas"`},
		{"memo", &coin.InvalidError{Field: coin.FieldMemo, Reason: errors.New("too long")}, 400, "InvalidMemo", "Invalid memo field: too long", `"too long"`},
		{"from", &coin.InvalidError{Field: coin.FieldFrom, Reason: errors.New("no")}, 400, "UnexpectedFromAddress", "Unexpected 'from' address: no", `"no"`},
		{"amount", &coin.InvalidError{Field: coin.FieldAmount, Reason: number.ErrPrecision}, 400, "InvalidRequest",
			`Error parsing request: too many decimals (parameter "amount")`, `"too many decimals"`},
		{"unknown channel", &coin.ChannelError{Prefix: "osmo"}, 400, "IBCError",
			"Tendermint IBC error: IBC channel could not be found in coins file for 'osmo' address prefix. Provide it manually by including `ibc_source_channel` in the request.",
			`{"IBCChannelCouldNotBeFound":{"address_prefix":"osmo"}}`},
		{"missing channel", &coin.ChannelError{Channel: 12, Missing: true}, 400, "IBCError",
			"Tendermint IBC error: IBC channel '12' is not present on the target node.", `{"IBCChannelMissingOnNode":{"channel_id":12}}`},
		{"dead channel", &coin.ChannelError{Channel: 12, Reason: "expired"}, 400, "IBCError",
			"Tendermint IBC error: IBC channel '12' is not healthy: expired. Provide a healthy one manually by including `ibc_source_channel` in the request.",
			`{"IBCChannelNotHealthy":{"channel_id":12,"reason":"expired"}}`},
		{"refused", &coin.RefusedError{Code: 13, Codespace: "sdk", Log: "insufficient fee", Hash: "AB", Help: "pay more"}, 400, "TransactionRefused",
			"the chain refuses the transaction: pay more (insufficient fee)", `{"code":13,"codespace":"sdk","log":"insufficient fee","tx_hash":"AB","block_height":0}`},
		{"failed", &coin.RefusedError{Code: 5, Codespace: "sdk", Log: "insufficient funds", Hash: "AB", Height: 9}, 400, "TransactionRefused",
			"the transaction failed in block 9: insufficient funds", `{"code":5,"codespace":"sdk","log":"insufficient funds","tx_hash":"AB","block_height":9}`},
		{"not signed", fmt.Errorf("%w: the user declined", coin.ErrSigning), 400, "SigningError",
			"Signing error: the wallet did not sign: the user declined", `"the wallet did not sign: the user declined"`},
		{"no key", fmt.Errorf("WithPubkey %w", key.ErrUnsupported), 500, "PrivKeyNotAllowed",
			"Private key is not allowed: WithPubkey cannot be used here", `"WithPubkey cannot be used here"`},
		{"no nodes", fmt.Errorf("%w: all", coin.ErrTransport), 502, "Transport",
			"Transport error: the coin's nodes are unreachable: all", `"the coin's nodes are unreachable: all"`},
		{"anything else", errors.New("secret inside"), 500, "InternalError",
			"Internal error: internal error, see the node's log", `"internal error, see the node's log"`},
	}
}

type sendingFailureCase struct {
	name   string
	err    error
	status int
	kind   string
	text   string
	data   string
}

func TestSendingFailures(t *testing.T) {
	for _, c := range sendingFailures() {
		t.Run(c.name, func(t *testing.T) {
			b, s := newSender(t)
			s.fails = c.err
			check := func(body string) {
				t.Helper()
				status, reply := b.Ask(t, body)
				require.Equal(t, c.status, status, reply)
				require.Equal(t, failureOf{c.text, c.kind, json.RawMessage(c.data)}, readFailure(t, reply))
			}
			check(mmrpctest.Request("withdraw", `{"coin":"IRIS","to":"iaa1to","amount":"1"}`))
			s.fails, s.refuses = nil, c.err
			whole := c
			if errors.Is(c.err, coin.ErrTransport) {
				const unsure = "transaction E00982 may have been sent: "
				c.text = strings.Replace(c.text, "Transport error: ", "Transport error: "+unsure, 1)
				c.data = `"` + unsure + strings.TrimPrefix(c.data, `"`)
			}
			check(mmrpctest.Request("withdraw", `{"coin":"IRIS","to":"iaa1to","amount":"1","broadcast":true}`))
			check(mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0a"}`))
			c = whole
			s.refuses, s.lost = nil, c.err
			check(mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0a","wait":true}`))
		})
	}
}

// TestSendingIsEnded checks that the answer names the transaction if a call ends while the
// transaction is being sent.
func TestSendingIsEnded(t *testing.T) {
	for _, ended := range []error{context.Canceled, fmt.Errorf("a node: %w", context.DeadlineExceeded)} {
		for _, body := range []string{
			mmrpctest.Request("withdraw", `{"coin":"IRIS","to":"iaa1to","amount":"1","broadcast":true}`), mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0a"}`),
		} {
			b, s := newSender(t)
			s.refuses = ended
			status, reply := b.Ask(t, body)
			require.Equal(t, 502, status, reply)
			require.Equal(t, "Transport", readFailure(t, reply).Kind)
			require.Contains(t, reply, "transaction E00982 may have been sent: "+ended.Error())
		}
	}
}

func TestSendRawTransaction(t *testing.T) {
	for _, c := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"old form", mmrpctest.OldRequest("send_raw_transaction", `,"coin":"IRIS","tx_hex":"0AfF"`), 200, `{"tx_hash":"E00982"}`},
		{"new form", mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0aff"}`), 200, `{"mmrpc":"2.0","result":{"tx_hash":"E00982"},"id":5}`},
		{"waiting", mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0aff","wait":true}`), 200,
			`{"mmrpc":"2.0","result":{"tx_hash":"E00982","block_height":7,"confirmations":3},"id":5}`},
		{"waiting, old form", mmrpctest.OldRequest("send_raw_transaction", `,"coin":"IRIS","tx_hex":"0aff","required_confirmations":5`), 200,
			`{"tx_hash":"E00982","block_height":7,"confirmations":3}`},
		{"an inactive coin", mmrpctest.Request("send_raw_transaction", `{"coin":"KMD","tx_hex":"0aff"}`), 404,
			mmrpctest.Failed("No such coin KMD", "coin", "NoSuchCoin", `{"coin":"KMD"}`, "5")},
		{"a coin that cannot", mmrpctest.Request("send_raw_transaction", `{"coin":"BARE","tx_hex":"0aff"}`), 400,
			mmrpctest.Failed("BARE cannot send transactions", "withdraw", "InvalidRequest", `"BARE cannot send transactions"`, "5")},
		{"0x", mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0x0aff"}`), 200, `{"mmrpc":"2.0","result":{"tx_hash":"E00982"},"id":5}`},
		{"0X and white space", mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":" \t0X0aFF\r\n"}`), 200, `{"mmrpc":"2.0","result":{"tx_hash":"E00982"},"id":5}`},
		{"no hexadecimal", mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0xxa"}`), 400,
			mmrpctest.Failed(`Error parsing request: want an even number of hexadecimal digits, with or without 0x (parameter "tx_hex" must be a signed transaction in hexadecimal)`,
				"dispatcher", "InvalidRequest", `"want an even number of hexadecimal digits, with or without 0x"`, "5")},
		{"an odd digit", mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0af"}`), 400,
			mmrpctest.Failed(`Error parsing request: want an even number of hexadecimal digits, with or without 0x (parameter "tx_hex" must be a signed transaction in hexadecimal)`,
				"dispatcher", "InvalidRequest", `"want an even number of hexadecimal digits, with or without 0x"`, "5")},
		{"nothing", mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":""}`), 400,
			mmrpctest.Failed("Error parsing request: missing field `tx_hex` (parameter \"tx_hex\" must be a signed transaction in hexadecimal)", "dispatcher",
				"InvalidRequest", "\"missing field `tx_hex`\"", "5")},
		{"too much", mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"`+strings.Repeat("00", send.MaxRaw+1)+`"}`), 400,
			mmrpctest.Failed(`Error parsing request: the transaction is too large (parameter "tx_hex" must be a signed transaction in hexadecimal)`,
				"dispatcher", "InvalidRequest", `"the transaction is too large"`, "5")},
		{"no time to wait", mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0aff","timeout":0}`), 400,
			mmrpctest.Failed(`Error parsing request: invalid value: number, expected above 0 and at most 3600 (parameter "timeout")`,
				"dispatcher", "InvalidRequest", `"invalid value: number, expected above 0 and at most 3600"`, "5")},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, s := newSender(t)
			status, reply := b.Ask(t, c.body)
			require.Equal(t, c.status, status, reply)
			require.Equal(t, c.want, mmrpctest.Untraced(reply))
			if c.status == 200 {
				require.Equal(t, []string{"0aff"}, s.sent)
			} else {
				require.Empty(t, s.sent)
			}
		})
	}
}

func TestSendRawTransactionWaits(t *testing.T) {
	b, s := newSender(t)
	synctest.Test(t, func(t *testing.T) {
		s.takes = time.Minute
		begin := time.Now()
		_, reply := b.Ask(t, mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0aff","required_confirmations":12}`))
		require.Contains(t, reply, `"confirmations":3`)
		require.EqualValues(t, 12, s.confirmations)
		require.Equal(t, time.Minute, time.Since(begin))

		status, reply := b.Ask(t, mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0aff","wait":true,"timeout":59.5}`))
		require.Equal(t, 502, status)
		require.Contains(t, reply, "transaction E00982 was sent, but has not enough confirmations yet")
		require.EqualValues(t, 0, s.confirmations, "as many as the coin requires")
	})
}

// TestSentAgainIsAwaited checks that a call that waits for confirmations waits also if servers
// refuse a transaction that they may have already, and that others report its outcome as unknown.
func TestSentAgainIsAwaited(t *testing.T) {
	b, s := newSender(t)
	s.refuses = &coin.UnclearError{Hash: "E00982", Err: fmt.Errorf("%w: nonce too low", coin.ErrResubmitted)}
	status, reply := b.Ask(t, mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0aff"}`))
	require.Equal(t, 502, status, reply)
	require.Equal(t, "Transport", readFailure(t, reply).Kind)
	status, reply = b.Ask(t, mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0aff","required_confirmations":3}`))
	require.Equal(t, 200, status, reply)
	require.Contains(t, reply, `"block_height":7`)
	s.lost = &coin.RefusedError{Code: 2, Codespace: "evm", Log: "replaced"}
	_, reply = b.Ask(t, mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":"0aff","wait":true}`))
	require.Equal(t, "TransactionRefused", readFailure(t, reply).Kind, "the outcome is known")
}

func TestWithdrawOfCoins(t *testing.T) {
	b, _ := newSender(t)
	status, reply := b.Ask(t, mmrpctest.Request("withdraw", `{"coin":"KMD","to":"x","amount":"1"}`))
	require.Equal(t, 404, status)
	require.Equal(t, mmrpctest.Failed("No such coin KMD", "coin", "NoSuchCoin", `{"coin":"KMD"}`, "5"), mmrpctest.Untraced(reply))
	status, reply = b.Ask(t, mmrpctest.Request("withdraw", `{"coin":"BARE","to":"x","amount":"1"}`))
	require.Equal(t, 400, status)
	require.Equal(t, mmrpctest.Failed("BARE cannot be withdrawn", "withdraw", "InvalidRequest", `"BARE cannot be withdrawn"`, "5"), mmrpctest.Untraced(reply))
}

func TestTransactionTypes(t *testing.T) {
	for want, is := range map[string]wire.TransactionType{
		`"StandardTransfer"`:                          {Kind: coin.KindTransfer},
		`"FeeForTokenTx"`:                             {Kind: coin.KindFeeOnly, Token: "ab"},
		`"StakingDelegation"`:                         {Kind: coin.KindDelegation},
		`{"TokenTransfer":"ab"}`:                      {Kind: coin.KindTokenTransfer, Token: "ab"},
		`{"TendermintIBCTransfer":{"token_id":null}}`: {Kind: coin.KindIBCTransfer},
		`{"TendermintIBCTransfer":{"token_id":"ab"}}`: {Kind: coin.KindIBCTransfer, Token: "ab"},
		`{"CustomTendermintMsg":{"msg_type":"SignClaimHtlc","token_id":null}}`: {Kind: coin.KindCustomMessage, Message: "SignClaimHtlc"},
		`{"CustomTendermintMsg":{"msg_type":"SignClaimHtlc","token_id":"ab"}}`: {Kind: coin.KindCustomMessage, Message: "SignClaimHtlc", Token: "ab"},
	} {
		text, err := json.Marshal(is)
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
}
