package daemontest

import (
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/rpc/recording"
)

// Node is the daemon API of a node with its own regtest chain, as used in tests. Its methods
// fail the test that created the node if they receive no answer.
type Node interface {
	// Serve answers a body of an authorized caller.
	Serve(body []byte) (status int, reply []byte)
	// As changes the node's key to K1, K2 or K3 of the recordings, or removes the key if the
	// argument is 0. The chain and the mempool are kept.
	As(key int)
	// Connect submits the block after the last one.
	Connect(block []byte)
	// Accept adds another client's transaction to the mempool.
	Accept(tx []byte)
}

// Start starts a node without blocks for a chain with the given options. It returns nil if such
// a node does not accept blocks from others.
type Start func(t *testing.T, options params.Options) Node

// Block is a block of a recording.
type Block struct {
	Height    int
	Hash, Raw string
	// V1 and V2 are the results of getblock at the end of the session, with verbosity 1 and 2.
	V1 string `json:"v1_body"`
	V2 string `json:"v2_body"`
}

// Bytes returns the encoded block.
func (b Block) Bytes(t testing.TB) []byte { return fromHex(t, b.Raw) }

// Decode decodes the block.
func (b Block) Decode(t testing.TB) *wire.Block {
	t.Helper()
	block, err := wire.DecodeBlock(b.Bytes(t))
	require.NoError(t, err)
	return block
}

// Options parses the ac_* flags of a command line. Some recordings do not list regtest among
// the flags, so it is derived from the blocks.
func Options(t testing.TB, flags []string, blocks []Block) params.Options {
	t.Helper()
	o := params.Defaults()
	for _, flag := range flags {
		if key, value, _ := strings.Cut(strings.TrimPrefix(flag, "-"), "="); strings.HasPrefix(key, "ac_") {
			require.NoError(t, o.Set(key, value))
		}
	}
	o.Regtest = isRegtest(t, blocks)
	return o
}

// ReadChain reads the options and the blocks in a recorded folder.
func ReadChain(t testing.TB, folder string) (options params.Options, blocks []Block) {
	t.Helper()
	options = params.Defaults()
	ReadJSON(t, filepath.Join(folder, "chain.json"), &options)
	ReadJSON(t, filepath.Join(folder, "blocks.json"), &blocks)
	options.Regtest = isRegtest(t, blocks)
	return options, blocks
}

// isRegtest reports whether the chain has regtest's genesis block, which is different from that
// of all other chains.
func isRegtest(t testing.TB, blocks []Block) bool {
	t.Helper()
	require.NotEmpty(t, blocks)
	require.Zero(t, blocks[0].Height, "a recorded chain begins with the genesis block")
	return recording.IsRegtest(blocks[0].Hash)
}

func fromHex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	require.NoError(t, err)
	return b
}

// chain is a node to which the blocks of a recorded chain are submitted one by one.
type chain struct {
	Node
	blocks []Block           // blocks by height
	mined  map[wire.Hash]int // height of the block that includes a transaction
	txs    map[wire.Hash]*wire.Tx
	height int // height of the node's last block
}

func newChain(t *testing.T, start Start, options params.Options, blocks []Block) *chain {
	t.Helper()
	node := start(t, options)
	if node == nil {
		t.Skip("the node accepts no blocks from others on such a chain")
	}
	c := &chain{Node: node, blocks: blocks, mined: map[wire.Hash]int{}, txs: map[wire.Hash]*wire.Tx{}}
	for _, recorded := range blocks {
		for _, tx := range recorded.Decode(t).Txs {
			c.mined[tx.ID()], c.txs[tx.ID()] = recorded.Height, tx
		}
	}
	return c
}

// add adds a transaction that need not be in a block.
func (c *chain) add(t *testing.T, id, raw string) {
	t.Helper()
	tx, err := wire.DecodeTx(fromHex(t, raw))
	require.NoError(t, err)
	require.Equal(t, id, tx.ID().String())
	c.txs[tx.ID()] = tx
}

// grow submits the blocks up to a height.
func (c *chain) grow(t *testing.T, height int) {
	t.Helper()
	for c.height < height {
		c.height++
		c.Connect(c.blocks[c.height].Bytes(t))
	}
}

// holds returns a transaction from the blocks that the node has.
func (c *chain) holds(id wire.Hash) (*wire.Tx, bool) {
	height, mined := c.mined[id]
	return c.txs[id], mined && height <= c.height
}

// unspent returns the total value of the unspent outputs with a script, in the blocks that the
// node has.
func (c *chain) unspent(t *testing.T, pkScript []byte) (sum int64) {
	t.Helper()
	values := map[wire.OutPoint]int64{}
	for _, recorded := range c.blocks[:c.height+1] {
		for _, tx := range recorded.Decode(t).Txs {
			for _, in := range tx.Inputs {
				delete(values, in.PrevOut)
			}
			for n, out := range tx.Outputs {
				if string(out.Script) == string(pkScript) {
					values[wire.OutPoint{Hash: tx.ID(), Index: uint32(n)}] = out.Value
				}
			}
		}
	}
	for _, value := range values {
		sum += value
	}
	return sum
}

// answer holds the parts of a response that are compared.
type answer struct {
	status int
	body   string
}

func (c *chain) serve(t *testing.T, body []byte) answer {
	t.Helper()
	status, out := c.Serve(body)
	require.True(t, json.Valid(out), string(out))
	return answer{status, strings.TrimSuffix(string(out), "\n")}
}

// call calls a method in the same form as the recorders at the end of a session.
func (c *chain) call(t *testing.T, method string, args ...any) answer {
	t.Helper()
	if args == nil {
		args = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "1.0", "id": "q", "method": method, "params": args})
	require.NoError(t, err)
	return c.serve(t, body)
}
