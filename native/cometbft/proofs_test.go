package cometbft

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	cmtjson "github.com/cometbft/cometbft/libs/json"
	"github.com/cometbft/cometbft/light"
	"github.com/cometbft/cometbft/types"
	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/params"
	"obverse/core/chain/statetree"
	"obverse/core/chain/wire"
	"obverse/core/daemon/daemontest"
	"obverse/core/daemon/proof"
)

// ask calls a method of a node, which must succeed.
func (v *validator) ask(t *testing.T, into any, method string, params ...any) {
	t.Helper()
	request, err := json.Marshal(map[string]any{"id": 1, "method": method, "params": append([]any{}, params...)})
	require.NoError(t, err)
	_, reply := v.serve(request)
	var answer struct{ Result, Error json.RawMessage }
	require.NoError(t, json.Unmarshal(reply, &answer), string(reply))
	require.Equal(t, "null", string(answer.Error), "%s %v", method, params)
	require.NoError(t, json.Unmarshal(answer.Result, into), string(reply))
}

// shownPath is a path of the state tree in a proof.
type proofPath struct {
	Leaf     *struct{ Key, Value string }
	Siblings []string
}

func unhex(t *testing.T, text string) []byte {
	b, err := hex.DecodeString(text)
	require.NoError(t, err)
	return b
}

// value returns the value that a path proves for a key, or nil if the key is absent.
func (p *proofPath) value(t *testing.T, root, key statetree.Hash) string {
	var made statetree.Proof
	for _, sibling := range p.Siblings {
		made.Siblings = append(made.Siblings, statetree.Hash(unhex(t, sibling)))
	}
	if p.Leaf != nil {
		made.Leaf = &statetree.Leaf{Key: statetree.Hash(unhex(t, p.Leaf.Key)), Value: string(unhex(t, p.Leaf.Value))}
	}
	value, _, err := made.Verify(root, key)
	require.NoError(t, err)
	return value
}

// provenBalance is the response of tokenbalance with a proof.
type provenBalance struct {
	Balance int64
	Proof   struct {
		Tip            wire.Hash
		Height         int
		StateRoot      string `json:"state_root"`
		Token, Balance *proofPath
		LightBlock     json.RawMessage `json:"light_block"`
	}
}

func lightBlockOf(t *testing.T, raw json.RawMessage) *types.LightBlock {
	var block types.LightBlock
	require.NoError(t, cmtjson.Unmarshal(raw, &block))
	return &block
}

func headerOf(t *testing.T, raw json.RawMessage) string { return lightBlockOf(t, raw).Hash().String() }

// verify verifies a response with only a trusted light block.
func (b *provenBalance) verify(t *testing.T, trusted *types.LightBlock, id wire.Hash, holder chain.Address) {
	block := lightBlockOf(t, b.Proof.LightBlock)
	require.NoError(t, light.Verify(trusted.SignedHeader, trusted.ValidatorSet, block.SignedHeader, block.ValidatorSet,
		time.Hour, time.Now(), 10*time.Second, light.DefaultTrustLevel))
	root := statetree.Hash(unhex(t, b.Proof.StateRoot))
	want := statetree.AppHash(b.Proof.Tip, b.Proof.Height, root)
	require.Equal(t, want[:], []byte(block.AppHash))
	require.Contains(t, b.Proof.Token.value(t, root, statetree.KeyOf(chain.TokenKey(id))), "\x04Gold")
	value := b.Proof.Balance.value(t, root, statetree.KeyOf(chain.TokenBalanceKey(id, holder)))
	if b.Balance == 0 {
		require.Empty(t, value)
		return
	}
	require.Equal(t, wire.AppendInt64(nil, b.Balance), []byte(value))
}

// provingNetwork returns four validators with the keys of the chain's payee, which return proofs.
func provingNetwork(t *testing.T) *network {
	o := params.Defaults()
	o.Name, o.Supply, o.CC, o.Sapling = "TOKTEST", 100_000, 2, 1
	w := newNetwork(t, o, 4)
	w.settings[3].serve(freeAddress(t))
	w.begin(t)
	for _, v := range w.nodes {
		v.Wallet, v.Ring = daemontest.Wallet(t, 3, v.Manager.Params())
		v.Prover = &proof.Prover{Manager: v.Manager, Keeper: v.keeper, Commits: v.engine.Commits(v.kv)}
	}
	return w
}

// send builds a transaction on one node, and returns its id once all nodes have it in a block.
func (w *network) send(t *testing.T, v *validator, method string, params ...any) (id string) {
	t.Helper()
	var built struct{ Hex string }
	height := w.nodes[0].tip(t).Height
	v.ask(t, &built, method, params...)
	v.ask(t, &id, "sendrawtransaction", built.Hex)
	w.agree(t, height+1)
	return id
}

// recording is the file with the responses of a network, from which the tests of the light client
// in the JS package read.
const recording = "../../web/test/testdata/lightnet.json"

// record writes the current responses of the nodes, for a client that pins a light block.
func (w *network) record(t *testing.T, pin json.RawMessage, id string, keys ...string) {
	answers := []any{}
	for i, v := range w.nodes {
		method, params := "tokenbalance", []any{id, keys[i%len(keys)]}
		if i == 0 {
			method, params = "tokeninfo", params[:1]
		}
		var answer json.RawMessage
		v.ask(t, &answer, method, append(params, map[string]any{"prove": true})...)
		answers = append(answers, map[string]any{"method": method, "params": params, "answer": answer})
	}
	data, err := json.Marshal(map[string]any{"pin": pin, "now": time.Now().UTC(), "answers": answers})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(recording, data, 0o644))
}

// TestProofs queries every node for balances of a token that is transferred, and verifies the
// responses with CometBFT's light client, which trusts the first block.
func TestProofs(t *testing.T) {
	w := provingNetwork(t)
	text := w.send(t, w.nodes[0], "tokencreate", "Gold", "0.00001", "a token")
	id, err := wire.ParseHash(text)
	require.NoError(t, err)
	var first json.RawMessage
	w.nodes[0].ask(t, &first, "getlightblock", 1)
	trusted := lightBlockOf(t, first)

	k1, k3 := chaintest.Key(t, 1), chaintest.Key(t, 3)
	key := func(s chaintest.Signer) string { k := s.Token(); return hex.EncodeToString(k[:]) }
	prove := map[string]any{"prove": true}
	for i, v := range w.nodes {
		w.send(t, v, "tokentransfer", text, key(k1), fmt.Sprint(10+i))
		var here, there provenBalance
		v.ask(t, &here, "tokenbalance", text, key(k1), prove)
		w.nodes[3-i].ask(t, &there, "tokenbalance", text, key(k3), prove)
		require.EqualValues(t, []int64{10, 21, 33, 46}[i], here.Balance, "the proof is of the newest block")
		require.Equal(t, v.tip(t).Hash, here.Proof.Tip)
		require.EqualValues(t, 1000-here.Balance, there.Balance)
		here.verify(t, trusted, id, k1.TokenAddress())
		there.verify(t, trusted, id, k3.TokenAddress())
	}
	if os.Getenv("OBVERSE_WRITE_VECTORS") != "" {
		w.record(t, first, text, key(k1), key(k3))
	}
	// Like a node with CometBFT in another process.
	inside, outside := w.nodes[3].Prover, NewServer(nil, nil, "", w.settings[3].RPC).Commits(w.nodes[3].kv)
	w.nodes[3].Prover = &proof.Prover{Manager: w.nodes[3].Manager, Keeper: w.nodes[3].keeper, Commits: outside}
	var same provenBalance
	w.nodes[3].ask(t, &same, "tokenbalance", text, key(k1), prove)
	require.EqualValues(t, 46, same.Balance)
	same.verify(t, trusted, id, k1.TokenAddress())
	for _, height := range []int64{0, 1, 3} {
		want, err := inside.LightBlock(t.Context(), height)
		require.NoError(t, err)
		got, err := outside.LightBlock(t.Context(), height)
		require.NoError(t, err)
		require.Equal(t, headerOf(t, want), headerOf(t, got))
		require.Equal(t, lightBlockOf(t, want).ValidatorSet.Hash(), lightBlockOf(t, got).ValidatorSet.Hash())
	}
	_, err = outside.LightBlock(t.Context(), 1000)
	require.ErrorIs(t, err, ErrNoHeight)
	_, err = inside.LightBlock(t.Context(), 1000)
	require.ErrorIs(t, err, ErrNoHeight)

	var none provenBalance
	w.nodes[0].ask(t, &none, "tokenbalance", text, key(chaintest.Key(t, 2)), prove)
	require.Zero(t, none.Balance)
	none.verify(t, trusted, id, chaintest.Key(t, 2).TokenAddress())
}
