// Package devices implements the methods of the node API that connect to a Trezor.
//
// Source: Komodo DeFi Framework's init_hw.
package devices

import (
	"context"
	"encoding/hex"
	"strings"
	"sync"
	"time"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/task"
	"obverse/core/wallet/signer/device"
)

const categoryHardware = "Hardware wallets"

// Trezor is the area of the methods that connect to a Trezor.
type Trezor struct {
	Client Trezors // nil if this platform cannot reach a Trezor
	Tasks  *task.Manager
	Last   *TrezorConnection
}

// Trezors provides hardware wallets made by Trezor. *trezor.Client implements it.
type Trezors interface {
	// Identify connects to the device with an ID or, if id is empty, to the only device. It
	// waits up to timeout for the device.
	Identify(ctx context.Context, id string, timeout time.Duration) (device.Identity, error)
	// Connected reports whether the device with an ID is plugged in or, if id is empty, whether
	// any device is.
	Connected(ctx context.Context, id string) (bool, error)
}

// TrezorConnection is the last connection to a Trezor. The zero value means that no Trezor has
// been connected.
type TrezorConnection struct {
	mu         sync.Mutex
	connecting bool
	known      string // public key of the wallet, or "" if none has been connected
}

// Timeouts for plugging in a device, and for a connection including the user's input, as in
// Komodo DeFi Framework.
const (
	trezorTimeout = 5 * time.Minute
	trezorLimit   = 30 * time.Minute
)

// trezorTask is the kind of tasks that connect to a Trezor.
var trezorTask = wire.TaskKind{Name: "task::init_trezor", Category: categoryHardware, What: "the connection to a Trezor", First: "Initializing", Next: "Initializing",
	Limit: trezorLimit, Details: "In progress, details are Initializing, " + wire.StateWaiting + " (for 5 minutes) or " + wire.StateFollow + ". User actions are " +
		wire.AskPIN + " and " + wire.AskPassphrase + " (for 10 minutes each). With Ok, they are {type, model, device_name, device_id, device_pubkey}, " +
		"where device_pubkey identifies the wallet on the device; each passphrase has its own wallet. Errors in details are HwError, UnexpectedUserAction, Timeout and TaskTimedOut."}

// Methods implements Area.
func (a Trezor) Methods() []rpc.Method {
	return append(trezorTask.Methods(a.Tasks, rpc.Handle(trezorTask.Name+"::init", rpc.Doc{
		Summary: "Start to connect to a Trezor",
		Detail: "The task requests the PIN and the passphrase unless the user enters them on the device. The node does not store them. " +
			"After that, coins can be activated with the policy HardwareWallet.",
		Category: categoryHardware,
	}, a.begin).Raises(wire.Kinds(mmerr.HwContextInitializingAlready)...).Raises(wire.DeviceKinds()...)),
		rpc.Handle("trezor_connection_status", rpc.Doc{Reads: true,
			Summary: "Report whether the Trezor is still connected", Detail: "The status is Connected or Unreachable. The check does not interrupt the device.", Category: categoryHardware,
		}, a.status).Raises(wire.Kinds(mmerr.TrezorNotInitialized, mmerr.FoundUnexpectedDevice)...).Raises(wire.DeviceKinds()...))
}

type initTrezorParams struct {
	Public string `json:"device_pubkey" default:"" doc:"expected wallet, 40 hexadecimal digits; other wallets are rejected"`
}

// connectedTrezor is the result of the task.
type connectedTrezor struct {
	Type   string `json:"type"`
	Model  string `json:"model"`
	Name   string `json:"device_name"`
	ID     string `json:"device_id"`
	Public string `json:"device_pubkey"`
}

func (a Trezor) begin(ctx context.Context, p initTrezorParams) (wire.StartedTask, error) {
	if a.Client == nil {
		return wire.StartedTask{}, wire.KeyFailure(device.Failf(device.NotFound, "this platform reaches no Trezor"))
	}
	if !a.Last.enter() {
		const text = "Hardware Wallet context is initializing already"
		return wire.StartedTask{}, mmerr.HwContextInitializingAlready.New(mmerr.None{}, text)
	}
	started, err := trezorTask.Start(ctx, a.Tasks, func(ctx context.Context) (any, error) {
		defer a.Last.leave()
		return a.connect(ctx, strings.ToLower(wire.DigitsOf(p.Public)))
	})
	if err != nil {
		a.Last.leave()
	}
	return started, err
}

// enter marks the connection as being established. It returns false if another task is
// connecting.
func (c *TrezorConnection) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	free := !c.connecting
	c.connecting = true
	return free
}

func (c *TrezorConnection) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connecting = false
}

func (c *TrezorConnection) keep(public string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = public
}

func (c *TrezorConnection) wallet() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known
}

func (a Trezor) connect(ctx context.Context, want string) (done connectedTrezor, err error) {
	found, err := a.Client.Identify(ctx, "", trezorTimeout)
	if err != nil {
		return done, wire.KeyFailure(err)
	}
	public := hex.EncodeToString(found.Wallet[:])
	if want != "" && want != public {
		return done, wire.KeyFailure(device.Failf(device.Unexpected, "device holds wallet %s, want %.40q: connect another device, or enter another passphrase", public, want))
	}
	a.Last.keep(public)
	return connectedTrezor{Type: "Trezor", Model: found.Model, Name: found.Label, ID: found.ID, Public: public}, nil
}

type trezorStatus struct {
	Status string `json:"status" doc:"Connected or Unreachable"`
}

func (a Trezor) status(ctx context.Context, p initTrezorParams) (trezorStatus, error) {
	known := ""
	if a.Client != nil {
		known = a.Last.wallet()
	}
	switch {
	case known == "":
		return trezorStatus{}, mmerr.TrezorNotInitialized.New(mmerr.None{}, "Trezor is not initialized: call task::init_trezor::init first")
	case p.Public != "" && p.Public != known:
		return trezorStatus{}, mmerr.FoundUnexpectedDevice.New(mmerr.None{}, "Found unexpected device. Please re-initialize Hardware wallet")
	}
	connected, err := a.Client.Connected(ctx, "")
	if device.Is(err, device.NotFound) {
		connected, err = false, nil
	}
	if connected {
		return trezorStatus{"Connected"}, nil
	}
	return trezorStatus{"Unreachable"}, wire.KeyFailure(err)
}
