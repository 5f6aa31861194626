package coin

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store/bunttest"
)

// model is the state machine as a table, without store, waiting or coins.
type model struct {
	coins map[string]*modelCoin
	next  int
}

type modelCoin struct {
	order                   int
	platform                string
	passive, live, restored bool
}

func (m *model) activate(ticker, platform string) {
	c := m.coins[ticker]
	if c == nil {
		m.next++
		c = &modelCoin{order: m.next, platform: platform}
		m.coins[ticker] = c
	}
	c.passive, c.live, c.restored = false, true, false
}

func (m *model) isActive(ticker string) bool {
	c := m.coins[ticker]
	return c != nil && c.live && !c.passive
}

func (m *model) tokens(platform string) (tokens []string) {
	for ticker, c := range m.coins {
		if c.platform == platform {
			tokens = append(tokens, ticker)
		}
	}
	return tokens
}

func (m *model) enable(ticker string, tokens ...string) error {
	if m.isActive(ticker) && !m.coins[ticker].restored {
		return ErrAlreadyActive
	}
	m.activate(ticker, "")
	for _, token := range tokens {
		m.activate(token, ticker)
	}
	return nil
}

func (m *model) enableToken(ticker, platform string) error {
	if m.isActive(ticker) && !m.coins[ticker].restored {
		return ErrAlreadyActive
	}
	if !m.isActive(platform) {
		return &PlatformError{platform}
	}
	m.activate(ticker, platform)
	return nil
}

func (m *model) disable(ticker string, force bool) error {
	c := m.coins[ticker]
	if c == nil || c.passive && !force {
		return ErrNotActive
	}
	tokens := m.tokens(ticker)
	if len(tokens) > 0 && !force {
		c.passive = true
		return nil
	}
	delete(m.coins, ticker)
	for _, token := range tokens {
		delete(m.coins, token)
	}
	if p := m.coins[c.platform]; p != nil && p.passive && len(m.tokens(c.platform)) == 0 {
		delete(m.coins, c.platform)
	}
	return nil
}

func (m *model) restore(ticker string) error {
	c := m.coins[ticker]
	switch {
	case c == nil:
		return ErrNotSaved
	case c.live:
		return ErrAlreadyActive
	case c.platform != "" && !m.coins[c.platform].live:
		return &PlatformError{c.platform}
	}
	c.live, c.restored = true, true
	return nil
}

func (m *model) restart(restore bool) {
	for _, c := range m.coins {
		c.live, c.restored = false, false
	}
	if !restore {
		m.coins = make(map[string]*modelCoin)
	}
}

func (m *model) state(ticker string) (State, bool) {
	switch c := m.coins[ticker]; {
	case c == nil:
		return StateInactive, false
	case !c.live:
		return StateSaved, false
	case c.passive:
		return StatePassive, c.restored
	default:
		return StateActive, c.restored
	}
}

// list returns the tickers of the coins for which fits returns true, in the order of
// activation.
func (m *model) list(fits func(*modelCoin) bool) (tickers []string) {
	for ticker, c := range m.coins {
		if fits(c) {
			tickers = append(tickers, ticker)
		}
	}
	slices.SortFunc(tickers, func(x, y string) int { return cmp.Compare(m.coins[x].order, m.coins[y].order) })
	return tickers
}

// TestModel makes random calls and restarts, and compares with the model after each.
func TestModel(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			kv := bunttest.Memory(t)
			a, m := open(t, kv), &model{coins: make(map[string]*modelCoin)}
			for range 150 {
				platform := fmt.Sprint("P", random.IntN(2))
				token := fmt.Sprint("T", random.IntN(2), "-", platform)
				either := []string{platform, token}[random.IntN(2)]
				force, step := random.IntN(2) == 0, ""
				var want, got error
				switch random.IntN(12) {
				case 0, 1:
					step = "enable " + platform
					want, got = m.enable(platform), enableFor(t, a, platform)
				case 2:
					step = "enable " + platform + " with " + token
					want, got = m.enable(platform, token), enableFor(t, a, platform, token)
				case 3, 4, 5:
					step = "enable " + token
					want, got = m.enableToken(token, platform), enableToken(t, a, token, platform)
				case 6, 7:
					step = fmt.Sprint("disable ", either, force)
					want = m.disable(either, force)
					_, got = a.Disable(t.Context(), either, force)
				case 8, 9, 10:
					step = "restore " + either
					want, got = m.restore(either), restore(t, a, savedAs(a, either))
				default:
					keep := random.IntN(5) > 0
					step = fmt.Sprint("restart ", keep)
					m.restart(keep)
					a, got = Open(t.Context(), Config{Store: kv, Restore: keep})
				}
				requireSameError(t, want, got, step)
				m.compare(t, a, step)
			}
		})
	}
}

func enableFor(t *testing.T, a *Active, platform string, tokens ...string) error {
	x, err := a.Begin(t.Context(), platform, tokens...)
	if err != nil {
		return err
	}
	x.Abort()
	enable(t, a, platform, tokens...)
	return nil
}

func savedAs(a *Active, ticker string) SavedCoin {
	for _, s := range a.Saved() {
		if s.Ticker == ticker {
			return s
		}
	}
	return SavedCoin{Ticker: ticker}
}

func requireSameError(t *testing.T, want, got error, step string) {
	t.Helper()
	if platform := new(PlatformError); want != nil && !errorsIsSentinel(want) {
		require.ErrorAs(t, got, &platform, step)
		require.Equal(t, want, platform, step)
		return
	}
	require.ErrorIs(t, got, want, step)
}

func errorsIsSentinel(err error) bool {
	return err == ErrAlreadyActive || err == ErrNotActive || err == ErrNotSaved
}

func (m *model) compare(t *testing.T, a *Active, step string) {
	t.Helper()
	for _, ticker := range []string{"P0", "P1", "T0-P0", "T1-P0", "T0-P1", "T1-P1"} {
		want, restored := m.state(ticker)
		got, is := a.State(ticker)
		require.Equal(t, want, got, "%s after: %s", ticker, step)
		require.Equal(t, restored, is, "%s after: %s", ticker, step)
	}
	require.Equal(t, m.list(func(c *modelCoin) bool { return c.live && !c.passive }), tickers(a), step)
	require.Equal(t, m.list(func(c *modelCoin) bool { return !c.live }), savedTickers(a), step)
	require.Len(t, a.slots, len(m.coins), step)
}
