package worker

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/native/test/vectorservers"
)

// vectors is the folder of the node API's vectors.
var vectors = filepath.Join(root, "core", "mmrpc", "testdata")

// callee is the node API of a node at the edge. No caller is local. A caller that should be local
// calls a node that is open to others, which is the default at the edge.
type callee struct {
	*node
	*vectorservers.Servers
	config map[string]any
	closed bool // whether it is closed to callers on other machines
}

func (e *edge) callee(t *testing.T, config map[string]any) *callee {
	t.Helper()
	return &callee{e.node(t, config), vectorservers.Start(t, rpcPassword), config, config["rpc_local_only"] == true}
}

func (c *callee) Call(away bool, body []byte) mmrpctest.Answer {
	c.t.Helper()
	if _, set := c.config["rpc_local_only"]; away && !set && !c.closed {
		c.closed = true
		config := maps.Clone(c.config)
		config["rpc_local_only"] = true
		c.configure(config)
		c.evict()
	}
	response, reply := c.ask(http.MethodPost, "/", body)
	require.Equal(c.t, "application/json", response.Header.Get("Content-Type"), string(reply))
	a := mmrpctest.Answer{Status: response.StatusCode, Body: reply}
	if after := response.Header.Get("Retry-After"); after != "" {
		var err error
		a.RetryAfter, err = strconv.Atoi(after)
		require.NoError(c.t, err)
	}
	return a
}

func (c *callee) Probed() { require.FailNow(c.t, "a node at the edge asks no peers for their version") }

func (c *callee) Ended() { require.FailNow(c.t, "a node at the edge does not end") }

func (c *callee) Open(client uint64) mmrpctest.Stream {
	c.t.Helper()
	s := c.listen("?id=" + strconv.FormatUint(client, 10))
	c.t.Cleanup(s.Close)
	return s
}

// difference describes a response at the edge that differs from the one of a native node.
type difference struct {
	why string
	is  func(s mmrpctest.Sequence, v mmrpctest.Vector) bool
	// response at the edge; nil means that the step is skipped
	want *mmrpctest.Expect
}

var statistics = regexp.MustCompile(`_version_stat(_collection)?$`)

// isStop reports whether a vector stops the node, which is possible only natively.
func isStop(old bool) func(mmrpctest.Sequence, mmrpctest.Vector) bool {
	return func(_ mmrpctest.Sequence, v mmrpctest.Vector) bool {
		if old {
			return string(v.Result) == `"success"` && bytes.Contains(v.Request, []byte(`"stop"`))
		}
		return v.Method == "stop"
	}
}

// differences lists all differences. The first row that matches a step is used.
var differences = []difference{
	{"no peers are asked for their version: that takes connections of libp2p", func(s mmrpctest.Sequence, v mmrpctest.Vector) bool {
		return v.Probed || statistics.MatchString(v.Method) && !s.Node.Page
	}, &mmrpctest.Expect{Status: 405, Type: "UnsupportedMode", Text: "'", Data: json.RawMessage(`"~^'[a-z_]*version_stat[a-z_]*'$"`)}},
	{"no caller is on the object's machine, so rpc.discover needs the password", func(_ mmrpctest.Sequence, v mmrpctest.Vector) bool {
		return v.Name == "rpc.discover needs none on this machine"
	}, &mmrpctest.Expect{Status: 403, Type: "UserpassIsNotSet"}},
	{"no caller is on the object's machine, so a node that is closed to others has no callers", func(s mmrpctest.Sequence, v mmrpctest.Vector) bool {
		return !s.Node.Open && !v.Away && slices.ContainsFunc(s.Steps, func(v mmrpctest.Vector) bool { return v.Away })
	}, nil},
	{"the platform ends objects, no request does", isStop(false), &mmrpctest.Expect{Status: 405, Type: "UnsupportedMode", Data: json.RawMessage(`"this node cannot be stopped by a request"`)}},
	{"the platform ends objects, no request does", isStop(true), &mmrpctest.Expect{Status: 500, Form: "old error", Text: "~this node cannot be stopped by a request$"}},
	{"the platform ends objects, no request does", func(_ mmrpctest.Sequence, v mmrpctest.Vector) bool { return v.Ended }, nil},
}

// found holds the rows that were used.
type found map[string]int

// forEdge returns a sequence with the responses of the edge.
func forEdge(s mmrpctest.Sequence, differs found) mmrpctest.Sequence {
	var steps []mmrpctest.Vector
	for _, v := range s.Steps {
		i := slices.IndexFunc(differences, func(d difference) bool { return d.is(s, v) })
		if i >= 0 {
			differs[differences[i].why]++
			if differences[i].want == nil || v.Probed {
				continue
			}
			v.Expect, v.Until = *differences[i].want, false
		}
		steps = append(steps, v)
	}
	s.Steps = steps
	return s
}

// isAboutPages reports whether a sequence tests a feature that only a page lacks: connections to
// Lightning nodes. Sequences about features that both lack are played.
func isAboutPages(s mmrpctest.Sequence) bool {
	return s.Node.Page && !slices.ContainsFunc(s.Steps, func(v mmrpctest.Vector) bool { return statistics.MatchString(v.Method) })
}

// TestStates plays the vectors of the node API at the edge, with a new object for each sequence.
func TestStates(t *testing.T) {
	t.Parallel()
	e := openEdge(t)
	states, requests, differs := mmrpctest.ReadStates(t, filepath.Join(vectors, "states.json")), 0, found{}
	for _, whole := range states.Sequences {
		if isAboutPages(whole) {
			continue
		}
		s := forEdge(whole, differs)
		requests += s.Requests()
		t.Run(s.Name, func(t *testing.T) {
			config := map[string]any{"strict_params": s.Node.StrictParams}
			if s.Node.Open {
				config["rpc_local_only"] = false
			}
			if !s.Node.NoPassphrase {
				config["passphrase"] = states.Passphrase
			}
			if s.Node.Coins != nil {
				config["coins"] = s.Node.Coins
			}
			s.Play(t, e.callee(t, config))
		})
	}
	t.Logf("%d requests; others than natively: %v", requests, differs)
	require.GreaterOrEqual(t, requests, 500)
	require.Equal(t, found{
		"no peers are asked for their version: that takes connections of libp2p":                  74,
		"no caller is on the object's machine, so rpc.discover needs the password":                1,
		"no caller is on the object's machine, so a node that is closed to others has no callers": 1,
		"the platform ends objects, no request does":                                              4,
	}, differs)
}

// TestNodeExamples compares responses at the edge with documented ones, including those in the
// documentation of KDF.
func TestNodeExamples(t *testing.T) {
	t.Parallel()
	e := openEdge(t)
	all := slices.DeleteFunc(mmrpctest.ReadExamples(t, vectors), func(x mmrpctest.Example) bool { return statistics.MatchString(x.Method) })
	compared := all.Compare(t, func(t *testing.T) mmrpctest.Node {
		return e.callee(t, map[string]any{"passphrase": "bob passphrase"})
	})
	require.GreaterOrEqual(t, compared, 14)
}
