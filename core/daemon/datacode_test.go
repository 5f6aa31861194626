package daemon_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/daemon/daemontest"
)

// dataCode is the expected result for a non-fungible token whose data starts with a given byte.
type dataCode struct {
	FirstByte string `json:"first_byte"`
	TokenID   string `json:"tokenid"`
	Listed    bool   `json:"in_tokenlist"`
	Info      string `json:"tokeninfo_body"`
	Balance   string `json:"tokenbalance_body"`
	Transfer  string `json:"tokentransfer_body"`
	Sent      string `json:"send_body"`
	After     string `json:"balance_K2_after"`
}

// TestKomododDataCodes creates a token for every first byte of data, and transfers it. The
// recording has no blocks, so ids and transactions differ.
func TestKomododDataCodes(t *testing.T) {
	for _, path := range daemontest.Recordings(t, recordings, daemontest.Named("nft-evalcodes.json")) {
		var codes []dataCode
		daemontest.ReadJSON(t, path, &codes)
		require.NotEmpty(t, codes)
		o := params.Defaults()
		o.Name, o.CC, o.Regtest, o.Sapling = "TOKTEST", 2, true, 100_000
		p, err := params.New(o)
		require.NoError(t, err)
		s := newStation(t, p)
		result[[]string](s, "generate", 2)
		for _, c := range codes {
			t.Run(c.FirstByte, func(t *testing.T) { s.likeRecorded(t, c) })
		}
	}
}

func (s *station) likeRecorded(t *testing.T, c dataCode) {
	var info struct {
		Result struct{ Name, Description, Data string }
	}
	require.NoError(t, json.Unmarshal([]byte(c.Info), &info))
	made := result[map[string]string](s, "tokencreate", info.Result.Name, "0.00000001", info.Result.Description, info.Result.Data)
	require.Equal(t, c.After == "", s.warned("tokencreate", info.Result.Name, "0.00000001", info.Result.Description, info.Result.Data) != "",
		"a warning if komodod cannot transfer the token")
	id := result[string](s, "sendrawtransaction", made["hex"])
	result[[]string](s, "generate", 1)

	ours := func(recorded string) string { return strings.ReplaceAll(recorded, c.TokenID, id) }
	require.Equal(t, daemontest.InCoins(ours(c.Info)), s.ask("tokeninfo", id))
	require.Equal(t, ours(c.Balance), s.ask("tokenbalance", id))
	require.Equal(t, c.Listed, strings.Contains(s.ask("tokenlist"), id))

	if !strings.Contains(c.Transfer, `"success"`) {
		require.Equal(t, c.Transfer, s.ask("tokentransfer", id, k2, "1"))
		return
	}
	moved := result[map[string]string](s, "tokentransfer", id, k2, "1")
	if c.After == "" {
		require.Equal(t, c.Sent, s.ask("sendrawtransaction", moved["hex"]))
		return
	}
	result[string](s, "sendrawtransaction", moved["hex"])
	result[[]string](s, "generate", 1)
	require.Equal(t, ours(c.After), s.ask("tokenbalance", id, k2))
}
