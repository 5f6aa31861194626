// Package eip712 parses typed data, and computes the hashes that wallets sign.
//
// Sources: EIP-712; eth_signTypedData_v4 of MetaMask, without its null for a missing struct.
//
// Invariant: Hash reports every value that the hashes cover.
package eip712

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"obverse/core/wallet/evm/address"
)

// Data is typed data.
type Data struct {
	Types   map[string][]Field `json:"types"`
	Primary string             `json:"primaryType"` // type of Message
	Domain  map[string]any     `json:"domain"`
	Message map[string]any     `json:"message"`
}

// Field is a member of a struct.
type Field struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// domainType is the type of Data.Domain, and domainPath the prefix of its fields.
const (
	domainType = "EIP712Domain"
	domainPath = "domain"
)

// ErrData means that a text is not valid typed data.
var ErrData = errors.New("invalid typed data")

func invalid(format string, values ...any) error {
	return fmt.Errorf("%w: %w", ErrData, fmt.Errorf(format, values...))
}

// Limits for untrusted data, which are far higher than contracts need.
const (
	maxTypes  = 100
	maxFields = 100 // of a struct
	maxPath   = 1000
)

// Parse parses typed data. Hash checks its values.
func Parse(text []byte) (*Data, error) {
	d := new(Data)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var other *json.UnmarshalTypeError
	switch err := decoder.Decode(d); {
	case errors.As(err, &other):
		return nil, invalid("%.100s has the wrong type: %s", cmp.Or(other.Field, "the text"), other.Value)
	case err != nil:
		return nil, invalid("%w", err)
	}
	if decoder.More() {
		return nil, invalid("trailing data")
	}
	if len(d.Types) > maxTypes {
		return nil, invalid("%d types, limit is %d", len(d.Types), maxTypes)
	}
	for name, fields := range d.Types {
		if len(fields) > maxFields {
			return nil, invalid("%.100s has %d fields, limit is %d", name, len(fields), maxFields)
		}
		if _, basic := basicType(name, 0); basic || !isName(name) {
			return nil, invalid("invalid name of a type %.100q", name)
		}
		for i, f := range fields {
			if !isName(f.Name) || slices.ContainsFunc(fields[:i], func(o Field) bool { return o.Name == f.Name }) {
				return nil, invalid("invalid name of a field %.100q in %s", f.Name, name)
			}
		}
	}
	if d.Primary == domainPath {
		return nil, invalid("primaryType is %q, which is the name of the domain's lines", domainPath)
	}
	for _, needed := range []string{domainType, d.Primary} {
		if d.Types[needed] == nil {
			return nil, invalid("types has no %.100q", needed)
		}
	}
	return d, nil
}

// isName reports whether name is an identifier of contracts, so that it cannot be mistaken for
// several names.
func isName(name string) bool {
	strange := func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' && r != '$'
	}
	return name != "" && !strings.ContainsFunc(name, strange)
}

// Hashes are the two hashes that are signed together.
type Hashes struct{ Domain, Message [32]byte }

// ChainID returns the chain id in the domain, to which the data is limited. Like contracts, it
// only accepts a member of an integer type. It returns nil without such a member, so that the data
// is valid for any chain. It fails if the number is invalid.
func (d *Data) ChainID() (*big.Int, error) {
	for _, f := range d.Types[domainType] {
		_, signed := sizeOf(f.Type, "int", 8, 256)
		_, unsigned := sizeOf(f.Type, "uint", 8, 256)
		if f.Name != "chainId" || !signed && !unsigned {
			continue
		}
		id, err := parseInteger(integerText(d.Domain[f.Name]))
		if err != nil {
			return nil, invalid("domain.chainId: %w", err)
		}
		return id, nil
	}
	return nil, nil
}

// Hash checks all values and hashes them. It calls show for each value that the hashes cover,
// in their order. field is the path of the value, such as "domain.name" in the domain or
// "Order.items[1].price" in the message, where the path begins with the primary type.
func (d *Data) Hash(show func(field, value string)) (h Hashes, err error) {
	e := &encoder{types: d.Types, hashes: map[string][]byte{}, show: show}
	if id, err := d.ChainID(); err == nil && id != nil && id.IsUint64() {
		e.chain = id.Uint64()
	}
	if err = e.structure(domainPath, domainType, d.Domain, &h.Domain); err != nil {
		return h, err
	}
	if d.Primary == domainType { // a domain without a message
		return h, invalid("primaryType is %s", domainType)
	}
	return h, e.structure(d.Primary, d.Primary, d.Message, &h.Message)
}

// encoder hashes values of the types of one Data.
type encoder struct {
	types  map[string][]Field
	chain  uint64            // chain id of the domain, or 0
	hashes map[string][]byte // hashes of types, by name
	show   func(field, value string)
}

// structure computes hashStruct of EIP-712.
func (e *encoder) structure(path, name string, value any, hash *[32]byte) error {
	if len(path) > maxPath {
		return invalid("%s… is nested too deeply", at(path))
	}
	members, is := value.(map[string]any)
	if !is || members == nil {
		return invalid("%s must be an object", at(path))
	}
	encoded, err := e.typeHash(name)
	if err != nil {
		return err
	}
	var word [32]byte
	for _, f := range e.types[name] {
		inner := path + "." + f.Name
		member, there := members[f.Name]
		if !there {
			return invalid("%s is missing", at(inner))
		}
		if err := e.value(inner, f.Type, member, &word); err != nil {
			return err
		}
		encoded = append(encoded, word[:]...)
	}
	*hash = address.Keccak(encoded)
	return nil
}

// at returns a path, shortened for errors.
func at(path string) string { return fmt.Sprintf("%.200s", path) }

// value encodes one value into a word.
func (e *encoder) value(path, kind string, value any, word *[32]byte) error {
	if element, count, is := arrayType(kind); is {
		return e.array(path, element, count, value, word)
	}
	if e.types[kind] != nil {
		return e.structure(path, kind, value, word)
	}
	basic, is := basicType(kind, e.chain)
	if !is {
		return invalid("%s has the unknown type %.100q", at(path), kind)
	}
	*word = [32]byte{}
	display, err := basic(value, word)
	if err != nil {
		return invalid("%s: %w", at(path), err)
	}
	e.show(path, display)
	return nil
}

// typeHash returns the hash of encodeType: the type, followed by the types that it refers to,
// sorted by name.
func (e *encoder) typeHash(name string) ([]byte, error) {
	if hash := e.hashes[name]; hash != nil {
		return slices.Clip(hash), nil
	}
	names := []string{name}
	for i := 0; i < len(names); i++ {
		for _, f := range e.types[names[i]] {
			inner := f.Type
			for element, _, is := arrayType(inner); is; element, _, is = arrayType(inner) {
				inner = element
			}
			if _, basic := basicType(inner, 0); basic {
				continue
			}
			if e.types[inner] == nil {
				return nil, invalid("%s.%s has the unknown type %.100q", names[i], f.Name, f.Type)
			}
			if !slices.Contains(names, inner) {
				names = append(names, inner)
			}
		}
	}
	slices.Sort(names[1:])
	var text strings.Builder
	for _, kind := range names {
		text.WriteString(kind + "(")
		for i, f := range e.types[kind] {
			if i > 0 {
				text.WriteByte(',')
			}
			text.WriteString(f.Type + " " + f.Name)
		}
		text.WriteByte(')')
	}
	hash := address.Keccak([]byte(text.String()))
	e.hashes[name] = hash[:]
	return e.hashes[name], nil
}
