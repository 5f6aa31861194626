package keys_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/keys"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/send"
	"obverse/core/mmrpc/servertest"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// scribe is a coin whose signature of a text repeats the text.
type scribe struct {
	servertest.BareCoin
	fails error
	proof coin.MessageProof
}

func (s *scribe) SignMessage(_ context.Context, message string) (coin.SignedMessage, error) {
	return coin.SignedMessage{Signature: "signed " + message, PublicKey: []byte{2, 0xab}}, s.fails
}

func (s *scribe) VerifyMessage(_ context.Context, p coin.MessageProof) (bool, error) {
	s.proof = p
	return p.Signature == "signed "+p.Message, s.fails
}

func newScribe(t *testing.T) (*servertest.CoinsBench, *scribe) {
	b := servertest.NewCoinsBench(t, func(active *coin.Active) []mmrpc.Area { return []mmrpc.Area{keys.Messages{Active: active}} })
	s := &scribe{BareCoin: servertest.BareCoin{Symbol: "IRIS"}}
	b.Add(t, s)
	b.Add(t, &servertest.BareCoin{Symbol: "BARE"})
	return b, s
}

func TestSignMessage(t *testing.T) {
	b, s := newScribe(t)
	_, reply := b.Ask(t, mmrpctest.Request("sign_message", `{"coin":"IRIS","message":"<hello>"}`))
	require.Equal(t, `{"mmrpc":"2.0","result":{"signature":"signed <hello>","public_key":"02ab"},"id":5}`, reply)
	for _, c := range []struct {
		name, params string
		fails        error
		status       int
		want         string
	}{
		{"no such coin", `{"coin":"KMD","message":"x"}`, nil, 404, mmrpctest.Failed("No such coin KMD", "coin", "NoSuchCoin", `{"coin":"KMD"}`, "5")},
		{"a coin that cannot", `{"coin":"BARE","message":"x"}`, nil, 400,
			mmrpctest.Failed("BARE signs no messages", "withdraw", "InvalidRequest", `"BARE signs no messages"`, "5")},
		{"nothing to sign", `{"coin":"IRIS","message":""}`, &coin.InvalidError{Field: coin.FieldMessage, Reason: errors.New("text is empty")}, 400,
			mmrpctest.Failed(`Error parsing request: text is empty (parameter "message")`, "dispatcher", "InvalidRequest", `"text is empty"`, "5")},
		{"no key", `{"coin":"IRIS","message":"x"}`, fmt.Errorf("WithPubkey %w", key.ErrUnsupported), 500,
			mmrpctest.Failed("Private key is not allowed: WithPubkey cannot be used here", "policy", "PrivKeyNotAllowed", `"WithPubkey cannot be used here"`, "5")},
		{"declined", `{"coin":"IRIS","message":"x"}`, coin.ErrSigning, 400,
			mmrpctest.Failed("Signing error: the wallet did not sign", "withdraw", "SigningError", `"the wallet did not sign"`, "5")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.fails = c.fails
			status, reply := b.Ask(t, mmrpctest.Request("sign_message", c.params))
			require.Equal(t, c.status, status)
			require.Equal(t, c.want, mmrpctest.Untraced(reply))
		})
	}
}

func TestVerifyMessage(t *testing.T) {
	b, s := newScribe(t)
	const good = `{"coin":"IRIS","message":"x","signature":"signed x","address":"iaa1"%s}`
	_, reply := b.Ask(t, mmrpctest.Request("verify_message", fmt.Sprintf(good, "")))
	require.Equal(t, `{"mmrpc":"2.0","result":{"is_valid":true},"id":5}`, reply)
	require.Equal(t, coin.MessageProof{Message: "x", Signature: "signed x", Address: "iaa1", PublicKey: []byte{}}, s.proof)
	_, reply = b.Ask(t, mmrpctest.Request("verify_message", `{"coin":"IRIS","message":"x","signature":"signed y","address":"iaa1","public_key":"02AB"}`))
	require.Equal(t, `{"mmrpc":"2.0","result":{"is_valid":false},"id":5}`, reply)
	require.Equal(t, []byte{2, 0xab}, s.proof.PublicKey)
	for _, c := range []struct {
		name, params string
		fails        error
		status       int
		want         string
	}{
		{"no such coin", `{"coin":"KMD","message":"x","signature":"y","address":"z"}`, nil, 404,
			mmrpctest.Failed("No such coin KMD", "coin", "NoSuchCoin", `{"coin":"KMD"}`, "5")},
		{"a coin that cannot", `{"coin":"BARE","message":"x","signature":"y","address":"z"}`, nil, 400,
			mmrpctest.Failed("BARE verifies no messages", "withdraw", "InvalidRequest", `"BARE verifies no messages"`, "5")},
		{"no signature", fmt.Sprintf(good, ""), &coin.InvalidError{Field: coin.FieldSignature, Reason: errors.New("not base64")}, 400,
			mmrpctest.Failed("Signature decoding error: not base64", "message", "SignatureDecodingError", `"not base64"`, "5")},
		{"no address", fmt.Sprintf(good, ""), &coin.InvalidError{Field: coin.FieldAddress, Reason: errors.New("no")}, 400,
			mmrpctest.Failed("Address decoding error: no", "message", "AddressDecodingError", `"no"`, "5")},
		{"no key", fmt.Sprintf(good, ""), &coin.InvalidError{Field: coin.FieldPublicKey, Reason: errors.New("no")}, 400,
			mmrpctest.Failed(`Error parsing request: no (parameter "public_key")`, "dispatcher", "InvalidRequest", `"no"`, "5")},
		{"no hexadecimal", fmt.Sprintf(good, `,"public_key":"xy"`), nil, 400,
			mmrpctest.Failed(`Error parsing request: want an even number of hexadecimal digits, with or without 0x (parameter "public_key" must be a public key in hexadecimal)`,
				"dispatcher", "InvalidRequest", `"want an even number of hexadecimal digits, with or without 0x"`, "5")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.fails = c.fails
			status, reply := b.Ask(t, mmrpctest.Request("verify_message", c.params))
			require.Equal(t, c.status, status)
			require.Equal(t, c.want, mmrpctest.Untraced(reply))
		})
	}
}

// FuzzWithdraw checks that the method answers or refuses all parameters, and that its request
// to the coin corresponds to the parameters.
func FuzzWithdraw(f *testing.F) {
	for _, seed := range []string{`"1"`, `{"type":"CosmosGas","gas_price":0.05,"gas_limit":150000}`, `"channel-12"`,
		`{"derivation_path":"m/44'/118'/0'/0/0"}`, `{"account_id":0,"chain":"External","address_id":1}`, `null`, `[1,[2]]`} {
		f.Add(seed, seed, seed)
	}
	f.Fuzz(func(t *testing.T, amount, fee, place string) {
		if !json.Valid([]byte(amount)) || !json.Valid([]byte(fee)) || !json.Valid([]byte(place)) {
			return
		}
		method, found := rpc.NewTable(rpc.Handle("withdraw", rpc.Doc{}, func(_ context.Context, p send.WithdrawParams) (string, error) {
			if p.Channel.Number != nil {
				require.Contains(t, place, fmt.Sprint(*p.Channel.Number))
			}
			return hex.EncodeToString([]byte(p.To)), nil
		})).Lookup("withdraw")
		require.True(t, found)
		for _, params := range []string{
			fmt.Sprintf(`{"coin":"IRIS","to":"x","amount":%s,"fee":%s}`, amount, fee),
			fmt.Sprintf(`{"coin":"IRIS","to":"x","from":%s}`, place),
			fmt.Sprintf(`{"coin":"IRIS","to":"x","ibc_source_channel":%s}`, place),
		} {
			value, err := method.Named(t.Context(), json.RawMessage(params), rpc.Rules{})
			var refused *rpc.ParamError
			require.True(t, err == nil && value == "78" || errors.As(err, &refused), "%v", err)
		}
	})
}
