package auth

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// model is a simple implementation of the rules for the wrong passwords of one origin: it
// stores all of them with their times, and computes the results from these.
type model struct {
	wrong []time.Time // since the last correct password, or since the window was empty
	over  int
}

// recent returns the guesses in the window, at most Allowed.
func (m *model) recent(now time.Time) []time.Time {
	first := max(0, len(m.wrong)-Allowed)
	for first < len(m.wrong) && now.Sub(m.wrong[first]) >= window {
		first++
	}
	return m.wrong[first:]
}

func (m *model) add(now time.Time) {
	switch recent := m.recent(now); {
	case len(recent) == 0:
		*m = model{}
	case len(recent) == Allowed:
		m.over++
	default:
		m.over = 0
	}
	m.wrong = append(m.wrong, now)
}

func (m *model) record(now time.Time) Record {
	recent := m.recent(now)
	if len(recent) == 0 {
		return Record{Left: Allowed}
	}
	r := Record{Wrong: len(m.wrong), Left: Allowed - len(recent), Over: m.over}
	if r.Left == 0 {
		r.Ban = recent[0].Add(window).Sub(now)
	}
	return r
}

// TestRecordsFollowTheModel tries random passwords from several origins, at intervals from zero
// to more than the window, and compares all results with the model.
func TestRecordsFollowTheModel(t *testing.T) {
	origins := []string{"127.0.0.1", "198.51.100.7", "2001:db8::/64", "a name"}
	banned, forgotten := 0, 0
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			dice := rand.New(rand.NewPCG(seed, 1))
			g := newGuesser(weak)
			models := map[string]*model{}
			for _, name := range origins {
				models[name] = &model{}
			}
			for step := range 300 {
				name := origins[dice.IntN(len(origins))]
				m := models[name]
				switch dice.IntN(20) {
				case 0:
					g.right(t, name)
					*m = model{}
				case 1: // the second wrong password in one request does not count
					_, err := g.Try(t.Context(), Attempt{Origin: name, Again: true, Right: func() bool { return false }})
					require.ErrorIs(t, err, ErrWrong)
				default:
					got, err := g.wrong(t.Context(), name)
					require.ErrorIs(t, err, ErrWrong)
					now := time.Now() // after the limiter's pause
					m.add(now)
					require.Equal(t, m.record(now), got, "seed %d, step %d, %s", seed, step, name)
				}
				if dice.IntN(30) == 0 {
					time.Sleep(time.Duration(dice.Int64N(int64(window * 3 / 2))))
				} else {
					time.Sleep(time.Duration(dice.Int64N(int64(20 * time.Second))))
				}
				for name, m := range models {
					want, got := m.record(time.Now()), g.Record(name)
					require.Equal(t, want, got, "seed %d, after step %d, %s", seed, step, name)
					if want.Ban > 0 {
						banned++
					}
					if len(m.wrong) > 0 && want.Wrong == 0 {
						forgotten++
					}
				}
			}
		})
	}
	require.NotZero(t, banned)
	require.NotZero(t, forgotten)
}

// TestStrongPasswordsWaitForNothing checks that a correct strong password is checked
// immediately, whatever else is waiting.
func TestStrongPasswordsWaitForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesser("0123456789abcdef0123456789abcdef")
		for n := range 50 {
			_, err := g.wrong(t.Context(), "127.0.0.1")
			require.ErrorIs(t, err, ErrWrong)
			started := time.Now()
			g.right(t, fmt.Sprintf("198.51.100.%d", n))
			g.right(t, "127.0.0.1")
			require.Zero(t, time.Since(started))
			require.Empty(t, g.known, "it is not necessary to remember who knew it")
			require.Zero(t, g.Record("127.0.0.1").Wrong)
		}
	})
}
