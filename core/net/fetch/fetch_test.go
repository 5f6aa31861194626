package fetch

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/guard"
)

func TestIsPublic(t *testing.T) {
	for _, public := range strings.Fields(`1.1.1.1 8.8.8.8 172.15.255.255 172.32.0.0 192.167.1.1 11.0.0.0 9.255.255.255 100.63.0.1 100.128.0.1
		169.253.1.1 198.17.0.1 223.255.255.255 ::ffff:8.8.8.8 2606:4700::1111 2a00:1450::1 2400::`) {
		require.True(t, IsPublic(netip.MustParseAddr(public)), public)
	}
	for _, private := range strings.Fields(`0.0.0.0 0.1.2.3 127.0.0.1 127.255.255.255 10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 169.254.169.254
		100.64.0.1 192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255
		:: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::7f00:1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd12::1 ff02::1 64:ff9b::7f00:1 100::1
		2001::1 2001:db8::1 2002:7f00:1:: 3fff::1 2606:4700::1%eth0 4000::1`) {
		require.False(t, IsPublic(netip.MustParseAddr(private)), private)
	}
	require.False(t, IsPublic(netip.Addr{}))
}

func TestCheckPublic(t *testing.T) {
	for _, public := range strings.Fields(`https://example.com https://example.com./x http://8.8.8.8:80/ https://[2606:4700::1111]/ https://xn--nxasmq6b.com
		https://a.b-c.example.org:8443/x?y#z https://1.2.example.io https://0xdead.com https://ipfs.io/ipfs/Qm https://under_score.example.net
		https://localhost.example.com https://10.in-addr.arpa`) {
		require.NoError(t, CheckPublic(public), public)
	}
	for _, private := range strings.Fields(`http://127.0.0.1 http://127.0.0.1./ http://127.1 http://0x7f.1 http://0x7f000001/ http://2130706433 http://017700000001
		http://0177.0.0.1 http://10.0.0.1 http://a.1 http://a.0x http://localhost http://LOCALHOST:80 http://localhost./ http://x.localhost
		http://router http://router.lan http://printer.local http://metadata.google.internal http://x.home.arpa http://[::1] http://[::ffff:127.0.0.1]:80/
		http://[fe80::1%25eth0]/ http://169.254.169.254/latest http:///x http://. http://１２７.０.０.１ http://ⓛocalhost.example
		http://expired.onion http://256.256.256.256 http://1.2.3.4.5`) {
		require.ErrorIs(t, CheckPublic(private), ErrPrivate, private)
	}
	for _, wrong := range []string{"http://a b", "http://[::1", "http://%zz", "http://a%2eb"} {
		err := CheckPublic(wrong)
		require.ErrorIs(t, err, ErrRequest, wrong)
	}
}

// FuzzCheckPublic checks that a URL with an address is only accepted if the address is public.
func FuzzCheckPublic(f *testing.F) {
	for _, seed := range []string{"http://127.0.0.1", "http://[::1]", "http://example.com", "http://1.1", "//x", "http://0x.0x1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if CheckPublic(raw) != nil {
			return
		}
		host := strings.TrimPrefix(strings.ToLower(raw), "http://")
		if a, err := netip.ParseAddr(host); err == nil && !IsPublic(a) {
			t.Fatal(raw)
		}
	})
}

func TestDelay(t *testing.T) {
	now := time.Date(1994, time.November, 6, 8, 49, 7, 0, time.UTC)
	for _, c := range []struct {
		name, header string
		want         time.Duration
	}{
		{"seconds", "120", 2 * time.Minute},
		{"spaces", " 3 ", 3 * time.Second},
		{"no time", "0", 0},
		{"none", "", 0},
		{"date", "Sun, 06 Nov 1994 08:49:37 GMT", 30 * time.Second},
		{"date of RFC 850", "Sunday, 06-Nov-94 08:49:37 GMT", 30 * time.Second},
		{"date of asctime", "Sun Nov  6 08:49:37 1994", 30 * time.Second},
		{"date that is past", "Sun, 06 Nov 1994 08:49:07 GMT", 0},
		{"less than nothing", "-5", 0},
		{"no number", "soon", 0},
		{"fraction", "1.5", 0},
		{"more than there is", "99999999999999999999", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, Response{RetryAfter: c.header}.Delay(now))
		})
	}
}

func TestFunc(t *testing.T) {
	var f Fetcher = Func(func(_ context.Context, r Request) (Response, error) { return Response{Body: r.Body}, nil })
	answer, err := f.Fetch(t.Context(), Request{Body: []byte("x")})
	require.NoError(t, err)
	require.Equal(t, "x", string(answer.Body))
}

func FuzzDelay(f *testing.F) {
	now := time.Date(1994, time.November, 6, 8, 49, 7, 0, time.UTC)
	f.Add("120")
	f.Add("Sun, 06 Nov 1994 08:49:37 GMT")
	f.Fuzz(func(t *testing.T, header string) {
		require.GreaterOrEqual(t, Response{RetryAfter: header}.Delay(now), time.Duration(0))
	})
}

// TestQuestionThatPanics checks that all callers of a panicking request receive an error, and
// that the next call asks again.
func TestQuestionThatPanics(t *testing.T) {
	reports := make(chan *guard.Panic, 1)
	ctx := guard.With(t.Context(), func(p *guard.Panic) { reports <- p })
	cache := NewCache[int](time.Now)
	for range 2 {
		_, err := cache.Get(ctx, balance, time.Hour, func(context.Context) (int, error) { panic("s3cret") })
		require.ErrorIs(t, err, guard.ErrPanic)
		require.Equal(t, "asking for balance panicked: string", (<-reports).Error())
	}
	n, err := cache.Get(ctx, balance, time.Hour, func(context.Context) (int, error) { return 7, nil })
	require.NoError(t, err)
	require.Equal(t, 7, n)
}
