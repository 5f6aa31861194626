package nft

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
)

var errNoResult = errors.New("the answer has no result")

// maxScanned is the maximum number of names in one scan request.
const maxScanned = 500

// ScanError reports that the anti-spam service did not scan all names of a request.
type ScanError struct{ Err error }

func (e *ScanError) Error() string { return e.Err.Error() }

// Unwrap returns the cause, a *RemoteError.
func (e *ScanError) Unwrap() error { return e.Err }

// scanContracts returns the contracts that send spam.
func (g *Gallery) scanContracts(ctx context.Context, s Server, c Chain, addresses []string) (map[string]bool, error) {
	return g.scan(ctx, s, "contract", addresses, func(names string) any {
		return struct {
			Network   Chain  `json:"network"`
			Addresses string `json:"addresses"`
		}{c, names}
	})
}

// scanDomains returns the domains that are used for phishing.
func (g *Gallery) scanDomains(ctx context.Context, s Server, domains []string) (map[string]bool, error) {
	return g.scan(ctx, s, "domain", domains, func(names string) any {
		return struct {
			Domains string `json:"domains"`
		}{names}
	})
}

// scan checks names, in lower case, and returns those that are bad. Its errors are the
// context's and *ScanError.
func (g *Gallery) scan(ctx context.Context, s Server, kind string, names []string, body func(names string) any) (map[string]bool, error) {
	bad := map[string]bool{}
	for len(names) > 0 {
		n := min(len(names), maxScanned)
		request, err := json.Marshal(body(strings.Join(names[:n], ",")))
		if err != nil {
			return nil, err
		}
		answer, err := g.ask(ctx, s, apiCall{path: []string{"api", "blocklist", kind, "scan"}, body: request, limit: maxAnswer, timeout: shortTimeout})
		var verdict struct {
			Result map[string]bool `json:"result"`
		}
		if err == nil {
			if err = decode(answer, &verdict); err == nil && verdict.Result == nil {
				err = errNoResult
			}
			if err != nil {
				err = unusable(s, err)
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, &ScanError{err}
		}
		requested := make(map[string]bool, n)
		for _, name := range names[:n] {
			requested[name] = true
		}
		for name, is := range verdict.Result {
			if name = strings.ToLower(name); is && requested[name] {
				bad[name] = true
			}
		}
		names = names[n:]
	}
	return bad, nil
}

// read fetches the author's metadata of an NFT from its URI. The anti-spam service makes the
// request, so that other servers do not learn the IP address of the wallet. The node makes the
// request itself if no service is set, or if the operator allows the host, which the service
// cannot reach. The result is empty unless a server answers with a JSON object.
func (g *Gallery) read(ctx context.Context, s Server, n *NFT) Meta {
	uri := n.URI
	if media, body, is := inData(uri); is {
		if strings.HasPrefix(media, "text/html") || strings.HasPrefix(media, "image/") {
			return Meta{}
		}
		return n.document(body)
	}
	for _, p := range g.Settings.places(uri) {
		server, q := s, apiCall{path: []string{"url", "decode", hex.EncodeToString([]byte(p.url))}, limit: maxAnswer, timeout: shortTimeout}
		if p.private || s.URL == "" {
			server, q.path, q.public = Server{URL: p.url}, nil, !p.private
		}
		body, err := g.ask(ctx, server, q)
		if err != nil {
			continue
		}
		if m := n.document(body); m.hasContent() {
			return m
		}
	}
	return Meta{}
}
