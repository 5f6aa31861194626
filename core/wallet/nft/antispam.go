package nft

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
)

var errNoResult = errors.New("it has no result")

// maxScanned is how many names one scan is asked about.
const maxScanned = 500

// ScanError says that the service against spam did not scan what it was asked to.
type ScanError struct{ Err error }

func (e *ScanError) Error() string { return e.Err.Error() }

// Unwrap gives the reason, a *RemoteError.
func (e *ScanError) Unwrap() error { return e.Err }

// scanContracts tells the contracts that send spam.
func (g *Gallery) scanContracts(ctx context.Context, s Server, c Chain, addresses []string) (map[string]bool, error) {
	return g.scan(ctx, s, "contract", addresses, func(names string) any {
		return struct {
			Network   Chain  `json:"network"`
			Addresses string `json:"addresses"`
		}{c, names}
	})
}

// scanDomains tells the domains that phish.
func (g *Gallery) scanDomains(ctx context.Context, s Server, domains []string) (map[string]bool, error) {
	return g.scan(ctx, s, "domain", domains, func(names string) any {
		return struct {
			Domains string `json:"domains"`
		}{names}
	})
}

// scan asks about names, in small letters, and gives those that are bad. Its errors are
// the context's and *ScanError.
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
		asked := make(map[string]bool, n)
		for _, name := range names[:n] {
			asked[name] = true
		}
		for name, is := range verdict.Result {
			if name = strings.ToLower(name); is && asked[name] {
				bad[name] = true
			}
		}
		names = names[n:]
	}
	return bad, nil
}

// read fetches what the author of an NFT says of it from its URI: through the service
// against spam, which keeps the wallet's address on the network from strangers, or by
// itself where the operator allows what the service cannot reach, or without a service.
// Nothing is known unless a service answers with a JSON object.
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
