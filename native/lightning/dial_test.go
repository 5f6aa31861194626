package lightning

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// street is where the addresses of a name are: what happens at each.
type street struct {
	mu     sync.Mutex
	at     map[string]func(context.Context) (net.Conn, error)
	tried  []string
	opened []net.Conn // the other ends
}

func (s *street) connect(ctx context.Context, _, place string) (net.Conn, error) {
	s.mu.Lock()
	s.tried = append(s.tried, place)
	handle := s.at[place]
	s.mu.Unlock()
	return handle(ctx)
}

func (s *street) open() net.Conn {
	ours, theirs := net.Pipe()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = append(s.opened, theirs)
	return ours
}

// What an address does.
func (s *street) answers(context.Context) (net.Conn, error) { return s.open(), nil }

func (s *street) silent(ctx context.Context) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (s *street) stubborn(context.Context) (net.Conn, error) {
	time.Sleep(nextAfter + time.Millisecond)
	return s.open(), nil
}

// refuses gives an error that tells addresses apart.
func refuses(after time.Duration, err error) func(context.Context) (net.Conn, error) {
	return func(context.Context) (net.Conn, error) {
		time.Sleep(after)
		return nil, err
	}
}

func TestDialManyAddresses(t *testing.T) {
	first, second := errors.New("the first refuses"), errors.New("the second refuses")
	type where = func(context.Context) (net.Conn, error)
	for _, c := range []struct {
		name  string
		at    func(*street) []where
		err   error
		after time.Duration
		tried int
	}{
		{"one", func(s *street) []where { return []where{s.answers} }, nil, 0, 1},
		{"the first answers", func(s *street) []where { return []where{s.answers, s.answers} }, nil, 0, 1},
		{"the first is dead", func(s *street) []where { return []where{s.silent, s.answers} }, nil, nextAfter, 2},
		{"two are dead", func(s *street) []where { return []where{s.silent, s.silent, s.answers} }, nil, 2 * nextAfter, 3},
		{"the first refuses", func(s *street) []where { return []where{refuses(0, first), s.answers} }, nil, 0, 2},
		{"the first refuses late", func(s *street) []where { return []where{refuses(time.Millisecond, first), s.answers} }, nil, time.Millisecond, 2},
		{"refuses after the next was begun", func(s *street) []where { return []where{refuses(nextAfter+1, first), s.silent, s.answers} }, nil, nextAfter + 1, 3},
		{"all refuse", func(s *street) []where { return []where{refuses(0, first), refuses(0, second)} }, first, 0, 2},
		{"all refuse, the first late", func(s *street) []where { return []where{refuses(time.Second, first), refuses(0, second)} }, first, time.Second, 2},
		{"one too many", func(s *street) []where {
			return append(slices.Repeat([]where{refuses(0, first)}, maxAddresses), s.answers)
		}, first, 0, maxAddresses},
		{"the last of many", func(s *street) []where {
			return append(slices.Repeat([]where{s.silent}, maxAddresses-1), s.answers)
		}, nil, (maxAddresses - 1) * nextAfter, maxAddresses},
		{"two answer", func(s *street) []where { return []where{s.stubborn, s.answers} }, nil, nextAfter, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &street{at: map[string]func(context.Context) (net.Conn, error){}}
				var all []netip.Addr
				var places []string
				for n, what := range c.at(s) {
					ip := netip.AddrFrom4([4]byte{192, 0, 2, byte(n)})
					all = append(all, netip.AddrFrom16(ip.As16())) // as the system may give it
					places = append(places, fmt.Sprintf("192.0.2.%d:9735", n))
					s.at[places[n]] = what
				}
				d := Dialer{lookup: func(_ context.Context, network, host string) ([]netip.Addr, error) {
					require.Equal(t, [2]string{"ip", "node.example"}, [2]string{network, host})
					return all, nil
				}, connect: s.connect}
				begun := time.Now()
				conn, err := d.Dial(t.Context(), "node.example", 9735)
				require.ErrorIs(t, err, c.err)
				require.Equal(t, places[:c.tried], s.tried, "in their order")
				if c.err == nil {
					go conn.Write([]byte{7})
					got := make([]byte, 1)
					_, err = s.opened[0].Read(got)
					require.NoError(t, err)
					require.Equal(t, byte(7), got[0])
				}
				for _, other := range s.opened[min(1, len(s.opened)):] {
					_, err := other.Write([]byte{0})
					require.Error(t, err, "it is closed")
				}
				if c.name != "two answer" { // there the end of the other one is waited for
					require.Equal(t, c.after, time.Since(begun))
				}
			})
		})
	}
}

// Whoever gives up waits for nobody.
func TestDialIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &street{}
		s.at = map[string]func(context.Context) (net.Conn, error){"192.0.2.1:9735": s.silent, "[2001:db8::1]:9735": s.silent}
		d := Dialer{connect: s.connect, lookup: func(context.Context, string, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("192.0.2.1")}, nil
		}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := d.Dial(ctx, "node.example", 9735)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, []string{"[2001:db8::1]:9735", "192.0.2.1:9735"}, s.tried)

		_, err = d.Dial(ctx, "2001:db8::1", 9735)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		unknown := errors.New("no such host")
		d.lookup = func(context.Context, string, string) ([]netip.Addr, error) { return nil, unknown }
		_, err = d.Dial(t.Context(), "node.example", 9735)
		require.ErrorIs(t, err, unknown)
		unknown = nil
		_, err = d.Dial(t.Context(), "node.example", 9735)
		require.ErrorContains(t, err, "no such host")
	})
}
