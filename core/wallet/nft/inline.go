package nft

import (
	"encoding/json"
	"strings"
	"unicode"

	"obverse/core/text"
)

// removed replaces a document that was embedded in a text.
const removed = "inline content removed for user protection"

// hasActiveContent reports whether a page could take a text for a document and run it. This
// holds for data: URLs other than raster images and JSON, for script URLs, and for markup.
func hasActiveContent(value string) bool {
	low := strings.TrimLeftFunc(value, func(r rune) bool {
		return unicode.IsSpace(r) || text.Invisible(r)
	})
	low = strings.ToLower(low[:min(len(low), 256)])
	scheme, rest, _ := strings.Cut(low, ":")
	switch strings.Map(dropInvisible, scheme) { // browsers ignore tabs and line breaks in a scheme
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

// isSafeMedia reports whether a media type is JSON or a raster image, which cannot contain
// active content.
func isSafeMedia(media string) bool {
	if end := strings.IndexAny(media, ";,"); end >= 0 {
		switch media[:end] {
		case "image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp", "image/avif", "application/json":
			return true
		}
	}
	return false
}

// hasMarkup reports whether a text contains the beginning of a document or script.
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

// scrub removes documents from the strings of valid JSON.
func scrub(raw string) string {
	return rewrite(raw, func(_ int, _, value string) string {
		if hasActiveContent(value) {
			return removed
		}
		return value
	})
}

// Maximum sizes of stored texts of untrusted origin, in bytes.
const (
	maxName        = 512
	maxDescription = 16 << 10
	maxURI         = 4 << 10
	maxJSON        = 64 << 10
)

// singleLine returns an untrusted text as one line for display. The result is valid UTF-8 of at
// most limit bytes, without characters that are invisible or that change the text direction.
func singleLine(value string, limit int) string {
	return text.Line(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || isBidiControl(r) {
			return ' '
		}
		return r
	}, truncate(value, limit)), limit)
}

// isBidiControl reports whether a rune is a Unicode embedding, override or isolate of text
// direction.
func isBidiControl(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// truncate returns the start of a text, as text.Truncate does.
func truncate(value string, limit int) string { return detach(text.Truncate(value, limit), value) }

// detach copies a part of a whole text. Otherwise the part would keep the whole, which may be
// large, in memory.
func detach(part, whole string) string {
	if len(part) == len(whole) {
		return part
	}
	return strings.Clone(part)
}

// cleanJSON returns JSON without documents in it, or "" if the text is too long or not JSON.
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
