package walletnode

import (
	"cmp"
	"context"

	"obverse/core/wallet/signer/walletconnect"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// Why a node can have no sessions with wallets.
const (
	noProject    = "the node has no project id at the relay: set walletconnect.project_id in the config, then restart the node"
	noWebsockets = "this platform has no websockets, which sessions with wallets need"
)

// localApp is the page that wallets show of a node without one.
const localApp = "http://localhost"

// openSessions reads the sessions with wallets elsewhere, if there can be any.
func (n *Node) openSessions(ctx context.Context) error {
	settings := n.c.Settings.WalletConnect
	switch {
	case n.c.Dial == nil:
		n.noSessions = noWebsockets
		return nil
	case settings.ProjectID == "":
		n.noSessions = noProject
		return nil
	}
	var err error
	n.sessions, err = walletconnect.New(ctx, walletconnect.Config{
		RelayURL: settings.RelayURL, ProjectID: settings.ProjectID, Secret: n.sessionSecret(),
		Metadata: wire.Metadata{Name: "Obverse", Description: "Obverse wallet node", URL: cmp.Or(settings.AppURL, localApp), Icons: []string{}},
		Store:    n.c.Store, Dial: n.c.Dial, Now: n.c.Now, Random: n.c.Random, Log: n.c.Log, Notify: n.logSession,
	})
	return err
}

// sessionSecret is what the keys of sessions are derived from: the passphrase's key, or
// without one the secret of the node's identity.
func (n *Node) sessionSecret() [32]byte {
	if own := n.c.Keys.Node(); own != nil {
		return own.Secret()
	}
	return [32]byte(n.identity.Private())
}

// logSession logs session events.
func (n *Node) logSession(e walletconnect.Event) {
	pairs := []any{"event", string(e.Kind), "topic", e.Topic}
	if e.Reason != nil {
		pairs = append(pairs, "reason", e.Reason.Error())
	}
	if e.Kind == walletconnect.Emitted {
		pairs = append(pairs, "chain", e.Chain, "name", e.Name)
	}
	n.c.Log.Info("wallet session changed", pairs...)
}

// asker is whom the accounts of sessions ask.
func (n *Node) asker() walletconnect.Asker {
	if n.sessions == nil {
		return walletconnect.None(n.noSessions)
	}
	return n.sessions
}
