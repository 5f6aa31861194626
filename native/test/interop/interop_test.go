package interop

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestChain checks the properties of each kind of chain on which other tests rely.
func TestChain(t *testing.T) {
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			c, err := Start(t.Context(), kind)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, c.Stop()) })
			for _, part := range []struct {
				name string
				test func(*testing.T, *Chain)
			}{
				{"blocks", testBlocks}, {"accounts", testAccounts}, {"balances", testBalances}, {"transfer", testTransfer},
				{"refused", testRefused}, {"channels", testChannels}, {"freeze", testFreeze}, {"kill", testKill},
				{"rewind", testRewind}, {"stop", testStop},
			} {
				require.True(t, t.Run(part.name, func(t *testing.T) { part.test(t, c) }))
			}
		})
	}
}

func testBlocks(t *testing.T, c *Chain) {
	first, err := c.Height(t.Context())
	require.NoError(t, err)
	require.Positive(t, first)
	require.NoError(t, c.WaitHeight(t.Context(), first+2))
	var status struct {
		Node struct{ Network string } `json:"node_info"`
	}
	require.NoError(t, c.Call(t.Context(), &status, "status", nil))
	require.Equal(t, c.ID, status.Node.Network)
	conn, err := net.Dial("tcp", c.GRPC)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

// testAccounts compares the secrets with those that the chain's program derives.
func testAccounts(t *testing.T, c *Chain) {
	for _, account := range []Account{c.User, c.Other, c.Validator, c.Poor, c.Empty, c.Vesting} {
		text, err := c.command(t.Context(), "y\n", "keys", "export", account.Name, "--unarmored-hex", "--unsafe", "--keyring-backend", "test")
		require.NoError(t, err)
		require.Contains(t, text, account.Secret)
		require.Equal(t, "0x"+account.Secret, account.Passphrase)
		require.True(t, strings.HasPrefix(account.Address, c.Prefix+"1"), account.Address)
	}
	require.True(t, strings.HasPrefix(c.Passphrase.Address, c.Prefix+"1"))
}

// message returns a protobuf message of strings with the fields 1, 2, ….
func message(fields ...string) []byte {
	var b []byte
	for n, field := range fields {
		b = append(append(b, byte(n+1)<<3|2, byte(len(field))), field...)
	}
	return b
}

// balance queries a balance without any library of the chain.
func balance(t *testing.T, c *Chain, address, denom string) string {
	t.Helper()
	var reply struct {
		Response struct {
			Code  int
			Log   string
			Value string
		}
	}
	require.NoError(t, c.Call(t.Context(), &reply, "abci_query", object{"path": "/cosmos.bank.v1beta1.Query/Balance",
		"data": hex.EncodeToString(message(address, denom)), "prove": false}))
	require.Zero(t, reply.Response.Code, reply.Response.Log)
	value, err := base64.StdEncoding.DecodeString(reply.Response.Value)
	require.NoError(t, err)
	coin := message(denom)
	require.Greater(t, len(value), 2+len(coin)+2, "%x", value)
	require.Equal(t, coin, value[2:2+len(coin)])
	return string(value[2+len(coin)+2:])
}

func testBalances(t *testing.T, c *Chain) {
	held := c.balances()
	held[c.Empty.Address] = Coins{c.Denom: "0", "nothing": "0"}
	delete(held, c.Validator.Address) // a part is staked
	for address, coins := range held {
		for denom, amount := range coins {
			require.Equal(t, amount, balance(t, c, address, denom), "%s of %s", denom, address)
			reported, err := c.Balance(t.Context(), address, denom)
			require.NoError(t, err)
			require.Equal(t, amount, reported)
		}
	}
	require.Equal(t, "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2", c.Vouchers[0].Denom)
}

func testTransfer(t *testing.T, c *Chain) {
	tx, err := c.Send(t.Context(), c.User, c.Empty.Address, "1234567"+c.Denom)
	require.NoError(t, err)
	require.Positive(t, tx.Height)
	require.Len(t, tx.Hash, 64)
	require.Equal(t, "1234567", balance(t, c, c.Empty.Address, c.Denom))
	require.Equal(t, "998665433", balance(t, c, c.User.Address, c.Denom), "the amount and 100000 of fees less")
	_, err = c.Send(t.Context(), c.Other, c.Empty.Address, "7"+c.Vouchers[0].Denom+",8"+c.Vouchers[1].Denom)
	require.NoError(t, err)
	require.Equal(t, "7", balance(t, c, c.Empty.Address, c.Vouchers[0].Denom))
	require.Equal(t, "8", balance(t, c, c.Empty.Address, c.Vouchers[1].Denom))
}

func testRefused(t *testing.T, c *Chain) {
	for name, refused := range map[string]struct {
		from      Account
		arguments []string
		code      int
		codespace string
	}{
		"no such amount":         {c.User, []string{"bank", "send", c.User.Address, c.Other.Address, Plenty + c.Denom}, 5, "sdk"},
		"more than it may spend": {c.Vesting, []string{"bank", "send", c.Vesting.Address, c.Other.Address, Half + c.Denom}, 5, "sdk"},
		"no fee held":            {c.Poor, []string{"bank", "send", c.Poor.Address, c.Other.Address, "1" + c.Vouchers[0].Denom}, 5, "sdk"},
		"fee too small":          {c.User, []string{"bank", "send", c.User.Address, c.Other.Address, "1" + c.Denom, "--fees", "1" + c.Denom}, 13, "sdk"},
		"gas too little":         {c.User, []string{"bank", "send", c.User.Address, c.Other.Address, "1" + c.Denom, "--gas", "10"}, 11, "sdk"},
		"an expired client": {c.User, []string{"ibc-transfer", "transfer", "transfer", ExpiredChannel, c.Other.Address, "1" + c.Denom},
			29, "client"},
		"a frozen client": {c.User, []string{"ibc-transfer", "transfer", "transfer", FrozenChannel, c.Other.Address, "1" + c.Denom},
			29, "client"},
		"a closed channel": {c.User, []string{"ibc-transfer", "transfer", "transfer", ClosedChannel, c.Other.Address, "1" + c.Denom},
			5, "channel"},
	} {
		tx, err := c.Tx(t.Context(), refused.from, refused.arguments...)
		require.ErrorIs(t, err, ErrRefused, name)
		require.Equal(t, refused.code, tx.Code, "%s: %v", name, err)
		require.Equal(t, refused.codespace, tx.Codespace, name)
	}
}

func testChannels(t *testing.T, c *Chain) {
	_, err := c.Tx(t.Context(), c.User, "ibc-transfer", "transfer", "transfer", HealthyChannel, c.Other.Address, "5"+c.Denom)
	require.NoError(t, err)
	_, err = c.Tx(t.Context(), c.User, "ibc-transfer", "transfer", "transfer", HealthyChannel, c.Other.Address, "5"+c.Vouchers[0].Denom)
	require.NoError(t, err)
	var list struct {
		Channels []struct {
			ID    string `json:"channel_id"`
			State string
		}
	}
	require.NoError(t, c.Query(t.Context(), &list, "ibc", "channel", "channels"))
	states := map[string]string{}
	for _, channel := range list.Channels {
		states[channel.ID] = channel.State
	}
	require.Equal(t, map[string]string{HealthyChannel: "STATE_OPEN", ExpiredChannel: "STATE_OPEN", FrozenChannel: "STATE_OPEN",
		ClosedChannel: "STATE_CLOSED"}, states)
}

func testFreeze(t *testing.T, c *Chain) {
	require.NoError(t, c.Freeze())
	// Its threads stop one after another, and may still respond once.
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Height(ctx)
		return errors.Is(err, context.DeadlineExceeded)
	}, time.Minute, time.Millisecond)
	require.NoError(t, c.Thaw())
	height, err := c.Height(t.Context())
	require.NoError(t, err)
	require.NoError(t, c.WaitHeight(t.Context(), height+1))
}

func testKill(t *testing.T, c *Chain) {
	before, err := c.Height(t.Context())
	require.NoError(t, err)
	require.Error(t, c.Restart(t.Context()), "it runs")
	require.NoError(t, c.Kill())
	require.ErrorIs(t, c.Kill(), ErrNotRunning)
	_, err = c.Height(t.Context())
	require.Error(t, err)
	require.NoError(t, c.Restart(t.Context()))
	after, err := c.Height(t.Context())
	require.NoError(t, err)
	require.Greater(t, after, before)
	require.Equal(t, "1234567", balance(t, c, c.Empty.Address, c.Denom), "what was sent before")
}

func testRewind(t *testing.T, c *Chain) {
	before, err := c.Height(t.Context())
	require.NoError(t, err)
	require.NoError(t, c.Rewind(t.Context()))
	after, err := c.Height(t.Context())
	require.NoError(t, err)
	require.Less(t, after, before)
	require.Equal(t, UserCoins, balance(t, c, c.User.Address, c.Denom), "as at genesis")
	require.Equal(t, "0", balance(t, c, c.Empty.Address, c.Denom))
}

func testStop(t *testing.T, c *Chain) {
	p := c.running()
	require.NoError(t, c.Stop())
	require.NotNil(t, p.cmd.ProcessState, "it was waited for")
	require.NoDirExists(t, c.Dir)
	_, err := c.Height(t.Context())
	require.Error(t, err)
	require.ErrorIs(t, c.Freeze(), ErrNotRunning)
	require.NoError(t, c.Stop(), "twice")
}

// TestSettings runs a chain with a non-default value of every setting.
func TestSettings(t *testing.T) {
	const address = "cosmos1aghdjgt5gzntzqgdxdzhjfry90upmtfsy2wuwp"
	c, err := Settings{ID: "elsewhere-9", GasPrice: "0", BlockTime: 100 * time.Millisecond, NoGRPC: true,
		Balances: map[string]Coins{address: {"uother": "5", "uatom": "18446744073709551616"}}}.Start(t.Context(), Gaiad)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Stop()) })
	require.Equal(t, "elsewhere-9", c.ID)
	require.Empty(t, c.GRPC)
	require.Equal(t, "5", balance(t, c, address, "uother"))
	require.Equal(t, "18446744073709551616", balance(t, c, address, "uatom"))
	_, err = c.Tx(t.Context(), c.User, "bank", "send", c.User.Address, address, "1uatom", "--fees", "0uatom")
	require.NoError(t, err, "no fee is asked for")
}

// TestNoStart checks the errors for invalid settings.
func TestNoStart(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for name, c := range map[string]struct {
		settings Settings
		says     string
	}{
		"chain id":   {Settings{ID: strings.Repeat("x", 51)}, "chain-id"},
		"amount":     {Settings{Balances: map[string]Coins{"cosmos1aghdjgt5gzntzqgdxdzhjfry90upmtfsy2wuwp": {"uatom": "many"}}}, "many"},
		"gas price":  {Settings{GasPrice: "cheap"}, "cheapuatom"},
		"block time": {Settings{BlockTime: -time.Second}, "BlockTime must not be below 0, got -1s"},
	} {
		_, err := c.settings.Start(t.Context(), Gaiad)
		require.ErrorContains(t, err, "start a chain of gaiad", name)
		require.ErrorContains(t, err, c.says, name)
		left, err := os.ReadDir(os.Getenv("TMPDIR"))
		require.NoError(t, err)
		require.Empty(t, left, name)
	}
}

// TestNoKind checks that the error for an unknown kind lists the kinds.
func TestNoKind(t *testing.T) {
	_, err := Start(t.Context(), "osmosisd")
	require.ErrorContains(t, err, `kind must be one of ["gaiad" "iris"], got "osmosisd"`)
}

// TestMissingModules builds a program on a machine that cannot download modules.
func TestMissingModules(t *testing.T) {
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "XDG_CACHE_HOME": home, "GOPROXY": "off",
		"GOCACHE": filepath.Join(home, "build"), "GOMODCACHE": filepath.Join(home, "modules")} {
		t.Setenv(name, value)
	}
	for _, kind := range Kinds() {
		p, err := programOf(kind)
		require.NoError(t, err)
		var progress bytes.Buffer
		_, err = p.build(t.Context(), &progress)
		require.ErrorIs(t, err, ErrModules)
		require.ErrorContains(t, err, string(kind)+" "+p.version+" cannot be built: modules could not be fetched: ")
		require.ErrorContains(t, err, "GOPROXY=off")
		require.Contains(t, progress.String(), "interop: building "+string(kind)+" "+p.version+", once, into "+home)
		left, err := filepath.Glob(filepath.Join(home, "*", "*", "*"))
		require.NoError(t, err)
		for _, path := range left {
			require.NotContains(t, path, "build-", "nothing half built stays")
		}
	}
}

// TestExplain checks which errors of the go command are classified as errors about modules.
func TestExplain(t *testing.T) {
	for name, c := range map[string]struct {
		words   string
		modules bool
	}{
		"refused":          {"go: downloading a.b/c v1.0.0\ngo: a.b/c@v1.0.0: reading https://proxy/c/@v/v1.0.0.mod: 403 Forbidden\n", true},
		"no network":       {"go: a.b/c@v1.0.0: Get \"https://proxy/c\": dial tcp: lookup proxy: no such host\n", true},
		"behind an import": {"main.go:7:2: a.b/c@v1.0.0: Get \"https://proxy/c\": EOF\n", true},
		"switched off":     {"main.go:7:2: module lookup disabled by GOPROXY=off\n", true},
		"does not compile": {"go: downloading a.b/c v1.0.0\n# a.b/c\n./x.go:3:4: undefined: y\n", false},
		"no space":         {"write /tmp/x: no space left on device\n", false},
		"nothing":          {"", false},
	} {
		err := explain(c.words, os.ErrInvalid)
		require.Equal(t, c.modules, strings.Contains(err.Error(), ErrModules.Error()), "%s: %v", name, err)
		if c.modules {
			require.ErrorIs(t, err, ErrModules, name)
			require.NotContains(t, err.Error(), "downloading", name)
		} else {
			require.ErrorIs(t, err, os.ErrInvalid, name)
		}
	}
}

const orphanEnv = "INTEROP_TEST_ORPHAN"

// TestMain lets the test program run as the process that is killed while its chain runs. It prints
// the chain's process and waits.
func TestMain(m *testing.M) {
	if os.Getenv(orphanEnv) == "" {
		os.Exit(m.Run())
	}
	c, err := Start(context.Background(), Gaiad)
	if err != nil {
		panic(err)
	}
	_ = json.NewEncoder(os.Stdout).Encode(object{"pid": c.running().cmd.Process.Pid, "url": c.URL, "dir": c.Dir})
	select {}
}

// TestOrphan kills a test program with SIGKILL, and checks that its chain ends.
func TestOrphan(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), orphanEnv+"=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	var said struct {
		PID      int
		URL, Dir string
	}
	require.NoError(t, json.NewDecoder(out).Decode(&said))
	t.Cleanup(func() { os.RemoveAll(said.Dir) })
	c := &Chain{URL: said.URL}
	_, err = c.Height(t.Context())
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Kill())
	require.Eventually(t, func() bool { _, err := c.Height(t.Context()); return err != nil }, timeout, 10*time.Millisecond)
}
