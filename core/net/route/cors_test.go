package route

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type headers map[string]string

func (h headers) Set(name, value string) { h[name] = value }

// expected returns the headers of a response that a page of an origin may read.
func expected(origin, methods, names string) headers {
	h := headers{"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": "Retry-After", "Vary": "Origin"}
	if methods != "" {
		h["Access-Control-Allow-Methods"], h["Access-Control-Allow-Headers"], h["Access-Control-Max-Age"] = methods, names, "3600"
	}
	return h
}

func TestAllow(t *testing.T) {
	h := headers{}
	AllowOrigin(h, "")
	require.Empty(t, h)
	AllowOrigin(h, "https://a.example")
	require.Equal(t, expected("https://a.example", "", ""), h)
}

func TestPreflight(t *testing.T) {
	both := Origins{Calls: "https://calls.example", Events: "https://events.example"}
	calls := expected(both.Calls, "POST, OPTIONS", "Content-Type")
	events := expected(both.Events, "GET, OPTIONS", "Authorization, Last-Event-ID")
	for _, c := range []struct {
		name     string
		node     Origins
		onEvents bool
		method   string
		want     headers
	}{
		{"a call", both, false, "POST", calls},
		{"a call on the path of events", both, true, "POST", calls},
		{"a question without a method", both, false, "", calls},
		{"events", both, true, "GET", events},
		{"events, without a method", both, true, "", events},
		{"a call, none may", Origins{Events: both.Events}, false, "POST", headers{}},
		{"events, none may", Origins{Calls: both.Calls}, true, "GET", headers{}},
	} {
		h := headers{}
		c.node.Preflight(h, c.onEvents, c.method)
		require.Equal(t, c.want, h, c.name)
	}
	h := headers{}
	PermitDaemon(h)
	require.Equal(t, headers{"Access-Control-Allow-Methods": "POST", "Access-Control-Allow-Headers": "Authorization, Content-Type", "Access-Control-Max-Age": "3600"}, h)
}
