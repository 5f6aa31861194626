package cli

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"obverse/core/chain/wallet"
	"obverse/core/number"
)

// tokenCommand is a subcommand of token.
type tokenCommand struct {
	usage    string // words after its name
	min, max int    // number of these words
	options  []string
	help     string
	run      func(t *tokens, ctx context.Context, words []string) error
}

// tokenCommands returns the subcommands of token, by their names.
func tokenCommands() map[string]tokenCommand {
	return map[string]tokenCommand{
		"list":    {"", 0, 0, []string{"csv", "json"}, helpTokenList, (*tokens).list},
		"info":    {"ID", 1, 1, []string{"json"}, helpTokenInfo, (*tokens).info},
		"create":  {"NAME SUPPLY [DESCRIPTION]", 2, 3, []string{"yes"}, helpTokenCreate, (*tokens).create},
		"send":    {"ID KEY|ADDRESS AMOUNT", 3, 3, nil, helpTokenSend, (*tokens).send},
		"holders": {"ID", 1, 1, []string{"csv", "json"}, helpTokenHolders, (*tokens).holders},
		"history": {"ID [KEY|ADDRESS]", 1, 2, []string{"csv", "json"}, helpTokenHistory, (*tokens).history},
		"airdrop": {"ID FILE", 2, 2, []string{"coins", "report", "batch", "yes", "again"}, helpTokenAirdrop, (*tokens).airdrop},
	}
}

// tokenNames lists the subcommands in the order of the help.
func tokenNames() []string {
	return []string{"list", "info", "create", "send", "holders", "history", "airdrop"}
}

// tokens is a subcommand of token that runs. It implements airdrop.Node.
type tokens struct {
	*program
	arguments
	node *calling
}

// token runs a subcommand.
func (p *program) token(args []string) error {
	a, words, err := p.tokenArguments(args)
	if err != nil {
		return err
	}
	if len(words) == 0 {
		return p.help(helpToken)
	}
	c, known := tokenCommands()[words[0]]
	switch names := strings.Join(tokenNames(), ", "); {
	case !known:
		return usage("the subcommands of token are %s; `obverse token --help` shows details", names)
	case a.help:
		return p.help(c.help)
	case len(words)-1 < c.min || len(words)-1 > c.max:
		return usage("token %s takes %s; `obverse token %s --help` shows details", words[0], c.usageText(), words[0])
	}
	for option := range a.options() {
		if !slices.Contains(c.options, option) {
			return usage("--%s is not an option of token %s; `obverse token %s --help` shows details", option, words[0], words[0])
		}
	}
	if a.flags["csv"] && a.flags["json"] {
		return usage("--csv and --json exclude each other")
	}
	node, err := p.calling(a)
	if err != nil {
		return err
	}
	node.api = daemonInterface()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return c.run(&tokens{p, a, node}, ctx, words[1:])
}

func (c *tokenCommand) usageText() string {
	if c.usage == "" {
		return "no parameters"
	}
	return c.usage
}

// options yields the names of the options of the command that are given.
func (a *arguments) options() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name := range a.flags {
			if !yield(name) {
				return
			}
		}
		for name := range a.values {
			if a.place(name) == nil && !yield(name) {
				return
			}
		}
	}
}

// tokenArguments takes settings and options before the subcommand, and options between and after its
// parameters. -- ends the options, for a name or description that begins with a dash.
func (p *program) tokenArguments(args []string) (a arguments, words []string, err error) {
	if a, err = p.parse(args, takesToken); err != nil {
		return a, nil, err
	}
	for rest := a.words; len(rest) > 0 && err == nil; {
		switch {
		case rest[0] == "--":
			return a, append(words, rest[1:]...), nil
		case strings.HasPrefix(rest[0], "-"):
			rest, err = a.take(rest, takesToken)
		default:
			words, rest = append(words, rest[0]), rest[1:]
		}
	}
	return a, words, err
}

// Call implements airdrop.Node.
func (t *tokens) Call(ctx context.Context, method string, params ...any) (json.RawMessage, error) {
	texts := make([]json.RawMessage, len(params))
	for i := range params {
		var err error
		if texts[i], err = json.Marshal(params[i]); err != nil {
			return nil, err
		}
	}
	t.node.method, t.node.about = method, method
	return t.node.callWith(ctx, texts)
}

// ask decodes the result of a method. It explains errors.
func (t *tokens) ask(ctx context.Context, to any, method string, params ...any) error {
	text, err := t.Call(ctx, method, params...)
	if err != nil {
		return t.node.explain(err)
	}
	return json.Unmarshal(text, to)
}

// page is a page of a list, without its items.
type page struct {
	Next  string
	Block string `json:"blockhash"`
}

// pages calls a method for all pages and returns the items of them. The parameter at position after is
// the next of the page before.
func (t *tokens) pages(ctx context.Context, items, method string, after int, params ...any) (list []json.RawMessage, err error) {
	first := ""
	for {
		var members map[string]json.RawMessage
		if err := t.ask(ctx, &members, method, params...); err != nil {
			return nil, err
		}
		var p page
		var found []json.RawMessage
		for name, to := range map[string]any{"next": &p.Next, "blockhash": &p.Block, items: &found} {
			if text, has := members[name]; has {
				if err := json.Unmarshal(text, to); err != nil {
					return nil, err
				}
			}
		}
		if list = append(list, found...); first == "" {
			first = p.Block
		}
		if first != p.Block {
			fmt.Fprintln(t.stderr, "warning: a block came in between: the last pages are later than the first ones")
			first = p.Block
		}
		if p.Next == "" {
			return list, nil
		}
		params[after] = p.Next
	}
}

// table prints rows as a table, or with --csv as CSV.
func (t *tokens) table(head []string, rows [][]string) error {
	if t.flags["csv"] {
		w := csv.NewWriter(t.stdout)
		if err := w.Write(head); err != nil {
			return err
		}
		return w.WriteAll(rows)
	}
	w := tabwriter.NewWriter(t.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.ToUpper(strings.Join(head, "\t")))
	for _, row := range rows {
		for i := range row {
			row[i] = strings.NewReplacer("\t", " ", "\n", " ").Replace(printable(row[i]))
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// rows decodes the items of a list and prints them; with --json as they are.
func rows[T any](t *tokens, list []json.RawMessage, head []string, row func(*T) []string) error {
	if t.flags["json"] {
		text, err := json.Marshal(list)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			text = []byte("[]")
		}
		return t.print(text)
	}
	table := make([][]string, len(list))
	for i := range list {
		var item T
		if err := json.Unmarshal(list[i], &item); err != nil {
			return err
		}
		table[i] = row(&item)
	}
	return t.table(head, table)
}

// listedToken is a token in the list of tokenlist.
type listedToken struct {
	TokenID, Name, Description string
	Owner                      string
	Supply                     number.Coins
	Holders                    int64
}

func (t *tokens) list(ctx context.Context, _ []string) error {
	const limit = 1000
	var list []json.RawMessage
	for after := ""; ; {
		var found []json.RawMessage
		if err := t.ask(ctx, &found, "tokenlist", after, limit, true); err != nil {
			return err
		}
		list = append(list, found...)
		if len(found) < limit {
			break
		}
		var last listedToken
		if err := json.Unmarshal(found[limit-1], &last); err != nil {
			return err
		}
		after = last.TokenID
	}
	return rows(t, list, []string{"id", "name", "supply", "holders"}, func(one *listedToken) []string {
		return []string{one.TokenID, one.Name, fmt.Sprint(int64(one.Supply)), fmt.Sprint(one.Holders)}
	})
}

func (t *tokens) info(ctx context.Context, words []string) error {
	text, err := t.Call(ctx, "tokeninfo", words[0])
	if err != nil {
		return t.node.explain(err)
	}
	if t.flags["json"] {
		return t.print(text)
	}
	var one listedToken
	var held struct{ Balance int64 }
	var holders struct{ Count int64 }
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	if err := t.ask(ctx, &held, "tokenbalance", words[0]); err != nil {
		return err
	}
	if err := t.ask(ctx, &holders, "tokenholders", words[0], "", 1); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.stdout, "id           %s\nname         %s\ndescription  %s\ncreator      %s\nsupply       %d\nholders      %d\nbalance      %d, of the node's key\n",
		one.TokenID, printable(one.Name), printable(one.Description), one.Owner, int64(one.Supply), holders.Count, held.Balance)
	return err
}

// tokensOf parses a number of tokens.
func tokensOf(name, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || text[0] == '+' {
		return 0, usage("%s must be a whole number of tokens, 1 or more, got %q", name, text)
	}
	return n, nil
}

func (t *tokens) create(ctx context.Context, words []string) error {
	supply, err := tokensOf("SUPPLY", words[1])
	if err != nil {
		return err
	}
	coins := number.Coins(supply)
	params := []any{words[0], coins.String()}
	if len(words) == 3 {
		params = append(params, words[2])
	}
	var built struct{ Hex string }
	if err := t.ask(ctx, &built, "tokencreate", params...); err != nil {
		return err
	}
	fmt.Fprintf(t.stderr, "Token   %s\nSupply  %s\nCoins   %s become the tokens (1 coin makes 100,000,000), %s are fees\n",
		printable(words[0]), grouped(supply), shortCoins(coins), shortCoins(2*wallet.Fee))
	if err := t.confirm(ctx, "Create the token?"); err != nil {
		return err
	}
	return t.broadcast(ctx, built.Hex)
}

// broadcast sends a transaction and prints its id.
func (t *tokens) broadcast(ctx context.Context, hex string) error {
	var id string
	if err := t.ask(ctx, &id, "sendrawtransaction", hex); err != nil {
		return err
	}
	_, err := fmt.Fprintln(t.stdout, id)
	return err
}

func (t *tokens) send(ctx context.Context, words []string) error {
	if _, err := tokensOf("AMOUNT", words[2]); err != nil {
		return err
	}
	var built struct{ Hex string }
	if err := t.ask(ctx, &built, "tokentransfer", words[0], words[1], words[2]); err != nil {
		return err
	}
	return t.broadcast(ctx, built.Hex)
}

func (t *tokens) holders(ctx context.Context, words []string) error {
	list, err := t.pages(ctx, "holders", "tokenholders", 1, words[0], "", 10_000)
	if err != nil {
		return err
	}
	type holder struct {
		Address, PubKey string
		Balance         int64
	}
	return rows(t, list, []string{"address", "pubkey", "balance"}, func(h *holder) []string {
		return []string{h.Address, h.PubKey, fmt.Sprint(h.Balance)}
	})
}

func (t *tokens) history(ctx context.Context, words []string) error {
	key := ""
	if len(words) == 2 {
		key = words[1]
	}
	list, err := t.pages(ctx, "transactions", "tokentransactions", 2, words[0], key, "", 1000)
	if err != nil {
		return err
	}
	type transaction struct {
		TxID           string
		Height, Amount int64
		Time           int64
	}
	return rows(t, list, []string{"height", "time", "txid", "amount"}, func(tx *transaction) []string {
		return []string{fmt.Sprint(tx.Height), time.Unix(tx.Time, 0).UTC().Format(time.RFC3339), tx.TxID, fmt.Sprint(tx.Amount)}
	})
}

// errDeclined is a question that was answered with no.
var errDeclined = errors.New("nothing was sent")

// confirm asks a question, unless --yes is given.
func (t *tokens) confirm(ctx context.Context, question string) error {
	if t.flags["yes"] {
		return nil
	}
	at, found := t.findTerminal()
	if !found {
		return usage("without a terminal, --yes must be given")
	}
	fmt.Fprintf(at.out, "%s [y/N] ", question)
	read := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(at.in).ReadString('\n')
		read <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case answer := <-read:
		if answer == "y" || answer == "yes" {
			return nil
		}
		return errDeclined
	case <-ctx.Done():
		return errDeclined
	}
}

// grouped formats a whole number with commas between groups of three digits.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// shortCoins formats an amount without trailing zeros.
func shortCoins(c number.Coins) string {
	return strings.TrimSuffix(strings.TrimRight(c.String(), "0"), ".")
}
