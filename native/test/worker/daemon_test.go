package worker

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/params"
	"obverse/core/daemon/daemontest"
)

// recordings is the folder of komodod's recordings.
var recordings = filepath.Join(root, "core", "daemon", "testdata", "komodod")

// played is a node at the edge with a chain of the test.
type played struct {
	*node
	options params.Options
	key     int
}

func (e *edge) play(t *testing.T, options params.Options) daemontest.Node {
	return &played{e.node(t, configOf(t, options, 0)), options, 0}
}

// configOf returns the config of a node with the key K1, K2 or K3 of the recordings, or without a
// key.
func configOf(t testing.TB, options params.Options, key int) map[string]any {
	c := map[string]any{"chain": options}
	if key > 0 {
		c["passphrase"] = chaintest.Key(t, key).WIF()
	}
	return c
}

func (n *played) Serve(body []byte) (status int, reply []byte) { return n.daemon(body) }

// As starts the object again with another key.
func (n *played) As(key int) {
	if key == n.key {
		return
	}
	n.key = key
	n.configure(configOf(n.t, n.options, key))
	n.evict()
}

func (n *played) Connect(block []byte) {
	_, reply := n.daemon(request(n.t, "submitblock", fmt.Sprintf("%x", block)))
	require.JSONEq(n.t, `{"result":null,"error":null,"id":1}`, string(reply))
}

func (n *played) Accept(tx []byte) {
	var id string
	n.call(&id, "sendrawtransaction", fmt.Sprintf("%x", tx))
}

func TestKomododReplay(t *testing.T) {
	t.Parallel()
	daemontest.Replay(t, recordings, openEdge(t).play)
}

func TestKomododRules(t *testing.T) {
	t.Parallel()
	daemontest.Rules(t, recordings, openEdge(t).play)
}

func TestKomododScripts(t *testing.T) {
	t.Parallel()
	daemontest.Scripts(t, recordings, openEdge(t).play)
}
