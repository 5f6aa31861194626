package node

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
)

// TestValidatorListensOnLoopback checks that the port is closed to other machines by default.
func TestValidatorListensOnLoopback(t *testing.T) {
	s := cometSettings(t.TempDir(), &config.Config{})
	host, _, err := net.SplitHostPort(s.Listen)
	require.NoError(t, err)
	require.True(t, net.ParseIP(host).IsLoopback(), s.Listen)
}
