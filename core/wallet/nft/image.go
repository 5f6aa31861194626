package nft

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"obverse/core/net/fetch"
)

// Image is a raster image.
type Image struct {
	Type string // image/png, image/jpeg, image/gif, image/webp or image/avif
	Data []byte
}

// maxImage is the maximum size of a picture in bytes.
const maxImage = 4 << 20

// Reasons why there is no picture.
var (
	// ErrNoImage reports that no picture of the NFT is known.
	ErrNoImage = errors.New("no picture of the NFT is known")
	// ErrSpam reports that the NFT is spam or phishing, so that its picture is not fetched.
	ErrSpam = errors.New("the NFT may be spam, and its author would learn who fetches the picture")

	errNotImage       = errors.New("not a PNG, JPEG, GIF, WebP or AVIF picture")
	errUnsupportedURL = errors.New("its URL leads to where no picture is looked for")
	errPrivateHost    = errors.New("where no picture is looked for; nft.private_hosts of the config allows hosts")
)

// Image fetches the picture of a stored NFT from its URL or from one of the gateways. With
// protect, it refuses possible spam with ErrSpam. Its other errors are *NotFoundError,
// ErrNoImage, *RemoteError, *StoreError and the context's.
func (g *Gallery) Image(ctx context.Context, t Token, protect bool) (Image, error) {
	n, err := g.find(ctx, t)
	if err != nil {
		return Image{}, err
	}
	if protect && (n.Spam || n.Phishing) {
		return Image{}, ErrSpam
	}
	uri := or(storedURI(n.Meta.ImageURL), storedURI(n.Meta.Image))
	if uri == "" {
		return Image{}, ErrNoImage
	}
	if _, body, is := inData(uri); is {
		if media := pictureType(body); media != "" {
			return Image{media, body}, nil
		}
		return Image{}, ErrNoImage
	}
	reason := placeError(uri)
	failure := &RemoteError{URL: displayURL(uri), Reason: displayURL(uri) + ": " + reason.Error(), Err: reason}
	for _, p := range g.Settings.places(uri) {
		image, err := g.picture(ctx, p)
		if err == nil {
			return image, nil
		}
		if ctx.Err() != nil {
			return Image{}, ctx.Err()
		}
		failure = &RemoteError{URL: displayURL(p.url), Reason: displayURL(p.url) + ": " + err.Error(), Err: err}
	}
	return Image{}, failure
}

// placeError returns why a URI has no places and is not fetched.
func placeError(uri string) error {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || fetch.CheckPublic(uri) == nil {
		return errUnsupportedURL
	}
	return fmt.Errorf("its URL leads to the private host %s, %w", u.Hostname(), errPrivateHost)
}

// picture fetches a picture. Its bytes determine its type, not the server's header.
func (g *Gallery) picture(ctx context.Context, p place) (Image, error) {
	r := fetch.Request{Method: "GET", URL: p.url, Header: map[string]string{"Accept": "image/avif,image/webp,image/png,image/jpeg,image/gif"},
		Limit: maxImage, Public: !p.private}
	answer, err := g.send(ctx, r, shortTimeout)
	if err != nil {
		return Image{}, err
	}
	if answer.Status != 200 {
		return Image{}, fmt.Errorf("HTTP status %d", answer.Status)
	}
	media := pictureType(answer.Body)
	if media == "" {
		return Image{}, errNotImage
	}
	return Image{media, answer.Body}, nil
}

// pictureType returns the media type of a picture by its first bytes, or "" if it is not a
// supported raster format.
func pictureType(body []byte) string {
	for _, known := range [...]struct{ begins, media string }{
		{"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"}, {"GIF87a", "image/gif"}, {"GIF89a", "image/gif"},
	} {
		if bytes.HasPrefix(body, []byte(known.begins)) {
			return known.media
		}
	}
	if len(body) < 12 {
		return ""
	}
	switch head := string(body[:12]); {
	case head[:4] == "RIFF" && head[8:] == "WEBP":
		return "image/webp"
	case strings.HasPrefix(head[4:], "ftypavif"), strings.HasPrefix(head[4:], "ftypavis"):
		return "image/avif"
	}
	return ""
}
