package nodepool

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/peerid"
	"obverse/core/net/proxyauth"
)

type identity struct{ secret ed25519.PrivateKey }

func (i identity) public() [32]byte             { return [32]byte(i.secret.Public().(ed25519.PublicKey)) }
func (i identity) PublicKeyEncoded() []byte     { return peerid.EncodeEd25519(i.public()) }
func (i identity) PeerID() peerid.ID            { return peerid.FromEd25519(i.public()) }
func (i identity) Sign(message []byte) [64]byte { return [64]byte(ed25519.Sign(i.secret, message)) }

var someone = identity{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))}

func numbered(count int) (nodes []Node) {
	for i := range count {
		nodes = append(nodes, Node{URL: fmt.Sprintf("https://n%d.example", i)})
	}
	return nodes
}

// TestNew checks which lists of nodes are accepted, and the number of nodes in the pool.
func TestNew(t *testing.T) {
	noSocket := func(n Node) (Endpoint, *URLError) { return Parse(n.WSURL, "ws", "wss") }
	for _, c := range []struct {
		name   string
		config Config
		nodes  int
		want   error
		text   string
	}{
		{"one", Config{Nodes: numbered(1)}, 1, nil, ""},
		{"as many as there may be", Config{Nodes: numbered(MaxNodes)}, MaxNodes, nil, ""},
		{"one more", Config{Nodes: numbered(MaxNodes + 1)}, 0, ErrTooManyNodes, "more than 64 nodes"},
		{"none", Config{}, 0, ErrNoNodes, "EmptyRpcUrls"},
		{"one twice", Config{Nodes: append(numbered(2), Node{URL: "https://n0.example/"})}, 2, nil, ""},
		{"one twice, with two passwords", Config{Nodes: []Node{{URL: "https://a:b@n.example"}, {URL: "https://a:c@n.example"}}}, 2, nil, ""},
		{"a gateway", Config{Nodes: []Node{{URL: "https://a.example", GatewayProxy: true}}, Identity: someone}, 1, nil, ""},
		{"a gateway without an identity", Config{Nodes: []Node{{URL: "https://a.example", GatewayProxy: true}}}, 0, ErrNoIdentity, "identity"},
		{"all that is wrong", Config{Nodes: []Node{{URL: "ftp://a.example"}, {URL: "ws://b.example"}, {URL: "https://"}}}, 0, nil,
			"Url ftp://a.example is invalid, got error its scheme is not http or https, Url ws://b.example is invalid, got error its scheme is not http or https, Url https:// is invalid, got error it has no host"},
		{"a websocket", Config{Nodes: []Node{{URL: "https://a.example", WSURL: "wss://b.example"}}, Socket: noSocket}, 1, nil, ""},
		{"a bad websocket", Config{Nodes: []Node{{URL: "https://a.example", WSURL: "https://b.example"}}, Socket: noSocket}, 0, nil, "its scheme is not ws or wss"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.config.Now = time.Now
			p, err := New(c.config)
			if c.nodes > 0 {
				require.NoError(t, err)
				require.Len(t, p.Nodes(), c.nodes)
				require.Equal(t, State{URL: p.nodes[0].at.Label}, p.Nodes()[0], "nothing is known yet")
				return
			}
			require.ErrorContains(t, err, c.text)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
			} else {
				require.ErrorAs(t, err, new(URLErrors))
			}
		})
	}
}

// TestBadNodes checks that nodes with an unusable URL are reported, and that the others are
// used.
func TestBadNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := configured(t, func(c *Config) {
			c.Nodes = []Node{{URL: "ftp://user:s3cret@x.example"}, {URL: "\n https://a.example/ \t"}, {URL: "ws://y.example"}, {URL: ""}, {URL: "https://b.example"}}
		}, good("a", 0), good("b", 0))
		left, err := s.Probe(t.Context())
		require.NoError(t, err)
		var named []string
		for _, a := range left {
			named = append(named, a.URL+": "+a.Reason)
		}
		const scheme = "its scheme is not http or https"
		require.Equal(t, []string{"ftp://x.example: " + scheme, "ws://y.example: " + scheme, ": " + scheme}, named)
		got, err := Get[string](t.Context(), s.Pool, who())
		require.NoError(t, err)
		require.Equal(t, "a", got)
		states := s.Nodes()
		require.Len(t, states, 5)
		require.Equal(t, "https://a.example", states[0].URL)
		require.True(t, states[0].Healthy && states[1].Healthy)
		require.Equal(t, State{URL: "ftp://x.example", Reason: scheme}, states[2])
	})
}

// TestRefusedURLs checks the reasons for which URLs are refused, and the text that represents
// each URL.
func TestRefusedURLs(t *testing.T) {
	for _, c := range []struct{ raw, label, reason string }{
		{"", "", "its scheme is not"},
		{"a.example", "a.example", "its scheme is not"},
		{"ws://a.example", "ws://a.example", "its scheme is not http or https"},
		{"https://", "https://", "it has no host"},
		{"https://:80", "https://:80", "it has no host"},
		{"https://user:s3cret@", "https://", "it has no host"},
		{"https://user:s3cret@a.example:port", "https://a.example:port", "it cannot be parsed"},
		{"https://user:s3%cret@a.example/x", "https://a.example/x", "it cannot be parsed"},
		{"https://user:s3?cret@a.example", "https://…", "it cannot be parsed"},
		{"https://user:s3#cret@a b.example", "https://…", "it cannot be parsed"},
		{"ftp://a.example/x?key=s3cret", "ftp://a.example/x", "its scheme is not"},
		{"s3cretS3cretS3cretS3cret", "…", "its scheme is not"},
		{"ftp://a.example/s3cretS3cretS3cretS3cret", "ftp://a.example/…", "its scheme is not"},
		{"https://a.example/" + strings.Repeat("-", MaxURL), "https://a.example/" + strings.Repeat("-", 182) + "…", "longer than 2048 bytes"},
	} {
		t.Run(c.raw[:min(len(c.raw), 40)], func(t *testing.T) {
			_, err := Parse(c.raw, "http", "https")
			require.NotNil(t, err)
			require.Equal(t, c.label, err.URL)
			require.Contains(t, err.Reason, c.reason)
			require.NotContains(t, err.Error(), "cret")
		})
	}
	longest := "https://a.example/" + strings.Repeat("-", MaxURL-len("https://a.example/"))
	_, err := Parse(longest, "https")
	require.Nil(t, err)
}

// TestPublic checks which nodes may be disclosed to others.
func TestPublic(t *testing.T) {
	for _, c := range []struct {
		name string
		node Node
		want bool
	}{
		{"a host", Node{URL: "https://a.example"}, true},
		{"a host with a path", Node{URL: "https://a.example/rpc/cosmos-hub"}, true},
		{"both interfaces", Node{URL: "https://a.example", APIURL: "https://b.example"}, true},
		{"a password", Node{URL: "https://user:word@a.example"}, false},
		{"a query", Node{URL: "https://a.example/?key=1"}, false},
		{"a key in the path", Node{URL: "https://a.example/s3cretS3cretS3cretS3cret"}, false},
		{"a password of the other interface", Node{URL: "https://a.example", APIURL: "https://user:word@b.example"}, false},
		{"no URL", Node{URL: "https://"}, false},
		{"a gateway", Node{URL: "https://a.example", GatewayProxy: true}, false},
	} {
		require.Equal(t, c.want, c.node.Public(), c.name)
	}
}

// TestRequests checks the requests that are sent.
func TestRequests(t *testing.T) {
	for _, c := range []struct {
		name    string
		node    Node
		numeric bool
		header  map[string]string
		body    string
	}{
		{"plain", Node{URL: "https://a.example"}, false, nil, `{"jsonrpc":"2.0","id":"2","method":"who","params":{"a":1}}`},
		{"numbers for ids", Node{URL: "https://a.example"}, true, nil, `{"jsonrpc":"2.0","id":2,"method":"who","params":{"a":1}}`},
		{"with a password", Node{URL: "https://user:word@a.example/"}, false, map[string]string{"Authorization": "Basic dXNlcjp3b3Jk"},
			`{"jsonrpc":"2.0","id":"2","method":"who","params":{"a":1}}`},
		{"a gateway", Node{URL: "https://a.example", GatewayProxy: true}, false, map[string]string{proxyauth.Header: ""},
			`{"jsonrpc":"2.0","id":"2","method":"who","params":{"a":1}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := configured(t, func(config *Config) {
					config.Nodes, config.NumericIDs, config.Identity = []Node{c.node}, c.numeric, someone
				}, good("a", 0)).probed()
				q := who()
				q.Params = map[string]int{"a": 1}
				_, err := s.Ask(t.Context(), q)
				require.NoError(t, err)
				require.Len(t, s.sent, 1)
				r := s.sent[0]
				require.Equal(t, "POST", r.Method)
				require.Equal(t, "https://a.example/", r.URL)
				require.EqualValues(t, LightLimit, r.Limit)
				require.Equal(t, c.body, string(r.Body))
				require.Equal(t, "application/json", r.Header["Content-Type"])
				require.Len(t, r.Header, 1+len(c.header))
				for name, value := range c.header {
					if name != proxyauth.Header {
						require.Equal(t, value, r.Header[name])
						continue
					}
					signed, err := proxyauth.Verify(r.Header[name], time.Now(), proxyauth.Lifetime)
					require.NoError(t, err)
					require.Equal(t, proxyauth.Request{Peer: someone.PeerID(), URI: r.URL, BodySize: uint64(len(r.Body))}, signed)
				}
			})
		})
	}
}

// TestSocket checks that the websockets of the best nodes are used in turn, and those of any
// node if no good one is left.
func TestSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := configured(t, func(c *Config) {
			for i := range c.Nodes {
				c.Nodes[i].WSURL = fmt.Sprintf("wss://%c.socket", 'a'+i)
			}
			c.Socket = func(n Node) (Endpoint, *URLError) { return Parse(n.WSURL, "ws", "wss") }
		}, good("a", 0), good("b", 0), good("c", 0)).probed()
		turns := func() (names string) {
			for turn := range 4 {
				names += s.Socket(turn).URL[len("wss://"):][:1]
			}
			return names
		}
		require.Equal(t, "abca", turns())
		s.fail(s.nodes[0], fetch.ErrUnreachable)
		require.Equal(t, "bcab", turns())
		s.fail(s.nodes[1], &StatusError{429, time.Hour, ""})
		require.Equal(t, "caca", turns())
		s.fail(s.nodes[0], &WrongChainError{"x", "ours"})
		require.Equal(t, "cccc", turns())
		s.fail(s.nodes[2], &WrongChainError{"x", "ours"})
		require.Equal(t, "abca", turns())
	})
}

// TestUnreachable checks the text and the causes of the error of a call that no node answered.
func TestUnreachable(t *testing.T) {
	at := Endpoint{URL: "https://a.example/?key=s3cret", Label: "https://a.example"}
	foreign := &WrongChainError{strings.Repeat("x", 200), "ours"}
	e := &UnreachableError{Attempts: []Attempt{
		NewAttempt(at, fmt.Errorf("post: %w", context.DeadlineExceeded), 15*time.Second),
		NewAttempt(at, foreign, time.Second),
		NewAttempt(at, errors.New(strings.Repeat("ü", 400)), time.Second),
	}}
	require.Equal(t, "All the current rpc nodes are unavailable. (https://a.example: timed out after 15s; https://a.example: chain id is \""+
		strings.Repeat("x", 100)+"…\", want \"ours\"; https://a.example: "+strings.Repeat("ü", 150)+"…)", e.Error())
	require.ErrorIs(t, e, context.DeadlineExceeded)
	var found *WrongChainError
	require.ErrorAs(t, e, &found)
	require.Same(t, foreign, found)
	require.NotErrorIs(t, e, context.Canceled)
	e.Cause = context.Canceled
	require.ErrorIs(t, e, context.Canceled)
	require.Equal(t, "All the current rpc nodes are unavailable. ()", (&UnreachableError{}).Error())
}

// TestAnswersThatAreFaults checks the answers that count as faults of a node.
func TestAnswersThatAreFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		act  act
		want string
	}{
		{"a result of another type", act{result: `{"name":5}`}, "invalid response: unexpected value of type number"},
		{"no result", act{body: `{"id":"3"}`}, "neither result nor error"},
		{"an empty body", act{}, "invalid response: empty body"},
		{"an answer to another call", act{body: `{"id":"77","result":1}`}, ErrOtherID.Error()},
		{"a web page", act{body: " <html>"}, ErrHTML.Error()},
		{"a redirect", act{status: 307}, ErrRedirect.Error()},
		{"too many bytes", act{err: fetch.ErrTooLarge}, fetch.ErrTooLarge.Error()},
		{"an error of the gateway", act{status: 504}, "HTTP status 504"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, doing(c.act), good("b", 0)).probed()
				got, err := Get[string](t.Context(), s.Pool, who())
				require.NoError(t, err)
				require.Equal(t, "b", got)
				state := s.Nodes()[0]
				require.False(t, state.Healthy)
				require.Contains(t, state.Reason, c.want)
				require.True(t, s.Nodes()[1].Healthy)
			})
		})
	}
}
