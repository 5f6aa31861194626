package nft

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"obverse/core/text"
)

// redacted replaces a text with a link, as in Komodo DeFi Framework.
const redacted = "URL redacted for user protection"

// hasLink reports whether a name contains a link, or a text that people may mistake for one and
// type, such as a URL scheme or a domain. Names of the Ethereum Name Service are not links.
func hasLink(name string) bool {
	name = normalize(name)
	for _, word := range strings.Fields(name) {
		scheme, rest, found := strings.Cut(word, ":")
		if found && scheme != "" && (strings.HasPrefix(rest, "/") || isScheme(scheme) && rest != "") {
			return true
		}
		if hasDomain(word) {
			return true
		}
	}
	return false
}

// normalize removes invisible characters, and replaces the dots of other scripts.
func normalize(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '。' || r == '．' || r == '｡' || r == '․' || r == '﹒':
			return '.'
		case r == '：' || r == '∶' || r == '﹕':
			return ':'
		case r == '／':
			return '/'
		case text.Invisible(r) && !unicode.IsSpace(r):
			return -1
		}
		return r
	}, name)
}

func isScheme(word string) bool {
	switch strings.ToLower(word) {
	case "http", "https", "ftp", "file", "data", "javascript", "mailto", "tel", "ipfs", "ipns", "ar", "tg", "ws", "wss":
		return true
	}
	return false
}

// hasDomain reports whether a word contains a label, a dot and a possible top-level domain. A
// top-level domain has two or more letters, all in lower or all in upper case, so that "Dr.Who"
// does not match.
func hasDomain(word string) bool {
	for i, r := range word {
		if r != '.' || i == 0 || !endsLabel(word[:i]) {
			continue
		}
		top := word[i+1:]
		if end := strings.IndexFunc(top, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }); end >= 0 {
			top = top[:end]
		}
		after := word[i+1+len(top):]
		if top == "eth" && !strings.HasPrefix(after, ".") && !strings.HasPrefix(after, "/") {
			continue
		}
		if utf8.RuneCountInString(top) >= 2 && (top == strings.ToLower(top) || top == strings.ToUpper(top)) {
			return true
		}
	}
	return false
}

func endsLabel(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsLetter(last) || unicode.IsDigit(last)
}

// maliciousURI reports whether a URI is taken for spam, because its domain is free of charge or
// because it is a file with a query. Such URIs are not known to be phishing and are not marked
// as such.
func maliciousURI(uri string) bool {
	uri = strings.ToLower(uri)
	for _, top := range [...]string{".xyz", ".gq", ".top"} {
		if follows(uri, top, "/:?#") || strings.HasSuffix(uri, top) {
			return true
		}
	}
	for _, file := range [...]string{".json", ".xml", ".jpg", ".png"} {
		if follows(uri, file, "%?") {
			return true
		}
	}
	return false
}

// follows reports whether one of the letters follows part immediately.
func follows(s, part, letters string) bool {
	for {
		_, rest, found := strings.Cut(s, part)
		if !found {
			return false
		}
		if rest != "" && strings.IndexByte(letters, rest[0]) >= 0 {
			return true
		}
		s = rest
	}
}

// linked reports whether a name of the NFT has a link.
func (n *NFT) linked() bool {
	return hasLink(n.Name) || hasLink(n.Symbol) || hasLink(n.Meta.Name) || hasLink(metadataName(n.Metadata))
}

// metadataName returns the member `name` of metadata if it is a string.
func metadataName(metadata string) string {
	var named struct {
		Name json.RawMessage `json:"name"`
	}
	var name string
	if metadata == "" || json.Unmarshal([]byte(metadata), &named) != nil || json.Unmarshal(named.Name, &name) != nil {
		return ""
	}
	return name
}

// redact replaces names that have a link.
func (n *NFT) redact() {
	for _, name := range []*string{&n.Name, &n.Symbol, &n.Meta.Name} {
		if hasLink(*name) {
			*name, n.Spam = redacted, true
		}
	}
	if hasLink(metadataName(n.Metadata)) {
		n.Spam = true
		n.Metadata = rewrite(n.Metadata, func(depth int, key, value string) string {
			if depth == 1 && strings.EqualFold(key, "name") && hasLink(value) {
				return redacted
			}
			return value
		})
	}
}

// redact replaces names that have a link.
func (t *Transfer) redact() {
	for _, name := range []*string{&t.Name, &t.TokenName} {
		if hasLink(*name) {
			*name, t.Spam = redacted, true
		}
	}
}

var errNoResult = errors.New("the answer has no result")

// maxScanned is the maximum number of names in one scan request.
const maxScanned = 500

// ScanError reports that the anti-spam service did not scan all names of a request.
type ScanError struct{ Err error }

func (e *ScanError) Error() string { return e.Err.Error() }

// Unwrap returns the cause, a *RemoteError.
func (e *ScanError) Unwrap() error { return e.Err }

// scanContracts returns the contracts that send spam.
func (g *Gallery) scanContracts(ctx context.Context, s Server, c Chain, addresses []string) (map[string]bool, error) {
	return g.scan(ctx, s, "contract", addresses, func(names string) any {
		return struct {
			Network   Chain  `json:"network"`
			Addresses string `json:"addresses"`
		}{c, names}
	})
}

// scanDomains returns the domains that are used for phishing.
func (g *Gallery) scanDomains(ctx context.Context, s Server, domains []string) (map[string]bool, error) {
	return g.scan(ctx, s, "domain", domains, func(names string) any {
		return struct {
			Domains string `json:"domains"`
		}{names}
	})
}

// scan checks names, in lower case, and returns the bad ones. Its errors are the context's and
// *ScanError.
func (g *Gallery) scan(ctx context.Context, s Server, kind string, names []string, body func(names string) any) (map[string]bool, error) {
	bad := map[string]bool{}
	for len(names) > 0 {
		n := min(len(names), maxScanned)
		request, err := json.Marshal(body(strings.Join(names[:n], ",")))
		if err != nil {
			return nil, err
		}
		answer, err := g.ask(ctx, s, apiCall{path: []string{"api", "blocklist", kind, "scan"}, body: request, limit: maxAnswer, timeout: shortTimeout})
		var verdict struct {
			Result map[string]bool `json:"result"`
		}
		if err == nil {
			if err = decode(answer, &verdict); err == nil && verdict.Result == nil {
				err = errNoResult
			}
			if err != nil {
				err = unusable(s, err)
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, &ScanError{err}
		}
		requested := make(map[string]bool, n)
		for _, name := range names[:n] {
			requested[name] = true
		}
		for name, is := range verdict.Result {
			if name = strings.ToLower(name); is && requested[name] {
				bad[name] = true
			}
		}
		names = names[n:]
	}
	return bad, nil
}

// read fetches the author's metadata of an NFT from its URI. The anti-spam service makes the
// request, so that other servers do not learn the IP address of the wallet. The node makes the
// request itself if no service is set, or if the operator allows the host, which the service
// cannot reach. The result is empty unless a server answers with a JSON object.
func (g *Gallery) read(ctx context.Context, s Server, n *NFT) Meta {
	uri := n.URI
	if media, body, is := inData(uri); is {
		if strings.HasPrefix(media, "text/html") || strings.HasPrefix(media, "image/") {
			return Meta{}
		}
		return n.document(body)
	}
	for _, p := range g.Settings.places(uri) {
		server, q := s, apiCall{path: []string{"url", "decode", hex.EncodeToString([]byte(p.url))}, limit: maxAnswer, timeout: shortTimeout}
		if p.private || s.URL == "" {
			server, q.path, q.public = Server{URL: p.url}, nil, !p.private
		}
		body, err := g.ask(ctx, server, q)
		if err != nil {
			continue
		}
		if m := n.document(body); m.hasContent() {
			return m
		}
	}
	return Meta{}
}
