package walletnode

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
	"obverse/core/key"
	"obverse/core/rpc"
	"obverse/core/store/bunt"
	"obverse/core/wallet/coin"
)

type testLog struct{ t *testing.T }

func (l testLog) Info(message string, pairs ...any) { l.Error(message, pairs...) }

func (l testLog) Warn(message string, pairs ...any) { l.Error(message, pairs...) }

func (l testLog) Error(message string, pairs ...any) { l.t.Log(append([]any{message}, pairs...)...) }

func memoryStore(t *testing.T) *bunt.DB {
	db, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// settingsOf is a config with a password, and a passphrase unless that is empty.
func settingsOf(passphrase string) *config.Config {
	c := config.Default()
	c.RPCPassword, c.Passphrase = config.NewSecret(statesUser), config.NewSecret(passphrase)
	return &c
}

// newNode fills in what all of these tests have in common.
func newNode(t *testing.T, c Config) *Node {
	t.Helper()
	c.Store, c.Now, c.Random, c.Log, c.Version = memoryStore(t), time.Now, rand.Reader, testLog{t}, "test"
	if text := c.Settings.Passphrase; text.IsSet() {
		keys, err := key.Open(text.Reveal(), c.Settings.EnableHD)
		require.NoError(t, err)
		t.Cleanup(keys.Wipe)
		c.Keys = keys
	}
	n, err := Open(t.Context(), c)
	require.NoError(t, err)
	t.Cleanup(n.Close)
	return n
}

// collected keeps the warnings of a node.
type collected struct{ lines []string }

func (c *collected) Warn(message string, pairs ...any) {
	c.lines = append(c.lines, fmt.Sprintln(append([]any{message}, pairs...)...))
}

func (c *collected) Info(string, ...any) {}

func (c *collected) Error(message string, pairs ...any) { c.Warn(message, pairs...) }

// A coin that nothing can activate is taken, and the operator is warned of what it lacks.
func TestBareCoinsWarn(t *testing.T) {
	for entry, want := range map[string]string{
		`{"coin":"X"}`:                              `coin X reason "protocol" is missing, an object with "type" and "protocol_data"`,
		`{"coin":"X","mm2":1,"protocol":null}`:      `"protocol" is missing`,
		`{"coin":"X","protocol":{"type":"WOOF"}}`:   "WOOF",
		`{"coin":"X","protocol":{"type":"UTXO"}}`:   "",
		`{"coin":"X","protocol":{"type":"LIGHTN"}}`: "LIGHTN",
	} {
		var log collected
		known, err := readCoins(json.RawMessage("["+entry+"]"), &log)
		require.NoError(t, err)
		require.Len(t, known, 1)
		if want == "" {
			require.Empty(t, log.lines)
			continue
		}
		require.Len(t, log.lines, 1)
		require.Contains(t, log.lines[0], want)
	}
	var log collected
	_, err := readCoins(json.RawMessage(`[{"coin":"A0"}`+strings.Repeat(`,{"coin":"A"}`, 3)+`]`), &log)
	require.NoError(t, err)
	require.Len(t, log.lines, 4)
}

// A coins file of another kind does not fill the log.
func TestCoinsWarnings(t *testing.T) {
	for entries, lines := range map[int]int{0: 0, 1: 1, maxProblems: maxProblems, maxProblems + 1: maxProblems + 1, 500: maxProblems + 1} {
		var log collected
		list := `[{"coin":"GOOD","protocol":{"type":"UTXO"}}` + strings.Repeat(`,{"coin":"X","mm2":7}`, entries) + `]`
		known, err := readCoins(json.RawMessage(list), &log)
		require.NoError(t, err)
		_, err = coin.NewRegistry(known).Lookup("GOOD")
		require.NoError(t, err)
		require.Len(t, log.lines, lines)
		if lines == 1 {
			require.Contains(t, log.lines[0], "entry 1 coin X reason not a coin: mm2 must be 0 or 1")
		}
		for _, line := range log.lines[:min(entries, maxProblems)] {
			require.Equal(t, 1, strings.Count(line, "skipped an invalid entry"), line)
			require.Contains(t, line, "coin X reason ")
		}
		if entries > maxProblems {
			require.Contains(t, log.lines[maxProblems], fmt.Sprint("count ", entries-maxProblems))
		}
	}
	require.Equal(t, 20, maxProblems)
}

// A node that is closed has no secret of its peers' identity left.
func TestCloseWipes(t *testing.T) {
	n := newNode(t, Config{Settings: settingsOf("")})
	private := n.identity.Private()
	require.NotEqual(t, make([]byte, 32), []byte(private.Seed()))
	n.Close()
	require.Equal(t, make([]byte, 32), []byte(n.identity.Private().Seed()))
	require.Equal(t, make([]byte, 32), []byte(private.Seed()), "what was given out is overwritten too")
}

// Dashboards and alarms know figures by their names.
func TestGauges(t *testing.T) {
	n := newNode(t, Config{Settings: settingsOf("")})
	values, names := map[string]float64{}, []string{}
	for _, g := range n.Gauges() {
		require.NotEmpty(t, g.Help, g.Name)
		names = append(names, g.Name)
		values[g.Name] = g.Read()
	}
	require.Equal(t, strings.Fields(`event_streams_open event_clients_subscribed event_dropped_events_total
		coins_active version_stat_running rpc_unknown_params_total swaps_running`), names)
	require.Zero(t, values["version_stat_running"])
	require.Zero(t, values["rpc_unknown_params_total"])

	status, reply := n.Serve(t.Context(), rpc.Caller{Local: true}, []byte(`{"mmrpc":"2.0","method":"help","params":{"nobody":1,"reads":2}}`))
	require.Equal(t, 200, status, "%s", reply)
	for _, g := range n.Gauges() {
		if g.Grows {
			require.True(t, strings.HasSuffix(g.Name, "_total"), g.Name)
			values[g.Name] = g.Read()
		}
	}
	require.EqualValues(t, 2, values["rpc_unknown_params_total"])
}

func TestSetCoins(t *testing.T) {
	n := newNode(t, Config{Settings: settingsOf("")})
	known := func(ticker string) bool {
		_, err := n.coins.Lookup(ticker)
		return err == nil
	}
	require.NoError(t, n.SetCoins(json.RawMessage(`[{"coin":"NEWCOIN","mm2":1}]`)))
	require.True(t, known("NEWCOIN"))
	for _, bad := range []string{`{}`, `[`, `"x"`} {
		require.Error(t, n.SetCoins(json.RawMessage(bad)))
		require.True(t, known("NEWCOIN"), "what is wrong changes nothing")
	}
	require.NoError(t, n.SetCoins(nil))
	require.False(t, known("NEWCOIN"))
	require.True(t, known("ATOM"))
}
