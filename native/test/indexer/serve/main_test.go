package main

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The program serves until its input ends.
func TestRun(t *testing.T) {
	in, input := io.Pipe()
	output, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(in, out) }()
	_, err := io.WriteString(input, `{"node":"http://127.0.0.1:0","chain":"ETH","documents":{"https://meta.example/1":"{}"},"spam":["0xa"]}`)
	require.NoError(t, err)
	url, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	response, err := http.Get(strings.TrimSpace(url) + "/api/v2/0xa/nft?chain=ETH")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusBadGateway, response.StatusCode, "there is no such node")
	require.Equal(t, "*", response.Header.Get("Access-Control-Allow-Origin"))
	require.NoError(t, input.Close())
	require.NoError(t, <-ended)
	require.Error(t, run(strings.NewReader("no JSON"), io.Discard))
}
