package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/wire"
	"obverse/core/config"
	"obverse/core/rpc"
	"obverse/core/store/bunt"
	"obverse/native/ecdsa"
	"obverse/native/httpd"
	"obverse/native/test/benchtable"
)

// BenchmarkRatios prints a table of figures. Absolute times depend more on the machine than on the
// program. Figures with a target are therefore ratios of two measurements that alternate in one
// run, each the median of its rounds. The benchmark never fails, since the machine may be busy. It
// is only meaningful with -benchtime 1x.
func BenchmarkRatios(b *testing.B) {
	t := new(benchtable.Table)
	for _, part := range []struct {
		name    string
		measure func(*testing.B, *benchtable.Table)
	}{{"transfers", measureTransfers}, {"blocks", measureBlocks}, {"balances", measureBalances}, {"keys", measureKeys}, {"calls", measureCalls}, {"payments", measurePayments}, {"chain", measureChain}, {"size", measureSize}, {"holders", measureHolders}} {
		b.Run(part.name, func(b *testing.B) {
			for b.Loop() {
				part.measure(b, t)
			}
		})
	}
	require.NoError(b, t.Finish(os.Stdout))
}

// rounds is the number of turns for each side of a ratio.
const rounds = 9

// in returns durations in a unit.
func in(unit time.Duration, values []time.Duration) (numbers []float64) {
	for _, v := range values {
		numbers = append(numbers, float64(v)/float64(unit))
	}
	return numbers
}

// benchNode is a node in this process with a store in a file, as in the program. It makes blocks
// only when mine is called.
type benchNode struct {
	b       testing.TB
	path    string
	regtest bool
	metrics *httpd.Metrics
	store   *bunt.DB
	core    *core.Node
}

func newBenchNode(b testing.TB) *benchNode { return newBenchNodeOn(b, false) }

func newBenchNodeOn(b testing.TB, regtest bool) *benchNode {
	b.Helper()
	n := &benchNode{b: b, regtest: regtest, path: filepath.Join(b.TempDir(), "bench.db"), metrics: httpd.NewMetrics(httpd.Build{})}
	n.open()
	b.Cleanup(n.close)
	return n
}

func (n *benchNode) open() {
	n.b.Helper()
	var err error
	n.store, err = bunt.Open(n.path)
	require.NoError(n.b, err)
	c := config.Default()
	c.Passphrase, c.RPCPassword = config.NewSecret(passphrase), config.NewSecret(rpcPassword)
	c.Chain.Options.Regtest = n.regtest
	n.core, err = core.New(n.b.Context(), c, core.Platform{
		Store: n.store, Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler), Calls: n.metrics,
		ECDSA: ecdsa.New().Verify,
	})
	require.NoError(n.b, err)
}

// close may be called twice. A closed node no longer uses memory.
func (n *benchNode) close() {
	if n.store == nil {
		return
	}
	n.core.Close()
	_ = n.store.Close() // a temporary file
	n.core, n.store = nil, nil
}

// caller is a caller with the credential.
var caller = rpc.Caller{Address: "127.0.0.1", Local: true, Authorized: true}

// call calls a method that must succeed.
func (n *benchNode) call(result any, method string, params ...any) {
	n.b.Helper()
	_, raw := n.core.Daemon(context.Background(), caller, request(method, params...))
	var r reply
	require.NoError(n.b, json.Unmarshal(raw, &r))
	require.Nil(n.b, r.Error, "%s: %v", method, r.Error)
	require.NoError(n.b, json.Unmarshal(r.Result, result))
}

func (n *benchNode) send(tx *wire.Tx) {
	n.b.Helper()
	var id string
	n.call(&id, "sendrawtransaction", encoded(tx))
}

// mine makes blocks until the mempool is empty.
func (n *benchNode) mine() {
	n.b.Helper()
	for {
		var hashes, waiting []string
		n.call(&hashes, "generate", 1)
		if n.call(&waiting, "getrawmempool"); len(waiting) == 0 {
			return
		}
	}
}

func (n *benchNode) premine() chaintest.Coin {
	n.b.Helper()
	var text string
	n.call(&text, "getblock", "1", 0)
	return chaintest.Premine(n.b, text)
}
