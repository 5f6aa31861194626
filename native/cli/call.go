package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"obverse/core/daemon"
	"obverse/core/mmrpc"
	"obverse/core/rpc"
	"obverse/native/client"
	"obverse/native/datalock"
	"obverse/native/settings"
)

func (p *program) call(args []string) error {
	a, err := p.parse(args, takesCall)
	if err != nil {
		return err
	}
	if a.help || len(a.words) == 2 && isHelp(a.words[1]) {
		return p.help(helpCall)
	}
	if len(a.words) == 0 {
		return usage("call needs a method; `obverse call --help` shows details")
	}
	if a.flags["daemon"] && a.flags["node"] {
		return usage("--daemon and --node exclude each other")
	}
	if name, late := a.lateOption(takesCall); late {
		return usage("--%s after the method would be a parameter of it: options come first, as in `obverse call --%s … METHOD`", name, name)
	}
	c, err := p.calling(a)
	if err != nil {
		return err
	}
	c.method, c.words = a.words[0], a.words[1:]
	if c.method == help && len(c.words) == 0 && !a.flags["daemon"] && !a.flags["node"] {
		return p.listMethods(c)
	}
	c.about = c.method
	if c.method == help && len(c.words) == 1 {
		c.about = c.words[0]
	}
	c.api = daemonInterface()
	if a.flags["node"] || !a.flags["daemon"] && isNodeMethod(c.about) {
		c.api = nodeInterface()
	}
	result, err := p.ask(c)
	if err != nil {
		return err
	}
	return p.print(result)
}

// calling returns a call of the node of a command line, without a method.
func (p *program) calling(a arguments) (*calling, error) {
	s, err := settings.Read(a.sources)
	if err != nil {
		return nil, settings.ConfigError{Err: whereElse(a, err)}
	}
	warn := func(text string) { fmt.Fprintf(p.stderr, "warning: %s\n", text) }
	return &calling{warn: warn, target: target{s, a.sources.Overrides, a.sources.ConfFile != ""}, json: a.flags["json"]}, nil
}

// help is a method of both APIs, and a command.
const help = "help"

// calling is a call: its node, method and parameters.
type calling struct {
	target
	api    iface
	warn   func(string) // prints the warning in a reply
	json   bool         // prints errors as the node's JSON
	method string
	words  []string // words after the method
	about  string   // the method, or the one that help describes
}

// ask calls the node. It reads standard input before, so that Ctrl-C ends the program while it
// waits for input.
func (p *program) ask(c *calling) (result json.RawMessage, err error) {
	var params json.RawMessage
	if c.api.name == "node API" {
		if params, err = p.nodeParams(c.method, c.words); err != nil {
			return nil, err
		}
	} else if c.words, err = p.amounts(c.method, c.words); err != nil {
		return nil, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if c.api.name == "node API" {
		result, err = c.callNode(ctx, params)
	} else {
		result, err = c.callDaemon(ctx)
	}
	if err != nil {
		return nil, c.explain(err)
	}
	return result, nil
}

// listMethods prints the methods of both APIs.
func (p *program) listMethods(c *calling) error {
	for n, i := range interfaces() {
		c.api = i
		result, err := p.ask(c)
		if err != nil {
			return err
		}
		heading := fmt.Sprintf("The %s:\n\n", i.name)
		if n > 0 {
			heading = "\n" + heading
		}
		if err := p.help(heading); err != nil {
			return err
		}
		if err := p.print(result); err != nil {
			return err
		}
	}
	return nil
}

// whereElse adds advice to the error for a folder without a config.
func whereElse(a arguments, err error) error {
	if !errors.Is(err, settings.ErrNoConfig) || a.sources.DataDir == "" {
		return err
	}
	return fmt.Errorf("%w there, with the same --datadir; or the running node has another folder, or a config elsewhere (--config FILE)", err)
}

func (c *calling) callDaemon(ctx context.Context) (json.RawMessage, error) {
	params := make([]json.RawMessage, len(c.words))
	for i, word := range c.words {
		params[i] = daemonParam(c.method, i, word)
	}
	return c.callWith(ctx, params)
}

// callWith calls the method on the daemon API.
func (c *calling) callWith(ctx context.Context, params []json.RawMessage) (json.RawMessage, error) {
	k := &c.Config
	url, said, err := c.address("daemon.", func(r datalock.Running) string { return r.Daemon }, k.Daemon.RPCIP, k.Daemon.RPCPort)
	if err != nil {
		return nil, err
	}
	missing := readCookie(c.Settings)
	a := c.Settings.Credential()
	if _, given := c.given["daemon.rpcuser"]; said && !given {
		if running, has := readCurl(c.DataDir); has {
			a, missing = running, nil
		}
	}
	d := client.Daemon{URL: url, User: a.User, Password: a.Password, Warn: c.warn}
	result, err := d.Call(ctx, c.method, params)
	if missing != nil && errors.Is(err, client.ErrCredential) {
		return nil, missing
	}
	if err == nil && c.method == help && len(c.words) == 1 && bytes.HasPrefix(result, []byte(unknownCommandText)) {
		// komodod returns this as a result.
		return nil, &client.RemoteError{Kind: strconv.Itoa(daemon.CodeNoMethod), Text: "unknown method", Body: result}
	}
	return result, err
}

// unknownCommandText is the beginning of the daemon API's result of help for an unknown method.
const unknownCommandText = `"help: unknown command: `

// numberAt is the position of the parameter of a token method that is a number, the size of a page.
var numberAt = map[string]int{"tokenlist": 1, "tokenholders": 2, "tokentransactions": 3}

// daemonParam returns a word as JSON, for the parameter at a position. As in komodod, parameters of
// token methods are strings, except for objects of options, lists and sizes of pages. For other
// methods, a word that is valid JSON is passed unchanged.
func daemonParam(method string, position int, word string) json.RawMessage {
	plain := !strings.HasPrefix(method, "token")
	if at, pages := numberAt[method]; pages && at == position && isDigits(word) || method == "tokenlist" && (word == "true" || word == "false") {
		plain = true
	}
	if at, list := amountsAt[method]; strings.HasPrefix(word, "{") && (list && at == position || slices.Contains(withOptions, method)) {
		plain = true
	}
	if plain && json.Valid([]byte(word)) {
		return json.RawMessage(word)
	}
	quoted, _ := json.Marshal(word) // marshalling a string cannot fail
	return quoted
}

// amountsAt is the position of the parameter of a token method that is a list of amounts.
var amountsAt = map[string]int{"tokensendmany": 1, "tokencreate": 4}

// withOptions lists the token methods with an object of options.
var withOptions = []string{"tokenbalance", "tokeninfo", "tokensendmany"}

// amounts replaces the word - in the place of a list of amounts with the list from standard input.
// The input is an object, or lines with a public key and an amount, separated by a comma.
func (p *program) amounts(method string, words []string) ([]string, error) {
	at, has := amountsAt[method]
	if !has || at >= len(words) || words[at] != "-" {
		return words, nil
	}
	text, err := io.ReadAll(io.LimitReader(p.stdin, maxParams))
	if err != nil {
		return nil, fmt.Errorf("read the list from standard input: %w", err)
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		if text, err = amountsOf(text); err != nil {
			return nil, usage("the list on standard input: %v", err)
		}
	}
	words = slices.Clone(words)
	words[at] = strings.TrimSpace(string(text))
	return words, nil
}

// amountsOf returns the object of a CSV file with public keys or addresses in the first column and
// amounts in the second. A first line without a number is a heading.
func amountsOf(table []byte) ([]byte, error) {
	r := csv.NewReader(bytes.NewReader(table))
	r.FieldsPerRecord, r.TrimLeadingSpace = 2, true
	records, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) > 0 && strings.Trim(records[0][1], "0123456789. ") != "" {
		records = records[1:]
	}
	text := []byte{'{'}
	for i, record := range records {
		key, _ := json.Marshal(strings.TrimSpace(record[0]))
		amount, _ := json.Marshal(strings.TrimSpace(record[1]))
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, key...), ':'), amount...)
	}
	return append(text, '}'), nil
}

func isDigits(word string) bool { return word != "" && strings.Trim(word, "0123456789") == "" }

func (c *calling) callNode(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	url, _, err := c.address("", func(r datalock.Running) string { return r.Node }, c.Config.RPCIP, c.Config.RPCPort)
	if err != nil {
		return nil, err
	}
	return client.Node{URL: url, Password: c.Config.RPCPassword.Reveal()}.Call(ctx, c.method, params)
}

// maxParams is the maximum size of parameters from standard input. It equals the largest
// max_request_bytes.
const maxParams = 1 << 30

// nodeParams returns the parameters from the words after a method. The parameter of help may be a
// single name.
func (p *program) nodeParams(method string, words []string) (json.RawMessage, error) {
	if len(words) == 0 {
		return json.RawMessage("{}"), nil
	}
	text := []byte(words[0])
	if words[0] == "-" {
		var err error
		if text, err = io.ReadAll(io.LimitReader(p.stdin, maxParams+1)); err != nil {
			return nil, fmt.Errorf("read the parameters from standard input: %w", err)
		}
		if len(text) > maxParams {
			return nil, fmt.Errorf("the parameters on standard input are longer than %d MiB", maxParams>>20)
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
		return nil, usage("the parameters are invalid JSON: %v", err)
	}
	return text, nil
}

// target is the node to call: the settings with which it was started, and the settings on this
// command line.
type target struct {
	*settings.Settings
	given   map[string]string
	isOther bool // the node of a conf file, which may be another program
}

// Errors of address.
var (
	errNotRunning = errors.New("the node is not running")
	errNotReady   = errors.New("the node is not ready yet")
)

// address returns the address of the node. The command line takes precedence over the addresses
// that the running node has published, which include the port that was chosen for 0. running
// reports whether the address was published by the node. prefix is the prefix of the keys of the
// API. Another user's program may listen on a port on which the node does not listen, and would
// receive the credential; the program therefore does not call such a port of this machine.
func (t target) address(prefix string, said func(datalock.Running) string, ip string, port int) (url string, running bool, err error) {
	_, givenIP := t.given[prefix+"rpcip"]
	_, givenPort := t.given[prefix+"rpcport"]
	if explicit := port != 0 && (givenIP || givenPort); !explicit {
		r, running := datalock.Find(t.DataDir)
		switch {
		case running && said(r) != "":
			return said(r), true, nil
		case t.isOther || !isThisMachine(ip):
		case running:
			return "", false, fmt.Errorf("%w, pid %d (data folder %s)", errNotReady, r.PID, t.DataDir)
		default:
			return "", false, fmt.Errorf("%w in the data folder %s: start it with `obverse serve`, or give the --datadir, --config or address of the one that runs", errNotRunning, t.DataDir)
		}
	}
	return baseURL(net.JoinHostPort(ip, strconv.Itoa(port))), false, nil
}

// isThisMachine reports whether programs of this machine listen on an address.
func isThisMachine(ip string) bool {
	address := net.ParseIP(ip)
	if address == nil || address.IsLoopback() || address.IsUnspecified() {
		return true
	}
	addresses, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(addresses, func(a net.Addr) bool {
		network, is := a.(*net.IPNet)
		return is && network.IP.Equal(address)
	})
}

// print prints a result with indentation. It changes neither numbers nor the order of keys. A text
// with multiple lines, such as the result of help, is printed as text.
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

// linesOf returns the text of a result that is a string with multiple lines, without characters
// that a terminal would interpret.
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

// wantObject is the advice for parameters of the node API that are not an object.
func wantObject(method string) string {
	const form = "one JSON object, or - to read it from standard input"
	m, known := nodeInterface().table.Lookup(method)
	if !known {
		return "the parameters of this method are " + form
	}
	if len(m.Params()) == 0 {
		return method + " takes no parameters"
	}
	var needed, others []string
	for _, p := range m.Params() {
		if p.Required {
			needed = append(needed, fmt.Sprintf("%q:…", p.Name))
		} else {
			others = append(others, p.Name)
		}
	}
	text := fmt.Sprintf("the parameters of %s are %s: '{%s}'", method, form, strings.Join(needed, ","))
	if len(others) > 0 {
		text += ", and it may have " + strings.Join(others, ", ")
	}
	return text + " (`obverse help " + method + "` explains them)"
}

// iface is one of the two APIs, for help and advice. Its methods cannot be called.
type iface struct {
	name  string // daemon API or node API
	flag  string // option of call that selects it
	table *rpc.Table
}

func daemonInterface() iface {
	return iface{"daemon API", "--daemon", daemon.New(daemon.Options{}, (&daemon.Backend{}).Methods()...).Table()}
}

func nodeInterface() iface {
	return iface{"node API", "--node", mmrpc.New(mmrpc.Options{Now: time.Now}, mmrpc.Backend{}).Table()}
}

func interfaces() []iface { return []iface{daemonInterface(), nodeInterface()} }

// names returns the names of its methods.
func (i iface) names() (names []string) {
	for _, m := range i.table.Methods() {
		names = append(names, m.Name)
	}
	return names
}

// has returns the method with the same letters. The two APIs write names differently.
func (i iface) has(name string) (method string, found bool) {
	for _, known := range i.names() {
		if letters(known) == letters(name) {
			return known, true
		}
	}
	return "", false
}

// letters returns the letters and digits of a name in lower case, which are the same in both APIs.
func letters(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", ":", "", "-", "", ".", "").Replace(name))
}

// isNodeMethod reports whether a method belongs to the node API. An unknown method is classified by
// its form, since names of komodod's methods consist only of letters.
func isNodeMethod(method string) bool {
	if _, known := daemonInterface().table.Lookup(method); known {
		return false
	}
	if _, known := nodeInterface().table.Lookup(method); known {
		return true
	}
	if _, known := daemon.Absent(method); known {
		return false
	}
	return strings.ContainsAny(method, "_:")
}
