package daemon_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wallet"
	"obverse/core/daemon"
	"obverse/core/rpc"
	"obverse/core/store/bunt"
)

// station is a node with the key K1 that a recording is replayed on.
type station struct {
	*daemon.Backend
	t      testing.TB
	server *daemon.Server
}

// recordedNow is later than every block of the recordings.
func recordedNow() time.Time { return time.Unix(1_800_000_000, 0) }

func newStation(t testing.TB, p *params.Params) *station {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	b := &daemon.Backend{Now: recordedNow, Version: "1.2.3", RelayFee: mempool.DefaultRelay().Fee}
	b.Manager, err = chain.Open(t.Context(), chain.Config{Store: kv, Params: p, HeaderRules: engine.AnyProducer{}, Now: b.Now,
		Cache: script.NewSigCache(1<<12, nil)})
	require.NoError(t, err)
	b.Pool, err = mempool.New(t.Context(), mempool.Config{Manager: b.Manager, Store: kv, Now: b.Now})
	require.NoError(t, err)
	key := chaintest.Key(t, 1).Private
	b.Wallet = wallet.New(wallet.Config{Key: key, Params: p, DataCarrierSize: mempool.DataCarrierSize})
	b.Producer = engine.New(engine.Config{Manager: b.Manager, Pool: b.Pool, Key: key, Now: b.Now})
	return &station{b, t, daemon.New(daemon.Options{}, b.Methods()...)}
}

// ask sends a request and returns the whole reply, without the newline.
func (s *station) ask(method string, params ...any) string {
	s.t.Helper()
	if params == nil {
		params = []any{}
	}
	request, err := json.Marshal(map[string]any{"id": "q", "method": method, "params": params})
	require.NoError(s.t, err)
	_, reply := s.server.Serve(s.t.Context(), rpc.Caller{Authorized: true}, request)
	return string(bytes.TrimSpace(reply))
}

// answer is a reply taken apart.
type answer struct {
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func (s *station) answer(method string, params ...any) (a answer) {
	s.t.Helper()
	require.NoError(s.t, json.Unmarshal([]byte(s.ask(method, params...)), &a))
	return a
}

// result is the result of a call that must succeed.
func result[T any](s *station, method string, params ...any) (value T) {
	s.t.Helper()
	reply := s.ask(method, params...)
	var a answer
	require.NoError(s.t, json.Unmarshal([]byte(reply), &a))
	require.Nil(s.t, a.Error, reply)
	require.NoError(s.t, json.Unmarshal(a.Result, &value), reply)
	return value
}

// submit gives the node a block, by submitblock where there is that method, and returns
// what that answers.
func (s *station) submit(raw string) string {
	s.t.Helper()
	if s.Manager.Params().Regtest {
		return string(s.answer("submitblock", raw).Result)
	}
	block, err := hex.DecodeString(raw)
	require.NoError(s.t, err)
	_, err = s.Manager.Submit(s.t.Context(), block)
	var rejection *consensus.Rejection
	switch {
	case err == nil:
		return "null"
	case errors.Is(err, chain.ErrSideBranch):
		return `"inconclusive"`
	case errors.As(err, &rejection):
		return strconv.Quote(rejection.Reason)
	}
	require.NoError(s.t, err)
	return ""
}

// refused is a call that must fail with this code and message.
func (s *station) refused(code int, message, method string, params ...any) {
	s.t.Helper()
	a := s.answer(method, params...)
	require.NotNil(s.t, a.Error, "%s %v: %s", method, params, a.Result)
	require.Equal(s.t, message, a.Error.Message)
	require.Equal(s.t, code, a.Error.Code)
}

// recordings is the folder of those of komodod that are our own.
const recordings = "testdata/komodod"

func isJSON(path string) bool { return filepath.Ext(path) == ".json" }

// readsAs is daemontest.ReadJSON for a file that may be of another kind.
func readsAs(t testing.TB, path string, into any) bool {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return json.Unmarshal(content, into) == nil
}
