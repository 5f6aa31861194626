package worker

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/route"
)

// TestRoutes tests all routes of an object with rpc_local_only on and off. Callers of the edge are
// never local, even if they claim to be. All of them have the passwords.
func TestRoutes(t *testing.T) {
	t.Parallel()
	e := openEdge(t)
	right, asDaemon, claim := basic("any", rpcPassword), basic(daemonUser, daemonPassword), header{"Cf-Connecting-Ip", "127.0.0.1"}
	for _, localOnly := range []bool{true, false} {
		n := e.node(t, map[string]any{"rpc_local_only": localOnly})
		private := http.StatusOK
		if localOnly {
			private = http.StatusForbidden
		}
		walk := map[string][]struct {
			method, body string
			credential   header
			want         int
		}{
			route.Daemon.Path:  {{"POST", `{"method":"getinfo","params":[],"id":1}`, asDaemon, private}},
			route.Link.Path:    {{"POST", `{"mmrpc":"2.0","userpass":"` + rpcPassword + `","method":"get_enabled_coins"}`, header{}, private}}, // a call, as on any path
			route.Events.Path:  {{"HEAD", "", right, 200}, {"HEAD", "", header{}, 401}},
			route.Live.Path:    {{"GET", "", header{}, 200}},
			route.Ready.Path:   {{"GET", "", header{}, 200}},
			route.Metrics.Path: {{"GET", "", right, 200}, {"GET", "", header{}, 401}},
			route.Backup.Path:  {{"HEAD", "", right, private}, {"GET", "", right, private}},
		}
		if localOnly { // otherwise the call would replace the store
			walk[route.Backup.Path] = append(walk[route.Backup.Path], walk[route.Backup.Path][0])
			walk[route.Backup.Path][2].method, walk[route.Backup.Path][2].body = "PUT", "any"
		}
		for _, r := range route.All() {
			require.NotEmpty(t, walk[r.Path], "a route without a test of its callers: %s", r.Path)
			for _, c := range walk[r.Path] {
				headers := []header{claim}
				if c.credential != (header{}) {
					headers = append(headers, c.credential)
				}
				response, body := n.ask(c.method, r.Path, []byte(c.body), headers...)
				require.Equal(t, c.want, response.StatusCode, "rpc_local_only=%v %s %s: %s", localOnly, c.method, r.Path, body)
				if c.want == http.StatusForbidden && c.method != http.MethodHead {
					require.Contains(t, string(body), "localhost only", c.method+" "+r.Path)
				}
			}
		}
	}
}
