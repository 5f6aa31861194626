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
	"unicode"

	"obverse/core/rpc"
	"obverse/native/client"
	"obverse/native/instance"
	"obverse/native/settings"
)

func (p *program) call(args []string) error {
	a, err := p.parse(args, accepts{command: "call", settings: true, words: true, flags: []string{"daemon", "node"}})
	if err != nil {
		return err
	}
	if a.help || len(a.words) == 2 && isHelp(a.words[1]) {
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
		return badConfig{whereElse(a, err)}
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	t := target{s, a.sources.Overrides}
	var result json.RawMessage
	method, words := a.words[0], a.words[1:]
	if a.flags["node"] || !a.flags["daemon"] && (isNodeMethod(method) || method == help && len(words) == 1 && isNodeMethod(words[0])) {
		result, err = p.callNode(ctx, t, method, words)
	} else {
		result, err = callDaemon(ctx, t, method, words)
	}
	if err != nil {
		return explain(err)
	}
	return p.print(result)
}

// help is a method of both interfaces.
const help = "help"

// isNodeMethod picks the interface by the way the two name their methods:
// komodod's are letters only.
func isNodeMethod(method string) bool {
	return method == "version" || method == "withdraw" || strings.ContainsAny(method, "_:")
}

// whereElse adds to an error of a folder without a config what can be done about it.
func whereElse(a arguments, err error) error {
	if !errors.Is(err, settings.ErrNoConfig) || a.sources.DataDir == "" {
		return err
	}
	return fmt.Errorf("%w there, with the same --datadir; or the running node has another folder, or a config elsewhere (--config FILE)", err)
}

func callDaemon(ctx context.Context, t target, method string, words []string) (json.RawMessage, error) {
	c := &t.Config
	url := t.address("daemon.", func(r instance.Running) string { return r.Daemon }, c.Daemon.RPCIP, c.Daemon.RPCPort)
	daemon := client.Daemon{URL: url, User: c.Daemon.RPCUser, Password: c.DaemonPassword().Reveal()}
	params := make([]json.RawMessage, len(words))
	for i, word := range words {
		params[i] = daemonParam(method, word)
	}
	result, err := daemon.Call(ctx, method, params)
	var refused *client.RemoteError
	if errors.As(err, &refused) && refused.Code() == client.MethodNotFound {
		err = theOtherInterface(err, method)
	}
	return result, err
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

func (p *program) callNode(ctx context.Context, t target, method string, words []string) (json.RawMessage, error) {
	params, err := p.nodeParams(method, words)
	if err != nil {
		return nil, err
	}
	url := t.address("", func(r instance.Running) string { return r.Node }, t.Config.RPCIP, t.Config.RPCPort)
	return client.Node{URL: url, Password: t.Config.RPCPassword.Reveal()}.Call(ctx, method, params)
}

// nodeParams makes parameters of the words behind a method. For help one is enough.
func (p *program) nodeParams(method string, words []string) (json.RawMessage, error) {
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
	isObject := strings.HasPrefix(strings.TrimSpace(string(text)), "{")
	if method == help && len(words) == 1 && words[0] != "-" && !isObject {
		return json.Marshal(map[string]string{"command": words[0]})
	}
	if len(words) > 1 || !isObject {
		return nil, usage("%s", wantObject(method))
	}
	if err := rpc.CheckText(text); err != nil {
		return nil, usage("the parameters are no JSON: %v", err)
	}
	return text, nil
}

// target is a node that is called: the settings that it was started with, and those
// among them that this command line gives.
type target struct {
	*settings.Settings
	given map[string]string
}

// address prefers what the command line says; then what the running node says, which
// knows the port that 0 became. The keys of the interface begin with prefix.
func (t target) address(prefix string, said func(instance.Running) string, ip string, port int) string {
	_, givenIP := t.given[prefix+"rpcip"]
	_, givenPort := t.given[prefix+"rpcport"]
	if explicit := port != 0 && (givenIP || givenPort); !explicit {
		if r, running := instance.Find(t.DataDir); running && said(r) != "" {
			return said(r)
		}
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

// print indents the result. Numbers and key order stay as the node wrote them. A text of
// several lines, as help is, is shown as such.
func (p *program) print(result json.RawMessage) error {
	if lines, ok := linesOf(result); ok {
		_, err := io.WriteString(p.stdout, lines)
		return err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, result, "", "  "); err != nil {
		return err
	}
	text.WriteByte('\n')
	_, err := text.WriteTo(p.stdout)
	return err
}

// linesOf is the text of a result that is one of several lines, and of nothing that a
// terminal would take for a command.
func linesOf(result json.RawMessage) (lines string, ok bool) {
	if json.Unmarshal(result, &lines) != nil || !strings.Contains(lines, "\n") {
		return "", false
	}
	for _, r := range lines {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return "", false
		}
	}
	return strings.TrimRight(lines, "\n") + "\n", true
}
