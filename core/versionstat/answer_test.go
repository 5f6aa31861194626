package versionstat

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// keepRound stores a round of answers.
func (s *station) keepRound(at uint64, names ...string) {
	s.t.Helper()
	answers := make([]Answer, len(names))
	for i, name := range names {
		answers[i] = Answer{Name: name, Version: fmt.Sprintf("%d", at), Timestamp: at}
	}
	require.NoError(s.t, s.keep(s.t.Context(), answers))
}

func (s *station) found(q Query) (list []string, total int) {
	s.t.Helper()
	answers, total, err := s.Stats(s.t.Context(), q)
	require.NoError(s.t, err)
	for _, a := range answers {
		list = append(list, fmt.Sprintf("%s@%s", a.Name, a.Version))
	}
	return list, total
}

func TestStatsSelects(t *testing.T) {
	s := newStation(t, nil)
	for _, at := range []uint64{100, 200, 150} { // the clock was set back once
		s.keepRound(at, "b", "a")
	}
	s.keepRound(200, "a", "a\x00", "ab", "")
	name := func(n string) *string { return &n }
	for _, c := range []struct {
		name  string
		query Query
		want  []string
		total int
	}{
		{"all", everything(), []string{"@200", "a@200", "a\x00@200", "ab@200", "a@200", "b@200", "a@150", "b@150", "a@100", "b@100"}, 10},
		{"of one", Query{Name: name("a"), To: ^uint64(0), Limit: 9, Page: 1}, []string{"a@200", "a@200", "a@150", "a@100"}, 4},
		{"of a longer name", Query{Name: name("a\x00"), To: ^uint64(0), Limit: 9, Page: 1}, []string{"a\x00@200"}, 1},
		{"of the empty name", Query{Name: name(""), To: ^uint64(0), Limit: 9, Page: 1}, []string{"@200"}, 1},
		{"of an unknown node", Query{Name: name("c"), To: ^uint64(0), Limit: 9, Page: 1}, nil, 0},
		{"from", Query{From: 151, To: ^uint64(0), Limit: 2, Page: 1}, []string{"@200", "a@200"}, 6},
		{"to", Query{To: 149, Limit: 9, Page: 1}, []string{"a@100", "b@100"}, 2},
		{"both ends count", Query{From: 150, To: 150, Limit: 9, Page: 1}, []string{"a@150", "b@150"}, 2},
		{"of one, between", Query{Name: name("b"), From: 101, To: 199, Limit: 9, Page: 1}, []string{"b@150"}, 1},
		{"nothing between", Query{From: 160, To: 140, Limit: 9, Page: 1}, nil, 0},
		{"until 0", Query{To: 0, Limit: 9, Page: 1}, nil, 0},
		{"after all", Query{From: ^uint64(0), To: ^uint64(0), Limit: 9, Page: 1}, nil, 0},
		{"second page", Query{To: ^uint64(0), Limit: 4, Page: 2}, []string{"a@200", "b@200", "a@150", "b@150"}, 10},
		{"last page", Query{To: ^uint64(0), Limit: 4, Page: 3}, []string{"a@100", "b@100"}, 10},
		{"beyond", Query{To: ^uint64(0), Limit: 4, Page: 4}, nil, 10},
		{"far beyond", Query{To: ^uint64(0), Limit: 1000, Page: 1 << 62}, nil, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, total := s.found(c.query)
			require.Equal(t, c.want, list)
			require.Equal(t, c.total, total)
		})
	}
	empty, _, err := s.Stats(t.Context(), Query{Limit: 1, Page: 1})
	require.NoError(t, err)
	require.NotNil(t, empty, "an empty page is a list too")
}

func TestOldestAnswersGo(t *testing.T) {
	s := newStation(t, same("1"))
	s.bound = 32
	for at := range uint64(100) {
		s.keepRound(1000+at, "a", "b", "c")
		_, total := s.found(everything())
		require.Equal(t, s.held, total)
		require.LessOrEqual(t, total, s.bound+s.bound/16+3)
		require.GreaterOrEqual(t, total, min(int(at+1)*3, s.bound))
	}
	list, _ := s.found(everything())
	require.Equal(t, []string{"a@1099", "b@1099", "c@1099"}, list[:3])
	s.keepRound(5, "a") // the clock was set back so far that the new answer is the oldest
	s.open(same("1"))
	s.bound = 8
	s.keepRound(2000, "d")
	list, total := s.found(everything())
	require.Equal(t, 8, total, "what an earlier start left is counted")
	require.Equal(t, "d@2000", list[0])
	q := everything()
	name := "d"
	q.Name = &name
	_, total = s.found(q)
	require.Equal(t, 1, total)
}

func TestKeepFails(t *testing.T) {
	s := newStation(t, nil)
	s.kv.breakWith(errBroken)
	answers := []Answer{{Name: "a", Timestamp: 1}}
	require.ErrorIs(t, s.keep(t.Context(), answers), errBroken)
	s.kv.breakWith(nil)
	require.NoError(t, s.keep(t.Context(), answers))
	require.Equal(t, 1, s.held)
}

// BenchmarkStats measures Stats with the largest history that is kept.
func BenchmarkStats(b *testing.B) {
	s := newStation(b, nil)
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("node %d", i)
	}
	start := time.Now()
	for at := range uint64(MaxAnswers / 100) {
		s.keepRound(1_700_000_000+at*600, names...)
	}
	b.ReportMetric(float64(time.Since(start).Nanoseconds())/MaxAnswers, "ns/stored")
	for name, q := range map[string]Query{
		"all": everything(), "one": {Name: &names[7], To: ^uint64(0), Limit: 100, Page: 1},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _, err := s.Stats(b.Context(), q)
				require.NoError(b, err)
			}
		})
	}
}
