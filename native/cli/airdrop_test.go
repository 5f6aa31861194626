package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/native/airdrop"
)

// issuer is a node with a token, and a file of payments.
type issuer struct {
	t    *testing.T
	dir  string
	node *nodeProcess
	id   string
	file string
	keys []string // key n is paid n+1 tokens
}

func newIssuer(t *testing.T, keys int) *issuer {
	t.Helper()
	s := &issuer{t: t, dir: t.TempDir(), file: filepath.Join(t.TempDir(), "payments.csv")}
	s.node = start(t, s.dir)
	s.run("call", "generate", "2")
	s.id = strings.TrimSpace(s.run("token", "create", "PAY", "1000000", "for many", "--yes"))
	s.run("call", "generate", "1")
	text := "pubkey,amount\n"
	for i := range keys {
		pair, err := key.Open(fmt.Sprint("payee ", i), false)
		require.NoError(t, err)
		public := pair.Node().PublicKey()
		s.keys = append(s.keys, fmt.Sprintf("%x", public[:]))
		text += fmt.Sprintf("%s,%d\n", s.keys[i], i+1)
	}
	require.NoError(t, os.WriteFile(s.file, []byte(text), 0o600))
	return s
}

// run runs a command that succeeds, and returns its standard output.
func (s *issuer) run(args ...string) string {
	s.t.Helper()
	var stderr strings.Builder
	cmd := obverse(s.dir, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(s.t, err, "%s: %s", args, stderr.String())
	return string(out)
}

// airdrop returns the command line that pays the file.
func (s *issuer) airdrop(more ...string) []string {
	return append([]string{"token", "airdrop", s.id, s.file, "--batch", "2", "--yes"}, more...)
}

// hooked runs a command in this process. It calls hook with each line of standard error before the
// command continues.
func (s *issuer) hooked(hook func(line string), args ...string) outcome {
	var stdout strings.Builder
	stderr := &hookedWriter{hook: hook}
	p := &program{stdin: strings.NewReader(""), stdout: &stdout, stderr: stderr, getenv: func(name string) string {
		return map[string]string{"OBVERSE_DATADIR": s.dir}[name]
	}}
	code := p.main(args)
	return outcome{code, stdout.String(), stderr.all.String()}
}

type hookedWriter struct {
	hook func(line string)
	all  strings.Builder
}

func (w *hookedWriter) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		w.all.WriteString(line)
		w.hook(strings.TrimSuffix(line, "\n"))
	}
	return len(text), nil
}

func (s *issuer) kill() {
	require.NoError(s.t, s.node.process.Process.Signal(syscall.SIGKILL))
	_ = s.node.process.Wait() // it was killed
}

// requireHolders checks in the next block that every key has its tokens times factor, and no one else
// has any.
func (s *issuer) requireHolders(factor int) {
	s.t.Helper()
	s.run("call", "generate", "1")
	want, sum := map[string]string{}, 0
	for i, public := range s.keys {
		want[public], sum = fmt.Sprint((i+1)*factor), sum+(i+1)*factor
	}
	var info struct{ PubKey string }
	require.NoError(s.t, json.Unmarshal([]byte(s.run("call", "getinfo")), &info))
	want[info.PubKey] = fmt.Sprint(1_000_000 - sum)
	table, err := csv.NewReader(strings.NewReader(s.run("token", "holders", s.id, "--csv"))).ReadAll()
	require.NoError(s.t, err)
	require.Equal(s.t, []string{"address", "pubkey", "balance"}, table[0])
	got := map[string]string{}
	for _, row := range table[1:] {
		got[row[1]] = row[2]
	}
	require.Equal(s.t, want, got)
}

// requireReport checks that the report names a transaction of each line that paid its key.
func (s *issuer) requireReport(path string) {
	s.t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(s.t, err)
	table, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(s.t, err)
	require.Equal(s.t, []string{"line", "key", "amount", "txid"}, table[0])
	require.Len(s.t, table, len(s.keys)+1)
	for i, row := range table[1:] {
		require.Equal(s.t, []string{fmt.Sprint(i + 2), s.keys[i], fmt.Sprint(i + 1)}, row[:3])
		history := s.run("token", "history", s.id, s.keys[i], "--csv")
		require.Contains(s.t, history, ","+row[3]+","+row[2]+"\n", "line %s", row[0])
	}
}

// TestAirdropAfterKills kills the node between two batches and then the command, several times, and
// finds that the last command has paid every line once.
func TestAirdropAfterKills(t *testing.T) {
	s := newIssuer(t, 20)
	first := s.process()
	require.Equal(t, first, s.process())
	report := filepath.Join(s.dir, "report.csv")
	for _, paid := range []string{"paid 2 of", "paid 6 of", "paid 8 of"} {
		out := s.hooked(func(line string) {
			if strings.HasPrefix(line, paid) {
				s.kill()
			}
		}, s.airdrop()...)
		require.Equal(t, exitFailure, out.code, out.stderr)
		require.Contains(t, out.stderr, "run the same command again to continue; no key is paid twice")
		s.node = start(t, s.dir)
		require.NotEqual(t, first, s.process())
		if paid == "paid 6 of" {
			s.run("call", "generate", "1")
		}
	}
	for _, paid := range []string{"paid 10 of", "paid 12 of"} {
		cmd := obverse(s.dir, s.airdrop()...)
		stderr, err := cmd.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(stderr)
		for lines.Scan() && !strings.HasPrefix(lines.Text(), paid) {
			continue
		}
		require.Contains(t, lines.Text(), paid)
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	}
	require.Equal(t, "paid 210 tokens to 20 keys\n", s.run(s.airdrop("--report", report)...))
	s.requireHolders(1)
	s.requireReport(report)

	// The same command pays no one again, a new airdrop has to be wanted.
	require.Equal(t, "paid 210 tokens to 20 keys\n", s.run(s.airdrop("--report", report)...))
	s.requireHolders(1)
	s.requireReport(report)
	s.run(s.airdrop("--again")...)
	require.FileExists(t, s.file+".airdrop.1")
	s.requireHolders(2)
}

// TestAirdropLateCall kills the command while the node does not respond. The node executes the call of the killed
// command although the next command has begun.
func TestAirdropLateCall(t *testing.T) {
	s := newIssuer(t, 20)
	cmd := obverse(s.dir, s.airdrop()...)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "paid 2 of") {
		continue
	}
	require.NoError(t, s.node.process.Process.Signal(syscall.SIGSTOP))
	var journal []byte
	require.Eventually(t, func() bool {
		before := journal
		journal, err = os.ReadFile(s.file + ".airdrop")
		return err == nil && bytes.Equal(before, journal)
	}, time.Minute, 200*time.Millisecond)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	require.NoError(t, s.node.process.Process.Signal(syscall.SIGCONT))
	s.run(s.airdrop()...)
	s.requireHolders(1)
}

// TestAirdropForeign names the lines that another transaction paid after the airdrop began.
func TestAirdropForeign(t *testing.T) {
	s := newIssuer(t, 6)
	out := s.hooked(func(line string) {
		if strings.HasPrefix(line, "paid 2 of") {
			s.run("token", "send", s.id, s.keys[4], "5")
			s.run("token", "send", s.id, s.keys[5], "1000")
		}
	}, s.airdrop("--report", filepath.Join(s.dir, "report.csv"))...)
	require.Zero(t, out.code, out.stderr)
	require.Contains(t, out.stderr, "these lines were left out: 6\n")
	s.run("call", "generate", "1")
	require.Contains(t, s.run("token", "holders", s.id, "--csv"), s.keys[4]+",5\n")
	require.Contains(t, s.run("token", "holders", s.id, "--csv"), s.keys[5]+",1006\n")
	s.requireReport(filepath.Join(s.dir, "report.csv"))
}

// TestAirdropWaits begins a new airdrop when the transactions of the former one are in a block.
func TestAirdropWaits(t *testing.T) {
	s := newIssuer(t, 4)
	s.run(s.airdrop()...)
	waited := false
	out := s.hooked(func(line string) {
		if strings.HasPrefix(line, "waiting for a block") {
			waited = true
			s.run("call", "generate", "1")
		}
	}, s.airdrop("--again")...)
	require.Zero(t, out.code, out.stderr)
	require.True(t, waited)
	s.requireHolders(2)
}

// spoiled changes the calls of tokensendmany on the way to a node and back.
type spoiled struct {
	airdrop.Node
	spoil func(send func(amounts map[string]string) map[string]any, amounts map[string]string) map[string]any
}

func (n *spoiled) Call(ctx context.Context, method string, params ...any) (json.RawMessage, error) {
	if method != "tokensendmany" || n.spoil == nil {
		return n.Node.Call(ctx, method, params...)
	}
	var failed error
	answer := n.spoil(func(amounts map[string]string) (sent map[string]any) {
		text, err := n.Node.Call(ctx, method, params[0], amounts, params[2])
		if failed = err; err == nil {
			failed = json.Unmarshal(text, &sent)
		}
		return sent
	}, params[1].(map[string]string))
	if failed != nil {
		return nil, failed
	}
	return json.Marshal(answer)
}

// client returns the node, as a subcommand of token has it.
func (s *issuer) client() *tokens {
	s.t.Helper()
	p := &program{stderr: io.Discard, getenv: func(name string) string { return map[string]string{"OBVERSE_DATADIR": s.dir}[name] }}
	a, _, err := p.tokenArguments(nil)
	require.NoError(s.t, err)
	c, err := p.calling(a)
	require.NoError(s.t, err)
	c.api = daemonInterface()
	return &tokens{p, a, c}
}

func (s *issuer) process() string { return s.client().process() }

// open returns the airdrop of the file, with a node of which the answers are changed.
func (s *issuer) open(spoil func(send func(amounts map[string]string) map[string]any, amounts map[string]string) map[string]any) *airdrop.Airdrop {
	s.t.Helper()
	node := &spoiled{Node: s.client(), spoil: spoil}
	list, err := readAirdrop(s.file)
	require.NoError(s.t, err)
	info, err := airdrop.Inspect(s.t.Context(), node, s.id)
	require.NoError(s.t, err)
	require.NoError(s.t, list.Resolve(s.t.Context(), node, s.id, info))
	journal, err := airdrop.OpenJournal(s.file + journalSuffix)
	require.NoError(s.t, err)
	return &airdrop.Airdrop{
		Node: node, Token: s.id, List: list, Journal: journal, Info: info, Notice: func(string) {}, Timeout: 10, Moment: 1,
		Wait: func(context.Context) error { return nil }, Process: func() string { return "first" },
	}
}

// TestAirdropUnclear stops at transactions that may have been sent, until the node was restarted.
func TestAirdropUnclear(t *testing.T) {
	s, o := newIssuer(t, 8), airdrop.Options{Batch: 4}
	a := s.open(func(send func(map[string]string) map[string]any, amounts map[string]string) map[string]any {
		sent := send(amounts)
		list := sent["transactions"].([]any)
		sent["result"], sent["error"], sent["unclear"], sent["transactions"], sent["paid"] = "error", "disk", list[1:], list[:1], 2
		return sent
	})
	_, err := a.Run(t.Context(), o)
	require.ErrorIs(t, err, airdrop.ErrUnclear)
	require.NoError(t, a.Journal.Close())

	a = s.open(func(func(map[string]string) map[string]any, map[string]string) map[string]any {
		require.Fail(t, "the node was not restarted")
		return nil
	})
	_, err = a.Run(t.Context(), o)
	require.ErrorIs(t, err, airdrop.ErrUnclear)
	require.ErrorContains(t, err, "the node was not restarted")
	require.NoError(t, a.Journal.Close())

	a = s.open(nil)
	a.Process = func() string { return "second" }
	result, err := a.Run(t.Context(), o)
	require.NoError(t, err)
	require.NotContains(t, result.TxIDs, "")
	require.NoError(t, a.Journal.Close())
	s.requireHolders(1)
}

// TestAirdropLeft waits for blocks while the node takes no more transactions, and gives up if no block
// comes or blocks do not help.
func TestAirdropLeft(t *testing.T) {
	s, o := newIssuer(t, 8), airdrop.Options{Batch: 8}
	half := func(send func(map[string]string) map[string]any, amounts map[string]string) map[string]any {
		now, left := map[string]string{}, map[string]string{}
		for i, public := range s.keys {
			if to := left; i >= 4 {
				to[public] = amounts[public]
			} else {
				now[public] = amounts[public]
			}
		}
		sent := send(now)
		sent["result"], sent["error"], sent["left"] = "error", "mempool full", left
		return sent
	}
	a := s.open(half)
	_, err := a.Run(t.Context(), o)
	require.ErrorContains(t, err, "the chain had no block for 10ns")
	a.Wait = func(context.Context) error { s.run("call", "generate", "1"); return nil }
	_, err = a.Run(t.Context(), o)
	require.ErrorContains(t, err, "no key could be paid in 3 blocks: mempool full")
	require.NoError(t, a.Journal.Close())

	calls, waits := 0, 0
	a = s.open(nil)
	a.Node.(*spoiled).spoil = func(send func(map[string]string) map[string]any, amounts map[string]string) map[string]any {
		if calls++; calls == 1 {
			return half(send, amounts)
		}
		return send(amounts)
	}
	a.Wait = func(context.Context) error { waits++; s.run("call", "generate", "1"); return nil }
	result, err := a.Run(t.Context(), o)
	require.NoError(t, err)
	require.NotContains(t, result.TxIDs, "")
	require.Empty(t, result.Foreign)
	require.Equal(t, []int{2, 1}, []int{calls, waits})
	require.NoError(t, a.Journal.Close())
	s.requireHolders(1)
}

// TestAirdropRefused sends nothing if no one can confirm it, if the coins do not suffice, and while another
// command pays.
func TestAirdropRefused(t *testing.T) {
	s := newIssuer(t, 120)
	out := s.hooked(func(string) {}, "token", "airdrop", s.id, s.file)
	require.Equal(t, exitUsage, out.code)
	require.Contains(t, out.stderr, "without a terminal, --yes must be given")
	out = s.hooked(func(string) {}, s.airdrop("--coins", "1000")...)
	require.Equal(t, exitFailure, out.code)
	require.Contains(t, out.stderr, "the airdrop takes up to 120000.006 coins, the node has ")
	require.NoFileExists(t, s.file+journalSuffix)

	out = s.hooked(func(line string) {
		if strings.HasPrefix(line, "paid 2 of") {
			second := s.hooked(func(string) {}, s.airdrop()...)
			require.Equal(t, exitFailure, second.code)
			require.Contains(t, second.stderr, "another process is paying this airdrop")
		}
	}, s.airdrop()...)
	require.Zero(t, out.code, out.stderr)
	s.requireHolders(1)
}
