package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// CLI runs the chain's program with the chain's folder and returns its output: standard output, or
// standard error if that is empty.
func (c *Chain) CLI(ctx context.Context, arguments ...string) (string, error) {
	return c.command(ctx, "", arguments...)
}

func (c *Chain) command(ctx context.Context, stdin string, arguments ...string) (string, error) {
	cmd := exec.CommandContext(ctx, c.program, append(arguments, "--home", c.Dir)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		words, _, _ := strings.Cut(stderr.String(), "\nUsage:")
		return "", fmt.Errorf("%s %s: %w: %s", c.Kind, strings.Join(arguments, " "), err, tail(words, 2000))
	}
	if stdout.Len() == 0 {
		return stderr.String(), nil
	}
	return stdout.String(), nil
}

// addKeys adds the accounts of the mnemonic to the keyring and reads their addresses.
func (c *Chain) addKeys(ctx context.Context) error {
	places := []*Account{&c.User, &c.Other, &c.Validator, &c.Poor, &c.Empty, &c.Vesting}
	for index, account := range derived() {
		text, err := c.command(ctx, mnemonic+"\n", "keys", "add", account.Name, "--recover", "--index", strconv.Itoa(index),
			"--keyring-backend", "test", "--output", "json")
		if err != nil {
			return err
		}
		var added struct{ Address string }
		if err := json.Unmarshal([]byte(text), &added); err != nil {
			return fmt.Errorf("key %s: %w: %.200q", account.Name, err, text)
		}
		account.Address, account.Passphrase = added.Address, "0x"+account.Secret
		*places[index] = account
	}
	return nil
}

// Query queries the chain with its program, as in Query(ctx, &v, "bank", "balances", address), and
// decodes the JSON output.
func (c *Chain) Query(ctx context.Context, answer any, arguments ...string) error {
	text, err := c.CLI(ctx, append(append([]string{"query"}, arguments...), "--node", c.node(), "--output", "json")...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), answer); err != nil {
		return fmt.Errorf("%s query %s: %w", c.Kind, strings.Join(arguments, " "), err)
	}
	return nil
}

// node returns the value of the flag for the node's address.
func (c *Chain) node() string { return "tcp" + strings.TrimPrefix(c.URL, "http") }

// Balance returns the balance of an address in a denom, as the chain's own program reports it.
func (c *Chain) Balance(ctx context.Context, address, denom string) (string, error) {
	var coin struct{ Amount string }
	err := c.Query(ctx, &coin, "bank", "balances", address, "--denom", denom)
	return coin.Amount, err
}

// Tx is a transaction in a block.
type Tx struct {
	Height    int64  `json:"height,string"`
	Hash      string `json:"txhash"` // upper-case hexadecimal
	Code      int    `json:"code"`   // 0 on success
	Codespace string `json:"codespace"`
	Log       string `json:"raw_log"`
}

// ErrRefused reports a transaction that failed, in a block or before it.
var ErrRefused = errors.New("the chain refuses the transaction")

// fees are the default flags for fees, which suffice for both kinds.
const (
	gas  = "300000"
	fees = "100000"
)

// Signed returns the arguments of a transaction for the chain's program, with flags that select a
// key of the keyring and the chain, and that set fees which suffice for any message. Flags among
// the given arguments come last, so they take precedence.
func (c *Chain) Signed(from Account, arguments ...string) []string {
	flags := slices.IndexFunc(arguments, func(a string) bool { return strings.HasPrefix(a, "--") })
	if flags < 0 {
		flags = len(arguments)
	}
	return slices.Concat([]string{"tx"}, arguments[:flags], []string{"--from", from.Name, "--keyring-backend", "test",
		"--chain-id", c.ID, "--node", c.node(), "--gas", gas, "--fees", fees + c.Denom}, arguments[flags:])
}

// Tx sends a transaction with the chain's program, as in Tx(ctx, c.User, "bank", "send", from, to,
// "1uatom"), and waits until it is in a block. An account of the keyring pays. Arguments may change
// gas and fees. With ErrRefused, the transaction is returned too, with the known fields.
func (c *Chain) Tx(ctx context.Context, from Account, arguments ...string) (tx Tx, err error) {
	c.sending.Lock()
	defer c.sending.Unlock()
	text, err := c.CLI(ctx, append(c.Signed(from, arguments...), "--yes", "--output", "json", "--broadcast-mode", "block")...)
	if err != nil {
		return tx, err
	}
	if err := json.Unmarshal([]byte(text), &tx); err != nil {
		return tx, fmt.Errorf("%s tx %s: %w: %.200q", c.Kind, strings.Join(arguments, " "), err, text)
	}
	if tx.Code != 0 {
		return tx, fmt.Errorf("%w: code %d of %s: %s", ErrRefused, tx.Code, tx.Codespace, tx.Log)
	}
	return tx, nil
}

// Send sends coins, such as "5uatom", from an account of the keyring to an address, and waits until
// they have arrived.
func (c *Chain) Send(ctx context.Context, from Account, to, amount string) (Tx, error) {
	return c.Tx(ctx, from, "bank", "send", from.Address, to, amount)
}

// Call posts a JSON-RPC request to the chain and decodes its result.
func (c *Chain) Call(ctx context.Context, result any, method string, params any) error {
	if params == nil {
		params = object{}
	}
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": "interop", "method": method, "params": params})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var reply struct {
		Result json.RawMessage
		Error  *struct {
			Code          int
			Message, Data string
		}
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return fmt.Errorf("%s answers status %d, %.200q: %w", c.URL, response.StatusCode, text, err)
	}
	if reply.Error != nil {
		return fmt.Errorf("%s: %s: %d %s %s", c.URL, method, reply.Error.Code, reply.Error.Message, reply.Error.Data)
	}
	return json.Unmarshal(reply.Result, result)
}
