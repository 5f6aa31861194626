package nft

import (
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"net/url"
	"strings"

	"obverse/core/net/fetch"
	"obverse/core/text"
)

// Settings are the operator's settings.
type Settings struct {
	// PrivateHosts are names and addresses, without ports, that URLs of NFTs may use although they
	// are not on the public internet.
	PrivateHosts []string
	// Gateways are the URL prefixes for ipfs paths, in the order in which they are tried. nil
	// means DefaultGateways.
	Gateways []string
}

// DefaultGateways returns gateways that serve IPFS over HTTP without redirects to other hosts.
func DefaultGateways() []string {
	return []string{"https://ipfs.io/ipfs/", "https://gateway.pinata.cloud/ipfs/", "https://4everland.io/ipfs/"}
}

// place is a URL where the resource of a URI may be fetched.
type place struct {
	url     string
	private bool // whether the operator allows it regardless of its address
}

// places returns the URLs for a URI of an NFT, in the order in which to try them. It returns no
// URLs if the kind of URI or its host is not supported.
func (s Settings) places(uri string) (all []place) {
	if path, is := ipfsPath(uri); is {
		for _, gateway := range s.gateways() {
			u := strings.TrimSuffix(gateway, "/") + "/" + path
			all = append(all, place{u, s.allows(u) || fetch.CheckPublic(u) != nil})
		}
	}
	if id, is := cutScheme(uri, "ar://"); is {
		uri = "https://arweave.net/" + id
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.EqualFold(u.Hostname(), moralisGateway) {
		return all
	}
	u.Fragment, u.RawFragment = "", ""
	given := place{u.String(), s.allows(uri)}
	if !given.private && fetch.CheckPublic(uri) != nil {
		return all
	}
	return append([]place{given}, all...)
}

func (s Settings) gateways() []string {
	if s.Gateways == nil {
		return DefaultGateways()
	}
	return s.Gateways
}

// allows reports whether the operator allows the host of a URL.
func (s Settings) allows(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	for _, host := range s.PrivateHosts {
		if strings.EqualFold(host, u.Hostname()) {
			return true
		}
	}
	return false
}

// moralisGateway is the indexer's IPFS gateway. It does not serve the files that the indexer
// names.
const moralisGateway = "ipfs.moralis.io"

// canonical returns a URI in its stored form. It replaces the indexer's own gateway by the
// first configured one.
func (s Settings) canonical(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || !strings.EqualFold(u.Hostname(), moralisGateway) {
		return uri
	}
	if path, is := ipfsPath(uri); is && len(s.gateways()) > 0 {
		return strings.TrimSuffix(s.gateways()[0], "/") + "/" + path
	}
	return uri
}

// web returns a URL that a browser can read: the first of the URI's places, or the URI itself.
func (s Settings) web(uri string) string {
	if isWeb(uri) {
		return uri
	}
	if all := s.places(uri); len(all) > 0 {
		return all[0].url
	}
	return storedURI(uri)
}

// isWeb reports whether the scheme of a URI is http or https.
func isWeb(uri string) bool {
	_, plain := cutScheme(uri, "http://")
	_, secure := cutScheme(uri, "https://")
	return plain || secure
}

// ipfsPath returns the part after /ipfs/ of any form of IPFS URI: a content identifier, and
// optionally an escaped path in it. Gateways have the identifier in the path or in their host
// name.
func ipfsPath(uri string) (path string, is bool) {
	rest, is := cutScheme(uri, "ipfs:")
	switch {
	case is:
		rest = strings.TrimPrefix(strings.TrimLeft(rest, "/"), "ipfs/")
	case isWeb(uri):
		u, err := url.Parse(uri)
		if err != nil {
			return "", false
		}
		id, gateway, _ := strings.Cut(u.Hostname(), ".")
		if strings.HasPrefix(gateway, "ipfs.") {
			rest = strings.TrimSuffix(id+u.EscapedPath(), "/")
		} else if rest, is = strings.CutPrefix(u.EscapedPath(), "/ipfs/"); !is {
			return "", false
		}
	default:
		rest = strings.TrimPrefix(strings.TrimPrefix(uri, "/"), "ipfs/")
	}
	id, _, _ := strings.Cut(rest, "/")
	if len(id) < 46 || len(id) > 128 || strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}) {
		return "", false
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		rest = plain
	}
	for part := range strings.SplitSeq(rest, "/") {
		if part == ".." || part == "." {
			return "", false
		}
	}
	return (&url.URL{Path: rest}).EscapedPath(), true
}

// domainOf returns the host name of an http or https URL, or "". It reads URLs as leniently as
// browsers do (https://url.spec.whatwg.org): they open https:\\host, https:host and hosts with
// escapes, invisible characters, and letters and dots of full width.
func domainOf(uri string) string {
	uri = strings.TrimFunc(uri, func(r rune) bool { return r <= ' ' || text.Invisible(r) })
	uri = strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(uri)
	rest, is := cutScheme(uri, "https:")
	if !is {
		rest, is = cutScheme(uri, "http:")
	}
	if !is && !strings.HasPrefix(uri, "//") {
		return ""
	}
	host := strings.TrimLeft(rest, "/")
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	host, port, found := strings.Cut(host[strings.LastIndexByte(host, '@')+1:], ":")
	if found && strings.Trim(port, "0123456789") != "" { // such as an IPv6 address
		return ""
	}
	host = strings.ToLower(strings.Map(func(r rune) rune {
		switch {
		case r == '。' || r == '｡':
			return '.'
		case r >= '！' && r <= '～': // ASCII in full width
			return r - '！' + '!'
		case text.Invisible(r):
			return -1
		}
		return r
	}, unescape(host)))
	host = strings.TrimSuffix(host, ".")
	if _, err := netip.ParseAddr(host); err == nil || len(host) > 253 || strings.ContainsAny(host, ", %") {
		return ""
	}
	return host
}

// cutScheme is like strings.CutPrefix for a scheme, ignoring case (RFC 3986, section 3.1).
func cutScheme(uri, scheme string) (rest string, is bool) {
	if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
		return uri, false
	}
	return uri[len(scheme):], true
}

// inData decodes the content of a data: URI as leniently as browsers do. The body is nil if it
// cannot be decoded. The media type is in lower case.
func inData(uri string) (media string, body []byte, is bool) {
	rest, is := cutScheme(uri, "data:")
	if !is {
		return "", nil, false
	}
	media, content, _ := strings.Cut(rest, ",")
	content = unescape(content)
	media, packed := strings.CutSuffix(strings.ToLower(media), ";base64")
	if !packed {
		return media, []byte(content), true
	}
	content = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "").Replace(content) // base64url, and line breaks
	body, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(content, "="))
	if err != nil {
		return media, nil, true
	}
	return media, body, true
}

// unescape decodes percent escapes. Invalid escapes stay as they are.
func unescape(text string) string {
	before, rest, found := strings.Cut(text, "%")
	if !found {
		return text
	}
	out := []byte(before)
	for part := range strings.SplitSeq(rest, "%") {
		if b, err := hex.DecodeString(part[:min(len(part), 2)]); err == nil && len(b) == 1 {
			out, part = append(out, b[0]), part[2:]
		} else {
			out = append(out, '%')
		}
		out = append(out, part...)
	}
	return string(out)
}
