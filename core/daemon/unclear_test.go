package daemon_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/store"
	"obverse/core/store/bunttest"
)

// failingDisk is a store whose disk fails to sync after a number of batches, like a bunt.DB: the
// batches that it has staged are visible, and it takes no more of them.
type failingDisk struct {
	store.KV
	mu     sync.Mutex
	armed  bool
	left   int // batches that still become durable
	failed bool
}

func (f *failingDisk) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed {
		return nil, store.ErrFailed
	}
	durable, err := f.KV.Stage(ctx, b)
	if err != nil || !f.armed {
		return durable, err
	}
	f.left--
	if f.left >= 0 {
		return durable, nil
	}
	return func(context.Context) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.failed = true
		return store.ErrFailed
	}, nil
}

func (f *failingDisk) arm(left int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed, f.left = true, left
}

// openStation opens a node with the wallet of key 1 on a store that may contain a chain.
func openStation(t *testing.T, kv store.KV) *station {
	t.Helper()
	o := params.Defaults()
	o.Name, o.Supply, o.CC, o.Sapling, o.Regtest = "TOKTEST", 100_000, 2, 1, true
	p, err := params.New(o)
	require.NoError(t, err)
	s := newStation(t, p)
	s.kv = kv
	s.Manager, err = chain.Open(t.Context(), chain.Config{Store: kv, Params: p, HeaderRules: engine.AnyProducer{}, Now: s.Now, Cache: script.NewSigCache(1<<12, nil)})
	require.NoError(t, err)
	s.Pool, err = mempool.New(t.Context(), mempool.Config{Manager: s.Manager, Store: kv, Now: s.Now})
	require.NoError(t, err)
	s.Producer = engine.New(engine.Config{Manager: s.Manager, Pool: s.Pool, Key: chaintest.Key(t, 1).Private, Now: s.Now})
	return s
}

// TestTokenSendManyUnclear lets the disk fail during a call. Transactions that may have been
// sent are listed, and their keys are not among those that the caller may pay again.
func TestTokenSendManyUnclear(t *testing.T) {
	for _, durable := range []int{0, 1, 40} {
		t.Run(fmt.Sprint(durable), func(t *testing.T) {
			disk := &failingDisk{KV: bunttest.Memory(t)}
			s := openStation(t, disk)
			result[[]string](s, "generate", 2)
			id := s.send("tokencreate", "PAY", "0.01", "for many")
			result[[]string](s, "generate", 1)
			amounts, sum := list(t, 0, 200)
			disk.arm(durable)
			sent := result[sentPage](s, "tokensendmany", id, amounts)
			require.Equal(t, "error", sent.Result)
			require.NotEmpty(t, sent.Unclear)
			require.Contains(t, sent.Error, "transaction "+sent.Unclear[0].TxID+" may have been sent")
			unclear := 0
			for _, tx := range sent.Unclear {
				unclear += len(tx.Paid)
				for _, key := range tx.Paid {
					require.NotContains(t, sent.Left, key)
				}
			}
			require.Len(t, sent.Left, 200-sent.Paid-unclear)

			s = openStation(t, disk.KV) // the node is started again, and all unclear transactions are there
			result[[]string](s, "generate", 1)
			for _, tx := range sent.Unclear {
				require.NotEmpty(t, result[string](s, "getrawtransaction", tx.TxID))
			}
			require.Equal(t, "success", result[sentPage](s, "tokensendmany", id, sent.Left).Result)
			result[[]string](s, "generate", 1)
			held := 0
			for _, h := range result[holdersPage](s, "tokenholders", id, "", 10_000).Holders {
				if h.PubKey != k1 {
					require.Equal(t, amounts[h.PubKey], h.Balance)
					held += h.Balance
				}
			}
			require.Equal(t, sum, held)
		})
	}
}

// TestSendUnclear checks that every method that sends a transaction names one that may have been
// sent although the disk has failed.
func TestSendUnclear(t *testing.T) {
	to := chaintest.Key(t, 2).Address().Text().String()
	for name, call := range map[string]func(s *station) (method string, params []any){
		"sendtoaddress": func(*station) (string, []any) { return "sendtoaddress", []any{to, 1} },
		"sendmany":      func(*station) (string, []any) { return "sendmany", []any{"", map[string]any{to: 1}} },
		"sendfrom":      func(*station) (string, []any) { return "sendfrom", []any{"", to, 1} },
		"tokentransfer": func(s *station) (string, []any) {
			id := s.send("tokencreate", "PAY", "0.01", "")
			result[[]string](s, "generate", 1)
			return "sendrawtransaction", []any{result[map[string]string](s, "tokentransfer", id, k2, "1")["hex"]}
		},
	} {
		t.Run(name, func(t *testing.T) {
			disk := &failingDisk{KV: bunttest.Memory(t)}
			s := openStation(t, disk)
			result[[]string](s, "generate", 2)
			method, params := call(s)
			disk.arm(0)
			a := s.answer(method, params...)
			require.NotNil(t, a.Error)
			s = openStation(t, disk.KV)
			ids := result[[]string](s, "getrawmempool")
			require.Len(t, ids, 1)
			require.Equal(t, fmt.Sprintf("transaction %s may have been sent: %v; look for it after a restart of the node before you send again", ids[0], store.ErrFailed), a.Error.Message)
		})
	}
}
