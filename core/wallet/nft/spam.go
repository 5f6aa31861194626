package nft

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"obverse/core/text"
)

// redacted replaces a text with a link, as in Komodo DeFi Framework.
const redacted = "URL redacted for user protection"

// hasLink reports whether a name contains a link, or a text that people may take for one and
// type: a URL scheme or a domain. Names of the Ethereum Name Service are not links.
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

// hasDomain looks for a label, a dot and a possible top-level domain. That is two or more
// letters, all in lower or all in upper case, so that "Dr.Who" does not match.
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

// follows reports whether one of the letters comes right after part.
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
