package config

import (
	"encoding/json"

	"obverse/core/chain/params"
)

// Value is a key of a config and what it is set to.
type Value struct {
	Key    string          // dotted
	JSON   json.RawMessage // null for one that is not set; of a secret, nothing
	Secret bool
	IsSet  bool // of a secret
}

// Values lists what the config says, in the order of its documentation, without secrets.
// Of the chain's options those are there that have a value.
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

// KeysIn lists the keys of a config file, dotted.
func KeysIn(data []byte) (keys []string, err error) {
	values, err := flatten(data)
	for key := range values {
		keys = append(keys, key)
	}
	return keys, err
}
