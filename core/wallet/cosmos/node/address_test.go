package node

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/net/peerid"
	"obverse/core/net/proxyauth"
)

func TestURLErrors(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"", "Url  is invalid, got error its scheme is not http or https"},
		{"a.example", "Url a.example is invalid, got error its scheme is not http or https"},
		{"tcp://a.example:26657", "Url tcp://a.example:26657 is invalid, got error its scheme is not http or https"},
		{"ws://user:s3cret@a.example", "Url ws://a.example is invalid, got error its scheme is not http or https"},
		{"http://", "Url http:// is invalid, got error it has no host"},
		{"http://:80", "Url http://:80 is invalid, got error it has no host"},
		{"http:a.example", "Url http:a.example is invalid, got error it has no host"},
		{"http://a b", "Url http://a b is invalid, got error it cannot be parsed"},
		{"http://user:s3cret s3cret@a.example?key=s3cret", "Url http://a.example is invalid, got error it cannot be parsed"},
		{"http://user:s3cret@a@b:x", "Url http://b:x is invalid, got error it cannot be parsed"},
		{"http://a.example/%zz#s3cret", "Url http://a.example/%zz is invalid, got error it cannot be parsed"},
		{"http://a.example/\nx", "Url http://a.example/\nx is invalid, got error it cannot be parsed"},
		{"user:s3cret@a.example", "Url a.example is invalid, got error its scheme is not http or https"},
		{"https://user:s3cret?s3cret@a.example/", "Url https://… is invalid, got error it cannot be parsed"},
		{"https://user:s3cret#s3cret@a.example/", "Url https://… is invalid, got error it cannot be parsed"},
		{"https://user:s3cret/s3cret@a.example/", "Url https://a.example/ is invalid, got error it cannot be parsed"},
		{"ftp://a.example/?key=a@s3cret", "Url ftp://… is invalid, got error its scheme is not http or https"},
		{"ftp://a.example/s3cretS3cretS3cretS3cret/x", "Url ftp://a.example/…/x is invalid, got error its scheme is not http or https"},
		{"user:s3cret//s3cret@a.example", "Url a.example is invalid, got error its scheme is not http or https"},
		{"s3cretS3cretS3cretS3cret", "Url … is invalid, got error its scheme is not http or https"},
		{"rpc-1.cosmos.provider-of-nodes.example:26657/a", "Url rpc-1.cosmos.provider-of-nodes.example:26657/a is invalid, got error its scheme is not http or https"},
	} {
		_, err := New(Config{Nodes: []Node{{URL: c.raw}}, Now: time.Now})
		require.EqualError(t, err, c.want)
	}
	_, err := New(Config{Nodes: []Node{{URL: "http://" + strings.Repeat("a", nodepool.MaxURL)}}, Now: time.Now})
	require.ErrorContains(t, err, "longer than 2048 bytes")
	require.Less(t, len(err.Error()), 300)
	_, err = New(Config{Nodes: []Node{{URL: "x"}, {URL: "https://"}}, Now: time.Now})
	require.EqualError(t, err, "Url x is invalid, got error its scheme is not http or https, Url https:// is invalid, got error it has no host")
	var all nodepool.URLErrors
	require.ErrorAs(t, err, &all)
	require.Len(t, all, 2)
	_, err = New(Config{Nodes: []Node{{URL: urlA, WSURL: "wss://user:s3cret@a.example:x/s3cretS3cretS3cretS3cret"}}, Now: time.Now})
	require.EqualError(t, err, "Url wss://a.example:x/… is invalid, got error it cannot be parsed")
	_, err = New(Config{Nodes: []Node{{URL: urlA, WSURL: "https://a.example"}}, Now: time.Now})
	require.EqualError(t, err, "Url https://a.example is invalid, got error its scheme is not ws or wss")
}

func TestSocketAddress(t *testing.T) {
	for _, c := range []struct {
		node Node
		want string
	}{
		{Node{URL: "https://a.example"}, "wss://a.example/websocket"},
		{Node{URL: "http://127.0.0.1:26657/"}, "ws://127.0.0.1:26657/websocket"},
		{Node{URL: "https://a.example/rpc?key=1"}, "wss://a.example/rpc/websocket?key=1"},
		{Node{URL: "https://a.example", WSURL: "wss://b.example/ws"}, "wss://b.example/ws"},
	} {
		got, err := socket(c.node)
		require.Nil(t, err)
		require.Equal(t, c.want, got.URL)
	}
	got, err := socket(Node{URL: "https://user:s3cret@a.example"})
	require.Nil(t, err)
	require.Equal(t, "wss://a.example/websocket", got.URL)
	require.NotEmpty(t, got.Authorization)
}

func TestNew(t *testing.T) {
	_, err := New(Config{Now: time.Now})
	require.ErrorIs(t, err, nodepool.ErrNoNodes)
	require.EqualError(t, err, "EmptyRpcUrls")
	_, err = New(Config{Nodes: []Node{{URL: urlA, GatewayProxy: true}}, Now: time.Now})
	require.ErrorIs(t, err, nodepool.ErrNoIdentity)
	p, err := New(Config{Nodes: []Node{{URL: "https://a.example"}, {URL: urlA}, {URL: urlB}}, Now: time.Now})
	require.NoError(t, err)
	require.Len(t, p.Nodes(), 2, "a node that is named twice is one")
}

// TestOneURLWithTwoCredentials checks that a URL with two credentials is two nodes, and that
// the chain of each is checked.
func TestOneURLWithTwoCredentials(t *testing.T) {
	var hosts []string
	fetcher := fetch.Func(func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		hosts = append(hosts, r.Header["Authorization"])
		if r.Header["Authorization"] == "Basic YTo=" {
			return fetch.Response{Status: 401}, nil
		}
		return (&world{nodes: map[string]behaviour{r.URL: at(9)}}).Fetch(ctx, r)
	})
	p, err := New(Config{Nodes: []Node{{URL: "https://a@x.example"}, {URL: "https://b@x.example"}}, ChainID: chainID, Fetcher: fetcher, Now: time.Now})
	require.NoError(t, err)
	_, err = p.Height(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"Basic YTo=", "Basic Yjo=", "Basic Yjo="}, hosts)
}

type identity struct{ secret ed25519.PrivateKey }

func (i identity) public() [32]byte             { return [32]byte(i.secret.Public().(ed25519.PublicKey)) }
func (i identity) PublicKeyEncoded() []byte     { return peerid.EncodeEd25519(i.public()) }
func (i identity) PeerID() peerid.ID            { return peerid.FromEd25519(i.public()) }
func (i identity) Sign(message []byte) [64]byte { return [64]byte(ed25519.Sign(i.secret, message)) }

func TestHeaders(t *testing.T) {
	signer := identity{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{0x7b}, 32))}
	var got fetch.Request
	fetcher := fetch.Func(func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		got = r
		return (&world{nodes: map[string]behaviour{r.URL: at(9)}}).Fetch(ctx, r)
	})
	ask := func(n Node) {
		p, err := New(Config{Nodes: []Node{n}, ChainID: chainID, Fetcher: fetcher, Identity: signer, Now: func() time.Time { return testTime }})
		require.NoError(t, err)
		_, err = p.Query(t.Context(), "/path", []byte("a question of some length"))
		require.NoError(t, err)
	}
	ask(Node{URL: "https://a.example"})
	require.Equal(t, map[string]string{"Content-Type": "application/json"}, got.Header)
	require.Equal(t, "https://a.example/", got.URL)

	ask(Node{URL: "https://user:s3cret@a.example/rpc?key=1", GatewayProxy: true})
	require.Equal(t, "https://a.example/rpc?key=1", got.URL)
	require.Equal(t, "Basic dXNlcjpzM2NyZXQ=", got.Header["Authorization"])
	request, err := proxyauth.Verify(got.Header[proxyauth.Header], testTime, proxyauth.Lifetime)
	require.NoError(t, err)
	require.Equal(t, proxyauth.Request{Peer: signer.PeerID(), URI: "https://a.example/rpc?key=1", BodySize: uint64(len(got.Body))}, request)
	require.Contains(t, string(got.Body), `"method":"abci_query"`)
}

// TestNoCredentialInErrors checks that no part of a credential gets into texts for users or
// logs.
func TestNoCredentialInErrors(t *testing.T) {
	const secret = "s3cretS3cretS3cretS3cret"
	p, err := New(Config{Nodes: []Node{{URL: "https://user:" + secret + "@a.example/" + secret + "?key=" + secret}}, ChainID: chainID,
		Fetcher: &world{nodes: map[string]behaviour{}}, Now: time.Now})
	require.NoError(t, err)
	_, err = p.Height(t.Context())
	require.ErrorContains(t, err, "https://a.example/…: ")
	require.NotContains(t, err.Error(), secret)
	require.Equal(t, "https://a.example/…", p.Nodes()[0].URL)
}
