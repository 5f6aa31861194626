package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// storeFile is the name of a native node's store in its data folder.
const storeFile = "obverse.db"

// daemonNode is the daemon API of either kind of node.
type daemonNode interface {
	daemon(body []byte) (status int, answer []byte)
}

// result calls a method, which must succeed.
func result(t testing.TB, n daemonNode, method string, params ...any) string {
	t.Helper()
	status, answer := n.daemon(request(t, method, params...))
	require.Equal(t, http.StatusOK, status, "%s: %s", method, answer)
	var reply struct{ Result json.RawMessage }
	require.NoError(t, json.Unmarshal(answer, &reply))
	return string(reply.Result)
}

// makeToken creates a token and waits for its block.
func makeToken(t testing.TB, n daemonNode, name string) {
	t.Helper()
	var created struct{ Error, Hex string }
	require.NoError(t, json.Unmarshal([]byte(result(t, n, "tokencreate", name, "0.5", "of a test")), &created))
	require.Empty(t, created.Error)
	id := result(t, n, "sendrawtransaction", created.Hex)
	require.Eventually(t, func() bool { return bytes.Contains([]byte(result(t, n, "tokenlist")), []byte(id)) }, timeout, 20*time.Millisecond)
}

// history returns a node's responses about its chain.
func history(t testing.TB, n daemonNode) (all []string) {
	t.Helper()
	for _, method := range []string{"tokenlist", "getbestblockhash", "getblockcount", "getrawmempool", "listunspent"} {
		_, answer := n.daemon(request(t, method))
		all = append(all, string(answer))
	}
	var tokens []string
	require.NoError(t, json.Unmarshal([]byte(result(t, n, "tokenlist")), &tokens))
	for _, id := range tokens {
		all = append(all, result(t, n, "tokeninfo", id), result(t, n, "tokenbalance", id), result(t, n, "getrawtransaction", id))
	}
	return all
}

// TestBackup restores the store of an object on a native node, and the native node's store in the
// object.
func TestBackup(t *testing.T) {
	t.Parallel()
	right := basic("any", rpcPassword)
	config := map[string]any{"passphrase": "a store that moves", "chain": map[string]any{"blockinterval": 0.1}}
	n := openEdge(t).node(t, config)
	makeToken(t, n, "EDGE")
	response, data := n.ask(http.MethodGet, "/backup", nil, right)
	require.Equal(t, http.StatusOK, response.StatusCode, string(data))
	require.Equal(t, `attachment; filename="obverse.db"`, response.Header.Get("Content-Disposition"))
	was := history(t, n)

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, storeFile), data, 0o600))
	require.NoError(t, program(t, dir, config, "store", "check").Run())
	other := startNative(t, dir, config)
	require.Equal(t, was, history(t, other))
	makeToken(t, other, "NATIVE")
	moved := history(t, other)
	other.stop()

	good, err := os.ReadFile(filepath.Join(dir, storeFile))
	require.NoError(t, err)
	flipped := slices.Clone(good)
	flipped[len(flipped)/2] ^= 2
	for name, bad := range map[string][]byte{
		"empty": {}, "cut off": good[:len(good)-7], "a flipped bit": flipped, "no store": []byte("a text"),
	} {
		response, answer := n.ask(http.MethodPut, "/backup", bad, right)
		require.Equal(t, http.StatusBadRequest, response.StatusCode, "%s: %s", name, answer)
		require.Contains(t, string(answer), `{"error":"`, name)
		require.Equal(t, was, history(t, n), name)
	}
	refusesTooLarge(t, n, right)
	require.Equal(t, was, history(t, n))
	n.evict()
	require.Equal(t, was, history(t, n))

	response, answer := n.ask(http.MethodPut, "/backup", good, right)
	require.Equal(t, http.StatusOK, response.StatusCode, string(answer))
	require.Equal(t, moved, history(t, n))
	makeToken(t, n, "AGAIN")
	n.evict()
	require.Len(t, tokens(t, n), 3)
	require.Contains(t, n.succeeds("get_public_key", "{}"), "public_key")
}

// TestRestoresAtOnce sends a backup multiple times at once. Each request must either restore it or
// be rejected, and no data may be lost.
func TestRestoresAtOnce(t *testing.T) {
	t.Parallel()
	right := basic("any", rpcPassword)
	n := openEdge(t).node(t, map[string]any{"passphrase": "restored often", "chain": map[string]any{"blockinterval": 0.1}})
	makeToken(t, n, "KEPT")
	identity := n.succeeds("get_my_peer_id", "{}")
	response, data := n.ask(http.MethodGet, "/backup", nil, right)
	require.Equal(t, http.StatusOK, response.StatusCode)
	was := history(t, n)
	for range 3 {
		var clients sync.WaitGroup
		var restored atomic.Int32
		for range 4 {
			clients.Go(func() {
				response, answer, err := n.try(http.MethodPut, "/backup", data, right)
				switch {
				case errors.Is(err, syscall.ECONNRESET): // rejected before the body was read
				case err != nil:
					t.Error(err)
				case response.StatusCode == http.StatusOK:
					restored.Add(1)
				case response.StatusCode != http.StatusConflict:
					t.Errorf("%d: %s", response.StatusCode, answer)
				}
			})
		}
		for range 8 {
			clients.Go(func() { _, _ = n.daemon(request(t, "getblockcount")) })
		}
		clients.Wait()
		require.Positive(t, restored.Load())
		require.Equal(t, was, history(t, n))
		require.Equal(t, identity, n.succeeds("get_my_peer_id", "{}"))
	}
}

// refusesTooLarge sends a body that exceeds the maximum size of a store. The node responds before
// the body ends, and workerd then resets the connection, so a client that is still sending may not
// receive the response.
func refusesTooLarge(t testing.TB, n *node, right header) {
	t.Helper()
	response, answer, err := n.try(http.MethodPut, "/backup", make([]byte, 64<<20+1), right)
	if errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		return
	}
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode, string(answer))
	require.JSONEq(t, `{"error":"request body too large: the limit is 46137344 bytes"}`, string(answer))
}

func tokens(t testing.TB, n daemonNode) (ids []string) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(result(t, n, "tokenlist")), &ids))
	return ids
}
