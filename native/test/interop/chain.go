// Package interop builds real Cosmos daemons and lnd from their Go modules, and runs chains
// with one validator, and Lightning nodes, on this machine, so that tests talk to the software
// of public nodes. It is not part of the program: only tests and its own recorder use it, and
// it is not needed to build or to run a node.
//
// Source: the daemons' own modules, named in recipes/; the shape of a genesis is that of the
// Cosmos SDK and of ibc-go.
//
// Invariant: the programs listen on addresses of this machine alone, keep all their files in
// one separate folder, and do not outlive the process that started them.
package interop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// Settings change what Start starts. The zero value of a field is the default.
type Settings struct {
	ID        string           // chain id; default cosmoshub-test, irishub-test
	GasPrice  string           // least that the node takes, in the chain's denom; default 0.01 (gaiad), 0.2 (iris)
	BlockTime time.Duration    // pause after a block; default 1 s
	Balances  map[string]Coins // further accounts at genesis, by address
	// NoGRPC leaves the node without its gRPC server, as some public ones are: then
	// cosmos.tx.v1beta1.Service is missing too, so transactions cannot be simulated.
	NoGRPC bool
}

// Chain is a chain of one validator.
type Chain struct {
	Kind   Kind
	ID     string // chain id
	URL    string // of JSON-RPC, "http://127.0.0.1:26657"; the websocket is at /websocket
	GRPC   string // "127.0.0.1:9090"; "" without
	Denom  string // of the coin that pays fees, in millionths
	Prefix string // of addresses
	// GasPrice is the least that the node takes, in Denom.
	GasPrice string
	// Vouchers are the ibc/… denoms of the genesis.
	Vouchers []Voucher
	Accounts
	Dir string // holds everything; gone after Stop

	program   string
	blockTime time.Duration
	sending   sync.Mutex // one transaction at a time: the next sequence is asked of the chain

	mu      sync.Mutex
	process *process // nil while none runs
	height  int64    // the highest that was seen before the process ended
}

// Start builds a kind's program if need be and starts a chain of it, which has its
// first block when Start returns. The context is that of starting.
func Start(ctx context.Context, kind Kind) (*Chain, error) { return Settings{}.Start(ctx, kind) }

// Start returns the function of that name, with settings.
func (s Settings) Start(ctx context.Context, kind Kind) (*Chain, error) {
	p, err := programOf(kind)
	if err != nil {
		return nil, err
	}
	if s.BlockTime < 0 {
		return nil, fmt.Errorf("start a chain of %s: BlockTime must not be below 0, got %s", kind, s.BlockTime)
	}
	binary, err := Build(ctx, kind)
	if err != nil {
		return nil, err
	}
	c := &Chain{Kind: kind, ID: cmp.Or(s.ID, p.chain), Denom: p.denom, Prefix: p.prefix, GasPrice: cmp.Or(s.GasPrice, p.gasPrice),
		Vouchers: vouchers(), program: binary, blockTime: cmp.Or(s.BlockTime, time.Second)}
	c.Passphrase = p.passphrase
	if c.Dir, err = os.MkdirTemp("", "obverse-interop-"); err != nil {
		return nil, err
	}
	if err = c.prepare(ctx, s); err == nil {
		err = c.begin(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a chain of %s: %w", kind, err), c.Stop())
	}
	return c, nil
}

// prepare makes the folder of a chain that has no block yet.
func (c *Chain) prepare(ctx context.Context, s Settings) error {
	if _, err := c.CLI(ctx, "init", "interop", "--chain-id", c.ID); err != nil {
		return err
	}
	if err := c.addKeys(ctx); err != nil {
		return err
	}
	balances := c.balances()
	for address, coins := range s.Balances {
		balances[address] = coins
	}
	if err := c.rewriteGenesis(c.path("config", "genesis.json"), balances); err != nil {
		return err
	}
	for _, arguments := range [][]string{
		{"gentx", c.Validator.Name, Half + c.Denom, "--chain-id", c.ID, "--keyring-backend", "test", "--ip", "127.0.0.1", "--moniker", "interop"},
		{"collect-gentxs"},
		{"validate-genesis"},
	} {
		if _, err := c.CLI(ctx, arguments...); err != nil {
			return err
		}
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	c.URL = "http://" + address
	if !s.NoGRPC {
		if c.GRPC, err = freeAddress(); err != nil {
			return err
		}
	}
	return os.WriteFile(c.path("config", "config.toml"), []byte(c.config(address)), 0o600)
}

// config returns the settings that differ from Tendermint's defaults. Pages may call
// the node, as they may call public nodes.
func (c *Chain) config(address string) string {
	return fmt.Sprintf(`moniker = "interop"
[rpc]
laddr = "tcp://%s"
pprof_laddr = ""
cors_allowed_origins = ["*"]
[p2p]
laddr = "tcp://127.0.0.1:0"
pex = false
addr_book_strict = false
[consensus]
timeout_commit = "%s"
`, address, c.blockTime)
}

func (c *Chain) path(names ...string) string {
	return filepath.Join(append([]string{c.Dir}, names...)...)
}

// freeAddress returns an address with a free port. If another process takes the port
// before the chain does, the chain fails to start and reports it.
func freeAddress() (string, error) { return freePort("127.0.0.1:0") }

func freePort(at string) (string, error) {
	listener, err := net.Listen("tcp", at)
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// begin starts the program and waits for a block that was not there before.
func (c *Chain) begin(ctx context.Context) error {
	arguments := []string{"start", "--home", c.Dir, "--minimum-gas-prices", c.GasPrice + c.Denom, "--grpc-web.enable=false",
		"--state-sync.snapshot-interval", "0"}
	if c.GRPC == "" {
		arguments = append(arguments, "--grpc.enable=false")
	} else {
		arguments = append(arguments, "--grpc.address", c.GRPC)
	}
	p, err := startProcess(c.path("log"), c.program, arguments...)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.process = p
	before := c.height
	c.mu.Unlock()
	if err := c.WaitHeight(ctx, before+1); err != nil {
		return errors.Join(err, c.Kill())
	}
	return nil
}

// Height returns the height of the newest block whose effects can be queried. The height
// in method status can be one ahead.
func (c *Chain) Height(ctx context.Context) (int64, error) {
	var info struct {
		Response struct {
			Height string `json:"last_block_height"` // absent before the first block
		}
	}
	if err := c.Call(ctx, &info, "abci_info", nil); err != nil {
		return 0, err
	}
	if info.Response.Height == "" {
		return 0, nil
	}
	height, err := strconv.ParseInt(info.Response.Height, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("height of %s: %w", c.URL, err)
	}
	c.mu.Lock()
	c.height = max(c.height, height)
	c.mu.Unlock()
	return height, nil
}

// timeout limits the wait for a block.
const timeout = time.Minute

// WaitHeight waits until the chain has a block.
func (c *Chain) WaitHeight(ctx context.Context, height int64) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	p := c.running()
	if p == nil {
		return ErrNotRunning
	}
	for {
		now, err := c.Height(ctx)
		if err == nil && now >= height {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended by itself: %s", c.Kind, p.lastWords())
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%s makes no block %d: %w", c.Kind, height, ctx.Err()), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
