package activate

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/task"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/lightning/node"
)

// EnableLightning is the area of the methods that activate Lightning coins.
type EnableLightning struct {
	Activator *node.Activator // nil, or without Open, if Lightning is not supported
	Tasks     *task.Manager
}

// lightningTask returns the kind of tasks that activate Lightning coins. Such a task usually
// completes immediately.
func lightningTask() wire.TaskKind {
	return wire.TaskKind{Name: wire.LightningTask, Category: wire.CategoryLightning, What: "the activation of a Lightning coin", First: "ActivatingCoin",
		Limit: time.Minute, Details: "With Ok, details are {platform_coin, address, balance: {spendable, unspendable}}, where address is the id of the node, and " +
			"listening is the host:port at which it accepts connections, if it does. Details of Error hold an error of init, IOError or TaskTimedOut."}
}

// Methods implements Area. If Lightning is not supported, all methods return an error.
func (e EnableLightning) Methods() []rpc.Method {
	methods := lightningTask().Methods(e.Tasks, rpc.Handle(wire.LightningTask+"::init", rpc.Doc{
		Summary: "Start to activate a Lightning coin",
		Detail: "The node id is derived from the passphrase. The node has peers, but opens no channels and makes no payments: its balance is 0, and its platform " +
			"coin need not be active. After a restart, the coin is activated again.",
		Category: wire.CategoryLightning,
	}, e.init).Raises(wire.Kinds(mmerr.L2IsAlreadyActivated, mmerr.L2ConfigIsNotFound, mmerr.L2ProtocolParseError,
		mmerr.UnexpectedL2Protocol, mmerr.PrivKeyNotAllowed)...))
	for i, m := range methods {
		methods[i] = m.Guarded(func(context.Context) error {
			if !e.Activator.Supported() {
				return wire.NativeOnly(m.Name)
			}
			return nil
		}).Raises(wire.Kinds(mmerr.UnsupportedMode)...)
	}
	return methods
}

type enableLightningParams struct {
	Ticker     string           `json:"ticker" doc:"ticker of the Lightning coin, such as tBTC-lightning"`
	Activation lightningOptions `json:"activation_params" doc:"parameters of the activation"`
}

type lightningOptions struct {
	Name    lightningName  `json:"name" doc:"name of the node, at most 32 bytes; stored, but not sent to peers, since the node does not announce itself"`
	Port    uint16         `json:"listening_port" default:"9735" doc:"port for connections from other nodes, if the config has lightning_ip; 0 for any free port"`
	Color   lightningColor `json:"color" default:"000000" doc:"color of the node, six hexadecimal digits; stored, but not sent to peers"`
	Retries uint64         `json:"payment_retries" default:"5" doc:"stored, but not used"`
	Policy  PrivKeyPolicy  `json:"priv_key_policy" rpc:"optional" doc:"ContextPrivKey; other policies are not supported"`
	Backup  string         `json:"backup_path" default:"" doc:"stored, but not used, since there are no channels to back up"`
}

// lightningName is the name of a Lightning node.
type lightningName string

// maxLightningName is the maximum length of the alias field in BOLT 7.
const maxLightningName = 32

// Errors of parameters.
var (
	errLongName = errors.New("the node's name is too long")
	errColor    = errors.New("this is no color")
)

// UnmarshalParam implements rpc.Unmarshaler.
func (n *lightningName) UnmarshalParam(raw json.RawMessage) error {
	const want = "a text of at most 32 bytes"
	text, err := wire.TextParam(raw, want)
	if err != nil {
		return err
	}
	if len(text) > maxLightningName {
		return &rpc.ParamError{Want: want, Got: rpc.KindString, Err: errLongName}
	}
	*n = lightningName(text)
	return nil
}

// JSONSchema implements rpc.Described.
func (lightningName) JSONSchema() *rpc.Schema { return &rpc.Schema{Type: "string"} }

// lightningColor is a color in six hexadecimal digits.
type lightningColor string

const colorPattern = "^[0-9a-fA-F]{6}$" // used in schemas only, since package regexp would increase a page's size by 2 %

// UnmarshalParam implements rpc.Unmarshaler.
func (c *lightningColor) UnmarshalParam(raw json.RawMessage) error {
	const want = "six hexadecimal digits"
	text, err := wire.TextParam(raw, want)
	if err != nil {
		return err
	}
	if len(text) != 6 || strings.Trim(strings.ToLower(text), "0123456789abcdef") != "" {
		return &rpc.ParamError{Want: want, Got: rpc.KindString, Err: errColor, Value: raw}
	}
	*c = lightningColor(strings.ToLower(text))
	return nil
}

// JSONSchema implements rpc.Described.
func (lightningColor) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "string", Pattern: colorPattern}
}

// enabledLightning is the result of a task.
type enabledLightning struct {
	Platform  string           `json:"platform_coin"`
	Address   string           `json:"address"`
	Balance   wire.BalanceInfo `json:"balance"`
	Listening string           `json:"listening,omitempty"`
}

func (e EnableLightning) init(ctx context.Context, p enableLightningParams) (wire.StartedTask, error) {
	if err := e.Activator.Check(p.Ticker); err != nil {
		return wire.StartedTask{}, l2Failure(p.Ticker, err)
	}
	if policy := p.Activation.Policy.platformPolicy(); policy != nil {
		text := string(policy.Name()) + " is not available for Lightning coins, which have: " + string(key.NameContextPrivKey)
		return wire.StartedTask{}, mmerr.PrivKeyNotAllowed.New(text, "Private key is not allowed: "+text)
	}
	return lightningTask().Start(ctx, e.Tasks, func(ctx context.Context) (any, error) {
		c, err := e.Activator.Activate(ctx, p.Ticker, node.Params{
			Name: string(p.Activation.Name), Port: p.Activation.Port, Color: string(p.Activation.Color),
			Retries: p.Activation.Retries, Backup: p.Activation.Backup,
		})
		if err != nil {
			return nil, l2Failure(p.Ticker, err)
		}
		balance, err := c.Balance(ctx)
		return enabledLightning{c.PlatformTicker(), c.Address(), wire.InfoOf(balance), c.Listening()}, err
	})
}

// l2Failure returns an error of an activation with a kind.
func l2Failure(ticker string, err error) error {
	var parse *coin.ParseError
	var unexpected *coin.UnexpectedError
	switch {
	case errors.Is(err, coin.ErrAlreadyActive):
		return mmerr.L2IsAlreadyActivated.From(err, ticker, "Layer 2 "+wire.Clip(ticker)+" is already activated")
	case errors.Is(err, coin.ErrNotConfigured):
		return mmerr.L2ConfigIsNotFound.From(err, ticker, "Layer 2 "+wire.Clip(ticker)+" config is not found"+wire.Absence(err))
	case errors.As(err, &parse):
		return mmerr.L2ProtocolParseError.From(err, mmerr.Ticker{Ticker: ticker, Error: parse.Reason},
			"Layer 2 "+ticker+" protocol parsing failed: "+parse.Reason)
	case errors.As(err, &unexpected):
		data := unexpectedProtocol(ticker, unexpected)
		return mmerr.UnexpectedL2Protocol.From(err, data, "Unexpected layer 2 protocol "+protocolText(data)+" for "+ticker)
	case errors.Is(err, coin.ErrDisabled):
		return wire.DisabledMeanwhile(err)
	case errors.Is(err, node.ErrNoKey):
		return mmerr.PrivKeyNotAllowed.From(err, node.ErrNoKey.Error(), "Private key is not allowed: "+node.ErrNoKey.Error())
	case errors.Is(err, node.ErrListen):
		return mmerr.IOError.From(err, err.Error(), "I/O error "+err.Error())
	}
	return err
}
