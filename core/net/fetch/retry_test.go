package fetch

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
