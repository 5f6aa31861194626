package node

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/text"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/evm/wire"
)

type recorded struct {
	Name, Raw string
	JSON      json.RawMessage `json:"shown"`
}

//go:embed testdata/transactions.json
var transactions []byte

// records returns transactions in anvil's JSON and in its encoding.
func records(t testing.TB) (all []recorded) {
	t.Helper()
	require.NoError(t, json.Unmarshal(transactions, &all))
	require.Len(t, all, 6)
	return all
}

// showing returns a node that answers eth_getTransactionByHash with a text.
func showing(text string) network.Behaviour {
	return altered(nodetest.New(1, 100), "eth_getTransactionByHash", text)
}

// TestTransactions checks that anvil's JSON is encoded as by anvil, or not at all.
func TestTransactions(t *testing.T) {
	for _, r := range records(t) {
		t.Run(r.Name, func(t *testing.T) {
			p, _ := pool(t, showing(string(r.JSON)))
			raw, err := ReadBytes(json.RawMessage(`"` + r.Raw + `"`))
			require.NoError(t, err)
			f, err := p.Transaction(t.Context(), wire.Hash(raw))
			require.NoError(t, err)
			switch r.Name {
			case "fees", "one price", "no tip":
				require.Equal(t, r.Raw, text.Hex(f.Raw))
				require.Equal(t, "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", f.From.String())
				require.Equal(t, owner, f.To.String())
				require.EqualValues(t, 31337, f.ChainID)
				require.Equal(t, map[string]string{"fees": "7", "one price": "1000000000000000000", "no tip": "0"}[r.Name], f.Value.String())
				require.Equal(t, r.Name == "one price", f.Tip == nil)
			case "a contract":
				require.Equal(t, r.Raw, text.Hex(f.Raw))
				require.True(t, f.Deploys)
			default:
				require.Equal(t, Found{}, f, "it is of a kind that is not read")
			}
		})
	}
}

// TestRaw checks that the signed transaction, of any type, is returned if its hash matches.
func TestRaw(t *testing.T) {
	for _, r := range records(t) {
		raw, err := ReadBytes(json.RawMessage(`"` + r.Raw + `"`))
		require.NoError(t, err)
		answer := `"` + r.Raw + `"`
		p, _ := pool(t, func(ctx context.Context, q fetch.Request) (fetch.Response, error) {
			return altered(nodetest.New(1, 100), "eth_getRawTransactionByHash", answer)(ctx, q)
		})
		got, err := p.Raw(t.Context(), wire.Hash(raw))
		require.NoError(t, err, r.Name)
		require.Equal(t, raw, got, r.Name)
		_, err = p.Raw(t.Context(), [32]byte{1})
		require.ErrorContains(t, err, nodepool.ErrOtherID.Error())
		for _, answer = range []string{`null`, `"0x"`} {
			_, err = p.Raw(t.Context(), wire.Hash(raw))
			require.ErrorIs(t, err, NotFoundError{})
		}
	}
}

func TestInconsistentTransactions(t *testing.T) {
	fees, price := records(t)[0], records(t)[1]
	raw, err := ReadBytes(json.RawMessage(`"` + fees.Raw + `"`))
	require.NoError(t, err)
	hash := wire.Hash(raw)
	for member, others := range map[string][]any{
		"value": {"0x8", nil, "7", "0x1" + string(make([]byte, 80)), "0x" + fmt.Sprintf("%065x", 1<<62)},
		"to":    {owner[:40], "0x0000000000000000000000000000000000000001"}, "input": {"0x01", "00", nil}, "nonce": {"0x1", "0x10000000000000000"},
		"chainId": {"0x1", nil}, "gas": {"0x1"}, "type": {"0x0", "0x3", "0x4"}, "r": {"0x1", nil}, "s": {"0x0", "?"}, "v": {"0x0", "0x2", "0x1b", "-1"},
		"maxFeePerGas": {"0x1", nil}, "maxPriorityFeePerGas": {"0x2", nil}, "accessList": {[]any{map[string]any{}}},
	} {
		for _, other := range others {
			var fields map[string]any
			require.NoError(t, json.Unmarshal(fees.JSON, &fields))
			fields[member] = other
			text, err := json.Marshal(fields)
			require.NoError(t, err)
			p, _ := pool(t, showing(string(text)))
			f, err := p.Transaction(t.Context(), hash)
			require.NoError(t, err, "%s %v", member, other)
			require.Equal(t, Found{}, f, "%s %v", member, other)
		}
	}
	for name, text := range map[string]string{"another one": string(price.JSON), "a number": "7", "a list": "[]", "other members": `{"hash":7}`} {
		p, _ := pool(t, showing(text))
		_, err := p.Transaction(t.Context(), hash)
		var unreachable *nodepool.UnreachableError
		require.ErrorAs(t, err, &unreachable, name)
	}
	p, _ := pool(t, showing("null"), showing(string(fees.JSON)))
	f, err := p.Transaction(t.Context(), hash)
	require.NoError(t, err)
	require.Equal(t, fees.Raw, text.Hex(f.Raw), "another node has it")
	p, _ = pool(t, showing("null"))
	_, err = p.Transaction(t.Context(), hash)
	require.True(t, errors.Is(err, NotFoundError{}))
}

// TestNodetestShows checks that the nodes of nodetest return transactions like real nodes.
func TestNodetestShows(t *testing.T) {
	ring, err := key.Open("some words", false)
	require.NoError(t, err)
	from, err := address.FromKey(ring.Node().PublicKey())
	require.NoError(t, err)
	for _, r := range records(t)[:3] {
		p, _ := pool(t, showing(string(r.JSON)))
		raw, err := ReadBytes(json.RawMessage(`"` + r.Raw + `"`))
		require.NoError(t, err)
		f, err := p.Transaction(t.Context(), wire.Hash(raw))
		require.NoError(t, err)
		n := nodetest.New(1, 100)
		hash := n.Take(f.Transaction, ring.Node().Sign(f.SigningHash()).Recoverable())
		p, _ = pool(t, n.Well)
		for range 2 {
			again, err := p.Transaction(t.Context(), hash)
			require.NoError(t, err)
			require.Equal(t, from, again.From)
			require.Equal(t, f.Transaction, again.Transaction)
			n.Mine()
		}
	}
}

// FuzzTransactions checks that a returned transaction has the requested hash, regardless of the
// node's answer.
func FuzzTransactions(f *testing.F) {
	for _, r := range records(f) {
		f.Add([]byte(r.JSON))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s transactionJSON
		if nodepool.Read(text, &s) != nil {
			return
		}
		var hash [32]byte
		if h, err := ReadBytes(json.RawMessage(`"` + s.Hash + `"`)); err == nil {
			copy(hash[:], h)
		}
		if found := s.found(hash); len(found.Raw) > 0 {
			require.Equal(t, hash, wire.Hash(found.Raw))
		} else {
			require.Equal(t, Found{}, found)
		}
	})
}
