package page

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

// played is a node in a page with a chain of the test.
type played struct {
	*pageNode
	options params.Options
	key     int
}

func (b *browser) play(t *testing.T, options params.Options) daemontest.Node {
	return &played{b.start(t, config(t, options, 0)), options, 0}
}

// config returns the config of a node with the key K1, K2 or K3 of the recordings, or without a
// key.
func config(t *testing.T, options params.Options, key int) map[string]any {
	c := map[string]any{"chain": options}
	if key > 0 {
		c["passphrase"] = chaintest.Key(t, key).WIF()
	}
	return c
}

func (n *played) Serve(body []byte) (status int, reply []byte) { return n.do("/daemon", body) }

// As imports the data into another node: an export is imported into a separate store.
func (n *played) As(key int) {
	if key == n.key {
		return
	}
	n.key = key
	n.do("/become", toJSON(n.t, config(n.t, n.options, key)))
}

func (n *played) Connect(block []byte) { n.gives(`null`, "submitblock", fmt.Sprintf("%x", block)) }

func (n *played) Accept(tx []byte) {
	status, reply := n.call("sendrawtransaction", fmt.Sprintf("%x", tx))
	require.Equal(n.t, 200, status, string(reply))
}

func (n *played) call(method string, args ...any) (status int, reply []byte) {
	return n.Serve(toJSON(n.t, map[string]any{"method": method, "params": args, "id": 1}))
}

func (n *played) gives(want, method string, args ...any) {
	_, reply := n.call(method, args...)
	require.JSONEq(n.t, `{"result":`+want+`,"error":null,"id":1}`, string(reply))
}

func TestKomododReplay(t *testing.T) {
	t.Parallel()
	daemontest.Replay(t, recordings, openBrowser(t).play)
}

func TestKomododRules(t *testing.T) {
	t.Parallel()
	daemontest.Rules(t, recordings, openBrowser(t).play)
}

func TestKomododScripts(t *testing.T) {
	t.Parallel()
	daemontest.Scripts(t, recordings, openBrowser(t).play)
}
