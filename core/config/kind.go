package config

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"obverse/core/chain/params"
)

// Key is a key of the config.
type Key struct {
	Name    string // with dots, such as daemon.rpcport
	Default string // in the form of a command line, or ""
	Unset   string // effect of an unset key, if it can be described
	Must    string // completes the message "must be …"
	Doc     string // description
	In      string // platforms on which the key has an effect; "" means all
	Reload  bool   // whether a change takes effect while the node runs
	Secret  bool

	allows  func(value any) bool // checks a value of the key's type
	path    bool                 // whether the value is a path
	written string               // when a new config includes the key
	komodod string               // corresponding option of komodod
	index   []int                // index of the field in Config
}

// Env returns the environment variable for a secret. A variable with the suffix _FILE names a
// file with the secret.
func (k Key) Env() string {
	return "OBVERSE_" + strings.ToUpper(strings.ReplaceAll(k.Name, ".", "_"))
}

// Keys returns all keys that have an effect, in the order of their documentation. The chain's
// options come last and have only names.
func Keys() []Key {
	keys := slices.Clone(settings())
	for _, option := range params.Keys() {
		keys = append(keys, Key{Name: "chain." + option})
	}
	return keys
}

// Find returns the configuration key with a name. It does not find keys without an effect.
func Find(name string) (Key, bool) { return find(Keys(), func(k Key) bool { return k.Name == name }) }

// KomododKey returns the key that corresponds to a komodod option, except for chain options.
func KomododKey(option string) (Key, bool) {
	return find(settings(), func(k Key) bool { return k.komodod != "" && k.komodod == option })
}

func find(keys []Key, is func(Key) bool) (Key, bool) {
	if n := slices.IndexFunc(keys, is); n >= 0 {
		return keys[n], true
	}
	return Key{}, false
}

// SecretKeys returns the keys of secrets.
func SecretKeys() []Key {
	return slices.DeleteFunc(Keys(), func(k Key) bool { return !k.Secret })
}

// settings returns the keys that are fields of a Config.
var settings = sync.OnceValue(func() []Key { return plan(reflect.TypeFor[Config](), "", nil) })

// plan returns the keys defined by the tags of a struct's fields.
func plan(structType reflect.Type, prefix string, at []int) (keys []Key) {
	for n := range structType.NumField() {
		field := structType.Field(n)
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

// at returns the field of a key.
func (c *Config) at(k Key) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(k.index) }

// MapPaths applies change to every path in the config.
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

// Secrets returns the values of all secrets that are set.
func (c *Config) Secrets() (all []Secret) {
	for _, k := range SecretKeys() {
		if s := c.at(k).Interface().(Secret); s.IsSet() {
			all = append(all, s)
		}
	}
	return all
}

// quote returns a text as a JSON string.
func quote(text string) json.RawMessage {
	quoted, _ := json.Marshal(text) // a string can always be marshaled
	return quoted
}

// kind is a kind of values.
type kind struct {
	must   string // completes the message "must be …"
	allows func(value any) bool
}

// kindOf returns the kind of a field's values, as specified by its tags.
func kindOf(field reflect.StructField) kind {
	limits, limited := field.Tag.Lookup("range")
	switch is := field.Tag.Get("is"); {
	case is != "":
		return named(is)
	case limited:
		return kind{"a whole number from RANGE", within(limits)}
	case field.Type.Kind() == reflect.Bool:
		return kind{"true or false", anything}
	default:
		return kind{"a text", anything}
	}
}

func anything(any) bool { return true }

// within returns a function that reports whether a number is within limits such as "0 to 9".
func within(limits string) func(any) bool {
	from, to, _ := strings.Cut(limits, " to ")
	lower, err := strconv.ParseFloat(from, 64)
	upper, err2 := strconv.ParseFloat(to, 64)
	if err != nil || err2 != nil {
		panic("config: no range: " + limits)
	}
	number := reflect.TypeFor[float64]()
	return func(value any) bool {
		n := reflect.ValueOf(value).Convert(number).Float()
		return n >= lower && n <= upper
	}
}

// named returns the kind with the name used in tags.
func named(name string) kind {
	switch name {
	case "path":
		return kind{"a path", anything}
	case "IP address":
		return kind{"an IP address to listen on, like 127.0.0.1", on(isIP)}
	case "IP address or none":
		return kind{"an IP address, or empty for none", on(func(s string) bool { return s == "" || isIP(s) })}
	case "host and port or none":
		return kind{"a host and a port, like 127.0.0.1:9999, or empty for none", on(func(s string) bool { return s == "" || isHostPort(s) })}
	case "port":
		return kind{"0 (any free port) or a port from 1024 to 65535", on(func(n int) bool { return n == 0 || n >= 1024 && n <= 65535 })}
	case "origin":
		return kind{"one origin like https://wallet.example, or empty", on(func(s string) bool { return s == "" || s == anyOrigin || isOrigin(s) })}
	case "wallet name or none":
		return kind{"a text of up to 100 bytes, of letters, digits, spaces, hyphens and underscores, or empty for none", on(isWalletName)}
	case "word count":
		return kind{"12, 15, 18, 21 or 24", on(func(n int) bool { return n >= 12 && n <= 24 && n%3 == 0 })}
	case "secret":
		return kind{"a text that is not empty", on(Secret.IsSet)}
	case "false":
		return kind{"false: this node speaks plain HTTP, put a proxy with TLS in front of it", on(func(b bool) bool { return !b })}
	case "coins":
		return kind{"the path of a coins file or a list of coins", on(isPathOrList)}
	case "log level":
		return kind{"one of " + strings.Join(LogLevels(), ", "), on(func(s string) bool { return slices.Contains(LogLevels(), s) })}
	case "hosts":
		return kind{`a list of host names and addresses without ports, like ["127.0.0.1"]`, each(isHost)}
	case "URLs":
		return kind{`a list of URLs of http or https, like ["https://ipfs.io/ipfs/"]`, each(func(s string) bool { return isURL(s, "http", "https") })}
	case "relay":
		return kind{"a URL of ws or wss without user and query, like wss://relay.walletconnect.org", on(func(s string) bool { return isURL(s, "ws", "wss") })}
	case "app URL":
		return kind{"a URL of http or https without user and query, like https://wallet.example, or empty", on(func(s string) bool { return s == "" || isURL(s, "http", "https") })}
	case "price service":
		return kind{"one of " + strings.Join(PriceServices(), ", "), on(func(s string) bool { return slices.Contains(PriceServices(), s) })}
	case "price URL or none":
		return kind{"a URL of http or https without user, like https://api.coingecko.com/api/v3, or empty", on(func(s string) bool { return s == "" || isQueryURL(s, "http", "https") })}
	case "project id":
		return kind{"1 to 64 letters, digits and hyphens, or empty", on(isProjectID)}
	case "user":
		return kind{"a text without colon or spaces that is not empty", on(func(s string) bool { return s != "" && !strings.ContainsAny(s, ": \t\r\n") })}
	case "public key":
		return kind{"66 hexadecimal digits, the compressed public key of the passphrase", on(func(s string) bool { return s == "" || isPubKey(s) })}
	case "peers":
		return kind{`a list of node ids and addresses, like ["0123456789abcdef0123456789abcdef01234567@10.0.0.2:26656"]`, each(isPeer)}
	case "header hash":
		return kind{"64 hexadecimal digits, or empty", on(func(s string) bool { return s == "" || isHex(s, 32) })}
	case "engine":
		return kind{`"solo"`, on(func(s string) bool { return s == "solo" })}
	}
	panic("config: no kind of values is called " + name)
}

// on converts a check of values of type T to a check of any value. Values of other types are
// not allowed.
func on[T any](allows func(T) bool) func(any) bool {
	return func(value any) bool {
		v, is := value.(T)
		return is && allows(v)
	}
}

func each(allows func(string) bool) func(any) bool {
	return on(func(all []string) bool {
		return !slices.ContainsFunc(all, func(one string) bool { return !allows(one) })
	})
}

func isIP(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

// isHost reports whether a text is valid as the host of a URL, written as in a URL but without
// the brackets of IPv6.
func isHost(host string) bool {
	return host != "" && (isIP(host) || !strings.ContainsAny(host, ":/@?# \t\r\n[]"))
}

func isHostPort(text string) bool {
	u, err := url.Parse("tcp://" + text)
	if err != nil || u.Host != text || u.Hostname() == "" || strings.Contains(text, ",") {
		return false
	}
	_, err = strconv.ParseUint(u.Port(), 10, 16)
	return err == nil
}

func isURL(text string, schemes ...string) bool {
	return isQueryURL(text, schemes...) && !strings.Contains(text, "?")
}

// isQueryURL is like isURL, but allows a query.
func isQueryURL(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	return err == nil && slices.Contains(schemes, u.Scheme) && u.Hostname() != "" && u.User == nil && u.Fragment == ""
}

func isProjectID(s string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyz0123456789-"
	return len(s) <= 64 && !strings.ContainsFunc(strings.ToLower(s), func(r rune) bool { return !strings.ContainsRune(allowed, r) })
}

func isPubKey(s string) bool { return isHex(s, 33) }

func isHex(s string, size int) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == size
}

// isPeer reports whether a text consists of a node's id, which is an address of 20 bytes, and
// the address on which the node listens.
func isPeer(s string) bool {
	id, address, found := strings.Cut(s, "@")
	return found && isHex(id, 20) && isHostPort(address)
}

// isOrigin reports whether a text has the form of an Origin header: only a scheme, a host and a
// port. The scheme may also be that of a browser extension or an app.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && u.Host != "" && s == strings.ToLower(u.Scheme+"://"+u.Host)
}

func isPathOrList(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || raw[0] == '"' || raw[0] == '[' || string(raw) == "null"
}
