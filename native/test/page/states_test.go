package page

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/native/test/vectorservers"
)

// vectors is the folder of the node API's vectors.
var vectors = filepath.Join(root, "core", "mmrpc", "testdata")

const rpcPassword = "Vector-5ide_secret"

// callee is the node API of a node in a page.
type callee struct {
	*pageNode
	*vectorservers.Servers
}

func (b *browser) callee(t *testing.T, config map[string]any) *callee {
	t.Helper()
	config["rpc_password"] = rpcPassword
	return &callee{b.start(t, config), vectorservers.Start(t, rpcPassword)}
}

func (c *callee) Call(away bool, body []byte) mmrpctest.Answer {
	c.t.Helper()
	require.False(c.t, away, "no caller of a page is elsewhere")
	status, reply := c.do("/rpc", body)
	return mmrpctest.Answer{Status: status, Body: reply}
}

func (c *callee) Probed() { require.FailNow(c.t, "a page asks no peers") }

func (c *callee) Ended() { c.do("/ended", nil) }

var peers = regexp.MustCompile(`_version_stat(_collection)?$|lightning::`)

// maxClient is the largest client id that JavaScript represents exactly.
const maxClient = 1<<53 - 1

// beyondPage returns the reason why a page cannot play a step, or "".
func beyondPage(s mmrpctest.Sequence, v mmrpctest.Vector) string {
	switch {
	case v.Away:
		return "a page has no callers on other machines"
	case (v.Probed || peers.MatchString(v.Method)) && !s.Node.Page:
		return "a page has no connections to peers"
	case v.Hex != "":
		return "a body in a page is a text"
	}
	for _, client := range []*uint64{v.Open, v.Close, v.Next} {
		if client != nil && *client > maxClient {
			return "a page counts clients in JavaScript's numbers"
		}
	}
	if strings.Contains(string(v.Params), "18446744073709551615") {
		return "a page counts clients in JavaScript's numbers"
	}
	return ""
}

// forPage returns a sequence without the steps that a page cannot play. It returns no steps if the
// others depend on them. A response in a page has no headers, and therefore no Retry-After.
func forPage(t *testing.T, s mmrpctest.Sequence, left map[string]int) mmrpctest.Sequence {
	t.Helper()
	var steps []mmrpctest.Vector
	for _, v := range s.Steps {
		v.RetryAfter = false
		if why := beyondPage(s, v); why != "" {
			left[why]++
			continue
		}
		steps = append(steps, v)
	}
	if s.Node.Open || slices.ContainsFunc(s.Steps, func(v mmrpctest.Vector) bool { return !s.Node.Page && peers.MatchString(v.Method) }) {
		left["steps of sequences about these"] += len(steps)
		steps = nil
	}
	s.Steps = steps
	return s
}

// TestStates plays the vectors of the node API in a page, with a new node for each sequence.
func TestStates(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	states, requests, left := mmrpctest.ReadStates(t, filepath.Join(vectors, "states.json")), 0, map[string]int{}
	for _, whole := range states.Sequences {
		s := forPage(t, whole, left)
		if len(s.Steps) == 0 {
			continue
		}
		requests += s.Requests()
		t.Run(s.Name, func(t *testing.T) {
			config := map[string]any{"strict_params": s.Node.StrictParams}
			if !s.Node.NoPassphrase {
				config["passphrase"] = states.Passphrase
			}
			if s.Node.Coins != nil {
				config["coins"] = s.Node.Coins
			}
			s.Play(t, b.callee(t, config))
		})
	}
	t.Logf("%d requests; not for a page: %v", requests, left)
	require.GreaterOrEqual(t, requests, 180)
}

// awayExamples are rejections of callers on other machines.
func awayExamples(e mmrpctest.Example) bool {
	return bytes.Contains(e.Response, []byte("LocalHostOnly")) || bytes.Contains(e.Response, []byte("localhost"))
}

// TestNodeExamples compares a page's responses with documented ones, including those in the
// documentation of KDF.
func TestNodeExamples(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	all := slices.DeleteFunc(mmrpctest.ReadExamples(t, vectors), func(e mmrpctest.Example) bool {
		return awayExamples(e) || peers.MatchString(e.Method)
	})
	compared := all.Compare(t, func(t *testing.T) mmrpctest.Node {
		return b.callee(t, map[string]any{"passphrase": "bob passphrase"})
	})
	require.GreaterOrEqual(t, compared, 9)
}
