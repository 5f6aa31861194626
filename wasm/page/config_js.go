package main

import (
	"errors"

	"obverse/core"
	"obverse/core/rpc"
)

// failure is an error with a kind for the host.
type failure struct {
	kind string
	error
}

// ErrorKind implements jsval.Kinder.
func (f *failure) ErrorKind() string { return f.kind }

// Unwrap gives the cause.
func (f *failure) Unwrap() error { return f.error }

func fail(kind string, err error) error {
	if err == nil {
		return nil
	}
	return &failure{kind, err}
}

// Kinds of errors of the bridge.
const (
	kindConfig  = "ConfigError"    // the config is refused; the text names the key
	kindStore   = "StoreError"     // the store cannot be opened, read or written
	kindStart   = "StartError"     // the node cannot be made of the config and the store
	kindImport  = "ImportError"    // the bytes are not a store that this node can open
	kindRunning = "AlreadyRunning" // start was called before
	kindStopped = "NotRunning"     // start was not called, or stop was
)

// errCoinsPath: natively, coins may be a path.
var errCoinsPath = errors.New("coins must be the list itself: a page reads no files")

// readConfig is a config as core takes it. Passwords that are not given are drawn: the
// page needs none, since what it calls here is its own.
func readConfig(text string, random entropy) (c core.Config, warnings []string, err error) {
	c = core.DefaultConfig()
	ignored, err := c.Merge([]byte(text))
	if err != nil {
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
