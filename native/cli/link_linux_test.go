package cli

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/native/settings"
	"obverse/native/webpage"
)

// A start at a terminal prints a link that can be used once instead of the password. The log does
// not contain it, and other starts do not print it.
func TestOneTimeLink(t *testing.T) {
	dir := t.TempDir()
	console := openConsole(t)
	require.NoError(t, obverse(dir, "init").Run())
	n := begun(t, console.at(obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0", "-regtest", "log_level=debug")))
	link := regexp.MustCompile(`wallet page: (http://[^/]*)/#link=([\w-]{43}) \(connects one page, once, within 10 minutes\)`)
	if page, err := webpage.Built(); err != nil || !page.IsBuilt() {
		require.NotContains(t, console.text(), "#link=", "a program without the page has no link")
		return
	}
	require.Eventually(t, func() bool { return link.MatchString(console.text()) }, 30*time.Second, 5*time.Millisecond)
	found := link.FindStringSubmatch(console.text())
	require.Equal(t, n.ready.Node, found[1])
	require.Equal(t, 1, strings.Count(console.text(), found[2]))

	redeem := func() (status int, answer string) {
		response, err := http.Post(found[1]+"/link", "application/json", strings.NewReader(`{"token":"`+found[2]+`"}`))
		require.NoError(t, err)
		defer response.Body.Close()
		var text strings.Builder
		require.NoError(t, response.Write(&text))
		return response.StatusCode, text.String()
	}
	s, err := settings.Load(settings.Sources{DataDir: dir, Getenv: func(string) string { return "" }}, nil)
	require.NoError(t, err)
	status, answer := redeem()
	require.Equal(t, 200, status)
	require.Contains(t, answer, s.Config.RPCPassword.Reveal())
	status, answer = redeem()
	require.Equal(t, 403, status)
	require.NotContains(t, answer, s.Config.RPCPassword.Reveal())
	require.Equal(t, 1, strings.Count(console.text(), found[2]))
}
