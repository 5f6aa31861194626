package bunt

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"obverse/core/store"
)

// A page consists of consecutive rows in ascending order of their keys:
//
//	row  shared  uvarint: bytes that its key has in common with that of the row before,
//	             neither more nor fewer; 0 in the first row
//	     rest    uvarint: bytes of its key behind those
//	     size    uvarint: bytes of its data
//	     the rest of its key, its data
//
// Since shared is exact, a search can skip most rows by comparing one number.
type row struct {
	shared, rest, size int
	body               int // index of the rest of its key
}

func (r row) end() int             { return r.body + r.rest + r.size }
func (r row) tail(p string) string { return p[r.body:][:r.rest] }
func (r row) data(p string) string { return p[r.body+r.rest:][:r.size] }

// sharing returns the row as one that shares n bytes, where n is not less than r.shared.
func (r row) sharing(n int) row {
	return row{n, r.rest - (n - r.shared), r.size, r.body + (n - r.shared)}
}

// rowAt decodes the row at an index of a page.
func rowAt[T string | []byte](p T, at int) (r row) {
	if len(p)-at >= 3 && p[at]|p[at+1]|p[at+2] < 0x80 {
		return row{int(p[at]), int(p[at+1]), int(p[at+2]), at + 3}
	}
	r.shared, at = uvarint(p, at)
	r.rest, at = uvarint(p, at)
	r.size, r.body = uvarint(p, at)
	return r
}

func uvarint[T string | []byte](p T, at int) (n, next int) {
	for shift := 0; ; shift += 7 {
		c := p[at]
		at++
		n |= int(c&0x7f) << shift
		if c < 0x80 {
			return n, at
		}
	}
}

func appendHead(b []byte, shared, rest, size int) []byte {
	b = binary.AppendUvarint(b, uint64(shared))
	b = binary.AppendUvarint(b, uint64(rest))
	return binary.AppendUvarint(b, uint64(size))
}

func appendRow(b []byte, shared int, key, data string) []byte {
	b = appendHead(b, shared, len(key)-shared, len(data))
	return append(append(b, key[shared:]...), data...)
}

// common returns the length of the common prefix of two strings.
func common(a, b string) (n int) {
	shorter := min(len(a), len(b))
	for ; n <= shorter-8; n += 8 {
		if unlike := word(a[n:]) ^ word(b[n:]); unlike != 0 {
			return n + bits.TrailingZeros64(unlike)/8
		}
	}
	for n < shorter && a[n] == b[n] {
		n++
	}
	return n
}

// word returns the first eight bytes of a string as a number.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// place is the place of a key in a page, whether or not the page contains the key.
type place struct {
	at     int  // index of the first row that is not less than the key, or the page's end
	row    row  // row at that index
	found  bool // whether that row has the key
	shared int  // number of bytes that the row's key and the key have in common
	before int  // number of bytes that the previous row's key and the key have in common
}

// seek searches a key in the rows that begin at index at. The arguments before and shared are
// the numbers of bytes that the preceding key, which is less than the key and these rows, has
// in common with the key and with the first of the rows.
//
// A row that shares more bytes with the previous row than the key does is on the same side of
// the key as that row. A row that shares fewer bytes is after the key.
func seek(p, key string, at, before, shared int) place {
	for at < len(p) {
		// This loop skips most rows faster than rowAt.
		for at < len(p)-2 && p[at]|p[at+1]|p[at+2] < 0x80 && int(p[at]) > before {
			at += 3 + int(p[at+1]) + int(p[at+2])
			shared = 0
		}
		if at == len(p) {
			break
		}
		r := rowAt(p, at)
		if shared > r.shared {
			r = r.sharing(shared)
		}
		shared = 0 // the next row contains this number
		if r.shared < before {
			return place{at: at, row: r, shared: r.shared, before: before}
		}
		if r.shared == before {
			n := before + common(r.tail(p), key[before:])
			whole := n == r.shared+r.rest
			switch {
			case n == len(key):
				return place{at: at, row: r, found: whole, shared: n, before: before}
			case !whole && p[r.body+n-r.shared] > key[n]:
				return place{at: at, row: r, shared: n, before: before}
			}
			before = n
		}
		at = r.end()
	}
	return place{at: at, before: before}
}

// merge appends a page with changes to b. The keys of the changes must ascend without
// duplicates.
func merge(b []byte, p string, ops []store.Op) []byte {
	size := len(p)
	for i := range ops {
		size += rowHead + len(ops[i].Key) + len(ops[i].Data)
	}
	m := merger{b: slices.Grow(b, size), p: p}
	for i := range ops {
		m.change(&ops[i])
	}
	m.copy(len(p))
	return m.b
}

// merger creates a page from another one. It copies all unchanged rows as they are, except for
// the row after each change.
type merger struct {
	b  []byte
	p  string
	at int // index of the first row that has not been copied
	// key is the key of the last change. It is less than the remaining rows and not less than
	// the written ones.
	key     string
	shared  int // number of bytes it shares with the first remaining row
	written int // number of bytes it shares with the last written row
}

func (m *merger) change(op *store.Op) {
	before := common(m.key, op.Key)
	where := seek(m.p, op.Key, m.at, before, m.shared)
	if where.at > m.at {
		m.copy(where.at)
		m.written = where.before
	} else {
		m.written = min(m.written, before)
	}
	m.key, m.at, m.shared = op.Key, where.at, where.shared
	if where.found {
		m.at = where.row.end()
		m.shared = 0
		if m.at < len(m.p) {
			m.shared = rowAt(m.p, m.at).shared
		}
	}
	if !op.Delete {
		m.b = appendRow(m.b, m.written, op.Key, op.Data)
		m.written = len(op.Key)
	}
}

// copy copies the rows up to an index.
func (m *merger) copy(to int) {
	if m.at == to {
		return
	}
	r := rowAt(m.p, m.at)
	if shared := min(m.written, m.shared); shared != r.shared {
		m.b = appendHead(m.b, shared, r.shared+r.rest-shared, r.size)
		if shared < r.shared {
			m.b = append(m.b, m.key[shared:r.shared]...)
		} else {
			r = r.sharing(shared)
		}
		m.at = r.body
	}
	m.b = append(m.b, m.p[m.at:to]...)
}

const (
	pageSize = 1 << 11 // in bytes; larger pages are split
	// wideRow is the size from which a row in an oversized page gets a page of its own, so that
	// changes to other rows do not copy it.
	wideRow = pageSize / 2
	rowHead = 3 * binary.MaxVarintLen32
)

// alone returns the row of a page that consists of a single wide row.
func alone(p string) (r row, ok bool) {
	if len(p) < wideRow {
		return r, false
	}
	r = rowAt(p, 0)
	return r, r.end() == len(p)
}

// split divides an oversized page into pages of similar size, in ascending order. The separator
// of each page is greater than all keys of the previous page and not greater than its own keys.
// The separator of the first page is given.
func split(separator string, p []byte, each func(separator, page string)) {
	if len(p) <= pageSize {
		each(separator, string(p))
		return
	}
	var key, page []byte
	first, body := 0, 0 // start of the current page, and of the part to copy
	end, most := 0, 0   // end of the current stretch, and the maximum size of its pages
	for at := 0; at < len(p); {
		r := rowAt(p, at)
		key = append(key[:r.shared], p[r.body:][:r.rest]...)
		if at == end || at-first >= most {
			if at > 0 {
				each(separator, string(append(page, p[body:at]...)))
				separator = string(key[:r.shared+1])
			}
			if at == end {
				end, most = stretch(p, at)
			}
			page = append(appendHead(page[:0], 0, len(key), r.size), key...)
			first, body = at, r.body+r.rest
		}
		at = r.end()
	}
	each(separator, string(append(page, p[body:]...)))
}

// stretch returns the end of the rows, starting at index at, that may share pages, and the size
// of these pages. If the first row is wide, it returns the end of that row.
func stretch(p []byte, at int) (end, size int) {
	for end = at; end < len(p); {
		r := rowAt(p, end)
		if r.end()-end >= wideRow {
			if end == at {
				return r.end(), r.end() - at
			}
			break
		}
		end = r.end()
	}
	pages := (end - at + pageSize - 1) / pageSize
	return end, (end - at + pages - 1) / pages
}
