package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/stretchr/testify/require"
)

// nodeAnswer is a response of the node API.
type nodeAnswer struct {
	Status int
	Result json.RawMessage `json:"result"`
	Error  string          `json:"error"`
	Type   string          `json:"error_type"`
	Data   json.RawMessage `json:"error_data"`
}

// askNode calls a method of the node API with the right password.
func (n *node) askNode(method, params string) (a nodeAnswer) {
	n.t.Helper()
	body := fmt.Sprintf(`{"mmrpc":"2.0","userpass":"%s","method":"%s","params":%s}`, rpcPassword, method, params)
	response, err := n.client.http.Post(n.ready.Node+"/", "application/json", strings.NewReader(body))
	require.NoError(n.t, err)
	reply, err := io.ReadAll(response.Body)
	require.NoError(n.t, err)
	require.NoError(n.t, response.Body.Close())
	require.NoError(n.t, json.Unmarshal(reply, &a), "%s", reply)
	a.Status = response.StatusCode
	return a
}
