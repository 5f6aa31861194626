package node_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/node"
	"obverse/core/wallet/lightning/peertest"
)

const ticker = "tBTC-lightning"

// list is a user's coins list, with a coin for each kind of refusal, and a second valid one.
const list = `[{"coin":"NONE"},{"coin":"KMD","protocol":{"type":"UTXO"}},{"coin":"BTC-lightning","protocol":{"type":"LIGHTNING",
	"protocol_data":{"platform":"BTC-segwit","network":"mainnet","confirmation_targets":{"background":12,"normal":6,"high_priority":1}}}}]`

// bench is a running Activator.
type bench struct {
	node.Activator
	net  *peertest.Net
	stop func()
}

func newBench(t *testing.T, kv store.KV) *bench {
	t.Helper()
	entries, problems, err := coin.ParseList([]byte(list))
	require.NoError(t, err)
	require.Empty(t, problems)
	ring, err := key.Open("bob passphrase", false)
	require.NoError(t, err)
	b := &bench{net: &peertest.Net{Anyone: true, Now: time.Now}}
	active, err := coin.Open(t.Context(), coin.Config{Store: kv, Restore: true})
	require.NoError(t, err)
	b.Activator = node.Activator{Active: active, Registry: coin.NewRegistry(entries), Ring: ring, Open: b.net.Open}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = active.Run(ctx)
	}()
	b.stop = func() { cancel(); <-ended }
	return b
}

func (b *bench) restore(t *testing.T) {
	t.Helper()
	r := coin.Restorer{Active: b.Active, Registry: b.Registry, Failed: func(_ string, err error) { t.Log(err) },
		Kinds: map[coin.ProtocolType]func(context.Context, coin.SavedCoin) error{coin.TypeLightning: b.Restore}}
	require.NoError(t, r.Run(t.Context()))
}

var params = node.Params{Name: "mine", Port: 9735, Color: "000000", Retries: 5}

// inBubble runs a test with synthetic time and a store that was opened outside the bubble.
func inBubble(t *testing.T, test func(t *testing.T, kv store.KV)) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) { test(t, kv) })
}

func TestActivate(t *testing.T) {
	inBubble(t, func(t *testing.T, kv store.KV) {
		b := newBench(t, kv)
		defer b.stop()
		require.NoError(t, b.Check(ticker))
		c, err := b.Activate(t.Context(), ticker, params)
		require.NoError(t, err)
		require.Equal(t, ticker, c.Ticker())
		require.Equal(t, ticker, c.Entry().Ticker)
		require.Equal(t, "tBTC-segwit", c.PlatformTicker())
		require.Empty(t, c.Listening())
		identity, err := b.Ring.Node().LightningNode()
		require.NoError(t, err)
		require.Equal(t, lightning.NodeID(identity.PublicKey()).String(), c.Address())
		balance, err := c.Balance(t.Context())
		require.NoError(t, err)
		require.Equal(t, "0", balance.Spendable.String())
		require.Equal(t, "0", balance.Unspendable.String())
		testnet, _ := lightning.ChainHash("testnet")
		require.Len(t, b.net.Opened(), 1)
		require.Equal(t, testnet, b.net.Opened()[0].Chain)
		require.EqualValues(t, 9735, b.net.Opened()[0].Port)
		synctest.Wait()
		running, ended := b.net.Runs()
		require.Equal(t, [2]int{1, 0}, [2]int{running, ended})

		require.ErrorIs(t, b.Check(ticker), coin.ErrAlreadyActive)
		_, err = b.Activate(t.Context(), ticker, params)
		require.ErrorIs(t, err, coin.ErrAlreadyActive)
		other, err := b.Activate(t.Context(), "BTC-lightning", node.Params{Port: 1})
		require.NoError(t, err)
		require.Equal(t, "127.0.0.1:1", other.Listening())
		require.Equal(t, c.Address(), other.Address(), "one key, as upstream")

		synctest.Wait()
		_, err = b.Active.Disable(t.Context(), ticker, false)
		require.NoError(t, err)
		running, ended = b.net.Runs()
		require.Equal(t, [2]int{1, 1}, [2]int{running, ended}, "the peers have gone with the coin")
	})
}

func TestRefusals(t *testing.T) {
	kv := bunttest.Memory(t)
	b := newBench(t, kv)
	defer b.stop()
	for name, want := range map[string]func(error) bool{
		"XYZ":  func(err error) bool { return errors.Is(err, coin.ErrNotConfigured) },
		"NONE": func(err error) bool { return errors.As(err, new(*coin.ParseError)) },
		"KMD":  func(err error) bool { return errors.As(err, new(*coin.UnexpectedError)) },
	} {
		require.True(t, want(b.Check(name)), name)
		_, err := b.Activate(t.Context(), name, params)
		require.True(t, want(err), name)
	}
	require.True(t, b.Supported())
	require.False(t, (*node.Activator)(nil).Supported())
	ring, open := b.Ring, b.Open
	b.Ring = nil
	require.ErrorIs(t, b.Check(ticker), node.ErrNoKey)
	_, err := b.Activate(t.Context(), ticker, params)
	require.ErrorIs(t, err, node.ErrNoKey)
	b.Ring, b.Activator.Open = ring, nil
	_, err = b.Activate(t.Context(), ticker, params)
	require.ErrorIs(t, err, node.ErrUnsupported)
	b.Activator.Open, b.net.Fail = open, node.ErrListen
	_, err = b.Activate(t.Context(), ticker, params)
	require.ErrorIs(t, err, node.ErrListen)
	require.Empty(t, b.Active.List())
	b.net.Fail = nil
	_, err = b.Activate(t.Context(), ticker, params)
	require.NoError(t, err)
}

// TestRestart checks that active coins are restored with their parameters, and that a user who
// activates a restored coin keeps its connections unless the port changes.
func TestRestart(t *testing.T) {
	inBubble(t, func(t *testing.T, kv store.KV) {
		first := newBench(t, kv)
		_, err := first.Activate(t.Context(), ticker, node.Params{Name: "mine", Port: 7, Color: "ff0000"})
		require.NoError(t, err)
		first.stop()

		b := newBench(t, kv)
		b.restore(t)
		require.Len(t, b.net.Opened(), 1)
		require.EqualValues(t, 7, b.net.Opened()[0].Port)
		active, err := b.Active.Get(ticker)
		require.NoError(t, err)
		restored := active.(*node.Coin)
		peer, err := lightning.ParseAddress("028d7500dd4c12685d1f568b4c2b5048e8534b873319f3a8daa612b469132ec7f7@127.0.0.1:9735")
		require.NoError(t, err)
		_, err = restored.Peers().Connect(t.Context(), peer, 0)
		require.NoError(t, err)
		require.NoError(t, b.Check(ticker))
		same, err := b.Activate(t.Context(), ticker, node.Params{Name: "yours", Port: 7})
		require.NoError(t, err)
		require.Len(t, same.Peers().List(), 1)
		require.Len(t, b.net.Opened(), 1)
		require.ErrorIs(t, b.Check(ticker), coin.ErrAlreadyActive)
		b.stop()

		b = newBench(t, kv)
		b.restore(t)
		synctest.Wait() // until the restored coin runs
		moved, err := b.Activate(t.Context(), ticker, node.Params{Port: 1})
		require.NoError(t, err)
		require.Equal(t, "127.0.0.1:1", moved.Listening())
		synctest.Wait()
		running, ended := b.net.Runs()
		require.Equal(t, [2]int{1, 1}, [2]int{running, ended}, "the former one has ended")
		b.stop()
	})
}

// TestRestoreFails checks that a failed restoration can succeed later.
func TestRestoreFails(t *testing.T) {
	kv := bunttest.Memory(t)
	first := newBench(t, kv)
	_, err := first.Activate(t.Context(), ticker, params)
	require.NoError(t, err)
	first.stop()
	b := newBench(t, kv)
	defer b.stop()
	b.net.Fail = node.ErrListen
	saved := b.Active.Saved()
	require.Len(t, saved, 1)
	require.ErrorIs(t, b.Restore(t.Context(), saved[0]), node.ErrListen)
	broken := saved[0]
	broken.Params = []byte(`{"listening_port":-1}`)
	require.ErrorContains(t, b.Restore(t.Context(), broken), "saved parameters of tBTC-lightning")
	b.net.Fail = nil
	require.NoError(t, b.Restore(t.Context(), saved[0]))
	require.ErrorIs(t, b.Restore(t.Context(), saved[0]), coin.ErrAlreadyActive)
}

// TestRestoreIsPreempted checks that a restoration in progress is preempted by a user who
// activates the coin.
func TestRestoreIsPreempted(t *testing.T) {
	inBubble(t, func(t *testing.T, kv store.KV) {
		first := newBench(t, kv)
		_, err := first.Activate(t.Context(), ticker, params)
		require.NoError(t, err)
		first.stop()
		b := newBench(t, kv)
		defer b.stop()
		open := b.Open
		b.Activator.Open = func(ctx context.Context, s node.Setup) (node.Peers, string, error) {
			<-ctx.Done()
			return nil, "", ctx.Err()
		}
		restored := make(chan error, 1)
		restorer := b.Activator
		go func() { restored <- restorer.Restore(t.Context(), b.Active.Saved()[0]) }()
		synctest.Wait()
		b.Activator.Open = open
		_, err = b.Activate(t.Context(), ticker, node.Params{Port: 1})
		require.NoError(t, err)
		require.ErrorIs(t, <-restored, coin.ErrPreempted)
		require.Len(t, b.net.Opened(), 1)
	})
}

// refusing is a store that fails as if the disk were full.
type refusing struct {
	store.KV
	full bool
}

var errFull = errors.New("the disk is full")

func (r *refusing) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	if r.full && len(b.Ops) > 0 {
		return nil, errFull
	}
	return r.KV.Stage(ctx, b)
}

// TestStoreFailure checks that a coin that cannot be stored is not active, and that its peers
// end.
func TestStoreFailure(t *testing.T) {
	kv := &refusing{KV: bunttest.Memory(t)}
	b := newBench(t, kv)
	defer b.stop()
	kv.full = true
	_, err := b.Activate(t.Context(), ticker, params)
	require.ErrorIs(t, err, errFull)
	require.Empty(t, b.Active.List())
	running, ended := b.net.Runs()
	require.Equal(t, [2]int{0, 1}, [2]int{running, ended}, "the peers gave back what they held")
}

// TestStoreFailureOfARestoredCoin checks that the peers of a restored coin keep running if a
// user's activation of the coin cannot be stored.
func TestStoreFailureOfARestoredCoin(t *testing.T) {
	inBubble(t, func(t *testing.T, kv store.KV) {
		first := newBench(t, kv)
		_, err := first.Activate(t.Context(), ticker, params)
		require.NoError(t, err)
		first.stop()
		disk := &refusing{KV: kv}
		b := newBench(t, disk)
		defer b.stop()
		b.restore(t)
		synctest.Wait()
		disk.full = true
		_, err = b.Activate(t.Context(), ticker, node.Params{Name: "another", Port: params.Port})
		require.ErrorIs(t, err, errFull)
		synctest.Wait()
		running, ended := b.net.Runs()
		require.Equal(t, [2]int{1, 0}, [2]int{running, ended})
	})
}
