package daemon_test

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon/daemontest"
)

func TestGetRawTransaction(t *testing.T) {
	s, id := newTokenStation(t)
	waiting := s.send("tokentransfer", id, k2, "10")
	type output struct {
		Value       json.Number
		ValueZat    *int
		SpentTxID   string `json:"spentTxId"`
		SpentIndex  *int
		SpentHeight *int
	}
	type answer struct {
		Hex           string
		BlockHash     *string
		Height        *int
		Confirmations *int
		VIn           []struct {
			TxID, Address string
			Value         json.Number
		}
		VOut []output
	}
	created := result[answer](s, "getrawtransaction", id, 1)
	require.Equal(t, 1, *created.Confirmations)
	require.Equal(t, 3, *created.Height)
	require.Nil(t, created.VOut[1].ValueZat)
	require.Equal(t, output{Value: "0.00001000", SpentTxID: waiting, SpentIndex: new(1), SpentHeight: new(-1)}, created.VOut[1], "spent in the mempool")

	moved := result[answer](s, "getrawtransaction", waiting, -1)
	require.Nil(t, moved.BlockHash)
	require.Nil(t, moved.Confirmations)
	require.Equal(t, id, moved.VIn[1].TxID)
	require.Equal(t, json.Number("0.00001000"), moved.VIn[1].Value)
	require.Equal(t, "RWqpdUmPXxHx7fYrDcHQaaLciH5aKEFuKC", moved.VIn[1].Address)

	require.Equal(t, moved.Hex, result[string](s, "getrawtransaction", waiting))
	require.Equal(t, created.Hex, result[string](s, "getrawtransaction", id, 0))
	require.Equal(t, created.Hex, result[string](s, "getrawtransaction", strings.ToUpper(id), 0))

	result[[]string](s, "generate", 1)
	require.Equal(t, 4, *result[answer](s, "getrawtransaction", id, 1).VOut[1].SpentHeight)

	s.refused(-5, "No information available about transaction", "getrawtransaction", strings.Repeat("ab", 32))
	s.refused(-8, "parameter 1 must be hexadecimal string (not 'zz')", "getrawtransaction", "zz")
	s.refused(-8, "parameter 1 must be hexadecimal string (not '')", "getrawtransaction", "")
	s.refused(-8, "parameter 1 must be hexadecimal string (not '"+id[1:]+"')", "getrawtransaction", id[1:])
	for _, other := range []string{"ab", id[:62], strings.Repeat("ab", 40), strings.Repeat("00", 32)} {
		s.refused(-5, "No information available about transaction", "getrawtransaction", other)
	}
	require.Equal(t, s.ask("getrawtransaction", id), s.ask("getrawtransaction", "ab"+id))
	s.refused(-1, "JSON value is not a string as expected", "getrawtransaction", 5)
	for _, verbose := range []any{true, false, "1", nil} {
		s.refused(-1, "JSON value is not an integer as expected", "getrawtransaction", id, verbose)
	}
	s.refused(-1, "JSON integer out of range", "getrawtransaction", id, 1.5)
	s.refused(-1, "JSON value is not a string as expected", "getrawtransaction", 5)
	s.refused(-1, "JSON value is not an integer as expected", "getrawtransaction", id, "1")
	a := s.answer("getrawtransaction")
	require.Equal(t, -1, a.Error.Code)
	require.True(t, strings.HasPrefix(a.Error.Message, "getrawtransaction \"txid\" ( verbose )\n"))
}

// TestVectorsDecoded decodes transactions of komodod's documentation. The documentation covers
// several versions, so only the members that both answers have are compared.
func TestVectorsDecoded(t *testing.T) {
	s, _ := newTokenStation(t)
	decoded := 0
	for _, folder := range append([]string{"testdata"}, strings.Split(os.Getenv("OBVERSE_VECTORS"), ":")...) {
		path := filepath.Join(folder, "rawtx.json")
		if _, err := os.Stat(path); err != nil {
			continue
		}
		var records []struct {
			Name, Hex, TxID string
			Decoded         map[string]any
		}
		daemontest.ReadJSON(t, path, &records)
		for _, r := range records {
			if r.Decoded == nil {
				continue
			}
			decoded++
			got := result[map[string]any](s, "decoderawtransaction", r.Hex)
			require.Equal(t, r.TxID, got["txid"], r.Name)
			require.Positive(t, common(t, r.Name, r.Decoded, got))
		}
	}
	require.GreaterOrEqual(t, decoded, 11)
}

// common requires that the members that two values have in common are equal, and counts them.
func common(t *testing.T, where string, want, got any) (equal int) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		for key, value := range want {
			if other, both := got.(map[string]any)[key]; both {
				equal += common(t, where+"."+key, value, other)
			}
		}
		return equal
	case []any:
		require.Len(t, got, len(want), where)
		for i := range want {
			equal += common(t, where, want[i], got.([]any)[i])
		}
		return equal
	case float64:
		require.Zero(t, big.NewFloat(want).Cmp(big.NewFloat(got.(float64))), where)
	default:
		require.Equal(t, want, got, where)
	}
	return 1
}
