package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/key"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

// solo is a chain with one producer. The producer's key is K1 of chaintest by default.
type solo struct {
	*engine.Producer
	manager *chain.Manager
	pool    *mempool.Pool
	kv      store.KV
	failed  []error
	now     time.Time
	mute    atomic.Bool // makes signatures invalid
}

// signer signs blocks for a solo, unless the solo is mute.
type signer struct {
	*key.Private
	solo *solo
}

func (k signer) SignCompact(hash [32]byte) [64]byte {
	if k.solo.mute.Load() {
		return [64]byte{}
	}
	return k.Private.SignCompact(hash)
}

func secret(t *testing.T) *key.Private {
	private, err := key.FromPassphrase("a producer of blocks")
	require.NoError(t, err)
	return private
}

func memory(t *testing.T) store.KV {
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	return kv
}

func newSolo(t *testing.T, options string) *solo { return open(t, memory(t), options) }

func open(t *testing.T, kv store.KV, options string) *solo {
	var err error
	s := &solo{kv: kv, now: chaintest.Now()}
	clock := func() time.Time { return s.now }
	private := secret(t)
	s.manager, err = chain.Open(t.Context(), chain.Config{
		Store: kv, Params: chaintest.Params(t, "ac_name=TOKTEST ac_sapling=1 "+options), Now: clock, Cache: script.NewSigCache(1<<10, nil),
		HeaderRules: engine.Solo{Producer: private.PublicKey(), Now: clock},
	})
	require.NoError(t, err)
	s.pool, err = mempool.New(t.Context(), mempool.Config{Manager: s.manager, Store: kv, Now: clock})
	require.NoError(t, err)
	s.Producer = engine.New(engine.Config{Manager: s.manager, Pool: s.pool, Key: signer{private, s}, Now: clock,
		Interval: time.Second, Failed: func(err error) { s.failed = append(s.failed, err) }})
	return s
}

func (s *solo) tip(t *testing.T) (tip chain.Tip) {
	require.NoError(t, s.manager.Read(t.Context(), func(v *chain.View) error {
		tip = v.Tip()
		return nil
	}))
	return tip
}

func (s *solo) block(t *testing.T, hash wire.Hash) *wire.Block {
	var raw []byte
	require.NoError(t, s.manager.Read(t.Context(), func(v *chain.View) (err error) {
		raw, err = v.RawBlock(hash)
		return err
	}))
	b, err := wire.DecodeBlock(raw)
	require.NoError(t, err)
	return b
}

// payment returns a transaction that spends output 0 of a transaction of the producer.
func (s *solo) payment(t *testing.T, from *wire.Tx, fee int64) *wire.Tx {
	private := secret(t)
	pub := private.PublicKey()
	p := s.manager.Params()
	height := s.tip(t).Height + 1
	coin := chaintest.Output(from, 0)
	tx := chaintest.Spend(p, height, []chaintest.Coin{coin}, chaintest.Pay(script.PayToPubKey(pub[:]), coin.Value-fee))
	s.resign(t, tx, from)
	return tx
}

// resign signs a transaction that spends output 0 of another.
func (s *solo) resign(t *testing.T, tx, from *wire.Tx) {
	private, coin := secret(t), from.Outputs[0]
	hash, err := script.SignatureHash(tx, 0, coin.Script, coin.Value, script.SigHashAll, s.manager.Params().BranchID(s.tip(t).Height+1), nil)
	require.NoError(t, err)
	tx.Inputs[0].ScriptSig = script.PushData(append(private.SignDER(hash), script.SigHashAll))
}

func TestBeginMakesThePremineOnce(t *testing.T) {
	s := newSolo(t, "ac_supply=100")
	require.NoError(t, s.Begin(t.Context()))
	require.NoError(t, s.Begin(t.Context()))
	require.Equal(t, 1, s.tip(t).Height)
	coinbase := s.block(t, s.tip(t).Hash).Txs[0]
	pub := secret(t).PublicKey()
	require.Len(t, coinbase.Outputs, 1)
	require.Equal(t, script.PayToPubKey(pub[:]), coinbase.Outputs[0].Script)
	require.Equal(t, 100*100_000_000+int64(s.manager.Params().Magic&0xffffff), coinbase.Outputs[0].Value)
	require.Equal(t, "510101", hexOf(coinbase.Inputs[0].ScriptSig))
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	var out []byte
	for _, c := range b {
		out = append(out, digits[c>>4], digits[c&15])
	}
	return string(out)
}

func TestBlocksHoldWhatWaits(t *testing.T) {
	s := newSolo(t, "ac_supply=100 ac_reward=5000")
	require.NoError(t, s.Begin(t.Context()))
	parent := s.payment(t, s.block(t, s.tip(t).Hash).Txs[0], 10_000)
	child := s.payment(t, parent, 20_000)
	for _, tx := range []*wire.Tx{parent, child} {
		_, err := s.pool.Accept(t.Context(), tx.Encode(), false)
		require.NoError(t, err)
	}
	hashes, err := s.Generate(t.Context(), 2)
	require.NoError(t, err)
	require.Len(t, hashes, 2)
	full, empty := s.block(t, hashes[0]), s.block(t, hashes[1])
	require.Len(t, full.Txs, 3)
	require.Equal(t, []wire.Hash{parent.ID(), child.ID()}, []wire.Hash{full.Txs[1].ID(), full.Txs[2].ID()})
	require.EqualValues(t, 5000+30_000, full.Txs[0].Outputs[0].Value, "subsidy and fees")
	require.Len(t, empty.Txs, 1)
	require.Zero(t, s.pool.Size())
}

func TestTimesFollowTheMedian(t *testing.T) {
	s := newSolo(t, "")
	_, err := s.Generate(t.Context(), 13)
	require.NoError(t, err, "a clock that stands still does not stop blocks")
	require.Greater(t, s.tip(t).Time, uint32(chaintest.Start))
	s.now = s.now.Add(time.Hour)
	_, err = s.Generate(t.Context(), 1)
	require.NoError(t, err)
	require.EqualValues(t, s.now.Unix(), s.tip(t).Time)
}

func TestCommissionGoesToItsReceiver(t *testing.T) {
	receiver := chaintest.Key(t, 2).Token()
	s := newSolo(t, "ac_supply=100 ac_reward=100000000 ac_perc=5000000 ac_pubkey="+hexOf(receiver[:]))
	hashes, err := s.Generate(t.Context(), 2)
	require.NoError(t, err)
	pay := script.PayToPubKey(receiver[:])
	require.Equal(t, pay, s.block(t, hashes[0]).Txs[0].Outputs[0].Script, "the premine")
	second := s.block(t, hashes[1]).Txs[0]
	require.Len(t, second.Outputs, 2)
	require.Equal(t, pay, second.Outputs[1].Script)
	require.EqualValues(t, 5_000_000, second.Outputs[1].Value)
}

func TestSoloSeal(t *testing.T) {
	s := newSolo(t, "")
	require.NoError(t, s.Begin(t.Context()))
	valid := s.block(t, s.tip(t).Hash).Header
	pub := secret(t).PublicKey()
	seal := engine.Solo{Producer: pub, Now: chaintest.Now}
	check := func(h wire.Header) error { return seal.Check(&h, 1, nil) }
	require.NoError(t, check(valid))
	for name, c := range map[string]struct {
		change func(*wire.Header)
		want   error
	}{
		"bits":          {func(h *wire.Header) { h.Bits++ }, consensus.ErrBits},
		"nonce":         {func(h *wire.Header) { h.Nonce[0] = 1 }, engine.ErrSolution},
		"merkle root":   {func(h *wire.Header) { h.MerkleRoot[5] ^= 1 }, engine.ErrSolution},
		"time":          {func(h *wire.Header) { h.Time++ }, engine.ErrSolution},
		"future":        {func(h *wire.Header) { h.Time = chaintest.Start + params.MaxFutureSeconds + 1 }, consensus.ErrTimeTooNew},
		"signature":     {func(h *wire.Header) { h.Solution = append([]byte{1}, h.Solution[1:]...) }, engine.ErrSolution},
		"no signature":  {func(h *wire.Header) { h.Solution = nil }, engine.ErrSolution},
		"one byte more": {func(h *wire.Header) { h.Solution = append(h.Solution[:64:64], 0) }, engine.ErrSolution},
	} {
		t.Run(name, func(t *testing.T) {
			h := valid
			c.change(&h)
			require.ErrorIs(t, check(h), c.want)
		})
	}
	seal.Producer = chaintest.Key(t, 2).Token()
	require.ErrorIs(t, check(valid), engine.ErrSolution, "another producer")
	require.NoError(t, engine.AnyProducer{}.Check(&wire.Header{}, 1, nil))
}

// TestClockSetBack continues a chain that is a day ahead of the clock. Block times increase by
// one second per block, because a header's time is limited relative to the chain as well as to
// the clock.
func TestClockSetBack(t *testing.T) {
	kv := memory(t)
	s := open(t, kv, "")
	_, err := s.Generate(t.Context(), 20)
	require.NoError(t, err)
	s.now = s.now.Add(-24 * time.Hour)
	hashes, err := s.Generate(t.Context(), 20)
	require.NoError(t, err)
	last := s.block(t, hashes[19]).Header
	require.Less(t, last.Time, uint32(chaintest.Start+60))

	seal := engine.Solo{Producer: secret(t).PublicKey(), Now: func() time.Time { return s.now }}
	before := func(median uint32) []params.Stamp { return []params.Stamp{{Time: median, Bits: last.Bits}} }
	require.NoError(t, seal.Check(&last, 40, before(last.Time-params.MaxFutureSeconds)))
	require.ErrorIs(t, seal.Check(&last, 40, before(last.Time-params.MaxFutureSeconds-1)), consensus.ErrTimeTooNew)
}

// TestRun submits transactions under a fake clock. Each transaction must be in a block soon,
// and the blocks must keep their distance.
func TestRun(t *testing.T) {
	kv := memory(t) // opened outside the bubble because buntdb has its own ticker
	synctest.Test(t, func(t *testing.T) {
		s := open(t, kv, "ac_supply=100")
		require.NoError(t, s.Begin(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		time.Sleep(time.Hour)
		require.Equal(t, 1, s.tip(t).Height, "nothing waits")

		first := s.payment(t, s.block(t, s.tip(t).Hash).Txs[0], 10_000)
		_, err := s.pool.Accept(t.Context(), first.Encode(), false)
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, 2, s.tip(t).Height, "after a quiet time a block follows at once")

		_, err = s.pool.Accept(t.Context(), s.payment(t, first, 10_000).Encode(), false)
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, 2, s.tip(t).Height, "the interval is not over")
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, 3, s.tip(t).Height)

		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		require.Empty(t, s.failed)
	})
}

func TestRunRetries(t *testing.T) {
	kv := memory(t) // opened outside the bubble because buntdb has its own ticker
	synctest.Test(t, func(t *testing.T) {
		s := open(t, kv, "ac_supply=100")
		require.NoError(t, s.Begin(t.Context()))
		_, err := s.pool.Accept(t.Context(), s.payment(t, s.block(t, s.tip(t).Hash).Txs[0], 10_000).Encode(), false)
		require.NoError(t, err)
		s.mute.Store(true)
		go func() { _ = s.Run(t.Context()) }()
		synctest.Wait()
		require.NotEmpty(t, s.failed)
		require.ErrorIs(t, errors.Join(s.failed...), engine.ErrSolution)
		s.mute.Store(false)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Equal(t, 2, s.tip(t).Height)
	})
}
