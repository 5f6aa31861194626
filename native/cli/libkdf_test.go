package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/native/datalock"
	"obverse/native/test/porttest"
)

// library builds the C library, and a C program that loads it. The test is skipped if there is no C
// compiler.
func library(t *testing.T) (host, lib string, built bool) {
	t.Helper()
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	if _, err := exec.LookPath(cc); err != nil {
		t.Logf("not tested, as make test-native says too: there is no C compiler: %v", err)
		return "", "", false
	}
	dir := t.TempDir()
	host, lib = filepath.Join(dir, "host"), filepath.Join(dir, "libkdf.so")
	out, err := exec.Command(cc, "-Wall", "-Werror", "-o", host, filepath.Join(root, "native", "test", "libkdf", "host.c"), "-ldl").CombinedOutput()
	require.NoError(t, err, string(out))
	build := exec.Command("go", "build", "-buildvcs=false", "-tags", "libkdf", "-buildmode=c-shared", "-o", lib, "obverse/native")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err = build.CombinedOutput()
	require.NoError(t, err, string(out))
	return host, lib, true
}

// hosting is a running program that uses the library.
type hosting struct {
	t       *testing.T
	process *exec.Cmd
	in      io.Writer
	out     *bufio.Reader
	log     *logged
}

// logged records the calls of the library's log callback.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newHost(t *testing.T, host, lib, dir string) *hosting {
	t.Helper()
	h := &hosting{t: t, process: exec.Command(host, lib), log: &logged{}}
	h.process.Dir, h.process.Stderr = dir, h.log
	h.process.Env = append(os.Environ(), "HOME="+dir)
	in, err := h.process.StdinPipe()
	require.NoError(t, err)
	out, err := h.process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, h.process.Start())
	h.in, h.out = in, bufio.NewReader(out)
	t.Cleanup(func() {
		require.NoError(t, in.Close())
		require.NoError(t, h.process.Wait())
	})
	return h
}

// result returns the result of a command.
func (h *hosting) result(command string) int {
	h.t.Helper()
	_, err := io.WriteString(h.in, strings.ReplaceAll(command, "\n", " ")+"\n")
	require.NoError(h.t, err)
	line, err := h.out.ReadString('\n')
	require.NoError(h.t, err, h.log.String())
	result, err := strconv.Atoi(strings.TrimSuffix(line, "\n"))
	require.NoError(h.t, err)
	return result
}

// does runs a command and checks its result.
func (h *hosting) does(want int, command string) {
	h.t.Helper()
	require.Equal(h.t, want, h.result(command), h.log.String())
}

// TestLibKDF repeats a session of the SDK with the library in one process: a login, a sign-out, a
// wrong password, and a login on the same port. Calls use HTTP.
func TestLibKDF(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program as a C library: left to make test")
	}
	host, lib, built := library(t)
	if !built {
		return
	}
	dir, port := t.TempDir(), porttest.Free(t)
	h := newHost(t, host, lib, dir)
	const login = `,"allow_registrations":true,"wallet_name":"w","wallet_password":"`
	config := sdkConfig(port, login+walletWord+`"`)
	n := &nodeProcess{ready: datalock.Running{Node: fmt.Sprintf("http://127.0.0.1:%d", port)}}
	h.does(0, "status")
	h.does(1, "stop")
	h.does(0, "main "+config)
	h.does(3, "status")
	h.does(KDFAlreadyRunning, "main "+config)
	require.JSONEq(t, `{"wallet_names":["w"],"activated_wallet":"w"}`, string(n.ask(t, "get_wallet_names", "null").Result))
	public := n.ask(t, "get_public_key", "{}").Result
	require.Contains(t, requireExit(t, KDFAlreadyRunning, kdf(dir, config)), "already running", "by another process, too")
	h.does(0, "stop")
	h.does(0, "status")
	_, err := http.Get(n.ready.Node + "/livez")
	require.Error(t, err, "the port is free")

	h.does(KDFInitError, "main "+sdkConfig(port, login+`another-Word1"`))
	require.Eventually(t, func() bool { return strings.Contains(h.log.String(), "Error generating or decrypting mnemonic") }, time.Minute, 10*time.Millisecond, "the SDK looks for it in the log")
	h.does(0, "status")
	for command, want := range map[string]int{"null": KDFInvalidParams, "main serve": KDFInvalidParams, "main {": KDFInvalidConfig, "main " + sdkConfig(1, ""): KDFInvalidConfig} {
		h.does(want, command)
	}
	h.does(0, "main "+config)
	require.Equal(t, string(public), string(n.ask(t, "get_public_key", "{}").Result))
	require.JSONEq(t, `"success"`, string(n.ask(t, "stop", "{}").Result))
	require.Eventually(t, func() bool { return h.result("status") == 0 }, 20*time.Second, 10*time.Millisecond, "RPC's stop ends the node, and not the process")
	h.does(0, "main "+sdkConfig(port, ""))
	require.JSONEq(t, `{"wallet_names":["w"],"activated_wallet":null}`, string(n.ask(t, "get_wallet_names", "null").Result))
	h.does(0, "stop")
	require.Contains(t, []int{KDFInitError, 0}, h.result("mainstop "+sdkConfig(port, "")), "0: the node was ready before the host had the first line")
	require.Eventually(t, func() bool { return strings.Contains(h.log.String(), "stop within log: 0\n") }, time.Minute, 10*time.Millisecond)
	h.does(0, "status")
	h.does(0, "mainheld "+sdkConfig(port, ""))
	require.NotContains(t, h.log.String()[strings.LastIndex(h.log.String(), "msg=starting"):], "msg=ready", "the host is still busy with the first line")
	h.does(3, "status")
	h.does(0, "release")
	h.does(0, "stop")
	require.Eventually(t, func() bool {
		return strings.Contains(h.log.String()[strings.LastIndex(h.log.String(), "msg=starting"):], "msg=ready")
	}, time.Minute, 10*time.Millisecond, "lines that waited are not lost")
	sdkSession(t, newHost(t, host, lib, t.TempDir()), newChains(t), true)
	require.NotContains(t, h.log.String(), walletWord)
	require.NotContains(t, h.log.String(), password)
	documentedProgram(t, filepath.Dir(lib))
}

// documentedProgram compiles and runs the program in the document, with the library in dir.
func documentedProgram(t *testing.T, dir string) {
	t.Helper()
	page := documents(t)[filepath.Join("native", "docs", "wallets.md")]
	source := regexp.MustCompile("(?s)```c\n(.*?)```\n").FindStringSubmatch(page)
	compile := regexp.MustCompile(`(?m)^cc node\.c .*$`).FindString(page)
	require.NotNil(t, source)
	require.NotEmpty(t, compile)
	port := fmt.Sprint(porttest.Free(t))
	text := strings.NewReplacer(`\"gui\":`, `\"rpcport\":`+port+`,\"gui\":`, ":7783", ":"+port).Replace(source[1])
	require.NoError(t, os.WriteFile(filepath.Join(dir, "node.c"), []byte(text), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o700))
	for _, name := range []string{"libkdf.so", "libkdf.h"} {
		require.NoError(t, os.Rename(filepath.Join(dir, name), filepath.Join(dir, "bin", name)))
	}
	run := exec.Command("sh", "-ec", compile+"\n./node")
	run.Dir, run.Stdin = dir, strings.NewReader("\n")
	run.Env = append(os.Environ(), "HOME="+dir)
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "the node answers at http://127.0.0.1:"+port)
}
