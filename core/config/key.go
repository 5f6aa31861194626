package config

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"obverse/core/chain/params"
)

// Key is a key of the config.
type Key struct {
	Name    string // dotted, like daemon.rpcport
	Default string // as a command line would have it, or ""
	Unset   string // what holds while it has no value, if that can be said
	Must    string // completes "must be …"
	Doc     string // what it is for
	In      string // the platforms where it has an effect; "" is all
	Reload  bool   // takes effect while the node runs
	Secret  bool

	allows  func(value any) bool // of the key's type
	path    bool                 // the value is one
	written string               // when a new config has it
	komodod string               // option of komodod
	index   []int                // of the field in Config
}

// Env is the variable of the environment that gives a secret. A sibling with _FILE names a
// file that holds it.
func (k Key) Env() string {
	return "OBVERSE_" + strings.ToUpper(strings.ReplaceAll(k.Name, ".", "_"))
}

// Keys lists every key that has an effect, in the order of their documentation. Of the
// chain's options, which come last, only the names are known.
func Keys() []Key {
	keys := slices.Clone(settings())
	for _, option := range params.Keys() {
		keys = append(keys, Key{Name: "chain." + option})
	}
	return keys
}

// Find finds a key that has an effect.
func Find(name string) (Key, bool) { return find(Keys(), func(k Key) bool { return k.Name == name }) }

// OfKomodod finds the key that corresponds to a komodod option, other than the chain options.
func OfKomodod(option string) (Key, bool) {
	return find(settings(), func(k Key) bool { return k.komodod != "" && k.komodod == option })
}

func find(keys []Key, is func(Key) bool) (Key, bool) {
	if n := slices.IndexFunc(keys, is); n >= 0 {
		return keys[n], true
	}
	return Key{}, false
}

// SecretKeys lists the keys of secrets.
func SecretKeys() []Key {
	return slices.DeleteFunc(Keys(), func(k Key) bool { return !k.Secret })
}

// settings lists the fields of a Config that have a key.
var settings = sync.OnceValue(func() []Key { return plan(reflect.TypeFor[Config](), "", nil) })

// plan reads the tags of a struct's fields.
func plan(of reflect.Type, prefix string, at []int) (keys []Key) {
	for n := range of.NumField() {
		field := of.Field(n)
		tag, index := field.Tag, append(slices.Clip(at), n)
		name := tag.Get("key")
		switch {
		case name == "":
			continue
		case field.Type.Kind() == reflect.Struct && field.Type != reflect.TypeFor[Secret]():
			keys = append(keys, plan(field.Type, prefix+name+".", index)...)
			continue
		}
		kind := kindOf(field)
		keys = append(keys, Key{
			Name: prefix + name, Default: tag.Get("default"), Unset: tag.Get("unset"), Doc: tag.Get("doc"), In: tag.Get("in"),
			Must:   strings.Replace(cmp.Or(tag.Get("must"), kind.must), "RANGE", tag.Get("range"), 1),
			Reload: tag.Get("reload") == "yes", Secret: field.Type == reflect.TypeFor[Secret](),
			allows: kind.allows, path: tag.Get("is") == "path", written: tag.Get("new"), komodod: tag.Get("komodod"), index: index,
		})
	}
	return keys
}

// at is the field of a key.
func (c *Config) at(k Key) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(k.index) }

// MapPaths replaces every path that the config has.
func (c *Config) MapPaths(change func(path string) string) {
	for _, k := range settings() {
		if field := c.at(k); k.path && field.Len() > 0 {
			field.SetString(change(field.String()))
		}
	}
	if path := c.CoinsPath(); path != "" {
		c.Coins = quote(change(path))
	}
}

// Secrets are the values of all secrets that are set.
func (c *Config) Secrets() (all []Secret) {
	for _, k := range SecretKeys() {
		if s := c.at(k).Interface().(Secret); s.IsSet() {
			all = append(all, s)
		}
	}
	return all
}

// quote is a text in JSON.
func quote(text string) json.RawMessage {
	quoted, _ := json.Marshal(text) // a string always marshals
	return quoted
}
