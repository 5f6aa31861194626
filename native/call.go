package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"obverse/native/client"
	"obverse/native/instance"
	"obverse/native/settings"
)

func (p *program) call(args []string) error {
	a, err := p.parse(args, accepts{settings: true, words: true, flags: []string{"daemon", "node"}})
	if err != nil {
		return err
	}
	if a.help {
		return p.help(helpCall)
	}
	if len(a.words) == 0 {
		return usage("call needs a method; `obverse call --help` tells more")
	}
	if a.flags["daemon"] && a.flags["node"] {
		return usage("--daemon and --node exclude each other")
	}
	s, err := settings.Read(a.sources)
	if err != nil {
		return badConfig{err}
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var result json.RawMessage
	method, words := a.words[0], a.words[1:]
	if a.flags["node"] || !a.flags["daemon"] && isNodeMethod(method) {
		result, err = p.callNode(ctx, s, method, words)
	} else {
		result, err = callDaemon(ctx, s, method, words)
	}
	if err != nil {
		return explain(err)
	}
	return p.print(result)
}

// isNodeMethod picks the interface by the way the two name their methods:
// komodod's are letters only.
func isNodeMethod(method string) bool {
	return method == "version" || method == "withdraw" || strings.ContainsAny(method, "_:")
}

func callDaemon(ctx context.Context, s *settings.Settings, method string, words []string) (json.RawMessage, error) {
	c := &s.Config
	url := addressOf(s, func(r instance.Running) string { return r.Daemon }, c.Daemon.RPCIP, c.Daemon.RPCPort)
	daemon := client.Daemon{URL: url, User: c.Daemon.RPCUser, Password: c.DaemonPassword().Reveal()}
	params := make([]json.RawMessage, len(words))
	for i, word := range words {
		params[i] = daemonParam(method, word)
	}
	return daemon.Call(ctx, method, params)
}

// daemonParam is a word as JSON. Token methods want strings and nothing else, as
// komodod does; elsewhere the word says what it is.
func daemonParam(method, word string) json.RawMessage {
	if !strings.HasPrefix(method, "token") && json.Valid([]byte(word)) {
		return json.RawMessage(word)
	}
	quoted, _ := json.Marshal(word) // a string always marshals
	return quoted
}

func (p *program) callNode(ctx context.Context, s *settings.Settings, method string, words []string) (json.RawMessage, error) {
	params, err := p.nodeParams(words)
	if err != nil {
		return nil, err
	}
	url := addressOf(s, func(r instance.Running) string { return r.Node }, s.Config.RPCIP, s.Config.RPCPort)
	return client.Node{URL: url, Password: s.Config.RPCPassword.Reveal()}.Call(ctx, method, params)
}

func (p *program) nodeParams(words []string) (json.RawMessage, error) {
	if len(words) == 0 {
		return json.RawMessage("{}"), nil
	}
	text := []byte(words[0])
	if words[0] == "-" {
		var err error
		if text, err = io.ReadAll(p.stdin); err != nil {
			return nil, err
		}
	}
	var object map[string]json.RawMessage
	if len(words) > 1 || json.Unmarshal(text, &object) != nil || object == nil {
		return nil, usage("the parameters of this method are one JSON object, or - to read it from standard input")
	}
	return text, nil
}

// addressOf prefers what the running node says, which knows the port that 0 became.
func addressOf(s *settings.Settings, said func(instance.Running) string, ip string, port int) string {
	if r, running := instance.Find(s.DataDir); running && said(r) != "" {
		return said(r)
	}
	return baseURL(net.JoinHostPort(ip, strconv.Itoa(port)))
}

// explain adds what to do about an error that users meet.
func explain(err error) error {
	var noNode *net.OpError
	switch {
	case errors.As(err, &noNode):
		return fmt.Errorf("no node answers at %s: is it running (obverse serve), with these settings?", noNode.Addr)
	case errors.Is(err, client.ErrCredential):
		return fmt.Errorf("%w: the node was started with other settings", err)
	}
	return err
}

// print indents the result. Numbers and key order stay as the node wrote them.
func (p *program) print(result json.RawMessage) error {
	var text bytes.Buffer
	if err := json.Indent(&text, result, "", "  "); err != nil {
		return err
	}
	text.WriteByte('\n')
	_, err := text.WriteTo(p.stdout)
	return err
}
