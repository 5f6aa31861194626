package node

import (
	"context"
	"encoding/base64"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/wallet/cosmos/wire"
)

// values returns a node that answers queries with a message.
func values(m wire.Message) behaviour {
	return func(_ context.Context, a query) (fetch.Response, error) {
		return a.result(fmt.Sprintf(`{"response":{"code":0,"value":%q,"height":"9"}}`, base64.StdEncoding.EncodeToString(wire.Encode(m)))), nil
	}
}

func simulates(gas uint64) behaviour {
	return values(&wire.SimulateResponse{Gas: wire.GasInfo{Used: gas}})
}

func refusing(log string) behaviour {
	return func(_ context.Context, a query) (fetch.Response, error) {
		return a.result(fmt.Sprintf(`{"response":{"code":18,"codespace":"sdk","log":%q,"height":"9"}}`, log)), nil
	}
}

// expects parses "expected N".
func expects(log string) (n uint64, is bool) {
	_, err := fmt.Sscanf(log, "expected %d", &n)
	return n, err == nil
}

func TestSimulateVotes(t *testing.T) {
	sequence := func(n uint64) *uint64 { return &n }
	for _, c := range []struct {
		name  string
		nodes []behaviour
		gas   uint64
		log   string // log of the refusal
		next  *uint64
	}{
		{"all agree", []behaviour{simulates(7), simulates(7), simulates(7)}, 7, "", nil},
		{"one is alone", []behaviour{simulates(7)}, 7, "", nil},
		{"two lie upwards", []behaviour{simulates(9999), simulates(9999), simulates(70), simulates(71), simulates(72)}, 72, "", nil},
		{"two lie downwards", []behaviour{simulates(70), simulates(1), simulates(71), simulates(1), simulates(72)}, 70, "", nil},
		{"two refuse", []behaviour{refusing("no"), refusing("no"), simulates(70), simulates(71), simulates(72)}, 71, "", nil},
		{"two of two differ", []behaviour{simulates(9999), simulates(70)}, 70, "", nil},
		{"most refuse", []behaviour{simulates(9), refusing("no"), simulates(9), refusing("no"), refusing("no")}, 0, "no", nil},
		{"most refuse, for several reasons", []behaviour{refusing("lie"), refusing("no"), refusing("no"), refusing("no"), refusing("lie")}, 0, "no", nil},
		{"most expect another sequence", []behaviour{refusing("expected 900"), refusing("expected 5"), refusing("expected 5"), refusing("expected 5"), refusing("expected 900")}, 0, "expected 5", sequence(5)},
		{"few expect another sequence", []behaviour{refusing("expected 900"), refusing("expected 900"), refusing("no"), refusing("never"), simulates(9)}, 0, "expected 900", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var nodes []behaviour
				for _, n := range c.nodes {
					nodes = append(nodes, but("abci_query", n, at(9)))
				}
				p, _ := probed(t, nodes...)
				s, err := p.Simulate(t.Context(), []byte("tx"), expects)
				require.NoError(t, err)
				require.Equal(t, c.gas, s.Gas)
				require.Equal(t, c.next, s.Sequence)
				if c.log == "" {
					require.Nil(t, s.Refused)
					return
				}
				require.Equal(t, c.log, s.Refused.Log)
			})
		})
	}
}

// TestPlausibleHeights checks that implausible heights are rejected, since the height
// determines how long a transaction is valid.
func TestPlausibleHeights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, at(100))
		newest := func(height int64) error {
			w.set(urlA, at(height))
			got, _, _, err := p.Newest(t.Context())
			if err == nil {
				require.Equal(t, height, got)
			}
			return err
		}
		require.ErrorIs(t, newest(1<<40), ErrHeight, "no chain can have so many blocks")
		require.NoError(t, newest(20_000_000))
		require.NoError(t, newest(20_000_900), "late ones come at once")
		require.ErrorIs(t, newest(20_100_000), ErrHeight)
		require.NoError(t, newest(19_999_990), "the chain may have begun again")
		time.Sleep(time.Hour)
		require.NoError(t, newest(20_010_000))
		require.ErrorIs(t, newest(30_000_000), ErrHeight)
		time.Sleep(doubtTime)
		require.NoError(t, newest(30_000_010), "the one before was wrong")
		require.ErrorIs(t, newest(1<<40), ErrHeight)
		time.Sleep(time.Hour)
		require.ErrorIs(t, newest(1<<40), ErrHeight)
	})
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, at(100), at(100), at(100))
		for i, url := range []string{urlA, urlB, urlC} {
			for _, lie := range []int64{1 << 40, 1, 5000} {
				for j, url := range []string{urlA, urlB, urlC} {
					w.set(url, at(100+int64(i+j)%2))
				}
				w.set(url, at(lie))
				height, _, _, err := p.Newest(t.Context())
				require.NoError(t, err)
				require.InDelta(t, 100, height, 1)
			}
		}
	})
}
