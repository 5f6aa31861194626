package rpc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	names := []string{"get_public_key", "get_public_key_hash", "help", "version", "stream::disable", strings.Repeat("x", 65)}
	for name, want := range map[string]string{
		"get_pubkey":       "", // more than a third
		"get_publickey":    "get_public_key",
		"get_public_kye":   "get_public_key",
		"GET_PUBLIC_KEY":   "",
		"Get_Public_Key":   "get_public_key",
		"verison":          "version",
		"versio":           "version",
		"hlp":              "help",
		"stream:disable":   "stream::disable",
		"":                 "",
		"q":                "",
		"get_public_key_h": "get_public_key",
	} {
		got, found := Nearest(name, names)
		require.Equal(t, want, got, name)
		require.Equal(t, want != "", found, name)
	}
	_, found := Nearest(strings.Repeat("x", 66), names)
	require.False(t, found, "long names cost too much")
	_, found = Nearest("help", []string{"help"})
	require.False(t, found, "the name itself is no help")
}
