package config

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// Document is the config as a file for its owner, secrets included: what a first
// start writes. It has the keys that a user may want to change; the rest keep
// their defaults.
func (c *Config) Document() ([]byte, error) {
	options, err := json.Marshal(c.Chain.Options)
	if err != nil {
		return nil, err
	}
	var top []string
	inner := map[string][]string{"chain": {string(options[1 : len(options)-1])}} // ac_supply is always there
	for _, k := range settings() {
		if k.written == "" || k.written == "set" && isEmpty(c.at(k)) {
			continue
		}
		value, err := shown(c.at(k).Interface())
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

// shown is a value in JSON, a secret too.
func shown(value any) (string, error) {
	if secret, is := value.(Secret); is {
		value = secret.Reveal()
	}
	text, err := json.Marshal(value)
	return string(text), err
}

func member(name, value string) string { return string(quote(name)) + ":" + value }

func object(members []string) string { return "{" + strings.Join(members, ",") + "}" }
