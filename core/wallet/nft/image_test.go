package nft

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft/nfttest"
)

const png = "\x89PNG\r\n\x1a\npixels"

func TestImage(t *testing.T) {
	const id = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG"
	at := func(body string) map[string]nfttest.Answer {
		return map[string]nfttest.Answer{smurfImage: {Type: "text/html", Body: []byte(body)}}
	}
	for _, c := range []struct {
		name, image string
		world       map[string]nfttest.Answer
		media       string
		fails       error
		text        string
	}{
		{"PNG", smurfImage, at(png), "image/png", nil, ""},
		{"JPEG", smurfImage, at("\xff\xd8\xff\xe0 pixels"), "image/jpeg", nil, ""},
		{"GIF", smurfImage, at("GIF89a pixels"), "image/gif", nil, ""},
		{"WebP", smurfImage, at("RIFF1234WEBP pixels"), "image/webp", nil, ""},
		{"AVIF", smurfImage, at("\x00\x00\x00\x20ftypavif pixels"), "image/avif", nil, ""},
		{"SVG", smurfImage, at("<svg xmlns='http://www.w3.org/2000/svg'><script>x</script></svg>"), "", coin.ErrTransport, "not a PNG, JPEG, GIF, WebP or AVIF picture"},
		{"HTML", smurfImage, at("<html>"), "", coin.ErrTransport, "not a PNG"},
		{"nothing", smurfImage, at(""), "", coin.ErrTransport, "not a PNG"},
		{"not there", smurfImage, nil, "", coin.ErrTransport, "https://images.example/5.jpg: HTTP status 404"},
		{"elsewhere", smurfImage, map[string]nfttest.Answer{smurfImage: {Status: 302, Body: []byte(png)}}, "", coin.ErrTransport, "HTTP status 302"},
		{"50 MB", smurfImage, at(png + string(make([]byte, 50<<20))), "", coin.ErrTransport, "too large"},
		{"IPFS, at the second gateway", "ipfs://" + id, map[string]nfttest.Answer{"https://gateway.pinata.cloud/ipfs/" + id: {Body: []byte(png)}}, "image/png", nil, ""},
		{"IPFS, at no gateway", "ipfs://" + id, nil, "", coin.ErrTransport, "https://4everland.io/ipfs/…: HTTP status 404"},
		{"written into it", "data:image/png;base64,iVBORw0KGgo=", nil, "image/png", nil, ""},
		{"written into it, and none", "data:image/png;base64,PHN2Zz4=", nil, "", ErrNoImage, ""},
		{"this machine", "http://127.0.0.1/5.png", map[string]nfttest.Answer{"http://127.0.0.1/5.png": {Body: []byte(png)}}, "", coin.ErrTransport, "http://127.0.0.1/5.png: its URL leads to the private host 127.0.0.1, where no picture is looked for; nft.private_hosts of the config allows hosts"},
		{"a name of the network around", "https://printer.local/5.png", nil, "", coin.ErrTransport, "the private host printer.local, where no picture"},
		{"no URL of the web", "ftp://images.example/5.png", nil, "", coin.ErrTransport, "its URL leads to where no picture is looked for"},
		{"an allowed host", "http://images.lan/5.png", map[string]nfttest.Answer{"http://images.lan/5.png": {Body: []byte(png)}}, "image/png", nil, ""},
		{"none", "", nil, "", ErrNoImage, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.Settings.PrivateHosts = []string{"images.lan"}
			b.world.Documents = c.world
			b.polygon(t, smurf("5").With("metadata", string(nfttest.JSON(map[string]string{"image": c.image}).Body)))
			earlier := len(b.world.Requests())
			got, err := b.Image(t.Context(), five, true)
			for _, r := range b.world.Requests()[earlier:] {
				require.Equal(t, c.image != "http://images.lan/5.png", r.Public, "URLs of authors are limited to the public internet")
				require.NotContains(t, r.Header, "Authorization")
			}
			if c.fails != nil {
				require.ErrorIs(t, err, c.fails)
				require.ErrorContains(t, err, c.text)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.media, got.Type)
			require.Equal(t, c.media, pictureType(got.Data))
		})
	}
}

// TestImageOfSpam checks that pictures of spam are not fetched, which would give the user's IP
// address to the author.
func TestImageOfSpam(t *testing.T) {
	b := newBench(t)
	b.world.Documents = map[string]nfttest.Answer{smurfImage: {Body: []byte(png)}}
	b.polygon(t, smurf("5").With("possible_spam", true, "metadata", smurfMeta))
	earlier := len(b.world.Requests())
	_, err := b.Image(t.Context(), five, true)
	require.ErrorIs(t, err, ErrSpam)
	require.Len(t, b.world.Requests(), earlier)
	_, err = b.Image(t.Context(), five, false)
	require.NoError(t, err)
	_, err = b.Image(t.Context(), Token{ETH, smurfs, "5"}, false)
	require.ErrorAs(t, err, new(*NotFoundError))

	ctx, cancel := context.WithCancel(t.Context())
	b.world.Hook = func(nfttest.Request) (nfttest.Answer, bool) {
		cancel()
		return nfttest.Answer{Err: context.Canceled}, true
	}
	_, err = b.Image(ctx, five, false)
	require.ErrorIs(t, err, context.Canceled)
	b.world.Hook = hooked(nfttest.Answer{Err: fetch.ErrPrivate})
	_, err = b.Image(t.Context(), five, false)
	require.True(t, errors.Is(err, fetch.ErrPrivate) && errors.Is(err, coin.ErrTransport))
}
