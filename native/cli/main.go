// Package cli is the command line of the native node: commands, options, help, and a client for
// both APIs. It implements core's ports with files, sockets and the clock, and contains no domain
// logic.
//
// Invariant: standard output contains only results, such as the ready line and the result of a
// call. Everything else is written to standard error.
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"

	"obverse/core/key/wallets"
	"obverse/native/node"
	"obverse/native/settings"
)

// Main runs the program with the process's arguments and returns its exit code.
func Main() int {
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, run: runAlone}
	if isKDF(os.Args[0]) {
		return p.kdf(takeArguments())
	}
	return p.main(os.Args[1:])
}

// program holds the surroundings of the process, which tests replace.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(name string) string
	run            runner
}

// errUsage is an invalid command line. Its text is one line for the user.
var errUsage = errors.New("wrong usage")

func usage(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUsage, fmt.Sprintf(format, args...))
}

const (
	exitFailure = 1
	exitUsage   = 2
	exitWallet  = 4 // a wrong password or an invalid recovery phrase, as clients of KDF expect
)

func (p *program) main(args []string) int {
	err := p.dispatch(args)
	var remote answered
	switch {
	case err == nil:
		return 0
	case isUnread(err):
		return exitFailure
	case errors.As(err, &remote):
		fmt.Fprintln(p.stderr, remote.text)
		return exitFailure
	}
	fmt.Fprintln(p.stderr, "obverse:", oneLine(err))
	if errors.Is(err, errUsage) || errors.As(err, new(settings.ConfigError)) {
		return exitUsage
	}
	if errors.As(err, new(wallets.OpenError)) {
		return exitWallet
	}
	return exitFailure
}

// isUnread reports whether err means that the reader of the output has closed it.
func isUnread(err error) bool {
	var write *fs.PathError
	return errors.As(err, &write) && write.Path == os.Stdout.Name() && errors.Is(err, syscall.EPIPE)
}

// oneLine joins the lines of an error of the standard library.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

func (p *program) dispatch(args []string) error {
	command, rest := "serve", args
	if len(args) == 0 {
		command = "help"
	}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") && !strings.Contains(args[0], "=") {
		command, rest = args[0], args[1:]
	}
	if len(args) > 0 && isHelp(args[0]) {
		command, rest = help, nil
	}
	if len(args) > 0 && (args[0] == "--version" || args[0] == "-version") {
		command, rest = "version", args[1:]
	}
	if command == help {
		return p.helpFor(rest)
	}
	v, known := findVerb(command)
	if !known {
		return unknownCommand(command)
	}
	return v.run(p, rest)
}

func (p *program) help(text string) error {
	_, err := io.WriteString(p.stdout, text)
	return err
}

func (p *program) version(args []string) error {
	a, err := p.parse(args, takesVersion)
	if err != nil {
		return err
	}
	if a.help {
		return p.help(helpVersion)
	}
	_, err = fmt.Fprintf(p.stdout, "obverse %s (commit %s, %s %s/%s)\n", node.Version, node.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
