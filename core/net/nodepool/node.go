package nodepool

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math/bits"
	"net/netip"
	"net/url"
	"slices"
	"sort"
	"strings"
	"time"

	"obverse/core/text"
)

// Node is a node as configured by the user. Coins are stored with their nodes in JSON.
type Node struct {
	// URL is the JSON-RPC URL: http or https, or ws or wss if the pool has a Dialer. It may
	// contain a user and a password, which are sent in a header.
	URL string `json:"url"`
	// GatewayProxy adds a signature of this program's identity to requests, for a gateway of
	// Komodo DeFi Framework.
	GatewayProxy bool `json:"gateway,omitempty"`
	// APIURL and GRPCURL are the node's other interfaces. They are stored but not used here.
	APIURL  string `json:"api,omitempty"`
	GRPCURL string `json:"grpc,omitempty"`
	// WSURL is the URL of the websocket, ws or wss. If it is empty, the usual URL for nodes of
	// the chain is used.
	WSURL string `json:"ws,omitempty"`
}

// FirstPublic returns the first node with URLs that contain no secret, so that they can be given to
// an external wallet, or the zero value. With api, the node must have an APIURL too.
func FirstPublic(nodes []Node, api bool) Node {
	for _, n := range nodes {
		if n.Public() && (!api || n.APIURL != "") {
			return n
		}
	}
	return Node{}
}

// MaxURL limits the length of a URL in bytes.
const MaxURL = 2048

// URLError reports an invalid URL of a node.
type URLError struct {
	URL    string // without credentials
	Reason string
}

func (e *URLError) Error() string {
	return fmt.Sprintf("Url %s is invalid, got error %s", e.URL, e.Reason)
}

// URLErrors lists the errors in the URLs of nodes.
type URLErrors []*URLError

func (e URLErrors) Error() string {
	texts := make([]string, len(e))
	for i, one := range e {
		texts[i] = one.Error()
	}
	return strings.Join(texts, ", ")
}

// Endpoint is a parsed URL.
type Endpoint struct {
	URL           string // without user information
	Authorization string // value of a header, or ""
	Label         string // for users and logs, without credentials
}

// Parse parses the URL of a node. An empty path becomes "/", as in a request.
func Parse(raw string, schemes ...string) (Endpoint, *URLError) {
	refuse := func(reason string) (Endpoint, *URLError) { return Endpoint{}, &URLError{guess(raw), reason} }
	if raw = strings.TrimSpace(raw); len(raw) > MaxURL {
		return refuse(fmt.Sprintf("it is longer than %d bytes", MaxURL))
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil: // the text of err may contain a password
		return refuse("it cannot be parsed")
	case !slices.Contains(schemes, u.Scheme):
		return refuse("its scheme is not " + alternatives(schemes))
	case u.Hostname() == "":
		return refuse("it has no host")
	}
	var e Endpoint
	if u.User != nil {
		password, _ := u.User.Password()
		e.Authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	e.URL = u.String()
	e.Label = show(*u)
	return e, nil
}

// alternatives joins words: "a, b or c".
func alternatives(list []string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// isSocket reports whether requests are sent over a websocket.
func (e Endpoint) isSocket() bool { return strings.HasPrefix(e.URL, "ws") }

// server returns the host of a URL, regardless of scheme, port and path. On this machine, where
// tunnels to other servers may end, each port is a separate server.
func (e Endpoint) server() string {
	u, err := url.Parse(e.URL)
	if err != nil { // cannot happen, since the URL has been parsed before
		return e.URL
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if at, err := netip.ParseAddr(host); host == "localhost" || err == nil && at.IsLoopback() {
		return host + ":" + u.Port()
	}
	return host
}

// Trimmed returns the node without white space around its URLs.
func (n Node) Trimmed() Node {
	for _, url := range []*string{&n.URL, &n.APIURL, &n.GRPCURL, &n.WSURL} {
		*url = strings.TrimSpace(*url)
	}
	return n
}

// Public reports whether the node may be disclosed to others: neither its URL nor its APIURL
// may contain credentials, and requests to it must not need a signature.
func (n Node) Public() bool {
	for _, raw := range []string{n.URL, cmp.Or(n.APIURL, n.URL)} {
		e, err := Parse(raw, "http", "https")
		if err != nil || e.Authorization != "" || e.Label != strings.TrimSuffix(e.URL, "/") {
			return false
		}
	}
	return !n.GatewayProxy
}

// show returns a URL without the parts that may be credentials: the query, and long words in
// the path, which are API keys at many providers.
func show(u url.URL) string {
	return u.Scheme + "://" + u.Host + words(strings.TrimSuffix(u.EscapedPath(), "/"))
}

// words replaces long words in a path that may be keys: words with digits, and words without
// separators.
func words(path string) string {
	const long = 20
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if len(segment) >= long && (strings.ContainsAny(segment, "0123456789") || !strings.ContainsAny(segment, "-._")) {
			segments[i] = "…"
		}
	}
	return strings.Join(segments, "/")
}

// guess is like show, for an invalid URL, in which a password may contain any characters.
func guess(raw string) string {
	scheme, rest, _ := strings.Cut(raw, "//")
	if strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ":" {
		scheme += "//"
	} else {
		scheme, rest = "", raw
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		if strings.ContainsAny(rest[:at], "?#") { // the @ is in a query, or the ? is in a password
			return text.Clip(scheme, 200) + "…"
		}
		rest = rest[at+1:]
	}
	if end := strings.IndexAny(rest, "?#"); end >= 0 {
		rest = rest[:end]
	}
	host, path, found := strings.Cut(rest, "/")
	if found {
		path = "/" + path
	}
	if !strings.ContainsAny(host, ".:") { // the text may consist of a key alone
		host = words(host)
	}
	return text.Clip(scheme+host+words(path), 200)
}

// Limits of the hedge time, after which a second node is asked.
const (
	maxHedge = time.Second            // also used while nothing is known of a node
	minHedge = 400 * time.Millisecond // below this, asking two nodes costs more than it gains
)

// pace records how long a node took for its last answers.
type pace struct {
	times [16]time.Duration
	count int
}

func (p *pace) note(d time.Duration) {
	p.times[p.count%len(p.times)] = d
	p.count++
}

// quantile returns the time that q of 100 answers did not exceed, or 0 without answers.
func (p *pace) quantile(q int) time.Duration {
	known := slices.Clone(p.times[:min(p.count, len(p.times))])
	sort.Slice(known, func(i, j int) bool { return known[i] < known[j] })
	if len(known) == 0 {
		return 0
	}
	return known[(len(known)-1)*q/100]
}

// hedge returns the time after which a second node is asked. By then, nine of ten answers would
// have arrived some time ago.
func (p *pace) hedge() time.Duration {
	if p.count == 0 {
		return maxHedge
	}
	return min(max(p.quantile(90)*3/2, minHedge), maxHedge)
}

// class returns a latency class in powers of two, so that nodes with similar latencies keep the
// user's order.
func (p *pace) class() int {
	return bits.Len64(uint64(p.quantile(50) / (50 * time.Millisecond)))
}
