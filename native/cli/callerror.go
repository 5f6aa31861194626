package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"unicode"

	"obverse/core/daemon"
	"obverse/core/rpc"
	"obverse/native/client"
)

// answered is an error that the node returned. Its text may have multiple lines.
type answered struct{ text string }

func (e answered) Error() string { return e.text }

// explain converts the error of a call to a text for the user: the error of the node, and advice.
func (c *calling) explain(err error) error {
	var remote *client.RemoteError
	var request *url.Error
	var dial *net.OpError
	switch {
	case errors.As(err, &remote) && c.json:
		return answered{string(remote.Body)}
	case errors.As(err, &remote):
		return answered{printable(c.remoteText(remote))}
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted before the node responded; the call may have taken effect")
	case errors.As(err, &dial) && dial.Op == "dial" && errors.As(err, &request):
		return fmt.Errorf("no node answers at %s (%w): start one with `obverse serve`, or give the --datadir, --config or address of the one that runs",
			request.URL, dial.Err)
	case errors.Is(err, client.ErrCredential):
		return fmt.Errorf("%w: %s", err, otherSettings)
	case errors.As(err, &request):
		return fmt.Errorf("%s: %w", request.URL, request.Err)
	}
	return err
}

// remoteText adds advice about the method to the text of the node's error.
func (c *calling) remoteText(remote *client.RemoteError) string {
	if remote.IsUnknownMethod() {
		return remote.Error() + c.unknownMethod(remote.Text)
	}
	if remote.Kind == "UserpassIsInvalid" {
		return remote.Error() + " (" + otherSettings + ")"
	}
	if remote.Text == unknownClient {
		return remote.Error() + " (no event stream with this client_id is open: open GET /event-stream?id=… first)"
	}
	m, known := c.api.table.Lookup(c.method)
	if known && remote.Kind == "InvalidRequest" {
		return fmt.Sprintf("%s\n`obverse help %s` explains the parameters", remote.Error(), m.Name)
	}
	if !known || remote.Kind != wrongCount || !strings.HasPrefix(remote.Text, m.Usage()) {
		return remote.Error()
	}
	if len(m.Params()) == 0 {
		return fmt.Sprintf("error %s: %s takes no parameters", remote.Kind, m.Name)
	}
	return fmt.Sprintf("error %s: wrong number of parameters\nusage: %s\n`obverse help %s` explains them", remote.Kind, m.Usage(), m.Name)
}

// otherSettings explains why a node may refuse the credential in its own config.
const otherSettings = "the node was started with other settings"

// unknownClient is the text of the node API for a client without an open event stream.
const unknownClient = "UnknownClient"

// wrongCount is the code of the daemon API for a wrong number of parameters and for other errors.
// The text is the help of the method.
const wrongCount = "-1"

// unknownMethod returns advice for an unknown method: what to do instead of calling a method of
// komodod, or the method and the API that the user probably meant.
func (c *calling) unknownMethod(said string) string {
	if instead, known := daemon.Absent(c.about); known {
		if strings.HasSuffix(said, instead) {
			return ""
		}
		return " (" + instead + ")"
	}
	for _, i := range interfaces() {
		if name, found := i.has(c.about); found && i.name != c.api.name {
			return fmt.Sprintf(" (the %s was asked; the %s has %s: `obverse call %s %s`)", c.api.name, i.name, name, i.flag, name)
		}
	}
	if strings.Contains(said, "did you mean") {
		return ""
	}
	for _, i := range []iface{c.api, c.other()} {
		if name, found := rpc.Nearest(c.about, i.names()); found {
			return fmt.Sprintf(" (did you mean %s of the %s?)", name, i.name)
		}
	}
	return fmt.Sprintf(" (the %s was asked; `obverse call help` lists the methods of both)", c.api.name)
}

// other returns the API to which the call was not sent.
func (c *calling) other() iface {
	if c.api.name == "daemon API" {
		return nodeInterface()
	}
	return daemonInterface()
}

// printable replaces characters that a terminal would interpret.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
