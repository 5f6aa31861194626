package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/native/httpd"
)

// The settings that the ports go by reach them.
func TestServerConfig(t *testing.T) {
	b, _ := newBackend(t.TempDir())
	b.settings.Config.AllowedHosts = []string{"node.example"}
	b.settings.Config.MaxRequestBytes = 2000
	b.settings.Config.BehindProxy = true
	b.settings.Config.RPCCORS = "https://wallet.example"
	c := serverConfig(b)
	require.Equal(t, []string{"node.example"}, c.Hosts)
	require.True(t, c.BehindProxy)
	require.Equal(t, httpd.Limits{Body: 2000}, c.Limits)
	require.Equal(t, []string{"https://wallet.example", "https://wallet.example"}, []string{c.Node.Origin, c.Node.Events.Origin})
}
