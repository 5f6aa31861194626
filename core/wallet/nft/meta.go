package nft

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"strings"
)

// readMeta reads what the author of an NFT says of it: a JSON object, of which members
// of another type than they should be, or with a document in them, are left out. What is
// no object is empty.
func readMeta(raw []byte) Meta {
	var members map[string]json.RawMessage
	if decode(raw, &members) != nil {
		return Meta{}
	}
	return Meta{
		Image:        uriOf(members["image"]),
		ImageURL:     uriOf(members["image_url"]),
		Name:         singleLine(textOf(members["name"]), maxName),
		Description:  truncate(textOf(members["description"]), maxDescription),
		Attributes:   jsonOf(members["attributes"]),
		AnimationURL: uriOf(members["animation_url"]),
		ExternalURL:  uriOf(members["external_url"]),
		ImageDetails: jsonOf(members["image_details"]),
	}
}

// document reads the document of an NFT. In its URIs, the id of an ERC-1155 token replaces {id}
// (EIP-1155), and those that are relative are resolved against the document's own.
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

// hexID is the id as EIP-1155 has it in URIs: 64 hexadecimal digits.
func (t Token) hexID() string {
	id, ok := new(big.Int).SetString(t.ID, 10)
	if !ok {
		return t.ID
	}
	return fmt.Sprintf("%064x", id)
}

// resolved is a URI of a document as one that leads there from elsewhere.
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

// inlineDocument returns the document that stands in the place of a URI: in a data: URI that is not a
// picture, or by itself.
func inlineDocument(uri string) (body []byte, is bool) {
	if text := strings.TrimSpace(strings.TrimPrefix(uri, "\ufeff")); strings.HasPrefix(text, "{") {
		return []byte(text), true
	}
	media, body, is := inData(uri)
	return body, is && !strings.HasPrefix(media, "image/")
}

// textOf is the value of a JSON string, or a number as it is written; "" for the rest.
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

// uriOf is the URI of a JSON string, if it is not too long. A picture may be in it.
func uriOf(raw json.RawMessage) (uri string) {
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &uri) != nil {
		return ""
	}
	return allowedURI(uri)
}

func allowedURI(uri string) string {
	uri = detach(strings.ToValidUTF8(strings.TrimSpace(uri), "\ufffd"), uri)
	most := maxURI
	if _, is := cutScheme(uri, "data:"); is {
		most = maxJSON
	}
	if len(uri) > most || hasActiveContent(uri) {
		return ""
	}
	return storedURI(uri)
}

// storedURI is a URI of a record or of metadata, "" if a document was removed from it. Older
// versions kept the replacement text as if it were the URI.
func storedURI(uri string) string {
	if uri == removed {
		return ""
	}
	return uri
}

// jsonOf is JSON as it is written, but for the documents in it.
func jsonOf(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	return cleanJSON(string(raw))
}

// fill takes over from another what is missing. An image's URL may be under either name.
func (m *Meta) fill(from *Meta) {
	image := storedURI(from.Image)
	for _, of := range [...]struct {
		to   *string
		with string
	}{
		{&m.ImageURL, or(m.Image, or(storedURI(from.ImageURL), image))}, {&m.Name, from.Name}, {&m.Description, from.Description},
		{&m.Attributes, from.Attributes}, {&m.AnimationURL, storedURI(from.AnimationURL)}, {&m.ExternalURL, storedURI(from.ExternalURL)},
		{&m.ImageDetails, from.ImageDetails}, {&m.Image, image},
	} {
		if *of.to == "" {
			*of.to = of.with
		}
	}
}

// hasContent reports whether there is anything in it.
func (m *Meta) hasContent() bool {
	return m.Image+m.ImageURL+m.Name+m.Description+m.Attributes+m.AnimationURL+m.ExternalURL+m.ImageDetails != ""
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// setDomains finds where the URLs lead, when they are all there.
func (m *Meta) setDomains() {
	m.ImageDomain, m.AnimationDomain, m.ExternalDomain = domainOf(m.ImageURL), domainOf(m.AnimationURL), domainOf(m.ExternalURL)
}

// domains are those that a scan is asked about, each once.
func (n *NFT) domains() (all []string) {
	for _, d := range [...]string{n.Domain, n.Meta.ImageDomain, n.Meta.AnimationDomain, n.Meta.ExternalDomain} {
		if d != "" && !strings.Contains(","+strings.Join(all, ",")+",", ","+d+",") {
			all = append(all, d)
		}
	}
	return all
}
