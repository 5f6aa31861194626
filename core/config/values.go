package config

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"obverse/core/chain/params"
)

// Value is a key of a config with its value.
type Value struct {
	Key    string          // with dots
	JSON   json.RawMessage // null for an unset key; empty for a secret
	Secret bool
	IsSet  bool // whether a secret is set
}

// Values returns the settings in the order of the documentation, without the values of secrets.
// It includes those of the chain's options that are set.
func (c *Config) Values() (values []Value, err error) {
	for _, k := range settings() {
		value := c.at(k).Interface()
		if secret, ok := value.(Secret); ok {
			values = append(values, Value{Key: k.Name, Secret: true, IsSet: secret.IsSet()})
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		values = append(values, Value{Key: k.Name, JSON: text})
	}
	text, err := json.Marshal(c.Chain.Options)
	if err != nil {
		return nil, err
	}
	var options map[string]json.RawMessage
	if err := json.Unmarshal(text, &options); err != nil {
		return nil, err
	}
	for _, key := range params.Keys() {
		if value, set := options[key]; set {
			values = append(values, Value{Key: "chain." + key, JSON: value})
		}
	}
	return values, nil
}

// KeysIn returns the dotted keys in a config file.
func KeysIn(data []byte) (keys []string, err error) {
	values, err := flatten(data)
	for key := range values {
		keys = append(keys, key)
	}
	return keys, err
}

// Changed returns the dotted keys in which two configs differ, except those that take effect
// while a node runs.
func (c *Config) Changed(other *Config) (keys []string) {
	for _, k := range settings() {
		if !k.Reload && !reflect.DeepEqual(c.at(k).Interface(), other.at(k).Interface()) {
			keys = append(keys, k.Name)
		}
	}
	if !reflect.DeepEqual(c.Chain.Options, other.Chain.Options) {
		keys = append(keys, "chain.ac_*")
	}
	return keys
}

// Document returns the config as a file for its owner, including secrets, as written by the
// first start. It contains the keys that a user may want to change. The others keep their
// defaults.
func (c *Config) Document() ([]byte, error) {
	options, err := json.Marshal(c.Chain.Options)
	if err != nil {
		return nil, err
	}
	var top []string
	inner := map[string][]string{"chain": {string(options[1 : len(options)-1])}} // ac_supply is always present
	for _, k := range settings() {
		if k.written == "" || k.written == "set" && isEmpty(c.at(k)) {
			continue
		}
		value, err := plainJSON(c.at(k).Interface())
		if err != nil {
			return nil, err
		}
		if section, name, nested := strings.Cut(k.Name, "."); nested {
			inner[section] = append(inner[section], member(name, value))
		} else {
			top = append(top, member(k.Name, value))
		}
	}
	for _, section := range sections() {
		if members := inner[section]; members != nil {
			top = append(top, member(section, object(members)))
		}
	}
	var text bytes.Buffer
	err = json.Indent(&text, []byte(object(top)), "", "  ")
	return append(text.Bytes(), '\n'), err
}

func isEmpty(v reflect.Value) bool { return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 }

// plainJSON returns a value in JSON, including secrets.
func plainJSON(value any) (string, error) {
	if secret, is := value.(Secret); is {
		value = secret.Reveal()
	}
	text, err := json.Marshal(value)
	return string(text), err
}

func member(name, value string) string { return string(quote(name)) + ":" + value }

func object(members []string) string { return "{" + strings.Join(members, ",") + "}" }
