package proof_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/statetree"
	"obverse/core/chain/wire"
	"obverse/core/daemon/proof"
	"obverse/core/store/bunt"
)

const options = "ac_name=TOKTEST ac_supply=1000 ac_reward=100000000 ac_cc=2 ac_sapling=1"

// signing implements Commits for a set of signed app hashes.
type signing struct {
	signed map[statetree.Hash]bool
	err    error
}

func (s *signing) Signed(_ context.Context, hash statetree.Hash, height int) (json.RawMessage, error) {
	if !s.signed[hash] {
		return nil, s.err
	}
	return json.Marshal(map[string]any{"app_hash": hex.EncodeToString(hash[:]), "of": height})
}

func (s *signing) LightBlock(_ context.Context, height int64) (json.RawMessage, error) {
	return json.Marshal(height)
}

type scene struct {
	*chaintest.Chain
	*proof.Prover
	signing *signing
	token   wire.Hash
	k1, k2  chaintest.Signer
}

func newScene(t *testing.T) *scene {
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	keeper := statetree.New()
	s := &scene{signing: &signing{signed: map[statetree.Hash]bool{}}, k1: chaintest.Key(t, 1), k2: chaintest.Key(t, 2)}
	s.Chain = chaintest.WithState(t, kv, chaintest.Params(t, options), keeper)
	s.Prover = &proof.Prover{Manager: s.Chain.Manager, Keeper: keeper, Commits: s.signing}
	premine := chaintest.Output(s.Mine().Txs[0], 0)
	creation := s.Tx([]chaintest.Coin{premine}, chaintest.Creation(s.k1, "T", 1000, 30_000)...)
	s.Mine(creation)
	s.token = creation.ID()
	s.Mine(s.Tx([]chaintest.Coin{chaintest.Output(creation, 1), chaintest.Output(creation, 2)},
		chaintest.Pay(s.k2.Tokens(), 900), chaintest.Pay(s.k1.Tokens(), 100), chaintest.Transfer(creation.ID(), s.k2)))
	return s
}

// sign marks the provable states as signed, except for the newest ones.
func (s *scene) sign(t *testing.T, but int) {
	require.NoError(t, s.Read(t.Context(), func(v *chain.View) error {
		for _, at := range s.Keeper.Versions(v)[but:] {
			s.signing.signed[at.AppHash()] = true
		}
		return nil
	}))
}

// proven is a decoded answer whose proofs have been verified.
type proven struct {
	Tip        wire.Hash
	Height     int
	StateRoot  string `json:"state_root"`
	Token      path
	Balance    *path
	LightBlock struct {
		AppHash string `json:"app_hash"`
		Total   int    `json:"of"`
	} `json:"light_block"`
}

type path struct {
	Leaf     *struct{ Key, Value string }
	Siblings []string
}

func unhex(t *testing.T, text string) (hash statetree.Hash) {
	raw, err := hex.DecodeString(text)
	require.NoError(t, err)
	require.Equal(t, len(hash), copy(hash[:], raw))
	return hash
}

// value verifies a path.
func (p *path) value(t *testing.T, root statetree.Hash, record string) (string, bool) {
	var back statetree.Proof
	for _, sibling := range p.Siblings {
		back.Siblings = append(back.Siblings, unhex(t, sibling))
	}
	if p.Leaf != nil {
		value, err := hex.DecodeString(p.Leaf.Value)
		require.NoError(t, err)
		back.Leaf = &statetree.Leaf{Key: unhex(t, p.Leaf.Key), Value: string(value)}
	}
	value, ok, err := back.Verify(root, statetree.KeyOf(record))
	require.NoError(t, err)
	return value, ok
}

func (s *scene) read(t *testing.T, raw json.RawMessage) (p proven, root statetree.Hash) {
	require.NoError(t, json.Unmarshal(raw, &p))
	root = unhex(t, p.StateRoot)
	require.Equal(t, unhex(t, p.LightBlock.AppHash), statetree.AppHash(p.Tip, p.Height, root))
	require.Equal(t, p.Height, p.LightBlock.Total)
	value, ok := p.Token.value(t, root, chain.TokenKey(s.token))
	require.True(t, ok)
	require.Contains(t, value, "\x01T", "the token's name")
	return p, root
}

func TestBalances(t *testing.T) {
	s := newScene(t)
	s.sign(t, 0)
	for owner, want := range map[chaintest.Signer]int64{s.k1: 100, s.k2: 900, chaintest.Key(t, 3): 0} {
		got, raw, err := s.Balance(t.Context(), s.token, owner.TokenAddress())
		require.NoError(t, err)
		require.Equal(t, want, got)
		p, root := s.read(t, raw)
		value, ok := p.Balance.value(t, root, chain.TokenBalanceKey(s.token, owner.TokenAddress()))
		require.Equal(t, want != 0, ok)
		if ok {
			require.Equal(t, wire.AppendInt64(nil, want), []byte(value))
		}
	}
	raw, err := s.Token(t.Context(), s.token)
	require.NoError(t, err)
	p, _ := s.read(t, raw)
	require.Nil(t, p.Balance)
}

// TestNewestSignedState checks that the answer refers to the previous state if the newest block
// has not been signed yet.
func TestNewestSignedState(t *testing.T) {
	s := newScene(t)
	_, _, err := s.Balance(t.Context(), s.token, s.k2.TokenAddress())
	require.ErrorIs(t, err, proof.ErrUnsigned)
	s.sign(t, 1)
	got, raw, err := s.Balance(t.Context(), s.token, s.k2.TokenAddress())
	require.NoError(t, err)
	require.Zero(t, got, "before the transfer")
	p, _ := s.read(t, raw)
	require.Equal(t, s.Tip().Height-1, p.Height)
	s.sign(t, 0)
	got, _, err = s.Balance(t.Context(), s.token, s.k2.TokenAddress())
	require.NoError(t, err)
	require.EqualValues(t, 900, got)
}

func TestRefusals(t *testing.T) {
	s := newScene(t)
	s.sign(t, 2)
	_, err := s.Token(t.Context(), s.token)
	require.ErrorIs(t, err, proof.ErrNoToken, "it was created later")
	_, err = s.LightBlock(t.Context(), -1)
	require.ErrorContains(t, err, "height is -1, want 0 or more")
	raw, err := s.LightBlock(t.Context(), 5)
	require.NoError(t, err)
	require.JSONEq(t, "5", string(raw))
	s.signing.err = errors.New("engine stopped")
	_, err = s.Token(t.Context(), s.token)
	require.ErrorIs(t, err, s.signing.err)
}
