package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"obverse/native/node"
	"obverse/native/settings"
)

// console is a pseudoterminal with a program at one end and a simulated user at the other.
type console struct {
	t      *testing.T
	person *os.File // end of the user, which reads the output and types
	other  *os.File // end of the program

	mu      sync.Mutex
	written bytes.Buffer
}

func control(t *testing.T, file *os.File, request uintptr, with unsafe.Pointer) {
	t.Helper()
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), request, uintptr(with))
	require.Zero(t, errno)
}

// openConsole opens a pseudoterminal: pts(4).
func openConsole(t *testing.T) *console {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	var number, locked int32
	control(t, person, syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	control(t, person, syscall.TIOCGPTN, unsafe.Pointer(&number))
	other, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	c := &console{t: t, person: person, other: other}
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := person.Read(buffer)
			c.mu.Lock()
			c.written.Write(buffer[:n])
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { other.Close(); person.Close() })
	return c
}

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.written.String()
}

// answer waits for a new prompt and types a line.
func (c *console) answer(question, line string) {
	c.t.Helper()
	require.Eventually(c.t, func() bool { return strings.Contains(c.text(), question) }, 30*time.Second, 5*time.Millisecond, "%s", question)
	c.mu.Lock()
	rest := strings.SplitN(c.written.String(), question, 2)[1]
	c.written.Reset()
	c.written.WriteString(rest)
	c.mu.Unlock()
	_, err := c.person.WriteString(line)
	require.NoError(c.t, err)
}

// at connects a command to the console.
func (c *console) at(cmd *exec.Cmd) *exec.Cmd {
	cmd.Stdin, cmd.Stderr = c.other, c.other
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return cmd
}

// echoes reports whether the terminal echoes input.
func (c *console) echoes() bool {
	var now syscall.Termios
	control(c.t, c.other, syscall.TCGETS, unsafe.Pointer(&now))
	return now.Lflag&syscall.ECHO != 0
}

const newQuestion, sameAgain = "New password: ", "The same again: "

// startAt starts a node at a console.
func (c *console) startAt(dir string, answers ...[2]string) *nodeProcess {
	c.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, a := range answers {
			c.answer(a[0], a[1])
		}
	}()
	n := begun(c.t, c.at(obverse(dir, serveArgs()...)))
	<-done
	return n
}

// TestFirstStartAtATerminal checks that a first start prompts for a password and encrypts the
// phrase with it, and that each later start prompts for it again.
func TestFirstStartAtATerminal(t *testing.T) {
	dir, c := t.TempDir(), openConsole(t)
	n := c.startAt(dir, [2]string{"A password has at least 8 characters, among them a digit", ""}, [2]string{newQuestion, "weak\r"}, [2]string{"at least 8 characters long.", ""},
		[2]string{newQuestion, walletWord + "\r"}, [2]string{sameAgain, "An0ther-one!\r"}, [2]string{"The passwords differ.", ""},
		[2]string{newQuestion, walletWord + "\r"}, [2]string{sameAgain, walletWord + "\r"})
	require.NotContains(t, c.text(), walletWord)
	require.Contains(t, configText(t, dir), `"wallet_name": "wallet"`)
	require.FileExists(t, filepath.Join(dir, "wallet.json"))
	requireNowhere(t, dir, walletWord)
	key, err := obverse(dir, "call", "get_public_key").Output()
	require.NoError(t, err)
	require.NoError(t, n.process.Process.Signal(syscall.SIGHUP))
	c.answer("reloaded the config", "")
	n.stop(t)
	require.NotContains(t, c.text(), "take effect at the next start")
	out, err := obverse(dir, "store", "check").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), node.StoreFile)
	output, err := obverse(dir, "config").CombinedOutput()
	require.NoError(t, err, string(output))
	require.Contains(t, string(output), "warning: a start asks for the password of the wallet at a terminal")

	const question = `Password of the wallet "wallet": `
	wrong := c.at(obverse(dir, serveArgs()...))
	require.NoError(t, wrong.Start())
	for range maxAttempts - 1 {
		c.answer(question, "other\r")
		c.answer("Wrong password.", "")
	}
	c.answer(question, "other\r")
	require.Error(t, wrong.Wait())
	require.Equal(t, exitWallet, wrong.ProcessState.ExitCode())
	c.answer("wrong password", "")
	c.startAt(dir, [2]string{question, "other\r"}, [2]string{question, "0ther\r"}, [2]string{question, walletWord + "\r"}).stop(t)

	copied := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, obverse(dir, "store", "backup", copied).Run())
	restore := c.at(obverse(dir, "store", "restore", copied))
	require.NoError(t, restore.Start())
	c.answer(question, "other\r")
	c.answer(question, walletWord+"\r")
	require.NoError(t, restore.Wait())

	require.NoError(t, os.Remove(filepath.Join(dir, settings.FileName)), "the wallet is enough")
	none := c.at(obverse(dir, serveArgs()...))
	require.NoError(t, none.Start())
	c.answer(question, "\r")
	c.answer("no password was given", "")
	require.Error(t, none.Wait())
	require.NoFileExists(t, filepath.Join(dir, settings.FileName), "the node has no other key")
	c.startAt(dir, [2]string{question, walletWord + "\r"})
	again, err := obverse(dir, "call", "get_public_key").Output()
	require.NoError(t, err)
	require.Equal(t, string(key), string(again))
	second := c.at(obverse(dir, serveArgs()...))
	require.Error(t, second.Run(), "no question")
	c.answer("already running, pid", "")
}

func TestInitAtATerminal(t *testing.T) {
	dir, c := t.TempDir(), openConsole(t)
	run := func(answers ...string) int {
		cmd := c.at(obverse(dir, "init"))
		require.NoError(t, cmd.Start())
		for n, question := range []string{newQuestion, sameAgain}[:len(answers)] {
			c.answer(question, answers[n])
		}
		_ = cmd.Wait() // the test checks the exit code
		return cmd.ProcessState.ExitCode()
	}
	require.Equal(t, exitFailure, run("half\x03"), "Ctrl-C")
	c.answer("no password was given", "")
	require.True(t, c.echoes(), "the terminal is as it was")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, files)

	require.Zero(t, run(walletWord+"\r", walletWord+"\r"))
	require.FileExists(t, filepath.Join(dir, "wallet.json"))
	require.NotRegexp(t, `"passphrase": "."`, configText(t, dir))
	dir = t.TempDir()
	require.Zero(t, run("\r"), "not encrypted")
	require.Regexp(t, `"passphrase": ".{30}`, configText(t, dir))
	require.NotContains(t, configText(t, dir), "wallet_name")
}

// TestTokenAtATerminal asks, and sends only what is confirmed.
func TestTokenAtATerminal(t *testing.T) {
	s := newIssuer(t, 2)
	for _, c := range []struct {
		answer string
		code   int
	}{{"n\n", exitFailure}, {"\n", exitFailure}, {"y\n", 0}} {
		console := openConsole(t)
		cmd := console.at(obverse(s.dir, "token", "airdrop", s.id, s.file))
		require.NoError(t, cmd.Start())
		console.answer("Pay? [y/N] ", c.answer)
		_ = cmd.Wait() // the code is compared
		require.Equal(t, c.code, cmd.ProcessState.ExitCode())
		require.NotContains(t, console.text(), "panic")
		if c.code != 0 {
			require.NoFileExists(t, s.file+journalSuffix)
		}
	}
	s.requireHolders(1)
}
