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

// Causes of a Error.
var (
	ErrUnknownKey = errors.New("is not a key of the config")
	ErrNoEffect   = errors.New("has no effect here")
	ErrNotAllowed = errors.New("value is not allowed")
	errNoObject   = errors.New("must be an object")
)

// Error names the key of the config that is wrong. Its text never holds the
// value of a secret.
type Error struct {
	Key   string // dotted, like daemon.rpcport
	text  string
	cause error
}

func (e *Error) Error() string { return e.text }

// Unwrap returns the cause: ErrUnknownKey, ErrNotAllowed, or what refused the value.
func (e *Error) Unwrap() error { return e.cause }

// wrong returns the error of a key for a cause that does not name it.
func wrong(key string, cause error) error {
	return &Error{key, key + " " + cause.Error(), cause}
}

// mustBe returns the error of a value that is not allowed. where says which member of a list it
// is.
func mustBe(k Key, value json.RawMessage, where string) error {
	text := k.Name + " must be " + k.Must
	if !k.Secret {
		text += ", got " + clip(string(value)) + where
	}
	return &Error{k.Name, text, ErrNotAllowed}
}

// clip keeps one line of an error short.
func clip(value string) string { return text.Clip(value, 60) }

// Merge takes a JSON object of settings over what the config has. An object of
// settings that names a chain (chain.ac_name) sets the whole chain: what it leaves
// out has komodod's default, not the value from before. Keys without effect here
// change nothing and are returned.
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

// Override takes settings as texts, by dotted key, as a command line has them. A
// key that is not known is an error here; naming a chain has the effect it has in
// Merge.
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

// sections returns the keys that are objects of settings themselves.
func sections() (names []string) {
	for _, k := range settings() {
		if section, _, nested := strings.Cut(k.Name, "."); nested && !slices.Contains(names, section) {
			names = append(names, section)
		}
	}
	return names
}

// flatten gives each value of the object its dotted key.
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

// assign puts one value, a JSON text, where its key belongs.
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

// sectionError returns the error of an object of settings that is set as if it were one.
func sectionError(section string) error {
	example, _ := find(settings(), func(k Key) bool { return strings.HasPrefix(k.Name, section+".") })
	return &Error{section, section + " is an object, and its keys are set one by one, like " + example.Name + "=…", ErrUnknownKey}
}

// decode takes a number or a truth value also from a string that holds one:
// MM2.json allows "7783", and a command line has nothing but strings.
func decode(raw json.RawMessage, target any) error {
	err := json.Unmarshal(raw, target)
	var text string
	if err == nil || json.Unmarshal(raw, &text) != nil || text == "null" {
		return err
	}
	return json.Unmarshal([]byte(text), target)
}

// assignOption gives params the text of a value, as a komodod flag would have it.
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

// chainError adds the key's name in the config to an error of params.
func chainError(err error) error {
	var bad *params.OptionError
	if errors.As(err, &bad) {
		return &Error{"chain." + bad.Key, "chain." + bad.Detail, err}
	}
	return err
}

// Position says where in the text of a config an error of Merge or Validate lies: the value of
// its key, or the invalid JSON. Lines and columns count from 1, columns in characters. ok is
// false for an error of a key that the text does not have.
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

// offsetOf finds the value of a dotted key in an object; of several, the last, which counts.
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
