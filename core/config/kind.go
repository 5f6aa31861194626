package config

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// kind is a sort of values.
type kind struct {
	must   string // completes "must be …"
	allows func(value any) bool
}

// kindOf reads the tags of a field that say which values it may have.
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

// within allows numbers between limits, "0 to 9".
func within(limits string) func(any) bool {
	from, to, _ := strings.Cut(limits, " to ")
	least, err := strconv.ParseFloat(from, 64)
	most, err2 := strconv.ParseFloat(to, 64)
	if err != nil || err2 != nil {
		panic("config: no range: " + limits)
	}
	number := reflect.TypeFor[float64]()
	return func(value any) bool {
		n := reflect.ValueOf(value).Convert(number).Float()
		return n >= least && n <= most
	}
}

// named finds a kind by the name that tags have for it.
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

// on lets a check of one type take any value; one of another type is not allowed.
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

// isHost accepts what a URL may have as its host, written as in a URL but for the
// brackets of IPv6.
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

// isQueryURL is isURL for those that may have a query.
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

// isPeer accepts a node's id, which is an address of 20 bytes, and where it listens.
func isPeer(s string) bool {
	id, address, found := strings.Cut(s, "@")
	return found && isHex(id, 20) && isHostPort(address)
}

// isOrigin accepts what a browser sends as Origin: scheme, host and port alone. The
// scheme may be one of a browser's extension or of an app.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && u.Host != "" && s == strings.ToLower(u.Scheme+"://"+u.Host)
}

func isPathOrList(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || raw[0] == '"' || raw[0] == '[' || string(raw) == "null"
}
