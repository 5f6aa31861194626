package nodepool

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	for _, c := range []struct {
		raw  string
		want Endpoint
	}{
		{"https://a.example", Endpoint{"https://a.example/", "", "https://a.example"}},
		{"http://127.0.0.1:26657/", Endpoint{"http://127.0.0.1:26657/", "", "http://127.0.0.1:26657"}},
		{"https://a.example/rpc/", Endpoint{"https://a.example/rpc/", "", "https://a.example/rpc"}},
		{"HTTPS://A.example/#part", Endpoint{"https://A.example/", "", "https://A.example"}},
		{"https://a.example/?key=s3cret", Endpoint{"https://a.example/?key=s3cret", "", "https://a.example"}},
		{"https://user:s3cret@a.example/x", Endpoint{"https://a.example/x", basic("user:s3cret"), "https://a.example/x"}},
		{"https://s3cret@a.example", Endpoint{"https://a.example/", basic("s3cret:"), "https://a.example"}},
		{"https://us%40er:s3%3Acret@a.example", Endpoint{"https://a.example/", basic("us@er:s3:cret"), "https://a.example"}},
		{"https://a.example/v2/s3cretS3cretS3cretS3cret/rpc", Endpoint{"https://a.example/v2/s3cretS3cretS3cretS3cret/rpc", "", "https://a.example/v2/…/rpc"}},
		{"https://a.example/SecretSecretSecretSecret", Endpoint{"https://a.example/SecretSecretSecretSecret", "", "https://a.example/…"}},
		{"https://a.example/cosmoshub-4/tendermint-rpc-interface", Endpoint{"https://a.example/cosmoshub-4/tendermint-rpc-interface", "",
			"https://a.example/cosmoshub-4/tendermint-rpc-interface"}},
		{" \thttps://a.example/x\r\n", Endpoint{"https://a.example/x", "", "https://a.example/x"}},
		{"http://[::1]:26657", Endpoint{"http://[::1]:26657/", "", "http://[::1]:26657"}},
		{"https://a.example/%C3%BC", Endpoint{"https://a.example/%C3%BC", "", "https://a.example/%C3%BC"}},
	} {
		got, err := Parse(c.raw, "http", "https")
		require.Nil(t, err, c.raw)
		require.Equal(t, c.want, got)
		again, err := Parse(got.URL, "http", "https")
		require.Nil(t, err)
		require.Equal(t, got.URL, again.URL)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("https://user:s3cret@a.example/rpc?key=1#x")
	f.Add("http://[::1]:26657")
	f.Fuzz(func(t *testing.T, raw string) {
		e, err := Parse(raw, "http", "https")
		if err != nil {
			require.LessOrEqual(t, len(err.URL), 700)
			return
		}
		require.NotContains(t, e.Label, "?")
		again, err := Parse(e.URL, "http", "https")
		require.Nil(t, err, e.URL)
		require.Equal(t, e.URL, again.URL)
		require.Empty(t, again.Authorization)
	})
}

func TestPublicNode(t *testing.T) {
	secret, bare := Node{URL: "https://u:p@a.example"}, Node{URL: "https://b.example"}
	api := Node{URL: "https://c.example", APIURL: "https://d.example"}
	nodes := []Node{secret, bare, api}
	require.Equal(t, bare, FirstPublic(nodes, false))
	require.Equal(t, api, FirstPublic(nodes, true))
	nodes = nodes[:1]
	require.Zero(t, FirstPublic(nodes, false))
}
