package nft

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"strings"

	"obverse/core/text"
)

// readMeta parses the author's metadata of an NFT, a JSON object. It drops members of the wrong
// type and members that contain a document. The result is empty if raw is not an object.
func readMeta(raw []byte) Meta {
	var members map[string]json.RawMessage
	if decode(raw, &members) != nil {
		return Meta{}
	}
	return Meta{
		Image:        uriOf(members["image"]),
		ImageURL:     uriOf(members["image_url"]),
		Name:         singleLine(textOf(members["name"]), maxName),
		Description:  truncate(text.Visible(truncate(textOf(members["description"]), maxDescription)), maxDescription),
		Attributes:   jsonOf(members["attributes"]),
		AnimationURL: uriOf(members["animation_url"]),
		ExternalURL:  uriOf(members["external_url"]),
		ImageDetails: jsonOf(members["image_details"]),
	}
}

// document parses the document of an NFT. In its URIs, the id of an ERC-1155 token replaces
// {id} (EIP-1155), and relative URIs are resolved against the URI of the document.
func (n *NFT) document(raw []byte) Meta {
	m := readMeta(raw)
	for _, uri := range []*string{&m.Image, &m.ImageURL, &m.AnimationURL, &m.ExternalURL} {
		if n.Type == ERC1155 {
			*uri = strings.ReplaceAll(*uri, "{id}", n.hexID())
		}
		*uri = resolved(n.URI, *uri)
	}
	if n.Type == ERC1155 {
		m.Name, m.Description = strings.ReplaceAll(m.Name, "{id}", n.hexID()), strings.ReplaceAll(m.Description, "{id}", n.hexID())
	}
	return m
}

// hexID returns the id as 64 hexadecimal digits, its form in URIs (EIP-1155).
func (t Token) hexID() string {
	id, ok := new(big.Int).SetString(t.ID, 10)
	if !ok {
		return t.ID
	}
	return fmt.Sprintf("%064x", id)
}

// resolved resolves a URI of a document against the document's own URI.
func resolved(document, uri string) string {
	if path, is := ipfsPath(document); is && !isWeb(document) {
		document = "ipfs://" + path
	}
	base, err := url.Parse(document)
	if err != nil || base.Host == "" || uri == "" || base.Scheme == "data" {
		return uri
	}
	if _, is := ipfsPath(uri); is {
		return uri
	}
	reference, err := url.Parse(uri)
	if err != nil || reference.Scheme != "" {
		return uri
	}
	return allowedURI(base.ResolveReference(reference).String())
}

// inlineDocument returns the document that a URI contains, as a data: URI that is not a picture
// or as plain JSON.
func inlineDocument(uri string) (body []byte, is bool) {
	if text := strings.TrimSpace(strings.TrimPrefix(uri, "\ufeff")); strings.HasPrefix(text, "{") {
		return []byte(text), true
	}
	media, body, is := inData(uri)
	return body, is && !strings.HasPrefix(media, "image/")
}

// textOf returns the value of a JSON string, the text of a number, or "" for other types.
func textOf(raw json.RawMessage) string {
	var value rawText
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || json.Unmarshal(raw, &value) != nil {
		return ""
	}
	if hasActiveContent(string(value)) {
		return removed
	}
	return string(value)
}

// uriOf returns the URI in a JSON string, or "" if it is too long. It may be a data: URI with a
// picture.
func uriOf(raw json.RawMessage) (uri string) {
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &uri) != nil {
		return ""
	}
	return allowedURI(uri)
}

func allowedURI(uri string) string {
	uri = detach(strings.ToValidUTF8(strings.TrimSpace(uri), "\ufffd"), uri)
	limit := maxURI
	if _, is := cutScheme(uri, "data:"); is {
		limit = maxJSON
	}
	if len(uri) > limit || hasActiveContent(uri) {
		return ""
	}
	return storedURI(uri)
}

// storedURI returns a URI of a record or of metadata, or "" if a document was removed from it.
// Older versions stored the replacement text as if it were the URI.
func storedURI(uri string) string {
	if uri == removed {
		return ""
	}
	return uri
}

// jsonOf returns JSON without the documents in it.
func jsonOf(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	return cleanJSON(string(raw))
}

// fill sets missing members from another Meta. The URL of an image may be in either of two
// members.
func (m *Meta) fill(from *Meta) {
	image := storedURI(from.Image)
	for _, field := range [...]struct {
		to   *string
		with string
	}{
		{&m.ImageURL, or(m.Image, or(storedURI(from.ImageURL), image))}, {&m.Name, from.Name}, {&m.Description, from.Description},
		{&m.Attributes, from.Attributes}, {&m.AnimationURL, storedURI(from.AnimationURL)}, {&m.ExternalURL, storedURI(from.ExternalURL)},
		{&m.ImageDetails, from.ImageDetails}, {&m.Image, image},
	} {
		if *field.to == "" {
			*field.to = field.with
		}
	}
}

// hasContent reports whether any member is set.
func (m *Meta) hasContent() bool {
	return m.Image+m.ImageURL+m.Name+m.Description+m.Attributes+m.AnimationURL+m.ExternalURL+m.ImageDetails != ""
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// setDomains sets the domains of the URLs. Call it when all URLs are set.
func (m *Meta) setDomains() {
	m.ImageDomain, m.AnimationDomain, m.ExternalDomain = domainOf(m.ImageURL), domainOf(m.AnimationURL), domainOf(m.ExternalURL)
}

// domains returns the domains to scan, without duplicates.
func (n *NFT) domains() (all []string) {
	for _, d := range [...]string{n.Domain, n.Meta.ImageDomain, n.Meta.AnimationDomain, n.Meta.ExternalDomain} {
		if d != "" && !strings.Contains(","+strings.Join(all, ",")+",", ","+d+",") {
			all = append(all, d)
		}
	}
	return all
}
