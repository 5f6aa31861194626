package node

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

var testTime = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func TestInteger(t *testing.T) {
	for text, want := range map[string]integer{`"5"`: 5, `5`: 5, `""`: 0, `null`: 0, `"-1"`: -1, `"9223372036854775807"`: 1<<63 - 1} {
		var i integer
		require.NoError(t, json.Unmarshal([]byte(text), &i))
		require.Equal(t, want, i)
	}
	for text, want := range map[string]count{`"5"`: 5, `0`: 0, `null`: 0} {
		var c count
		require.NoError(t, json.Unmarshal([]byte(text), &c))
		require.Equal(t, want, c)
	}
	require.EqualError(t, json.Unmarshal([]byte(`"-1"`), new(count)), "-1 is below 0")
	for _, text := range []string{`"x"`, `1.5`, `"9223372036854775808"`, `{}`, `true`} {
		var i integer
		require.Error(t, json.Unmarshal([]byte(text), &i), text)
	}
}

// FuzzAnswer runs every parser of nodes' answers.
func FuzzAnswer(f *testing.F) {
	for _, kind := range kinds() {
		for _, file := range []string{"rpc.json", "history.json", "query.json", "events.json"} {
			var all []struct{ Response json.RawMessage }
			readJSON(f, kind, file, &all)
			for _, r := range all[:min(len(all), 8)] {
				f.Add(200, []byte(r.Response))
			}
		}
	}
	f.Add(429, []byte("<html>"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		var honest bool
		fetcher := fetch.Func(func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
			var a query
			require.NoError(t, json.Unmarshal(r.Body, &a))
			if a.ID == "1" && a.Method == "status" && honest {
				return at(9)(ctx, a)
			}
			return fetch.Response{Status: status, Body: bytes.Replace(body, []byte(`"id":"1"`), []byte(`"id":"`+a.ID+`"`), 1)}, nil
		})
		for _, call := range []func(*Pool) error{
			func(p *Pool) error { _, err := p.Status(t.Context()); return err },
			func(p *Pool) error { honest = false; _, err := p.Probe(t.Context()); return err },
			func(p *Pool) error { _, err := p.Height(t.Context()); return err },
			func(p *Pool) error { _, err := p.Balance(t.Context(), "a", "u"); return err },
			func(p *Pool) error { _, err := p.Search(t.Context(), Search{Page: 1, Size: 1}); return err },
			func(p *Pool) error { _, err := p.Tx(t.Context(), [32]byte{}); return err },
			func(p *Pool) error { _, err := p.BlockTime(t.Context(), 4); return err },
			func(p *Pool) error { _, err := p.Broadcast(t.Context(), []byte("tx")); return err },
			func(p *Pool) error { return p.Health(t.Context()) },
		} {
			honest = true // a node that reports its chain correctly
			p, err := New(Config{Nodes: []Node{{URL: urlA}}, ChainID: chainID, Fetcher: fetcher, Now: func() time.Time { return testTime }})
			require.NoError(t, err)
			if err := call(p); err != nil {
				require.Less(t, len(err.Error()), 5000)
			}
		}
	})
}
