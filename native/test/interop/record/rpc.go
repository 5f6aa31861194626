package main

import (
	"bytes"
	"context"
	"net/http"
)

// tapeRPC records calls about the health of a node, and the responses of its JSON-RPC to requests
// of various forms.
func (r *recorder) tapeRPC(ctx context.Context) error {
	for _, method := range []string{"health", "status", "abci_info"} {
		if err := r.rpc.take(ctx, r.Chain, method, method, params{}); err != nil {
			return err
		}
	}
	for _, s := range shapes() {
		if _, err := r.rpc.send(ctx, r.Chain, s.entry, []byte(s.body)); err != nil {
			return err
		}
	}
	return nil
}

type shape struct {
	entry
	body string
}

func shapes() []shape {
	post := func(name, body string) shape { return shape{entry{Name: name}, body} }
	get := func(path string) shape {
		return shape{entry{Name: "GET " + path, Verb: http.MethodGet, Path: path}, ""}
	}
	const health = `{"jsonrpc":"2.0","id":"1","method":"health","params":{}}`
	origin := map[string]string{"Origin": "https://wallet.example"}
	preflight := map[string]string{"Origin": "https://wallet.example", "Access-Control-Request-Method": "POST",
		"Access-Control-Request-Headers": "content-type"}
	return []shape{
		post("id that is a number", `{"jsonrpc":"2.0","id":7,"method":"health","params":{}}`),
		post("id of 20 digits", `{"jsonrpc":"2.0","id":12345678901234567890,"method":"health","params":{}}`),
		post("id that is null", `{"jsonrpc":"2.0","id":null,"method":"health","params":{}}`),
		post("id that is an object", `{"jsonrpc":"2.0","id":{},"method":"health","params":{}}`),
		post("without an id", `{"jsonrpc":"2.0","method":"health","params":{}}`),
		post("without params", `{"jsonrpc":"2.0","id":"1","method":"health"}`),
		post("params that are null", `{"jsonrpc":"2.0","id":"1","method":"health","params":null}`),
		post("params that are a list", `{"jsonrpc":"2.0","id":"1","method":"health","params":[]}`),
		post("params that are text", `{"jsonrpc":"2.0","id":"1","method":"health","params":"none"}`),
		post("without jsonrpc", `{"id":"1","method":"health","params":{}}`),
		post("jsonrpc 1.0", `{"jsonrpc":"1.0","id":"1","method":"health","params":{}}`),
		post("more keys", `{"jsonrpc":"2.0","id":"1","method":"health","params":{},"more":1}`),
		post("unknown method", `{"jsonrpc":"2.0","id":"1","method":"healthy","params":{}}`),
		post("no method", `{"jsonrpc":"2.0","id":"1","params":{}}`),
		post("unsafe method", `{"jsonrpc":"2.0","id":"1","method":"dial_seeds","params":{}}`),
		post("method of the websocket", `{"jsonrpc":"2.0","id":"1","method":"subscribe","params":{"query":"tm.event='Tx'"}}`),
		post("list of two", "["+health+","+`{"jsonrpc":"2.0","id":"2","method":"healthy","params":{}}`+"]"),
		post("list of none", "[]"),
		post("list of no requests", "[1]"),
		post("no JSON", "{"),
		post("nothing", ""),
		post("text", "health"),
		post("more than a megabyte", `{"jsonrpc":"2.0","id":"1","method":"health","params":{"more":"`+string(bytes.Repeat([]byte("x"), 1_000_000))+`"}}`),
		{entry{Name: "POST elsewhere", Path: "status"}, health},
		{entry{Name: "POST to nothing", Path: "nothing"}, health},
		{entry{Name: "another content type", Sent: map[string]string{"Content-Type": "text/plain"}}, health},
		{entry{Name: "from a page", Sent: origin}, health},
		{entry{Name: "question of a browser", Verb: http.MethodOptions, Sent: preflight}, ""},
		{entry{Name: "PUT", Verb: http.MethodPut}, health},
		get(""), get("health"), get("abci_info"), get("nothing"), get("block?height=5000000"), get("websocket"),
	}
}
