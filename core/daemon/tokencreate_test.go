package daemon_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/rpc"
)

// hinted requests a transfer with hints, and checks that the answer without hints is komodod's.
func (s *station) hinted(params ...any) (text, hint string) {
	s.t.Helper()
	return s.hintedOf("tokentransfer", params...)
}

func (s *station) hintedOf(method string, params ...any) (text, hint string) {
	s.t.Helper()
	var with, without struct{ Result map[string]string }
	request := map[string]any{"method": method, "params": params}
	for _, answer := range []*struct{ Result map[string]string }{&without, &with} {
		body, err := json.Marshal(request)
		require.NoError(s.t, err)
		_, reply := s.server.Serve(s.t.Context(), rpc.Caller{Authorized: true}, body)
		require.NoError(s.t, json.Unmarshal(reply, answer))
		request["hints"] = true
	}
	text, hint = with.Result["error"], with.Result["hint"]
	require.Equal(s.t, map[string]string{"result": "error", "error": text}, without.Result)
	require.Equal(s.t, "error", with.Result["result"])
	return text, hint
}

// TestHintOfTransfer checks that hints distinguish errors for which komodod has one text.
func TestHintOfTransfer(t *testing.T) {
	s, id := newTokenStation(t)
	unknown, plain := strings.Repeat("ab", 32), result[map[string]any](s, "getblock", "1")["tx"].([]any)[0].(string)
	refused := func(text, hint string, params ...any) {
		t.Helper()
		gotText, gotHint := s.hinted(params...)
		require.Equal(t, []string{text, hint}, []string{gotText, gotHint})
	}
	refused("no token inputs", "no transaction of this chain has this id; tokenlist lists the tokens", unknown, k2, "1")
	refused("no token inputs", "the transaction with this id does not create a token; tokenlist lists the tokens", plain, k2, "1")
	refused("no token inputs", "amount is 9223372036854775807, the node's key has 1000 confirmed tokens of this id", id, k2, "9223372036854775807")
	refused("insufficient token inputs", "amount is 1001, the node's key has 1000 confirmed tokens of this id", id, k2, "1001")

	s.send("tokentransfer", id, k2, "400")
	refused("insufficient token inputs", "amount is 601, the node's key has 0 confirmed tokens of this id and 600 of unconfirmed change", id, k2, "601")
	result[[]string](s, "generate", 1)
	refused("insufficient token inputs", "amount is 601, the node's key has 600 confirmed tokens of this id", id, k2, "601")
	waiting := s.send("tokencreate", "WAIT", "0.00001", "")
	refused("no token inputs", "the token waits for a block; transfer it once that is there", waiting, k2, "1")
	refused("amount must be positive", "", id, k2, "0")
}

// TestHintOfSmallOutputs checks that a transfer does not use outputs below a sixtieth of the
// amount, as in komodod.
func TestHintOfSmallOutputs(t *testing.T) {
	s, id := newTokenStation(t)
	owner := result[map[string]string](s, "tokeninfo", id)["owner"]
	s.send("tokentransfer", id, owner, "999")
	result[[]string](s, "generate", 1)
	text, hint := s.hinted(id, k2, "1000")
	require.Equal(t, "insufficient token inputs", text)
	require.Equal(t, "amount is 1000, the node's key has 1000 confirmed tokens of this id, but some in outputs too small for this amount; transfer less at once", hint)
}

// warned returns the warning of a call with hints. Without hints there must be no warning.
func (s *station) warned(method string, params ...any) string {
	s.t.Helper()
	var with struct {
		Error   any
		Warning string
	}
	require.NotContains(s.t, s.ask(method, params...), `"warning"`)
	body, err := json.Marshal(map[string]any{"method": method, "params": params, "hints": true})
	require.NoError(s.t, err)
	_, reply := s.server.Serve(s.t.Context(), rpc.Caller{Authorized: true}, body)
	require.NoError(s.t, json.Unmarshal(reply, &with))
	require.Nil(s.t, with.Error)
	return with.Warning
}

// TestHintOfData checks that the creator of a token that cannot be transferred is warned before
// sending it.
func TestHintOfData(t *testing.T) {
	s, _ := newTokenStation(t)
	for data, want := range map[string]string{
		"f1aa": "", "f3": "",
		"68656c6c6f": "data begins with 68: this token can never be transferred. Begin it with f1 for a token that can be",
		"00aa":       "data begins with 00: no key will hold this token. Begin it with f1 for a token that can be transferred",
		"f201":       "data begins with f2: no key will hold this token. Begin it with f1 for a token that can be transferred",
	} {
		require.Equal(t, want, s.warned("tokencreate", "NFT", "0.00000001", "x", data), data)
	}
	require.Empty(t, s.warned("tokencreate", "PLAIN", "0.00000001", "x"))
	require.Empty(t, s.warned("tokencreate", "PLAIN", "0.0001"))
}

func TestHintOfCreation(t *testing.T) {
	s, _ := newTokenStation(t)
	held := result[json.Number](s, "getbalance")
	text, hint := s.hintedOf("tokencreate", "T", "89000000000")
	require.Equal(t, "cant find normal inputs", text)
	require.Equal(t, "supply is 89000000000.00000000 coins, the node's key can spend "+held.String()+", and the creation takes a fee; one coin makes 100,000,000 tokens: 89,000,000,000 tokens are 890 coins", hint)

	text, hint = s.hintedOf("tokencreate", "T", "89000000000.5")
	require.Equal(t, "cant find normal inputs", text)
	require.NotContains(t, hint, "one coin makes", "there are no half tokens")
	text, hint = s.hintedOf("tokencreate", "T", "1", "", "f101")
	require.Equal(t, "for non-fungible tokens tokensupply should be equal to 1", text)
	require.Equal(t, "supply is in coins, of which one makes 100,000,000 tokens: the supply of a non-fungible token is 0.00000001", hint)
}

// TestHintOfFee checks that the error names the address that needs coins.
func TestHintOfFee(t *testing.T) {
	s, id := newTokenStation(t)
	s.send("tokentransfer", id, k2, "400")
	result[[]string](s, "generate", 1)
	s.use(chaintest.Key(t, 2).Private)
	text, hint := s.hinted(id, k1, "1")
	require.Equal(t, "insufficient normal inputs for tx fee", text)
	require.Equal(t, "the wallet has 0.00000000 coins for the fee of 0.00010000; send some to "+s.Wallet.Address().String(), hint)
}

// TestFirstHolders creates tokens that belong to many keys from the beginning.
func TestFirstHolders(t *testing.T) {
	s, _ := newTokenStation(t)
	holders := func(id string) map[string]int {
		t.Helper()
		result[[]string](s, "generate", 1)
		held := map[string]int{}
		for _, h := range result[holdersPage](s, "tokenholders", id, "", 10_000).Holders {
			require.NotContains(t, held, h.Address)
			held[h.Address] = h.Balance
		}
		return held
	}
	addressOf := func(pub string) string {
		raw, err := hex.DecodeString(pub)
		require.NoError(t, err)
		return script.PubKeyAddress(token.Script([]byte{token.Eval}, token.Key(raw))).String()
	}
	count := 3000
	if testing.Short() {
		count = 300
	}
	amounts, sum := list(t, 0, count)
	want := map[string]int{}
	for pub, amount := range amounts {
		want[addressOf(pub)] = amount.(int)
	}
	// All of the supply, and less than it: the creator keeps the rest.
	supply := fmt.Sprintf("0.%08d", sum)
	require.Equal(t, want, holders(s.send("tokencreate", "ALL", supply, "d", "", amounts)))
	want[addressOf(k1)] = 7
	require.Equal(t, want, holders(s.send("tokencreate", "REST", fmt.Sprintf("0.%08d", sum+7), "d", nil, amounts)))

	nft := s.send("tokencreate", "ONE", "0.00000001", "d", "f101", map[string]any{k2: 1})
	require.Len(t, holders(nft), 1)
	require.Equal(t, 1, s.tokens(nft, k2))

	s.refusedWith(t, "the first holders get more tokens than there are: they get 11 tokens, the supply is 10", "tokencreate", "T", "0.0000001", "d", "", map[string]any{k2: 11})
	s.refusedWith(t, "1 to 3000 public keys and their amounts are expected, got 0", "tokencreate", "T", "1", "d", "", map[string]any{})
	s.refusedWith(t, "Non-fungible data incorrect", "tokencreate", "T", "1", "d", "")
	s.refusedWith(t, "for non-fungible tokens tokensupply should be equal to 1", "tokencreate", "T", "1", "d", "f1", map[string]any{k2: 1})
	s.refused(-1, "JSON value is not a string as expected", "tokencreate", "T", "1", "d", nil)
}
