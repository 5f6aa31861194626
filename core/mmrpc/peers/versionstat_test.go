package peers_test

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

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/peers"
	"obverse/core/net/peerid"
	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/versionstat"
)

// statProbe returns versions by peer id. For the version "slow", the answer is delayed.
type statProbe map[string]string

const slow = "slow"

func (p statProbe) Version(_ context.Context, peer peerid.ID, address string) (string, error) {
	version, known := p[peer.String()]
	if version == slow {
		time.Sleep(5 * time.Second)
	}
	if !known {
		return "", errors.New("no peer at " + address)
	}
	return version, nil
}

// Peer ids of two seed nodes, and of a node that no test adds.
const (
	seedOne   = "12D3KooWEsuiKcQaBaKEzuMtT6uFjs89P1E8MK3wGRZbeuCbCw6P"
	seedTwo   = "12D3KooWHKkHiNhZtKceQehHhPqwU5W1jXpoVBgS1qst899GjvTm"
	seedThree = "12D3KooWAToxtunEBWCoAHjefSv74Nsmxranw8juy3eKEdrQyGRF"
	seedSlow  = "12D3KooWMsfmq3bNNPZTr7HdhTQvxovuR1jo5qvM362VQZorTk3F"
)

// statBench is a server with the area and its dependencies.
type statBench struct {
	*mmrpc.Server
	statLog
	t         *testing.T
	db        *bunt.DB
	collector *versionstat.Collector
}

// statLog is the log of a server.
type statLog struct{ lines []string }

func (l *statLog) Error(message string, pairs ...any) {
	l.lines = append(l.lines, message+fmt.Sprint(pairs...))
}

// serve creates the server.
func (b *statBench) serve(area peers.VersionStats) {
	now := func() time.Time { return time.Unix(1700000000, 0) }
	b.Server = mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), LocalOnly: true, Log: &b.statLog, Now: now}, area)
}

// withStats runs a test with a fake clock and a running collector.
func withStats(t *testing.T, test func(*testing.T, *statBench)) {
	t.Helper()
	db, err := bunt.Open(bunt.Memory) // opened outside the bubble because it has its own ticker
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	synctest.Test(t, func(t *testing.T) {
		b := &statBench{t: t, db: db}
		b.collector = versionstat.New(versionstat.Config{Store: db, Now: time.Now, Probe: statProbe{seedOne: "2.5.0", seedTwo: "", seedSlow: slow}})
		b.serve(peers.VersionStats{Collector: b.collector})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = b.collector.Run(ctx)
		}()
		defer func() { cancel(); <-done }()
		test(t, b)
	})
}

// statReply is a decoded answer of the area.
type statReply struct {
	Status int
	Result json.RawMessage
	Error  string
	Path   string          `json:"error_path"`
	Type   string          `json:"error_type"`
	Data   json.RawMessage `json:"error_data"`
}

func (b *statBench) call(method, params string) (r statReply) {
	b.t.Helper()
	request := fmt.Sprintf(`{"mmrpc":"2.0","userpass":"%s","method":"%s"}`, mmrpctest.Userpass, method)
	if params != "" {
		request = request[:len(request)-1] + `,"params":` + params + `}`
	}
	status, reply := b.Serve(b.t.Context(), mmrpctest.Here, []byte(request))
	require.NoError(b.t, json.Unmarshal(reply, &r), "%s", reply)
	r.Status = status
	return r
}

func (b *statBench) succeeds(method, params string) {
	b.t.Helper()
	r := b.call(method, params)
	require.Equal(b.t, `"success"`, string(r.Result), r.Error)
	require.Equal(b.t, 200, r.Status)
}

func (b *statBench) fails(method, params string, status int, kind, text string) statReply {
	b.t.Helper()
	r := b.call(method, params)
	require.Equal(b.t, kind, r.Type, r.Error)
	require.Equal(b.t, status, r.Status)
	require.Equal(b.t, text, r.Error)
	require.NotEmpty(b.t, r.Path)
	return r
}

const (
	statAdd    = "add_node_to_version_stat"
	statRemove = "remove_node_from_version_stat"
	statStart  = "start_version_stat_collection"
	statUpdate = "update_version_stat_collection"
	statStop   = "stop_version_stat_collection"
	statGet    = "get_version_stat"
)

func statNode(name, address, peer string) string {
	node, _ := json.Marshal(map[string]string{"name": name, "address": address, "peer_id": peer})
	return string(node)
}

func TestVersionStatList(t *testing.T) {
	withStats(t, func(t *testing.T, b *statBench) {
		b.succeeds(statAdd, statNode("seed1", "168.119.236.241", seedOne))
		const samePeer, sameName = "UNIQUE constraint failed: nodes.peer_id", "UNIQUE constraint failed: nodes.name"
		for _, c := range []struct{ node, data string }{
			{statNode("seed1", "168.119.236.241", seedOne), samePeer},
			{statNode("other", "168.119.236.241", seedOne), samePeer},
			{statNode("seed1", "168.119.236.241", seedTwo), sameName},
		} {
			r := b.fails(statAdd, c.node, 500, "DatabaseError", "Database error: "+c.data)
			require.Equal(t, `"`+c.data+`"`, string(r.Data))
		}
		b.succeeds(statRemove, `{"name":"unknown"}`)
		b.succeeds(statRemove, `{"name":"seed1","unknown":1}`)
		b.succeeds(statAdd, statNode("seed1", "seed.example.org:1", seedOne))
	})
}

func TestVersionStatAddRefuses(t *testing.T) {
	long := strings.Repeat("x", 300)
	withStats(t, func(t *testing.T, b *statBench) {
		for _, c := range []struct{ node, kind, data, text string }{
			{statNode("n", "::1", "12D3KooWEsuiKcQaBaKEzuMtT6uFjs89P1E8MK3wGRZbeuCbCw6"), "PeerIdParseError",
				`["12D3KooWEsuiKcQaBaKEzuMtT6uFjs89P1E8MK3wGRZbeuCbCw6","invalid multihash"]`,
				"Error on parse peer id 12D3KooWEsuiKcQaBaKEzuMtT6uFjs89P1E8MK3wGRZbeuCbCw6: invalid multihash"},
			{statNode("n", "not an address", "12D3l"), "PeerIdParseError",
				`["12D3l","base-58 decode error: provided string contained invalid character 'l' at byte 4"]`,
				"Error on parse peer id 12D3l: base-58 decode error: provided string contained invalid character 'l' at byte 4"},
			{statNode("n", "not an address", seedOne), "InvalidAddress",
				`"Couldn't resolve any IP on 'not an address' address. the host must be an IPv4 address, an IPv6 address or a domain name"`,
				"Invalid address: Couldn't resolve any IP on 'not an address' address. the host must be an IPv4 address, an IPv6 address or a domain name"},
			{statNode("n", long, seedOne), "InvalidAddress",
				`"Couldn't resolve any IP on '` + long[:64] + `…' address. it is longer than 255 bytes"`,
				"Invalid address: Couldn't resolve any IP on '" + long[:64] + "…' address. it is longer than 255 bytes"},
			{statNode(long, "::1", seedOne), "InvalidRequest", `"a name must be a text of at most 255 bytes"`,
				`Invalid request: a name must be a text of at most 255 bytes (parameter "name" must be a text of at most 255 bytes)`},
			{`{"address":"::1","peer_id":"1"}`, "InvalidRequest", "\"missing field `name`\"",
				"Invalid request: missing field `name` (parameter \"name\" must be a string)"},
			{`{"name":"n","peer_id":"1"}`, "InvalidRequest", "\"missing field `address`\"",
				"Invalid request: missing field `address` (parameter \"address\" must be a string)"},
			{`{"name":"n","address":7,"peer_id":"1"}`, "InvalidRequest", "\"invalid type: integer `7`, expected a string\"",
				"Invalid request: invalid type: integer `7`, expected a string (parameter \"address\")"},
		} {
			r := b.fails(statAdd, c.node, 400, c.kind, c.text)
			require.Equal(t, c.data, string(r.Data))
		}
		require.JSONEq(t, `{"stats":[],"total":0,"limit":100,"page":1}`, string(b.call(statGet, "").Result))
	})
}

// TestVersionStatStates checks the table of the four states with the methods.
func TestVersionStatStates(t *testing.T) {
	const every = `{"interval":60}`
	const notRunning = "start_version_stat_collection is not running"
	withStats(t, func(t *testing.T, b *statBench) {
		refused := func(method, kind, text string) {
			t.Helper()
			for _, params := range []string{every, "", `{"interval":"x"}`} { // the state is checked first
				r := b.fails(method, params, 405, kind, text)
				require.Nil(t, r.Data)
			}
		}
		b.succeeds(statAdd, statNode("slow", "::1", seedSlow))
		require.Equal(t, versionstat.Stopped, b.collector.State())
		refused(statUpdate, "NotRunning", notRunning)
		refused(statStop, "NotRunning", notRunning)

		b.succeeds(statStart, every)
		synctest.Wait() // a round is in progress
		refused(statStart, "AlreadyRunning", "start_version_stat_collection is already running")
		b.succeeds(statUpdate, `{"interval":0.1e2}`)
		require.Equal(t, versionstat.Updating, b.collector.State())
		refused(statStart, "AlreadyRunning", "start_version_stat_collection is already running")
		b.succeeds(statUpdate, `{"interval":1.5}`)
		b.succeeds(statStop, "")
		require.Equal(t, versionstat.Stopping, b.collector.State())
		refused(statStart, "CurrentlyStopping", "Version stat collection is currently stopping")
		refused(statUpdate, "NotRunning", notRunning)
		refused(statStop, "NotRunning", notRunning)

		time.Sleep(6 * time.Second)
		synctest.Wait()
		require.Equal(t, versionstat.Stopped, b.collector.State())
		b.succeeds(statStart, `{"interval":2592000}`)
		b.succeeds(statStop, `{"anything":[]}`)
	})
}

func TestVersionStatIntervals(t *testing.T) {
	withStats(t, func(t *testing.T, b *statBench) {
		for params, data := range map[string]string{
			"":                          "invalid type: null, expected f64",
			`{}`:                        "invalid type: null, expected f64",
			`{"interval":null}`:         "invalid type: null, expected f64",
			`{"interval":"60"}`:         `invalid type: string "60", expected f64`,
			`{"interval":[60]}`:         "invalid type: sequence, expected f64",
			`{"interval":0}`:            "invalid value: integer `0`, expected a number of seconds from 1 to 2592000",
			`{"interval":-5}`:           "invalid value: integer `-5`, expected a number of seconds from 1 to 2592000",
			`{"interval":0.999}`:        "invalid value: floating point `0.999`, expected a number of seconds from 1 to 2592000",
			`{"interval":2592001}`:      "invalid value: integer `2592001`, expected a number of seconds from 1 to 2592000",
			`{"interval":1e300}`:        "invalid value: floating point `1e300`, expected a number of seconds from 1 to 2592000",
			`{"interval":1.0000000001}`: "too many decimals",
			`{"interval":1.0000001}`:    "",
		} {
			if data == "" {
				b.succeeds(statStart, params)
				b.fails(statUpdate, `{}`, 400, "InvalidRequest", `Invalid request: invalid type: null, expected f64 (parameter "interval")`)
				b.succeeds(statStop, "")
				synctest.Wait()
				continue
			}
			r := b.call(statStart, params)
			require.Equal(t, "InvalidRequest", r.Type)
			require.Equal(t, 400, r.Status)
			var got string
			require.NoError(t, json.Unmarshal(r.Data, &got))
			require.Equal(t, data, got)
			require.Contains(t, r.Error, `parameter "interval"`)
			require.Equal(t, versionstat.Stopped, b.collector.State())
		}
		b.fails(statRemove, `{}`, 400, "InvalidRequest", `Invalid request: invalid type: null, expected a string (parameter "name")`)
	})
}

func TestVersionStatsAreRead(t *testing.T) {
	withStats(t, func(t *testing.T, b *statBench) {
		b.succeeds(statAdd, statNode("one", "10.0.0.1", seedOne))
		b.succeeds(statAdd, statNode("two", "10.0.0.2", seedTwo))
		b.succeeds(statAdd, statNode("three", "10.0.0.3", seedThree))
		start := time.Now().Unix()
		b.succeeds(statStart, `{"interval":100}`)
		time.Sleep(101 * time.Second)
		synctest.Wait()

		row := func(name, version, failure string, at int64) string {
			return fmt.Sprintf(`{"name":"%s","version":"%s","timestamp":%d,"error":"%s"}`, name, version, start+at, failure)
		}
		round := func(at int64) string {
			return row("one", "2.5.0", "", at) + "," + row("three", "", "no peer at 10.0.0.3", at) + "," + row("two", "", "", at)
		}
		for params, want := range map[string]string{
			"":                                  `{"stats":[` + round(100) + `,` + round(0) + `],"total":6,"limit":100,"page":1}`,
			`{"name":null}`:                     `{"stats":[` + round(100) + `,` + round(0) + `],"total":6,"limit":100,"page":1}`,
			`{"name":"one"}`:                    `{"stats":[` + row("one", "2.5.0", "", 100) + `,` + row("one", "2.5.0", "", 0) + `],"total":2,"limit":100,"page":1}`,
			`{"name":"four"}`:                   `{"stats":[],"total":0,"limit":100,"page":1}`,
			`{"limit":3,"page":2}`:              `{"stats":[` + round(0) + `],"total":6,"limit":3,"page":2}`,
			`{"limit":1000,"page":4294967295}`:  `{"stats":[],"total":6,"limit":1000,"page":4294967295}`,
			fmt.Sprintf(`{"from":%d}`, start+1): `{"stats":[` + round(100) + `],"total":3,"limit":100,"page":1}`,
			fmt.Sprintf(`{"to":%d}`, start+99):  `{"stats":[` + round(0) + `],"total":3,"limit":100,"page":1}`,
			fmt.Sprintf(`{"from":%d,"to":%[1]d,"name":"two"}`, start): `{"stats":[` + row("two", "", "", 0) + `],"total":1,"limit":100,"page":1}`,
		} {
			require.Equal(t, want, string(b.call(statGet, params).Result), params)
		}
	})
}

func TestInvalidVersionStatQueries(t *testing.T) {
	withStats(t, func(t *testing.T, b *statBench) {
		for params, data := range map[string]string{
			`{"limit":0}`:    "invalid value: integer `0`, expected a whole number from 1 to 1000",
			`{"limit":1001}`: "invalid value: integer `1001`, expected a whole number from 1 to 1000",
			`{"limit":-1}`:   "integer `-1`",
			`{"page":0}`:     "invalid value: integer `0`, expected a whole number from 1",
			`{"from":"x"}`:   `string "x"`,
			`{"to":1.5}`:     "floating point `1.5`",
			`{"name":5}`:     "integer `5`",
			`[]`:             "",
		} {
			r := b.call(statGet, params)
			require.Equal(t, "InvalidRequest", r.Type, params)
			require.Equal(t, 400, r.Status)
			require.Contains(t, r.Error, data)
		}
	})
}

// TestVersionStatsWithoutAProbe checks that a platform without a probe refuses all methods,
// whatever the parameters.
func TestVersionStatsWithoutAProbe(t *testing.T) {
	methods := peers.VersionStats{}.Methods()
	for _, area := range []peers.VersionStats{{}, {Collector: versionstat.New(versionstat.Config{Now: time.Now})}} {
		b := &statBench{t: t}
		b.serve(area)
		for _, m := range methods {
			r := b.fails(m.Name, `{"interval":[]}`, 405, "UnsupportedMode", "'"+m.Name+"' is only supported in native mode")
			require.Equal(t, `"'`+m.Name+`'"`, string(r.Data))
		}
	}
}

func TestVersionStatsOfAStoreThatIsClosed(t *testing.T) {
	withStats(t, func(t *testing.T, b *statBench) {
		require.NoError(t, b.db.Close())
		for method, params := range map[string]string{
			statAdd: statNode("n", "::1", seedOne), statRemove: `{"name":"n"}`, statStart: `{"interval":1}`, statGet: `{}`,
		} {
			b.fails(method, params, 500, "DatabaseError", "Database error: "+store.ErrClosed.Error())
		}
	})
}

// TestOtherStoreFailuresAreHidden checks that other errors of the store, which may contain file
// names, are only logged.
func TestOtherStoreFailuresAreHidden(t *testing.T) {
	b := &statBench{t: t}
	broken := brokenStore{}
	b.serve(peers.VersionStats{Collector: versionstat.New(versionstat.Config{Store: broken, Now: time.Now, Probe: statProbe{}})})
	for method, params := range map[string]string{
		statAdd: statNode("n", "::1", seedOne), statRemove: `{"name":"n"}`, statStart: `{"interval":1}`, statGet: `{}`,
	} {
		r := b.call(method, params)
		require.Equal(t, "InternalError", r.Type)
		require.NotContains(t, r.Error, "/home")
	}
	require.Len(t, b.lines, 4)
	require.Contains(t, b.lines[0], "/home")
}

type brokenStore struct{}

var errPath = errors.New("write /home/bob/obverse.db: no")

func (brokenStore) Get(context.Context, ...string) ([]store.Value, error) { return nil, errPath }

func (brokenStore) Scan(context.Context, string, string, int) ([]store.Entry, error) {
	return nil, errPath
}

func (brokenStore) Stage(context.Context, store.Batch) (store.Durable, error) { return nil, errPath }

// TestVersionStatParamsAreRequired checks that the documents list parameters as required if
// calls without them fail.
func TestVersionStatParamsAreRequired(t *testing.T) {
	table := rpc.NewTable(peers.VersionStats{}.Methods()...)
	for method, name := range map[string]string{
		statRemove: "name", statStart: "interval", statUpdate: "interval",
	} {
		m, ok := table.Lookup(method)
		require.True(t, ok)
		require.Equal(t, name, m.Params()[0].Name)
		require.True(t, m.Params()[0].Required, method)
		require.Equal(t, method+" "+name, m.Usage())
	}
}

func TestStatIntervalSaysItsBounds(t *testing.T) {
	require.Equal(t, fmt.Sprintf("a number of seconds from %.0f to %.0f",
		versionstat.MinInterval.Seconds(), versionstat.MaxInterval.Seconds()), peers.WantStatInterval)
	var i peers.StatInterval
	var refused *rpc.ParamError
	require.ErrorAs(t, i.UnmarshalParam(json.RawMessage(`0`)), &refused)
	require.ErrorIs(t, refused, rpc.ErrRange)
}
