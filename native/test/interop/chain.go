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

// Settings are the options of Start. A zero value means the default.
type Settings struct {
	ID        string           // chain id; default cosmoshub-test, irishub-test
	GasPrice  string           // minimum gas price of the node, in the chain's denom; default 0.01 (gaiad), 0.2 (iris)
	BlockTime time.Duration    // pause after a block; default 1 s
	Balances  map[string]Coins // further accounts in the genesis, by address
	// NoGRPC disables the node's gRPC server, as on some public nodes. Then
	// cosmos.tx.v1beta1.Service is missing too, so transactions cannot be simulated.
	NoGRPC bool
}

// Chain is a chain with one validator.
type Chain struct {
	Kind   Kind
	ID     string // chain id
	URL    string // URL of JSON-RPC, such as "http://127.0.0.1:26657"; the websocket is at /websocket
	GRPC   string // such as "127.0.0.1:9090"; "" without a gRPC server
	Denom  string // denom of the coin that pays fees, in millionths
	Prefix string // prefix of addresses
	// GasPrice is the minimum gas price of the node, in Denom.
	GasPrice string
	// Vouchers are the ibc/… denoms in the genesis.
	Vouchers []Voucher
	Accounts
	Dir string // folder with all files; removed by Stop

	program   string
	blockTime time.Duration
	sending   sync.Mutex // held while a transaction is sent, since its sequence is queried from the chain

	mu      sync.Mutex
	process *process // nil if no process runs
	height  int64    // greatest height before the process ended
}

// Start builds the program of a kind if necessary, starts a chain, and returns when the chain has
// its first block. The context limits the start.
func Start(ctx context.Context, kind Kind) (*Chain, error) { return Settings{}.Start(ctx, kind) }

// Start is like the function Start, with settings.
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

// prepare writes the folder of a chain without blocks.
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

// config returns the settings that differ from Tendermint's defaults. Web pages may call the node,
// like public nodes.
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

// freeAddress returns an address with a free port. If another process uses the port before the
// chain does, the start of the chain returns an error.
func freeAddress() (string, error) { return freePort("127.0.0.1:0") }

func freePort(at string) (string, error) {
	listener, err := net.Listen("tcp", at)
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// begin starts the program and waits for a new block.
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

// Height returns the height of the newest block with effects that can be queried. The height in the
// status may be greater by one.
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

// timeout is the maximum time to wait for a block.
const timeout = time.Minute

// WaitHeight waits until the chain has the given height.
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
