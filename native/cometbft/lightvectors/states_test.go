package lightvectors

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"testing"

	cmtjson "github.com/cometbft/cometbft/libs/json"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/mempool"
	"obverse/core/chain/statetree"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/daemon"
	"obverse/core/daemon/proof"
	"obverse/core/rpc"
	"obverse/core/store/bunt"
)

const options = "ac_name=TOKTEST ac_supply=1000 ac_reward=100000000 ac_cc=2 ac_sapling=1"

// commits signs every requested state with three of four validators.
type commits struct{ t *testing.T }

func (c commits) Signed(_ context.Context, hash statetree.Hash, height int) (json.RawMessage, error) {
	return cmtjson.Marshal(spec{height: 10 + int64(height), vals: four, appHash: hash[:], flags: flags{3: absent}}.block(c.t))
}

func (c commits) LightBlock(_ context.Context, height int64) (json.RawMessage, error) {
	return cmtjson.Marshal(spec{height: height, vals: four}.block(c.t))
}

// provenAnswer is a response of the daemon API with a proof.
type provenAnswer struct {
	Method string          `json:"method"`
	Params []string        `json:"params"`
	Height int             `json:"height"`
	Answer json.RawMessage `json:"answer"`
}

// states creates a chain with two tokens, one of them non-fungible, and requests proofs at two
// heights.
func states(t *testing.T) (all []provenAnswer) {
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	defer func() { require.NoError(t, kv.Close()) }()
	keeper := statetree.New()
	c := chaintest.WithState(t, kv, chaintest.Params(t, options), keeper)
	k1, k2, k3 := chaintest.Key(t, 1), chaintest.Key(t, 2), chaintest.Key(t, 3)
	premine := chaintest.Output(c.Mine().Txs[0], 0)
	split := c.Tx([]chaintest.Coin{premine}, chaintest.Pay(k1.PubKey(), 50_000), chaintest.Pay(k2.PubKeyHash(), 20_000), chaintest.Pay(k1.PubKey(), 50_000))
	creation := c.Tx([]chaintest.Coin{chaintest.Output(split, 0)}, chaintest.Creation(k1, "Gold\u00fc", 1000, 30_000)...)
	nft := c.Tx([]chaintest.Coin{chaintest.Output(split, 2)}, unique(k1)...)
	c.Mine(split, creation, nft)

	server := serve(t, c, keeper)
	ask := func(method string, params ...string) {
		answer := server(method, params)
		all = append(all, provenAnswer{method, params, c.Tip().Height, answer})
	}
	id, unique := creation.ID().String(), nft.ID().String()
	keys := []string{hexKey(k1), hexKey(k2), hexKey(k3)}
	ask("tokeninfo", id)
	ask("tokenbalance", id, keys[0])
	c.Mine(c.Tx([]chaintest.Coin{chaintest.Output(creation, 1), chaintest.Output(split, 1)},
		chaintest.Pay(k2.Tokens(), 900), chaintest.Pay(k1.Tokens(), 100), chaintest.Transfer(creation.ID(), k2)))
	for _, token := range []string{id, unique} {
		ask("tokeninfo", token)
		for _, key := range keys {
			ask("tokenbalance", token, key)
		}
	}
	return all
}

func hexKey(s chaintest.Signer) string {
	pub := s.PublicKey()
	return hex.EncodeToString(pub[:])
}

// nftModule is the module to which the non-fungible token is bound.
const nftModule = 0xf7

// unique returns the outputs of the creation of a token with data.
func unique(owner chaintest.Signer) []wire.TxOut {
	pub := owner.PublicKey()
	payload := token.Payload{Func: token.Create, Owner: pub[:], Name: "One", Description: "a \"thing\"\x00"}
	payload.Blobs = []token.Blob{{ID: token.NFTData, Data: []byte{nftModule, 1, 2}}}
	return []wire.TxOut{
		chaintest.Pay(token.MarkerScript(), 10_000), chaintest.Pay(token.Script(token.CreateCodes([]byte{nftModule}), owner.Token()), 1),
		chaintest.Pay(owner.PubKey(), 30_000), chaintest.Pay(payload.Script(), 0),
	}
}

// serve returns the daemon API of a chain, with proofs.
func serve(t *testing.T, c *chaintest.Chain, keeper *statetree.Keeper) func(method string, params []string) json.RawMessage {
	pool, err := mempool.New(t.Context(), mempool.Config{Manager: c.Manager, Store: c.Store, Now: chaintest.Now})
	require.NoError(t, err)
	b := &daemon.Backend{Manager: c.Manager, Pool: pool, Now: chaintest.Now,
		Wallet: wallet.New(wallet.Config{Key: chaintest.Key(t, 1).Private, Params: c.Params()}),
		Prover: &proof.Prover{Manager: c.Manager, Keeper: keeper, Commits: commits{t}}}
	server := daemon.New(daemon.Options{}, b.Methods()...)
	return func(method string, params []string) json.RawMessage {
		list := []any{}
		for _, p := range params {
			list = append(list, p)
		}
		request, err := json.Marshal(map[string]any{"id": 1, "method": method, "params": append(list, map[string]any{"prove": true})})
		require.NoError(t, err)
		_, reply := server.Serve(t.Context(), rpc.Caller{Authorized: true}, request)
		var answer struct{ Result, Error json.RawMessage }
		require.NoError(t, json.Unmarshal(reply, &answer), string(reply))
		require.Equal(t, "null", string(answer.Error), string(reply))
		require.Contains(t, string(answer.Result), `"proof"`, string(reply))
		return answer.Result
	}
}
