package nft

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft/nfttest"
)

const ipfsID = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"

// TestRemovedImages checks that a picture that was a document is removed without a replacement
// text, and that the next known picture is used.
func TestRemovedImages(t *testing.T) {
	const svg = `data:image/svg+xml;base64,PHN2Zz4=`
	for _, c := range []struct {
		name, metadata, document string
		want                     Meta
	}{
		{"in the indexer's metadata", `{"image":"` + svg + `"}`, ``, Meta{}},
		{"under the other name", `{"image_url":"` + svg + `"}`, ``, Meta{}},
		{"under one of two names", `{"image":"` + svg + `","image_url":"https://i.example/1"}`, ``, Meta{ImageURL: "https://i.example/1", ImageDomain: "i.example"}},
		{"under the other of two names", `{"image":"https://i.example/1","image_url":"` + svg + `"}`, ``,
			Meta{Image: "https://i.example/1", ImageURL: "https://i.example/1", ImageDomain: "i.example"}},
		{"and another one where the URI leads", `{"image":"` + svg + `"}`, `{"image":"https://i.example/1"}`,
			Meta{Image: "https://i.example/1", ImageURL: "https://i.example/1", ImageDomain: "i.example"}},
		{"where the URI leads", `{"image":"https://i.example/1"}`, `{"image":"` + svg + `"}`,
			Meta{Image: "https://i.example/1", ImageURL: "https://i.example/1", ImageDomain: "i.example"}},
		{"an author who wrote the replacement", `{"image":"` + removed + `"}`, `{"image_url":"` + removed + `"}`, Meta{}},
		{"an animation and a page", `{"animation_url":"` + svg + `","external_url":"data:text/html,x"}`, ``, Meta{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.world.Documents = map[string]nfttest.Answer{smurfURI: {Body: []byte(c.document)}}
			item := smurf("5").With("token_uri", smurfURI, "metadata", c.metadata)
			b.polygon(t, item)
			require.NoError(t, b.Refresh(t.Context(), five, services()))
			require.Equal(t, c.want, b.stored(t, smurfs, "5").Meta)
			b.world.Moved("POLYGON", wallet, goodTransfer())
			require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
			require.Equal(t, c.want.ImageURL, b.transfersOf(t)[0].ImageURL)
			_, err := b.Image(t.Context(), five, true)
			if c.want.ImageURL == "" {
				require.ErrorIs(t, err, ErrNoImage)
			}
		})
	}
}

// TestSchemesInCapitals checks that schemes are case-insensitive (RFC 3986, section 3.1).
func TestSchemesInCapitals(t *testing.T) {
	for uri, want := range map[string][]string{
		"HTTPS://a.example/X":                             {"https://a.example/X"},
		"Http://A.example/X":                              {"http://A.example/X"},
		"IPFS://" + ipfsID + "/X":                         {"https://ipfs.io/ipfs/" + ipfsID + "/X"},
		"Ipfs://ipfs/" + ipfsID:                           {"https://ipfs.io/ipfs/" + ipfsID},
		"AR://AbC":                                        {"https://arweave.net/AbC"},
		"HTTPS://g.example/ipfs/" + ipfsID:                {"https://g.example/ipfs/" + ipfsID, "https://ipfs.io/ipfs/" + ipfsID},
		"ipfs:" + ipfsID:                                  {"https://ipfs.io/ipfs/" + ipfsID},
		"ipfs:/ipfs/" + ipfsID + "/1":                     {"https://ipfs.io/ipfs/" + ipfsID + "/1"},
		"https://" + ipfsID + ".ipfs.dweb.link/1%20a.png": {"https://" + ipfsID + ".ipfs.dweb.link/1%20a.png", "https://ipfs.io/ipfs/" + ipfsID + "/1%20a.png"},
		"https://" + ipfsID + ".ipfs.nftstorage.link/":    {"https://" + ipfsID + ".ipfs.nftstorage.link/", "https://ipfs.io/ipfs/" + ipfsID},
		"https://www.ipfs.tech/1.png":                     {"https://www.ipfs.tech/1.png"},
		"FTP://a.example":                                 nil,
		"HTTP://LOCALHOST/x":                              nil,
		"HTTP://user:pass@a.example/":                     nil,
	} {
		var got []string
		for _, p := range (Settings{Gateways: DefaultGateways()[:1]}).places(uri) {
			require.False(t, p.private)
			got = append(got, p.url)
		}
		require.Equal(t, want, got, uri)
	}
	for uri, want := range map[string]string{
		"IPFS://" + ipfsID: "https://ipfs.io/ipfs/" + ipfsID, "AR://AbC": "https://arweave.net/AbC",
		"HTTPS://IPFS.Moralis.IO:2053/ipfs/" + ipfsID: "https://ipfs.io/ipfs/" + ipfsID,
	} {
		require.Equal(t, want, Settings{}.web(Settings{}.canonical(uri)), uri)
	}
	require.Equal(t, "data:image/png;base64,iVBORw0KGgo=", allowedURI("data:image/png;base64,iVBORw0KGgo="))
	large := "DATA:image/png;base64," + strings.Repeat("A", maxURI)
	require.Equal(t, large, allowedURI(large), "a picture in it has the room of one")
}

// TestMetadataInURIs checks that metadata in a URI is decoded as by a browser.
func TestMetadataInURIs(t *testing.T) {
	const document = `{"name":"100% ö? #5"}`
	packed := base64.StdEncoding.EncodeToString([]byte(document))
	for _, c := range []struct{ name, uri, want string }{
		{"base64", "data:application/json;base64," + packed, "100% ö? #5"},
		{"base64 without its padding", "data:application/json;base64," + strings.TrimRight(packed, "="), "100% ö? #5"},
		{"base64 with lines", "data:application/json;base64," + packed[:8] + "\n" + packed[8:], "100% ö? #5"},
		{"base64, escaped", "data:application/json;base64," + url.QueryEscape(packed), "100% ö? #5"},
		{"base64 in capitals", "DATA:application/json;BASE64," + packed, "100% ö? #5"},
		{"base64 of a charset", "data:application/json;charset=utf-8;base64," + packed, "100% ö? #5"},
		{"invalid base64", "data:application/json;base64,{}", ""},
		{"base64 with a letter too many", "data:application/json;base64," + packed[:5], ""},
		{"escaped", "data:application/json," + url.PathEscape(document), "100% ö? #5"},
		{"as it is", "data:application/json;utf8," + document, "100% ö? #5"},
		{"half escaped", `data:application/json;utf8,{"name":"100%25 or 50%, %zz"}`, "100% or 50%, %zz"},
		{"lines in a text", "data:application/json;utf8,{\"name\":\"two\nlines,\ta tab\"}", "two lines, a tab"},
		{"lines in a text, in base64", "data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte("{\r\n\"name\":\"two\nlines\"\n}")), "two lines"},
		{"empty", "data:application/json,", ""},
		{"no comma", "data:application/json", ""},
		{"a list", `data:application/json,["x"]`, ""},
		{"two documents", "data:application/json," + document + document, ""},
		{"a picture", "data:image/png;base64," + packed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.polygon(t, smurf("5").With("token_uri", c.uri))
			earlier := len(b.world.Requests())
			require.NoError(t, b.Refresh(t.Context(), five, services()))
			require.Equal(t, c.want, b.stored(t, smurfs, "5").Meta.Name)
			for _, r := range b.world.Requests()[earlier:] {
				require.NotContains(t, r.URL, "/url/decode/", "there is nothing to ask for")
			}
		})
	}
}

// TestPicturesInURIs checks that a URI may contain a picture of any supported type, and that
// other content of a URI is not returned.
func TestPicturesInURIs(t *testing.T) {
	for name, c := range map[string]struct{ uri, media string }{
		"PNG":                  {"data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(png)), "image/png"},
		"PNG without padding":  {"data:image/png;base64," + base64.RawStdEncoding.EncodeToString([]byte(png)), "image/png"},
		"GIF in capitals":      {"DATA:image/gif;base64," + base64.StdEncoding.EncodeToString([]byte("GIF87a pixels")), "image/gif"},
		"GIF, escaped":         {"data:image/gif,GIF89a%00%ff", "image/gif"},
		"JPEG that says PNG":   {"data:image/png,%ff%d8%ff%e0", "image/jpeg"},
		"SVG that says PNG":    {"data:image/png,%3Csvg%3E", ""},
		"HTML that says JSON":  {"data:application/json,%3Chtml%3E", ""},
		"JSON":                 {`data:application/json,{"image":"x"}`, ""},
		"SVG":                  {"data:image/svg+xml,%3Csvg%3E", ""},
		"nothing":              {"data:image/png,", ""},
		"RIFF that is no WebP": {"data:image/webp,RIFF1234WAVE", ""},
		"a film":               {"data:image/avif,%00%00%00%20ftypmp42", ""},
		"cut short":            {"data:image/png,%89PNG", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.polygon(t, smurf("5").With("metadata", string(nfttest.JSON(map[string]string{"image": c.uri}).Body)))
			earlier := len(b.world.Requests())
			got, err := b.Image(t.Context(), five, true)
			require.Len(t, b.world.Requests(), earlier, "no request")
			if c.media == "" {
				require.ErrorIs(t, err, ErrNoImage)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.media, got.Type)
		})
	}
}

// TestPrivateHostsAreRefused checks that requests for the author's URLs go only to the public
// internet, unless the operator allowed the host, and that redirects to other hosts are not
// followed.
func TestPrivateHostsAreRefused(t *testing.T) {
	hosts := []string{"localhost", "LOCALHOST.", "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0",
		"10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "[fe80::1]", "[fd00::1]", "router", "nas.local", "a.internal", "１２７.0.0.1"}
	for _, host := range hosts {
		for _, scheme := range []string{"http://", "HTTPS://"} {
			uri := scheme + host + ":8080/5"
			require.Empty(t, Settings{}.places(uri), uri)
			b := newBench(t)
			b.world.Documents = map[string]nfttest.Answer{uri: {Body: []byte(`{"name":"X"}`)}}
			b.polygon(t, smurf("5").With("token_uri", uri, "metadata", `{"image":"`+uri+`"}`))
			require.NoError(t, b.Refresh(t.Context(), five, services()))
			require.Empty(t, b.stored(t, smurfs, "5").Meta.Name)
			_, err := b.Image(t.Context(), five, false)
			require.ErrorIs(t, err, coin.ErrTransport)
			for _, r := range b.world.Requests() {
				require.True(t, strings.HasPrefix(r.URL, indexerURL) || strings.HasPrefix(r.URL, antispamURL+"/api/"), r.URL)
			}
		}
	}
	b := newBench(t)
	b.Settings.PrivateHosts = []string{"nas.local"}
	redirect := nfttest.Answer{Status: 302, Body: []byte(`{"name":"X"}`)}
	b.world.Documents = map[string]nfttest.Answer{"http://nas.local/5": redirect, smurfURI: redirect}
	b.polygon(t, smurf("5").With("token_uri", "http://nas.local/5"), smurf("6").With("token_uri", smurfURI))
	for _, id := range []string{"5", "6"} {
		earlier := len(b.world.Requests())
		require.NoError(t, b.Refresh(t.Context(), Token{Polygon, smurfs, id}, services()))
		require.Empty(t, b.stored(t, smurfs, id).Meta.Name)
		require.Len(t, b.world.Requests()[earlier:], 4, "one request to each")
	}
}

// TestGatewaysAreTriedInOrder checks that the gateways are tried in their order until one
// returns a picture, regardless of the failures of the others.
func TestGatewaysAreTriedInOrder(t *testing.T) {
	gateways := []string{"https://one.example/ipfs/", "https://two.example/ipfs", "https://three.example/x/ipfs/"}
	urls := []string{"https://one.example/ipfs/" + ipfsID, "https://two.example/ipfs/" + ipfsID, "https://three.example/x/ipfs/" + ipfsID}
	good := nfttest.Answer{Body: []byte(png)}
	for _, c := range []struct {
		name     string
		answers  []nfttest.Answer
		requests int
		text     string
	}{
		{"the first", []nfttest.Answer{good, good, good}, 1, ""},
		{"after a status", []nfttest.Answer{{Status: 504}, good, good}, 2, ""},
		{"after a redirect", []nfttest.Answer{{Status: 307, Body: []byte(png)}, good, good}, 2, ""},
		{"after a web page", []nfttest.Answer{{Body: []byte("<html>not found</html>")}, good, good}, 2, ""},
		{"after none", []nfttest.Answer{{Err: fetch.ErrUnreachable}, {Err: fetch.ErrTimeout}, good}, 3, ""},
		{"after one that is too large", []nfttest.Answer{{Body: make([]byte, maxImage+1)}, good, good}, 2, ""},
		{"all fail", []nfttest.Answer{{Err: fetch.ErrUnreachable}, {Status: 404}, {Err: fetch.ErrPrivate}}, 3, "https://three.example/x/ipfs/…: not a public address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.Settings.Gateways = gateways
			b.world.Documents = map[string]nfttest.Answer{}
			for i, a := range c.answers {
				b.world.Documents[urls[i]] = a
			}
			b.polygon(t, smurf("5").With("metadata", `{"image":"ipfs://`+ipfsID+`"}`))
			earlier := len(b.world.Requests())
			_, err := b.Image(t.Context(), five, true)
			var got []string
			for _, r := range b.world.Requests()[earlier:] {
				got = append(got, r.URL)
				require.EqualValues(t, "", string(r.Body))
			}
			require.Equal(t, urls[:c.requests], got)
			if c.text != "" {
				require.EqualError(t, err, c.text)
				return
			}
			require.NoError(t, err)
		})
	}
}

// TestReadAsksForTheURIAlone checks that requests to the service that reads URIs contain only
// the URI, and that there is one request for each place.
func TestReadAsksForTheURIAlone(t *testing.T) {
	b := newBench(t)
	uri := "https://a.example/ö?b=c&d=" + ipfsID + "#wallet"
	b.polygon(t, smurf("5").With("token_uri", uri))
	earlier := len(b.world.Requests())
	require.Equal(t, Meta{}, b.read(t.Context(), services().Antispam, &NFT{URI: uri}))
	got := b.world.Requests()[earlier:]
	require.Len(t, got, 1)
	name, err := hex.DecodeString(strings.TrimPrefix(got[0].URL, antispamURL+"/url/decode/"))
	require.NoError(t, err)
	require.Equal(t, "https://a.example/%C3%B6?b=c&d="+ipfsID, string(name), "without the fragment")
	require.Equal(t, map[string]string{"Accept": "application/json"}, got[0].Header)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, Meta{}, b.read(ctx, services().Antispam, &NFT{URI: uri}))
	require.Error(t, b.Refresh(ctx, five, services()), "a canceled refresh changes nothing")
}
