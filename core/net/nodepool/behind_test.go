package nodepool

import (
	"fmt"
	"math/big"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// States of the honest servers.
const (
	well int32 = iota
	down
	syncing // they lack blocks
)

// changing returns an honest server that has the given state. It answers questions even if it
// lacks blocks.
func changing(state *atomic.Int32) play {
	return func(method string, _ int) act {
		now := state.Load()
		switch {
		case now == down:
			return act{status: 503}
		case method == "hello":
			return act{result: fmt.Sprintf(`{"chain":"ours","behind":%v}`, now == syncing)}
		}
		return act{after: time.Second, result: `{"name":"5"}`} // the liars are faster
	}
}

// withTwoLiars returns a pool of two servers that lie and three honest ones.
func withTwoLiars(t *testing.T, state *atomic.Int32) *stage {
	return newStage(t, good("6", 0), good("6", 0), changing(state), changing(state), changing(state)).probed()
}

// decide returns the answer of most servers, and whether too few decided.
func (s *stage) decide() (value string, alone bool) {
	s.t.Helper()
	reached, _, alone, err := s.ReachedAlone(s.t.Context(), who(), func(answer any) *big.Int {
		n, _ := new(big.Int).SetString(answer.(string), 10)
		return n
	})
	require.NoError(s.t, err)
	answer, also, err := s.Agree(s.t.Context(), "the name", who(), nil)
	require.NoError(s.t, err)
	require.Equal(s.t, reached[0].String(), answer)
	require.Equal(s.t, alone, also)
	_, counts, also, err := s.Tally(s.t.Context(), who(), 1, func(answer any, _ int) any { return answer })
	require.NoError(s.t, err)
	require.True(s.t, counts[0].Agreed())
	require.Equal(s.t, alone, also)
	return answer.(string), alone
}

// check runs the health checks of all nodes, as Run does.
func (s *stage) check() {
	for _, n := range s.nodes {
		_ = s.verify(s.t.Context(), n) // verify records the result
	}
}

// checkFor runs the health checks once a minute.
func (s *stage) checkFor(d time.Duration) {
	for range d / time.Minute {
		time.Sleep(time.Minute)
		s.check()
	}
}

// TestAloneAmongSyncingServers checks that two liars of five do not decide while the honest
// servers begin to lack blocks, whatever happened to these servers before.
func TestAloneAmongSyncingServers(t *testing.T) {
	for name, before := range map[string]func(s *stage, state *atomic.Int32){
		"nothing": func(*stage, *atomic.Int32) {},
		"a restart": func(s *stage, state *atomic.Int32) {
			state.Store(down)
			s.check()
			time.Sleep(10 * time.Second)
		},
		"a long sync": func(s *stage, state *atomic.Int32) {
			state.Store(syncing)
			s.check()
			s.checkFor(2 * outage)
			state.Store(well)
			s.check()
		},
		"a sync and a restart": func(s *stage, state *atomic.Int32) {
			state.Store(syncing)
			s.check()
			state.Store(well)
			s.check()
			time.Sleep(2 * outage)
			state.Store(down)
			s.check()
			time.Sleep(10 * time.Second)
		},
		"a sync, and a time without checks": func(s *stage, state *atomic.Int32) {
			state.Store(syncing)
			s.check()
			time.Sleep(8 * time.Hour)
			_, alone := s.decide()
			require.True(t, alone)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var state atomic.Int32
				s := withTwoLiars(t, &state)
				value, alone := s.decide()
				require.Equal(t, "5", value)
				require.False(t, alone)
				before(s, &state)
				state.Store(syncing)
				s.check()
				for minutes := range 10 {
					_, alone := s.decide()
					require.True(t, alone, minutes)
					s.checkFor(time.Minute)
				}
				_, alone = s.decide()
				require.False(t, alone, "they have lacked blocks for long")
				state.Store(well)
				s.check()
				value, alone = s.decide()
				require.Equal(t, "5", value)
				require.False(t, alone)
			})
		})
	}
}

// TestAloneWithServersThatStartSyncing checks the same for a pool whose first health check finds
// that the honest servers lack blocks.
func TestAloneWithServersThatStartSyncing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var state atomic.Int32
		state.Store(syncing)
		s := withTwoLiars(t, &state)
		_, alone := s.decide()
		require.True(t, alone)
		s.checkFor(outage)
		_, alone = s.decide()
		require.False(t, alone, "they have lacked blocks for long")
	})
}
