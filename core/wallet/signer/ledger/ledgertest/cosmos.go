package ledgertest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"obverse/core/key"
	"obverse/core/wallet/cosmos/address"
)

// cosmosState is the state of a request to sign.
type cosmosState int

const (
	idle cosmosState = iota
	receiving
	reviewing
)

// cosmosRequest is a request to sign.
type cosmosRequest struct {
	state    cosmosState
	path     key.Path
	document []byte
}

// memory of the app, in bytes.
const memory = 16384

func (d *Device) cosmosApp(ctx context.Context, c command) answer {
	inApp := d.inApp()
	a := d.cosmosCommand(ctx, c)
	if a.status != ok && a.status != notAllowed {
		inApp(func() { d.cosmos = cosmosRequest{} })
	}
	return a
}

func (d *Device) cosmosCommand(ctx context.Context, c command) answer {
	if c.class != 0x55 {
		return status(noClass)
	}
	switch c.instruction {
	case 0x00:
		var v [3]byte
		d.do(func() { v = d.settings.Versions["Cosmos"] })
		return answer{[]byte{0, v[0], v[1], v[2], 0, 0x33, 0x00, 0x00, 0x04}, ok}
	case 0x02:
		return d.cosmosSign(ctx, c)
	case 0x04:
		return d.cosmosAddress(ctx, c)
	}
	return status(noInstruction)
}

// cosmosPath parses a path. A status other than ok rejects it.
func (d *Device) cosmosPath(b []byte) (path key.Path, s uint16) {
	if len(b) < 20 {
		return nil, wrongLength
	}
	for i := range 5 {
		path = append(path, binary.LittleEndian.Uint32(b[4*i:]))
	}
	const h = key.Hardened
	if path[0] != 44|h || path[1] != 118|h && path[1] != 60|h || path[3] != 0 {
		return nil, 0x698b
	}
	var expert bool
	d.do(func() { expert = d.settings.Expert })
	for _, step := range path[2:] {
		if !expert && step&^h > 100 {
			return nil, 0x6989
		}
	}
	return path, ok
}

// cosmosPrefix parses a prefix with its length before it.
func (d *Device) cosmosPrefix(b []byte) (prefix string, rest []byte, s uint16) {
	if len(b) == 0 {
		return "", nil, invalidData
	}
	n := int(b[0])
	if n == 0 || n > 83 {
		return "", nil, 0x698a
	}
	if len(b) < 1+n {
		return "", nil, invalidData
	}
	prefix, rest = string(b[1:1+n]), b[1+n:]
	var known []string
	d.do(func() { known = d.settings.Prefixes })
	if known != nil && !slices.Contains(known, prefix) {
		return "", nil, 0x698c
	}
	return prefix, rest, ok
}

func (d *Device) cosmosAddress(ctx context.Context, c command) answer {
	var state cosmosState
	d.do(func() { state = d.cosmos.state })
	if state != idle {
		return status(notAllowed)
	}
	prefix, rest, s := d.cosmosPrefix(c.data)
	if s != ok {
		return status(s)
	}
	path, s := d.cosmosPath(rest)
	if s != ok {
		return status(s)
	}
	public := d.PublicKey(path)
	text, err := address.FromKey(prefix, public)
	if err != nil {
		return status(invalidData)
	}
	if c.p1 == 1 && !d.show(ctx, []string{"Address: " + text.String(), "Path: " + path.String()}) {
		return status(notAllowed)
	}
	return answer{append(public[:], text.String()...), ok}
}

func (d *Device) cosmosSign(ctx context.Context, c command) answer {
	if c.p1 > 2 {
		return status(wrongP1P2)
	}
	if c.p1 == 0 {
		return d.cosmosBegin(c.data)
	}
	s := uint16(ok)
	d.do(func() {
		r := &d.cosmos
		switch {
		case r.state != receiving:
			s = notAllowed
		case len(r.document)+len(c.data) > memory:
			s = 0x6988
		default:
			r.document = append(r.document, c.data...)
		}
	})
	if s != ok || c.p1 == 1 {
		return status(s)
	}
	return d.cosmosReview(ctx, c.p2)
}

func (d *Device) cosmosBegin(data []byte) answer {
	var state cosmosState
	d.do(func() { state = d.cosmos.state })
	if state != idle {
		return status(notAllowed)
	}
	path, s := d.cosmosPath(data)
	if s != ok {
		return status(s)
	}
	if len(data) > 20 {
		if _, _, s := d.cosmosPrefix(data[20:]); s != ok {
			return status(s)
		}
	}
	d.do(func() { d.cosmos = cosmosRequest{state: receiving, path: path} })
	return status(ok)
}

// cosmosReview shows the document and signs it.
func (d *Device) cosmosReview(ctx context.Context, format byte) answer {
	var r cosmosRequest
	inApp := d.inApp()
	inApp(func() { r = d.cosmos })
	screen, problem := readDocument(r.document)
	if format != 0 {
		problem = "Value out of range"
	}
	if problem != "" {
		return answer{[]byte(problem), invalidData}
	}
	inApp(func() { d.cosmos.state = reviewing })
	approved := d.show(ctx, screen)
	inApp(func() { d.cosmos = cosmosRequest{} })
	if !approved {
		return status(notAllowed)
	}
	return answer{d.key(r.path).SignDER(sha256.Sum256(r.document)), ok}
}

// readDocument returns the displayed form of a document, or the problem if it is invalid.
func readDocument(document []byte) (screen []string, problem string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(document, &fields) != nil {
		return nil, "JSMN_ERROR_INVAL"
	}
	var compact bytes.Buffer
	if json.Compact(&compact, document) != nil || compact.Len() != len(document) {
		return nil, "JSON Contains whitespace in the corpus"
	}
	if !sorted(document) {
		return nil, "JSON Dictionaries are not sorted"
	}
	for _, name := range []string{"chain_id", "account_number", "sequence", "fee", "msgs", "memo"} {
		value, has := fields[name]
		if !has {
			return nil, "JSON Missing " + name
		}
		screen = append(screen, fmt.Sprintf("%s: %s", name, value))
	}
	return screen, ""
}

// sorted reports whether the keys of all objects are sorted.
func sorted(document []byte) bool {
	decoder := json.NewDecoder(bytes.NewReader(document))
	type level struct {
		object, value bool // value means that a key's value is next
		last          string
		present       bool
	}
	stack := []level{{}}
	for {
		token, err := decoder.Token()
		if err != nil {
			return true
		}
		top := &stack[len(stack)-1]
		if delim, is := token.(json.Delim); is && (delim == '}' || delim == ']') {
			stack = stack[:len(stack)-1]
			continue
		}
		if top.object && !top.value {
			name := token.(string)
			if top.present && name <= top.last {
				return false
			}
			top.last, top.present, top.value = name, true, true
			continue
		}
		top.value = false
		if delim, is := token.(json.Delim); is {
			stack = append(stack, level{object: delim == '{'})
		}
	}
}
