// Package sessions implements the methods of the node API for sessions with WalletConnect
// wallets. core/wallet/signer/walletconnect does the work.
//
// Source: Komodo DeFi Framework's wc_commands.
package sessions

import (
	"context"
	"errors"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/signer/walletconnect"
	wcwire "obverse/core/wallet/signer/walletconnect/wire"
)

const categorySessions = "WalletConnect"

// Sessions is the area of the methods for sessions with external wallets.
type Sessions struct {
	Manager *walletconnect.Manager // nil if sessions are not possible, for the reason in None
	None    string
}

// Methods implements Area. If sessions are not possible, all methods return the reason.
func (s Sessions) Methods() []rpc.Method {
	methods := []rpc.Method{
		rpc.Handle("wc_new_connection", rpc.Doc{
			Summary: "Propose a session to a WalletConnect wallet",
			Detail: "Returns once the relay has the proposal. Show the URI as a QR code, or pass it to the wallet: the first wallet that receives it can approve it " +
				"within five minutes. After the approval, wc_get_session with the pairing topic returns the session.",
			Category: categorySessions,
		}, s.connect),
		rpc.Handle("wc_get_sessions", rpc.Doc{Reads: true,
			Summary: "List the sessions with wallets, oldest first", Category: categorySessions,
		}, s.list),
		rpc.Handle("wc_get_session", rpc.Doc{Reads: true,
			Summary: "Return a session with a wallet", Detail: "The session is null if it expired, was deleted, or the wallet has not approved it yet.",
			Category: categorySessions,
		}, s.get),
		rpc.Handle("wc_ping_session", rpc.Doc{
			Summary: "Check whether the wallet of a session is reachable", Detail: "The timeout is 30 seconds. A locked phone often does not respond.",
			Category: categorySessions,
		}, s.ping).Raises(wire.Kinds(mmerr.SessionRequestError)...),
		rpc.Handle("wc_delete_session", rpc.Doc{
			Summary:  "Delete a session with a wallet",
			Detail:   "The node notifies the wallet as soon as the relay is reachable. Coins activated with the session stay active and can no longer sign.",
			Category: categorySessions,
		}, s.remove).Raises(wire.Kinds(mmerr.SessionRequestError)...),
	}
	for i, m := range methods {
		methods[i] = m.Guarded(func(context.Context) error {
			if s.Manager != nil {
				return nil
			}
			return mmerr.InitializationError.New(s.None, "WalletConnect cannot be used: "+s.None)
		}).Raises(wire.Kinds(mmerr.InitializationError)...)
	}
	return methods
}

// proposedNamespace lists the permissions requested from a wallet on the chains of a family.
type proposedNamespace struct {
	Chains  *[]string `json:"chains" doc:"chain ids of CAIP-2, such as cosmos:cosmoshub-4 or eip155:1; absent if the namespace is a chain"`
	Methods []string  `json:"methods" doc:"methods of the wallet: cosmos_getAccounts, cosmos_signDirect and cosmos_signAmino; eth_sendTransaction and personal_sign"`
	Events  *[]string `json:"events" doc:"events that the wallet may send, such as accountsChanged"`
}

type newConnectionParams struct {
	Required map[string]proposedNamespace  `json:"required_namespaces" doc:"permissions that the wallet must grant, by family, cosmos or eip155; {} for none"`
	Optional *map[string]proposedNamespace `json:"optional_namespaces" doc:"permissions that the wallet may grant"`
}

func namespacesOf(all map[string]proposedNamespace) wcwire.Namespaces {
	n := wcwire.Namespaces{}
	for name, p := range all {
		namespace := wcwire.Namespace{Chains: []string{}, Methods: p.Methods, Events: []string{}}
		if p.Chains != nil {
			namespace.Chains = *p.Chains
		}
		if p.Events != nil {
			namespace.Events = *p.Events
		}
		n[name] = namespace
	}
	return n
}

type newConnection struct {
	URL     string `json:"url" doc:"URI for the wallet, wc:…; contains a key"`
	URI     string `json:"uri" doc:"same as url"`
	Pairing string `json:"pairing_topic" doc:"pairing topic of the proposal, for wc_get_session"`
}

func (s Sessions) connect(ctx context.Context, p newConnectionParams) (newConnection, error) {
	var optional wcwire.Namespaces
	if p.Optional != nil {
		optional = namespacesOf(*p.Optional)
	}
	c, err := s.Manager.NewConnection(ctx, namespacesOf(p.Required), optional)
	switch {
	case errors.Is(err, wcwire.ErrNamespaces):
		return newConnection{}, &rpc.ParamError{Path: "required_namespaces", Err: err}
	case err != nil:
		return newConnection{}, mmerr.InitializationError.From(err, err.Error(), "Could not propose a session: "+err.Error())
	}
	return newConnection{c.URI, c.URI, c.Topic}, nil
}

// sessionView is a session in a result.
type sessionView struct {
	Topic      string                      `json:"topic" doc:"id of the session, for activations with the policy SessionWallet"`
	Metadata   sessionMetadata             `json:"metadata" doc:"description of the wallet by the wallet"`
	Pairing    string                      `json:"pairing_topic" doc:"pairing topic of the session's proposal"`
	Namespaces map[string]sessionNamespace `json:"namespaces" doc:"permissions that the wallet granted, by family"`
	Expiry     int64                       `json:"expiry" doc:"when the session ends, in seconds since 1970"`
}

type sessionMetadata struct {
	Description string   `json:"description"`
	URL         string   `json:"url"`
	Icons       []string `json:"icons" doc:"URLs"`
	Name        string   `json:"name"`
}

type sessionNamespace struct {
	Chains   []string `json:"chains" doc:"chain ids of CAIP-2"`
	Methods  []string `json:"methods" doc:"methods that the wallet allows"`
	Events   []string `json:"events" doc:"events that the wallet may send"`
	Accounts []string `json:"accounts" doc:"account ids of CAIP-10, chain:address"`
}

func viewSession(s walletconnect.Session) sessionView {
	v := sessionView{s.Topic, sessionMetadata{s.Peer.Description, s.Peer.URL, append([]string{}, s.Peer.Icons...), s.Peer.Name}, s.Pairing,
		map[string]sessionNamespace{}, s.Expires.Unix()}
	for name, n := range s.Namespaces {
		v.Namespaces[name] = sessionNamespace{append([]string{}, n.Chains...), append([]string{}, n.Methods...), append([]string{}, n.Events...), append([]string{}, n.Accounts...)}
	}
	return v
}

type sessionList struct {
	Sessions []sessionView `json:"sessions"`
}

func (s Sessions) list(context.Context, struct{}) (sessionList, error) {
	all := sessionList{[]sessionView{}}
	for _, one := range s.Manager.Sessions() {
		all.Sessions = append(all.Sessions, viewSession(one))
	}
	return all, nil
}

type sessionParams struct {
	Topic       string `json:"topic" doc:"topic of the session"`
	WithPairing bool   `json:"with_pairing_topic" default:"false" doc:"whether topic is the pairing topic of the proposal"`
}

type foundSession struct {
	Session *sessionView `json:"session" doc:"null if no session matches"`
}

func (s Sessions) get(_ context.Context, p sessionParams) (found foundSession, err error) {
	for _, one := range s.Manager.Sessions() {
		if topic := one.Topic; topic == p.Topic && !p.WithPairing || p.WithPairing && one.Pairing == p.Topic {
			v := viewSession(one)
			found.Session = &v
		}
	}
	return found, nil
}

type topicParams struct {
	Topic string `json:"topic" doc:"topic of the session"`
}

type pinged struct {
	Result string `json:"result"`
	Status string `json:"status" doc:"success"`
}

func (s Sessions) ping(ctx context.Context, p topicParams) (pinged, error) {
	return pinged{"Ping successful", "success"}, sessionFailure(s.Manager.Ping(ctx, p.Topic))
}

type deletedSession struct {
	Result string `json:"result" doc:"success"`
}

func (s Sessions) remove(ctx context.Context, p topicParams) (deletedSession, error) {
	return deletedSession{"success"}, sessionFailure(s.Manager.Delete(ctx, p.Topic))
}

// sessionFailure returns the error for a missing session, or for a wallet that does not answer.
func sessionFailure(err error) error {
	if err == nil {
		return nil
	}
	return mmerr.SessionRequestError.From(err, err.Error(), "Session request failed: "+err.Error())
}
