package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"obverse/core/chain/params"
	"obverse/core/rpc"
	"obverse/core/text"
)

// Causes of an Error.
var (
	ErrUnknownKey = errors.New("is not a key of the config")
	ErrNoEffect   = errors.New("has no effect here")
	ErrNotAllowed = errors.New("value is not allowed")
	errNoObject   = errors.New("must be an object")
)

// Error reports an invalid key of the config. Its text never contains the value of a secret.
type Error struct {
	Key   string // with dots, such as daemon.rpcport
	text  string
	cause error
}

func (e *Error) Error() string { return e.text }

// Unwrap returns the cause: ErrUnknownKey, ErrNotAllowed, or the error of the check that
// failed.
func (e *Error) Unwrap() error { return e.cause }

// wrong returns an Error for a key. The cause must not name the key.
func wrong(key string, cause error) error {
	return &Error{key, key + " " + cause.Error(), cause}
}

// mustBe returns the error for a value that is not allowed. The argument where identifies the
// element of a list.
func mustBe(k Key, value json.RawMessage, where string) error {
	text := k.Name + " must be " + k.Must
	if !k.Secret {
		text += ", got " + clip(string(value)) + where
	}
	return &Error{k.Name, text, ErrNotAllowed}
}

// clip shortens a value in an error text.
func clip(value string) string { return text.Clip(value, 60) }

// Merge applies the settings in a JSON object to the config. An object that names a chain
// (chain.ac_name) replaces all options of the chain: options that it omits are reset to
// komodod's defaults. Keys without effect are returned and otherwise ignored.
func (c *Config) Merge(data []byte) (ignored Ignored, err error) {
	values, err := flatten(data)
	if err != nil {
		return ignored, err
	}
	if _, named := values["chain.ac_name"]; named {
		c.Chain.Options = params.Defaults()
	}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		err := c.assign(k, values[k])
		switch {
		case errors.Is(err, ErrNoEffect):
			ignored.Foreign = append(ignored.Foreign, k)
		case errors.Is(err, ErrUnknownKey):
			ignored.Unknown = append(ignored.Unknown, k)
		case err != nil:
			return ignored, err
		}
	}
	return ignored, nil
}

// Override applies settings in the form of a command line: texts by dotted key. Unknown keys
// are errors. Naming a chain has the same effect as in Merge.
func (c *Config) Override(values map[string]string) error {
	if _, named := values["chain.ac_name"]; named {
		c.Chain.Options = params.Defaults()
	}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if err := c.assign(k, quote(values[k])); err != nil {
			return err
		}
	}
	return nil
}

// sections returns the keys whose values are objects with settings.
func sections() (names []string) {
	for _, k := range settings() {
		if section, _, nested := strings.Cut(k.Name, "."); nested && !slices.Contains(names, section) {
			names = append(names, section)
		}
	}
	return names
}

// flatten returns the values of an object by dotted key.
func flatten(data []byte) (map[string]json.RawMessage, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		return nil, fmt.Errorf("the config must be a JSON object: %w", err)
	}
	flat := map[string]json.RawMessage{}
	for k, raw := range top {
		if !slices.Contains(sections(), k) {
			flat[k] = raw
			continue
		}
		var section map[string]json.RawMessage
		if err := json.Unmarshal(raw, &section); err != nil {
			return nil, wrong(k, fmt.Errorf("%w, got a JSON %s", errNoObject, rpc.KindOf(raw)))
		}
		for sub, raw := range section {
			flat[k+"."+sub] = raw
		}
	}
	return flat, nil
}

// assign sets a key to a value, which is a JSON text.
func (c *Config) assign(key string, raw json.RawMessage) error {
	if k, known := find(settings(), func(k Key) bool { return k.Name == key }); known {
		if key == "passphrase" {
			if c.EncryptedPhrase = nil; raw[0] == '{' {
				c.EncryptedPhrase, c.Passphrase = bytes.Clone(raw), Secret{}
				return nil
			}
		}
		if decode(raw, c.at(k).Addr().Interface()) != nil {
			return mustBe(k, raw, "")
		}
		return nil
	}
	if isForeign(key) {
		return wrong(key, ErrNoEffect)
	}
	if slices.Contains(sections(), key) {
		return sectionError(key)
	}
	if option, ok := strings.CutPrefix(key, "chain."); ok {
		return c.assignOption(option, raw)
	}
	return unknownKey(key)
}

// sectionError returns the error for an object of settings that is set like a single key.
func sectionError(section string) error {
	example, _ := find(settings(), func(k Key) bool { return strings.HasPrefix(k.Name, section+".") })
	return &Error{section, section + " is an object, and its keys are set one by one, like " + example.Name + "=…", ErrUnknownKey}
}

// decode decodes a value. It also accepts a number or a boolean in a string, since MM2.json
// allows "7783" and a command line contains only strings.
func decode(raw json.RawMessage, target any) error {
	err := json.Unmarshal(raw, target)
	var text string
	if err == nil || json.Unmarshal(raw, &text) != nil || text == "null" {
		return err
	}
	return json.Unmarshal([]byte(text), target)
}

// assignOption sets an option of the chain to a value, in the form of a komodod flag.
func (c *Config) assignOption(option string, raw json.RawMessage) error {
	text := string(raw)
	if raw[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
	}
	err := c.Chain.Options.Set(option, text)
	if errors.Is(err, params.ErrUnknownOption) {
		return unknownKey("chain." + option)
	}
	return chainError(err)
}

// chainError converts an error of package params to one that names the key in the config.
func chainError(err error) error {
	var bad *params.OptionError
	if errors.As(err, &bad) {
		return &Error{"chain." + bad.Key, "chain." + bad.Detail, err}
	}
	return err
}

// Position returns the position in a config's text of an error returned by Merge or Validate:
// the place of the key's value, or of the invalid JSON. Lines and columns are counted from 1,
// and columns in characters. The result ok is false if the text does not contain the key.
func Position(text []byte, err error) (line, column int, ok bool) {
	var (
		syntax *json.SyntaxError
		bad    *Error
		at     int
	)
	switch {
	case errors.As(err, &syntax):
		at, ok = min(int(max(syntax.Offset, 1))-1, len(text)), true
		if strings.HasPrefix(syntax.Error(), "unexpected end") {
			at = len(text)
		}
	case errors.As(err, &bad):
		at, ok = offsetOf(text, bad.Key)
	}
	if !ok {
		return 0, 0, false
	}
	before := text[:at]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]), true
}

// offsetOf returns the offset of the value of a dotted key in an object. If the key occurs
// several times, the last one counts.
func offsetOf(text []byte, key string) (at int, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return 0, false
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return 0, false
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return 0, false
		}
		from := int(decoder.InputOffset()) - len(value)
		if name == key {
			at, ok = from, true
		} else if section, rest, nested := strings.Cut(key, "."); nested && name == section {
			if inner, found := offsetOf(value, rest); found {
				at, ok = from+inner, true
			}
		}
	}
	return at, ok
}
