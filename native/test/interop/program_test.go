package interop_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/native/test/interop"
)

const (
	programPassword = "Interop-0nly"
	timeout         = time.Minute
	noBalances      = `,"get_balances":false`
)

// program is the built program with a separate folder, and the coins of two chains.
type program struct {
	t        *testing.T // test or subtest that is running
	binary   string
	dir      string
	url      string
	cmd      *exec.Cmd
	ended    chan struct{}
	messages *bytes.Buffer // standard error, read after the end
}

// buildProgram builds the program that users run.
func buildProgram(t *testing.T, coins string, passphrase string) *program {
	t.Helper()
	p := &program{t: t, dir: t.TempDir()}
	t.Cleanup(p.kill)
	p.binary = filepath.Join(p.dir, "obverse")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", p.binary, "obverse/native").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "coins"), []byte(coins), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "passphrase"), []byte(passphrase), 0o600))
	return p
}

// start runs the program, with additional settings, until stop, kill, or the end of the test.
func (p *program) start(settings ...string) {
	p.t.Helper()
	p.cmd = exec.Command(p.binary, append([]string{"serve", "rpcport=0", "daemon.rpcport=0", "coins=" + filepath.Join(p.dir, "coins")}, settings...)...)
	p.cmd.Env = []string{"HOME=" + p.dir, "OBVERSE_DATADIR=" + p.dir, "OBVERSE_PASSPHRASE_FILE=" + filepath.Join(p.dir, "passphrase"),
		"OBVERSE_RPC_PASSWORD=" + programPassword}
	p.messages = new(bytes.Buffer)
	p.cmd.Stderr = p.messages
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, p.cmd.Start())
	ended := make(chan struct{})
	p.ended = ended
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() {
		_ = p.cmd.Wait() // the test prints its output
		require.FailNow(p.t, "the program does not start", p.messages.String())
	}
	go func() {
		defer close(ended)
		_ = p.cmd.Wait() // the test checks its output
	}()
	var ready struct{ Node string }
	require.NoError(p.t, json.Unmarshal(lines.Bytes(), &ready))
	p.url = ready.Node
}

func (p *program) kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill() // the process may have ended
	<-p.ended
}

func (p *program) stop() {
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	<-p.ended
}

// answer is a response of the node API.
type answer struct {
	Status int
	Result json.RawMessage
	Error  string
	Type   string          `json:"error_type"`
	Data   json.RawMessage `json:"error_data"`
}

func (p *program) call(method, params string) (a answer) {
	p.t.Helper()
	body := fmt.Sprintf(`{"mmrpc":"2.0","userpass":%q,"method":%q,"params":%s}`, programPassword, method, params)
	response, err := http.Post(p.url, "application/json", strings.NewReader(body))
	require.NoError(p.t, err)
	defer response.Body.Close()
	require.NoError(p.t, json.NewDecoder(response.Body).Decode(&a))
	a.Status = response.StatusCode
	return a
}

// succeeds calls a method that must succeed, and decodes its result.
func (p *program) succeeds(into any, method, params string) {
	p.t.Helper()
	a := p.call(method, params)
	require.Equal(p.t, 200, a.Status, "%s %s: %s", method, params, a.Error)
	require.NoError(p.t, json.Unmarshal(a.Result, into), "%s", a.Result)
}

// refuses calls a method that must fail.
func (p *program) refuses(status int, kind, method, params string) answer {
	p.t.Helper()
	a := p.call(method, params)
	require.Equal(p.t, kind, a.Type, "%s %s: %s %s", method, params, a.Error, a.Result)
	require.Equal(p.t, status, a.Status, a.Error)
	return a
}

// story tests the program with one chain: its coin and its tokens.
type story struct {
	*program
	chain *interop.Chain
	coin  string
	// Tickers of tokens: plain is the first voucher, huge the second, and broken one that no chain
	// has.
	plain, huge, broken string
	address             string
}

type balance struct{ Spendable, Unspendable string }

type enabled struct {
	Ticker, Address string
	Block           int64 `json:"current_block"`
	Balance         *balance
	Balances        map[string]balance `json:"tokens_balances"`
	Tickers         []string           `json:"tokens_tickers"`
}

// coinsOf returns the entries of a chain in the coins file.
func (s *story) coinsOf() string {
	entry := func(ticker, kind, data string) string {
		return fmt.Sprintf(`{"coin":%q,"mm2":1,"avg_blocktime":2,"derivation_path":"m/44'/118'","protocol":{"type":%q,"protocol_data":%s}}`, ticker, kind, data)
	}
	token := func(ticker, denom string, decimals int) string {
		return entry(ticker, "TENDERMINTTOKEN", fmt.Sprintf(`{"platform":%q,"decimals":%d,"denom":%q}`, s.coin, decimals, denom))
	}
	return strings.Join([]string{
		entry(s.coin, "TENDERMINT", fmt.Sprintf(`{"decimals":6,"denom":%q,"account_prefix":%q,"chain_id":%q,"gas_price":%s,"ibc_channels":{"osmo":0,"juno":1}}`,
			s.chain.Denom, s.chain.Prefix, s.chain.ID, s.chain.GasPrice)),
		token(s.plain, s.chain.Vouchers[0].Denom, 6), token(s.huge, s.chain.Vouchers[1].Denom, 18), token(s.broken, "1!", 6),
	}, ",")
}

func newStory(c *interop.Chain) *story {
	coin := map[interop.Kind]string{interop.Gaiad: "ATOM", interop.Iris: "IRIS"}[c.Kind]
	return &story{chain: c, coin: coin, plain: "PLAIN-IBC_" + coin, huge: "HUGE-IBC_" + coin, broken: "BROKEN-IBC_" + coin, address: c.Passphrase.Address}
}

// enabling returns a request that activates the chain's coin with tokens, on the given nodes.
func (s *story) enabling(tokens []string, members string, urls ...string) string {
	list := func(name string, values []string) string {
		items := make([]string, len(values))
		for i, v := range values {
			items[i] = fmt.Sprintf(`{%q:%q}`, name, v)
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	return fmt.Sprintf(`{"ticker":%q,"tokens_params":%s,"nodes":%s%s}`, s.coin, list("ticker", tokens), list("url", urls), members)
}

// held returns the balance in whole coins that the chain's program reports.
func (s *story) held(address, denom string, decimals uint8) string {
	s.t.Helper()
	text, err := s.chain.Balance(s.t.Context(), address, denom)
	require.NoError(s.t, err)
	units, ok := new(big.Int).SetString(text, 10)
	require.True(s.t, ok, text)
	return number.Scaled(units, decimals).String()
}

func (s *story) balance() string { return s.held(s.address, s.chain.Denom, 6) }

// balance returns the balance that the program reports for a coin.
func (s *story) reported(coin string) string {
	s.t.Helper()
	var b struct{ Balance, Address string }
	s.succeeds(&b, "my_balance", fmt.Sprintf(`{"coin":%q}`, coin))
	require.Equal(s.t, s.address, b.Address)
	return b.Balance
}

// TestProgram tests the functions of the built program on two real chains.
func TestProgram(t *testing.T) {
	ctx := t.Context()
	var stories []*story
	for _, kind := range interop.Kinds() {
		c, err := interop.Start(ctx, kind)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, c.Stop()) })
		stories = append(stories, newStory(c))
	}
	for i, s := range stories {
		other := stories[1-i]
		t.Run(string(s.chain.Kind), func(t *testing.T) {
			s.program = buildProgram(t, "["+s.coinsOf()+"]", s.chain.Passphrase.Passphrase)
			s.start()
			for _, part := range []struct {
				name string
				test func(*testing.T)
			}{
				{"refusals", func(*testing.T) { s.refusals(other.chain) }}, {"activation", func(*testing.T) { s.activation(other.chain) }},
				{"volumes", func(*testing.T) { s.volumes() }}, {"sending", func(*testing.T) { s.sending() }},
				{"history", func(*testing.T) { s.historyOfBoth() }}, {"stream", func(*testing.T) { s.stream() }},
				{"restart of the program", func(*testing.T) { s.restart() }}, {"chain that ends", func(*testing.T) { s.chainEnds() }},
				{"chain that goes back", func(*testing.T) { s.chainGoesBack() }}, {"another's account", func(*testing.T) { s.vesting() }},
			} {
				begin := time.Now()
				require.True(t, t.Run(part.name, func(t *testing.T) {
					s.t = t
					part.test(t)
				}))
				t.Logf("%s: %s", part.name, time.Since(begin).Round(100*time.Millisecond))
			}
			s.t = t
			s.stop()
		})
	}
}

// refusals tests errors that need a real chain, or an address without a node of the chain.
func (s *story) refusals(other *interop.Chain) {
	const enable = "enable_tendermint_with_assets"
	s.refuses(400, "PlatformCoinIsNotActivated", "enable_tendermint_token", fmt.Sprintf(`{"ticker":%q}`, s.plain))
	a := s.refuses(502, "Transport", enable, s.enabling(nil, "", other.URL, "http://127.0.0.1:1", s.chain.URL+"/nothing"))
	require.Contains(s.t, a.Error, fmt.Sprintf("chain id is %q, want %q", other.ID, s.chain.ID))
	require.Contains(s.t, a.Error, "http://127.0.0.1:1: unreachable")
	require.Contains(s.t, a.Error, "HTTP status 404")
	s.refuses(502, "Transport", enable, s.enabling([]string{s.plain, s.broken}, "", s.chain.URL))
	s.refuses(400, "UnexpectedPlatformProtocol", enable, strings.Replace(s.enabling(nil, "", s.chain.URL), s.coin, s.plain, 1))
	s.refuses(400, "TokenConfigIsNotFound", enable, s.enabling([]string{"GALT"}, "", s.chain.URL))
	s.refuses(404, "NoSuchCoin", "max_maker_vol", fmt.Sprintf(`{"coin":%q}`, s.coin))
	var coins struct{ Coins []any }
	s.succeeds(&coins, "get_enabled_coins", `{}`)
	require.Empty(s.t, coins.Coins, "nothing was activated")
}

func (s *story) activation(other *interop.Chain) {
	const enable, disable = "enable_tendermint_with_assets", "disable_coin"
	force := fmt.Sprintf(`{"coin":%q,"force_disable":true}`, s.coin)
	var ignored any
	var bare enabled
	s.succeeds(&bare, enable, s.enabling([]string{s.plain}, noBalances, s.chain.URL))
	require.Equal(s.t, []string{s.plain}, bare.Tickers)
	require.Nil(s.t, bare.Balance)
	require.Equal(s.t, s.address, bare.Address)
	s.succeeds(&ignored, disable, force)

	var full enabled
	before, err := s.chain.Height(s.t.Context())
	require.NoError(s.t, err)
	s.succeeds(&full, enable, s.enabling([]string{s.plain}, `,"tx_history":true`, "http://127.0.0.1:1", other.URL, s.chain.URL))
	after, err := s.chain.Height(s.t.Context())
	require.NoError(s.t, err)
	require.GreaterOrEqual(s.t, full.Block, before)
	require.LessOrEqual(s.t, full.Block, after)
	require.Equal(s.t, balance{s.balance(), "0"}, *full.Balance)
	require.Equal(s.t, map[string]balance{s.plain: {s.held(s.address, s.chain.Vouchers[0].Denom, 6), "0"}}, full.Balances)
	s.refuses(400, "PlatformIsAlreadyActivated", enable, s.enabling(nil, "", s.chain.URL))

	var later struct {
		Balances map[string]balance
		Platform string `json:"platform_coin"`
	}
	s.succeeds(&later, "enable_tendermint_token", fmt.Sprintf(`{"ticker":%q,"activation_params":{"required_confirmations":3}}`, s.huge))
	require.Equal(s.t, s.coin, later.Platform)
	require.Equal(s.t, map[string]balance{s.address: {s.held(s.address, s.chain.Vouchers[1].Denom, 18), "0"}}, later.Balances, "beyond 64 bits")
	s.refuses(400, "TokenIsAlreadyActivated", "enable_tendermint_token", fmt.Sprintf(`{"ticker":%q}`, s.huge))
	s.refuses(500, "CouldNotFetchBalance", "enable_tendermint_token", fmt.Sprintf(`{"ticker":%q}`, s.broken))
	require.Equal(s.t, s.balance(), s.reported(s.coin))
}

type formats struct{ Decimal string }

type volumes struct {
	Volume, Balance formats
	Locked          formats `json:"locked_by_swaps"`
}

func parse(t *testing.T, text string) number.Rational {
	t.Helper()
	r, err := number.ParseRational(text)
	require.NoError(t, err, text)
	return r
}

func (s *story) volumes() {
	var v volumes
	s.succeeds(&v, "max_maker_vol", fmt.Sprintf(`{"coin":%q}`, s.coin))
	require.Equal(s.t, s.balance(), v.Balance.Decimal)
	require.Equal(s.t, "0", v.Locked.Decimal)
	fee := parse(s.t, v.Balance.Decimal).Sub(parse(s.t, v.Volume.Decimal))
	require.Positive(s.t, fee.Sign())
	require.Negative(s.t, fee.Cmp(number.Int(1)), "%s", fee)
	s.t.Logf("a transfer costs %s %s", fee, s.coin)
	s.succeeds(&v, "max_maker_vol", fmt.Sprintf(`{"coin":%q}`, s.plain))
	require.Equal(s.t, s.held(s.address, s.chain.Vouchers[0].Denom, 6), v.Volume.Decimal)
	var locked struct {
		Locked formats `json:"locked_amount"`
	}
	s.succeeds(&locked, "get_locked_amount", fmt.Sprintf(`{"coin":%q}`, s.coin))
	require.Equal(s.t, "0", locked.Locked.Decimal)
}

type transaction struct {
	Hex      string `json:"tx_hex"`
	Hash     string `json:"tx_hash"`
	Change   string `json:"my_balance_change"`
	ID       string `json:"internal_id"`
	Height   int64  `json:"block_height"`
	From, To []string
}

// sending sends a coin and a token, and checks that they have arrived.
func (s *story) sending() {
	to := s.chain.Empty.Address
	for i, c := range []struct{ ticker, denom, amount string }{{s.coin, s.chain.Denom, "1.25"}, {s.plain, s.chain.Vouchers[0].Denom, "7.000001"}} {
		var made transaction
		s.succeeds(&made, "withdraw", fmt.Sprintf(`{"coin":%q,"to":%q,"amount":%q,"memo":"number %d"}`, c.ticker, to, c.amount, i))
		var sent struct {
			Hash          string `json:"tx_hash"`
			Height        int64  `json:"block_height"`
			Confirmations int
		}
		s.succeeds(&sent, "send_raw_transaction", fmt.Sprintf(`{"coin":%q,"tx_hex":%q,"required_confirmations":1}`, c.ticker, made.Hex))
		require.Equal(s.t, made.Hash, sent.Hash)
		require.Positive(s.t, sent.Height)
		require.Equal(s.t, c.amount, s.held(to, c.denom, 6), "the chain's own program finds it")
	}
	require.Equal(s.t, s.balance(), s.reported(s.coin))
	require.Equal(s.t, s.held(s.address, s.chain.Vouchers[0].Denom, 6), s.reported(s.plain))
	s.refuses(400, "TransactionRefused", "send_raw_transaction", fmt.Sprintf(`{"coin":%q,"tx_hex":"00"}`, s.coin))
	s.refuses(400, "NotSufficientBalance", "withdraw", fmt.Sprintf(`{"coin":%q,"to":%q,"amount":"1000000"}`, s.coin, to))
}

type page struct {
	Transactions []transaction
	Sync         struct{ State string } `json:"sync_status"`
	Total        int
	Pages        int `json:"total_pages"`
}

func (s *story) page(coin string, limit, number int) (p page) {
	s.t.Helper()
	s.succeeds(&p, "my_tx_history", fmt.Sprintf(`{"coin":%q,"limit":%d,"paging_options":{"PageNumber":%d}}`, coin, limit, number))
	return p
}

// historyOfBoth compares the pages of transfers in both directions with the balance.
func (s *story) historyOfBoth() {
	for _, amount := range []string{"5", "6", "7"} {
		_, err := s.chain.Send(s.t.Context(), s.chain.Other, s.address, amount+s.chain.Denom)
		require.NoError(s.t, err)
	}
	require.Eventually(s.t, func() bool {
		p := s.page(s.coin, 100, 1)
		return p.Sync.State == "Finished" && p.Total >= 5
	}, timeout, 500*time.Millisecond)
	all := s.page(s.coin, 100, 1)
	require.Equal(s.t, 1, all.Pages)
	sum, last := number.Int(0), int64(1<<62)
	for _, entry := range all.Transactions {
		sum = sum.Add(parse(s.t, entry.Change))
		require.LessOrEqual(s.t, entry.Height, last, "the newest first")
		last = entry.Height
	}
	const genesis = 1000
	require.Equal(s.t, s.balance(), number.Int(genesis).Add(sum).String(), "the history adds up to the balance")
	var paged []transaction
	for n := 1; n <= all.Total; n++ {
		p := s.page(s.coin, 1, n)
		require.Equal(s.t, all.Total, p.Pages)
		paged = append(paged, p.Transactions...)
	}
	require.Equal(s.t, all.Transactions, paged)
	require.Empty(s.t, s.page(s.coin, 1, all.Total+1).Transactions)
	tokens := s.page(s.plain, 10, 1)
	require.Len(s.t, tokens.Transactions, 1)
	require.Equal(s.t, "-7.000001", tokens.Transactions[0].Change)
}

// stream checks that a transfer is reported through the chain's websocket.
func (s *story) stream() {
	ctx, cancel := context.WithTimeout(s.t.Context(), timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/event-stream?id=7", nil)
	require.NoError(s.t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	defer response.Body.Close()
	var stream struct {
		ID string `json:"streamer_id"`
	}
	s.succeeds(&stream, "stream::balance::enable", fmt.Sprintf(`{"coin":%q,"client_id":7}`, s.coin))
	require.Equal(s.t, "BALANCE:"+s.coin, stream.ID)
	time.Sleep(2 * time.Second) // until the program has subscribed; otherwise it would find the change by polling
	_, err = s.chain.Send(s.t.Context(), s.chain.Other, s.address, "3"+s.chain.Vouchers[0].Denom)
	require.NoError(s.t, err)
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		text, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		require.JSONEq(s.t, fmt.Sprintf(`{"_type":"BALANCE:%s","message":[{"ticker":%q,"balance":{"spendable":%q,"unspendable":"0"}}]}`,
			s.coin, s.plain, s.held(s.address, s.chain.Vouchers[0].Denom, 6)), text)
		return
	}
	require.FailNow(s.t, "there is no event", "%v", lines.Err())
}

// restart kills the program and starts it again. Its coins must be active.
func (s *story) restart() {
	s.kill()
	s.start()
	require.Eventually(s.t, func() bool {
		var coins struct{ Coins []any }
		s.succeeds(&coins, "get_enabled_coins", `{}`)
		return len(coins.Coins) == 3
	}, timeout, 100*time.Millisecond)
	require.Equal(s.t, s.balance(), s.reported(s.coin))
	require.Positive(s.t, s.page(s.coin, 1, 1).Total, "the history is kept")
	var again enabled
	s.succeeds(&again, "enable_tendermint_with_assets", s.enabling([]string{s.plain}, "", s.chain.URL))
	require.Equal(s.t, s.balance(), again.Balance.Spendable)
	s.refuses(400, "PlatformIsAlreadyActivated", "enable_tendermint_with_assets", s.enabling(nil, "", s.chain.URL))
}

// chainEnds kills the chain's node. Requests must fail with the reason meanwhile, and succeed after
// its restart without further action.
func (s *story) chainEnds() {
	require.NoError(s.t, s.chain.Kill())
	time.Sleep(2500 * time.Millisecond) // balances are cached for at most two seconds
	a := s.refuses(500, "Transport", "my_balance", fmt.Sprintf(`{"coin":%q}`, s.coin))
	require.Contains(s.t, a.Error, "All the current rpc nodes are unavailable. ("+s.chain.URL+": unreachable")
	require.NoError(s.t, s.chain.Restart(s.t.Context()))
	require.Eventually(s.t, func() bool { return s.call("my_balance", fmt.Sprintf(`{"coin":%q}`, s.coin)).Status == 200 }, timeout, 100*time.Millisecond)
	require.Equal(s.t, s.balance(), s.reported(s.coin))
}

// chainGoesBack restarts the chain from its genesis with the same id. The program must accept its
// responses, since there is no other node.
func (s *story) chainGoesBack() {
	require.NoError(s.t, s.chain.Rewind(s.t.Context()))
	require.Eventually(s.t, func() bool {
		a := s.call("my_balance", fmt.Sprintf(`{"coin":%q}`, s.coin))
		return a.Status == 200 && strings.Contains(string(a.Result), `"balance":"1000"`)
	}, timeout, 100*time.Millisecond)
	require.Equal(s.t, "1000", s.balance())
}

// vesting activates an account with an external key and locked coins. Chains before Cosmos SDK 0.46
// do not report locked coins.
func (s *story) vesting() {
	var ignored any
	s.succeeds(&ignored, "disable_coin", fmt.Sprintf(`{"coin":%q,"force_disable":true}`, s.coin))
	ring, err := key.Open(s.chain.Vesting.Passphrase, false)
	require.NoError(s.t, err)
	defer ring.Wipe()
	public := ring.Node().PublicKey()
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(public), " ", ","), "[]")
	var e enabled
	s.succeeds(&e, "enable_tendermint_with_assets", s.enabling(nil, `,"activation_params":{"type":"WithPubkey","params":{"pubkey":{"type":"secp256k1","value":[`+
		list+`]},"is_ledger_connection":false}}`, s.chain.URL))
	require.Equal(s.t, s.chain.Vesting.Address, e.Address)
	want := balance{"500000", "500000"}
	if s.chain.Kind == interop.Gaiad {
		want = balance{"1000000", "0"}
	}
	require.Equal(s.t, want, *e.Balance)
	s.refuses(500, "PrivKeyNotAllowed", "withdraw", fmt.Sprintf(`{"coin":%q,"to":%q,"amount":"1"}`, s.coin, s.address))
}
