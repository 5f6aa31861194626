package session

import (
	"errors"
	"io"

	"obverse/core/config"
	"obverse/core/rpc"
)

// failure is an error with a kind for the host.
type failure struct {
	kind string
	error
}

// ErrorKind implements jsval.Kinder.
func (f *failure) ErrorKind() string { return f.kind }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.error }

// Fail adds a kind to an error; nil stays nil.
func Fail(kind string, err error) error {
	if err == nil {
		return nil
	}
	return &failure{kind, err}
}

// Kinds of errors.
const (
	ConfigError = "ConfigError" // the config is refused; the text names the key
	WalletError = "WalletError" // the wallet that the config names cannot be opened
	StoreError  = "StoreError"  // the store cannot be opened, read or written
	StartError  = "StartError"  // the node cannot be created from the config and the store
	ImportError = "ImportError" // the bytes are not a store that this node can open
)

// errCoinsPath means that coins is a path, which only native nodes support.
var errCoinsPath = errors.New("coins must be the list itself: the node reads no files here")

// ReadConfig applies a JSON text, and then secrets from other sources, by
// key, to the config c. It generates missing passwords.
func ReadConfig(c config.Config, text string, secrets map[string]string, random io.Reader) (_ config.Config, warnings []string, err error) {
	ignored, err := c.Merge([]byte(text))
	if err != nil {
		return c, nil, err
	}
	if err := c.Override(secrets); err != nil {
		return c, nil, err
	}
	if c.CoinsPath() != "" {
		return c, nil, errCoinsPath
	}
	if rpc.KindOf(c.Coins) == rpc.KindArray {
		c.CoinList = c.Coins
	}
	drawn := c
	if err := drawn.FillSecrets(random); err != nil {
		return c, nil, err
	}
	c.RPCPassword, c.Daemon.RPCPassword = drawn.RPCPassword, drawn.Daemon.RPCPassword
	return c, append(ignored.Lines(), c.Warnings()...), c.Validate()
}
