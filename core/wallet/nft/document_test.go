package nft

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const pixel = "\x89PNG\r\n\x1a\n\xfb\xff\xbe"

// TestDocument checks the targets of the URIs in a document.
func TestDocument(t *testing.T) {
	const id = "000000000000000000000000000000000000000000000000000000000004cce0" // 314592
	for _, c := range []struct{ name, kind, uri, image, want string }{
		{"absolute", ERC721, "http://h.example/a/rel.json", "https://i.example/p.png", "https://i.example/p.png"},
		{"next to it", ERC721, "http://h.example/a/rel.json", "images/p.png", "http://h.example/a/images/p.png"},
		{"with dots", ERC721, "http://h.example/a/rel.json?x=1", "./../p.png", "http://h.example/p.png"},
		{"of the host", ERC721, "http://h.example/a/rel.json", "/p.png", "http://h.example/p.png"},
		{"of the scheme", ERC721, "https://h.example/a/rel.json", "//i.example/p.png", "https://i.example/p.png"},
		{"in IPFS", ERC721, "ipfs://" + ipfsID + "/a/1.json", "p.png", "ipfs://" + ipfsID + "/a/p.png"},
		{"in IPFS, bare", ERC721, ipfsID + "/a/1.json", "/p.png", "ipfs://" + ipfsID + "/p.png"},
		{"another one of IPFS", ERC721, "http://h.example/1.json", ipfsID + "/p.png", ipfsID + "/p.png"},
		{"Arweave", ERC721, "ar://h/1.json", "ar://i", "ar://i"},
		{"data", ERC721, "http://h.example/1.json", "data:image/png;base64,iVBORw0KGgo=", "data:image/png;base64,iVBORw0KGgo="},
		{"in data", ERC721, "data:application/json,{}", "p.png", "p.png"},
		{"id", ERC1155, "http://h.example/1.json", "http://h.example/img/{id}.png", "http://h.example/img/" + id + ".png"},
		{"id, relative", ERC1155, "http://h.example/1.json", "img/{id}.png", "http://h.example/img/" + id + ".png"},
		{"id of ERC-721 has no id in URIs", ERC721, "http://h.example/1.json", "http://h.example/img/{id}.png", "http://h.example/img/{id}.png"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := NFT{Token: Token{ID: "314592"}, Type: c.kind, URI: c.uri}
			for _, member := range []string{"image", "image_url", "animation_url", "external_url"} {
				raw, err := json.Marshal(map[string]string{"name": "Item {id}", member: c.image})
				require.NoError(t, err)
				m := n.document(append([]byte("\xef\xbb\xbf"), raw...))
				require.Equal(t, c.want, m.Image+m.ImageURL+m.AnimationURL+m.ExternalURL, member)
				if c.kind == ERC1155 {
					require.Equal(t, "Item "+id, m.Name)
				}
			}
		})
	}
}

// TestInlineDocuments checks URIs of contracts that contain the document or the picture.
func TestInlineDocuments(t *testing.T) {
	g := &Gallery{Config: Config{Now: time.Now}}
	const document = `{"name":"Ünï >>??","image":"https://i.example/p.png"}`
	for name, uri := range map[string]string{
		"JSON":             document,
		"JSON after space": " \n" + document,
		"BOM":              "\xef\xbb\xbf" + document,
		"data":             "data:application/json," + document,
		"data, utf8":       "data:application/json;utf8," + document,
		"base64":           "data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(document)),
		"base64url":        "data:application/json;base64," + base64.RawURLEncoding.EncodeToString([]byte(document)),
		"base64 with BOM":  "data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte("\xef\xbb\xbf"+document)),
	} {
		t.Run(name, func(t *testing.T) {
			n := NFT{Type: ERC721}
			g.apply(&n, Texts{URI: uri})
			require.Equal(t, "Ünï >>??", n.Meta.Name)
			require.Equal(t, "https://i.example/p.png", n.Meta.ImageURL)
			require.NotEmpty(t, n.MetaSync)
		})
	}
	for name, uri := range map[string]string{
		"base64":    "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(pixel)),
		"base64url": "data:image/png;base64," + base64.URLEncoding.EncodeToString([]byte(pixel)),
	} {
		t.Run("picture, "+name, func(t *testing.T) {
			n := NFT{Type: ERC721}
			g.apply(&n, Texts{URI: uri})
			require.Equal(t, uri, n.Meta.ImageURL)
			_, body, _ := inData(n.Meta.ImageURL)
			require.Equal(t, pixel, string(body))
		})
	}
	n := NFT{Type: ERC721}
	g.apply(&n, Texts{URI: "data:image/svg+xml,<svg onload=alert(1)>"})
	require.Empty(t, n.Meta.ImageURL)
	require.Equal(t, "images/p.png", displayURL("images/p.png"))
	require.Equal(t, "images/ gnp.exe", displayURL(" images/\u202egnp\u200b.exe"))
	require.Len(t, displayURL(strings.Repeat("x", maxURI)), maxName)
}
