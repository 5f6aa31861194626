package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// terminal is a terminal whose user can answer questions.
type terminal struct{ in, out *os.File }

// findTerminal gives the terminal at which the program was started. Both ends have to be
// one: a question that goes to a file is not seen.
func (p *program) findTerminal() (t terminal, found bool) {
	in, readable := p.stdin.(*os.File)
	out, writable := p.stderr.(*os.File)
	if !readable || !writable || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return t, false
	}
	return terminal{in, out}, true
}

// errNoAnswer is a question that was left with Ctrl-C or Ctrl-D, or ended by a signal.
var errNoAnswer = errors.New("no password was given")

// hidden asks for a line that is not shown.
func (t terminal) hidden(ctx context.Context, question string) (string, error) {
	before, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return "", err
	}
	defer term.Restore(int(t.in.Fd()), before)
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := term.NewTerminal(struct {
			io.Reader
			io.Writer
		}{t.in, t.out}, "").ReadPassword(question)
		read <- line{text, err}
	}()
	select {
	case l := <-read:
		if l.err != nil {
			fmt.Fprint(t.out, "\r\n")
			return "", errNoAnswer
		}
		return l.text, nil
	case <-ctx.Done():
		fmt.Fprint(t.out, "\r\n")
		return "", errNoAnswer
	}
}

// newPassword asks twice for a password that the rules allow, a few times. It gives "" if
// optional and none is chosen.
func (t terminal) newPassword(ctx context.Context, optional bool, allowed func(string) error) (string, error) {
	for range maxAttempts {
		password, err := t.hidden(ctx, "New password: ")
		if err != nil || password == "" && optional {
			return "", err
		}
		if err := allowed(password); err != nil {
			fmt.Fprintf(t.out, "%s.\n", err)
			continue
		}
		again, err := t.hidden(ctx, "The same again: ")
		if err != nil {
			return "", err
		}
		if again == password {
			return password, nil
		}
		fmt.Fprintln(t.out, "The passwords differ.")
	}
	return "", errNoAnswer
}
