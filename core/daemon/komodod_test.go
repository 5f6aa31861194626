package daemon_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"

	"obverse/core/chain/mempool"
	"obverse/core/chain/params"

	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"

	"obverse/core/daemon/daemontest"
	"obverse/core/rpc"
)

// recordings finds files of these names among all recordings.
func recordings(t *testing.T, names ...string) []string {
	t.Helper()
	return komodod(t, func(path string) bool { return slices.Contains(names, filepath.Base(path)) })
}

// readIfThere is readJSON for a file that not every recording has.
func readIfThere(t *testing.T, path string, into any) {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		readJSON(t, path, into)
	}
}

func readExchanges(t *testing.T, path string) []daemontest.Exchange {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	exchanges, err := daemontest.Read(file)
	require.NoError(t, err, path)
	return exchanges
}

// block is a recorded block, with the bodies of getblock at the end of the session.
type block struct {
	recordedBlock
	V1 string `json:"v1_body"`
	V2 string `json:"v2_body"`
}

// node is a station that takes a recorded chain block by block.
type node struct {
	*station
	blocks []block           // by height
	mined  map[wire.Hash]int // height at which they hold a transaction
}

func newNode(t *testing.T, options params.Options, blocks []block) *node {
	t.Helper()
	p, err := params.New(options)
	require.NoError(t, err)
	n := &node{newStation(t, p), blocks, map[wire.Hash]int{}}
	for _, recorded := range blocks {
		for _, tx := range recorded.decode(t).Txs {
			n.mined[tx.ID()] = recorded.Height
		}
	}
	return n
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	require.NoError(t, err)
	return b
}

// as gives the node K1, K2 or K3 of the recordings, or no key.
func (n *node) as(t *testing.T, key int) {
	t.Helper()
	n.Wallet = nil
	if key > 0 {
		n.Wallet = wallet.New(wallet.Config{Key: chaintest.Key(t, key).Private, Params: n.Manager.Params(), DataCarrierSize: mempool.DataCarrierSize})
	}
}

func (n *node) tip(t *testing.T) (tip chain.Tip) {
	t.Helper()
	require.NoError(t, n.Manager.Read(t.Context(), func(v *chain.View) error {
		tip = v.Tip()
		return nil
	}))
	return tip
}

// connect gives the node its blocks up to a height.
func (n *node) connect(t *testing.T, height int) {
	t.Helper()
	for next := n.tip(t).Height + 1; next <= height; next++ {
		hash, err := n.Manager.Submit(t.Context(), n.blocks[next].bytes(t))
		require.NoError(t, err, "block %d", next)
		require.Equal(t, n.blocks[next].Hash, hash.String())
	}
}

// reply is what is compared.
type reply struct {
	status int
	body   string
}

func (n *node) serve(t *testing.T, body []byte) reply {
	t.Helper()
	status, out := n.server.Serve(t.Context(), rpc.Caller{Authorized: true}, body)
	require.True(t, json.Valid(out), string(out))
	return reply{status, strings.TrimSuffix(string(out), "\n")}
}

// call asks for a method as the recorders did at the end of a session.
func (n *node) call(t *testing.T, method string, args ...any) reply {
	t.Helper()
	if args == nil {
		args = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "1.0", "id": "q", "method": method, "params": args})
	require.NoError(t, err)
	return n.serve(t, body)
}
