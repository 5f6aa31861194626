package nft

import (
	"encoding/json"
	"strings"
	"unicode"

	"obverse/core/text"
)

// removed stands for a document that was written into a text.
const removed = "inline content removed for user protection"

// hasActiveContent tells texts that a page could take for a document and run: data: URLs of
// anything but pictures made of pixels and JSON, scripts as URLs, and markup.
func hasActiveContent(value string) bool {
	low := strings.TrimLeftFunc(value, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	})
	low = strings.ToLower(low[:min(len(low), 256)])
	scheme, rest, _ := strings.Cut(low, ":")
	switch strings.Map(dropInvisible, scheme) { // browsers leave tabs and line breaks in it out
	case "data":
		return !isSafeMedia(strings.TrimSpace(rest))
	case "javascript", "vbscript", "blob", "filesystem":
		return true
	}
	return len(low) > 1 && low[0] == '<' && strings.ContainsRune("abcdefghijklmnopqrstuvwxyz!?/", rune(low[1])) || hasMarkup(value)
}

func dropInvisible(r rune) rune {
	if unicode.IsSpace(r) || unicode.IsControl(r) {
		return -1
	}
	return r
}

// isSafeMedia tells the media types of pictures that cannot hold anything else, and JSON.
func isSafeMedia(media string) bool {
	if end := strings.IndexAny(media, ";,"); end >= 0 {
		switch media[:end] {
		case "image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp", "image/avif", "application/json":
			return true
		}
	}
	return false
}

// hasMarkup looks for the beginnings of documents and of what runs in them.
func hasMarkup(value string) bool {
	if !strings.Contains(value, "<") {
		return false
	}
	low := strings.ToLower(value)
	for _, tag := range [...]string{"<svg", "<html", "<script", "<iframe", "<object", "<embed", "<!doctype", "<?xml", "<foreignobject"} {
		if strings.Contains(low, tag) {
			return true
		}
	}
	return false
}

// scrub takes the documents out of the strings of valid JSON.
func scrub(raw string) string {
	return rewrite(raw, func(_ int, _, value string) string {
		if hasActiveContent(value) {
			return removed
		}
		return value
	})
}

// Bounds of what is kept of a stranger's texts, in bytes.
const (
	maxName        = 512
	maxDescription = 16 << 10
	maxURI         = 4 << 10
	maxJSON        = 64 << 10
)

// singleLine is a stranger's text of one line, for people: valid UTF-8 without what cannot be
// printed, or turns the direction in which the rest is read. More than most bytes are cut
// off.
func singleLine(value string, most int) string {
	return truncate(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || isBidiControl(r) {
			return ' '
		}
		return r
	}, truncate(value, most)), most)
}

// isBidiControl tells Unicode's embeddings, overrides and isolates of a direction.
func isBidiControl(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// truncate returns the start of a text, as text.Truncate does.
func truncate(value string, most int) string { return detach(text.Truncate(value, most), value) }

// detach copies a part of a text into memory of its own: the rest may be large, and would stay as
// long as the part does.
func detach(part, of string) string {
	if len(part) == len(of) {
		return part
	}
	return strings.Clone(part)
}

// cleanJSON is JSON that may be kept, without documents in it, or "": for what is no JSON, or
// too much of it.
func cleanJSON(raw string) string {
	if len(raw) > 4<<20 {
		return ""
	}
	raw = string(lenient([]byte(raw)))
	if !json.Valid([]byte(raw)) || checkDepth([]byte(raw)) != nil {
		return ""
	}
	if raw = strings.ToValidUTF8(scrub(raw), "\ufffd"); len(raw) > maxJSON {
		return ""
	}
	return raw
}
