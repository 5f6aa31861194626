package httpd

import (
	"encoding/json"
	"errors"
	"net/http"

	"obverse/native/onetime"
)

const maxLinkBytes = 1024 // of a request

var errLinkForm = errors.New(`the body must be {"token": "…"}`)

// Link gives out a password for a token, once; *onetime.Link is one.
type Link interface {
	Redeem(token string) (userpass string, err error)
}

// redeem exchanges a token for the password. No cache keeps the answer, and the log has neither.
func (p *nodePort) redeem(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	var request struct {
		Token string `json:"token"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxLinkBytes)).Decode(&request); err != nil || request.Token == "" {
		p.refuseFor(w, r, errLinkForm)
		return
	}
	userpass, err := p.link.Redeem(request.Token)
	if err != nil {
		if errors.Is(err, onetime.ErrLimit) {
			retryAfter(w, onetime.Pause)
		}
		p.refuseFor(w, r, err)
		return
	}
	p.log.Info("connected a page by the one-time link")
	p.reply(w, http.StatusOK, object(map[string]string{"userpass": userpass}))
}

// newMountedDaemon is the daemon API on the node API's port, with the credential of that port: any
// user, and rpc_password. Pages of other origins are refused as by calls.
func newMountedDaemon(c Config, g *gate, m *memory) *daemonPort {
	p := &daemonPort{credentials: c.Node.Credentials}
	p.pages = &pages{origin: c.Node.Origin, guard: guardOf(c.Node.Origin), hosts: newHostList(c.Node.Address, c.Hosts), port: func() string { return "" }}
	p.endpoint = endpoint{serve: c.Daemon.Serve, refuse: daemonRefusal, gate: g, memory: m, log: c.Log}
	return p
}
