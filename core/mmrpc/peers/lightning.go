package peers

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/node"
)

// Lightning is the area of the methods for the peers of Lightning nodes.
type Lightning struct {
	Active    *coin.Active
	Trusted   *lightning.Trusted
	Supported bool // whether this platform can connect to Lightning nodes
}

// Methods implements Area. If Lightning is not supported, all methods return an error.
func (l Lightning) Methods() []rpc.Method {
	methods := []rpc.Method{
		rpc.Handle("lightning::nodes::connect_to_node", rpc.Doc{
			Summary: "Connect the node of a Lightning coin to another node",
			Detail: "Returns after the handshake. The node maintains the connection and reconnects after a failure until " +
				"lightning::nodes::disconnect is called or the node stops.",
			Category: wire.CategoryLightning,
		}, l.connect).Raises(wire.Kinds(mmerr.ConnectionError)...),
		rpc.Handle("lightning::nodes::disconnect", rpc.Doc{
			Summary: "Disconnect from a Lightning node, or stop connection attempts", Category: wire.CategoryLightning,
		}, l.disconnect).Raises(wire.Kinds(mmerr.NotConnected)...),
		rpc.Handle("lightning::nodes::list_peers", rpc.Doc{Reads: true,
			Summary: "List the Lightning nodes that are connected or connecting", Detail: "The result includes the id of this node.",
			Category: wire.CategoryLightning,
		}, l.peers),
		rpc.Handle("lightning::nodes::add_trusted_node", rpc.Doc{
			Summary:  "Add a Lightning node to the trusted nodes",
			Detail:   "The method succeeds if the node is already trusted. It does not affect connections: trust means to accept channels from the node before the chain has confirmed them.",
			Category: wire.CategoryLightning,
		}, l.trust).Raises(wire.Kinds(mmerr.IOError)...),
		rpc.Handle("lightning::nodes::remove_trusted_node", rpc.Doc{
			Summary: "Remove a Lightning node from the trusted nodes", Detail: "The method succeeds if the node is not trusted.", Category: wire.CategoryLightning,
		}, l.distrust).Raises(wire.Kinds(mmerr.IOError)...),
		rpc.Handle("lightning::nodes::list_trusted_nodes", rpc.Doc{Reads: true,
			Summary: "List the ids of the trusted Lightning nodes", Category: wire.CategoryLightning,
		}, l.trusted).Raises(wire.Kinds(mmerr.IOError)...),
	}
	for i, m := range methods {
		methods[i] = m.Guarded(func(context.Context) error {
			if !l.Supported {
				return wire.NativeOnly(m.Name)
			}
			return nil
		}).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.UnsupportedCoin, mmerr.UnsupportedMode)...)
	}
	return methods
}

// find returns an active Lightning coin.
func (l Lightning) find(ticker string) (*node.Coin, error) {
	active, err := l.Active.Get(ticker)
	if err != nil {
		return nil, wire.NoSuchCoin(err, ticker)
	}
	if c, is := active.(*node.Coin); is {
		return c, nil
	}
	return nil, mmerr.UnsupportedCoin.New(ticker, "Lightning network is not supported for "+ticker)
}

// NodeAddress is a parameter in the form pubkey@host:port.
type NodeAddress struct {
	lightning.Address
	Text string // the text as given
}

// UnmarshalParam implements rpc.Unmarshaler.
func (a *NodeAddress) UnmarshalParam(raw json.RawMessage) error {
	const want = "pubkey@host:port"
	text, err := wire.TextParam(raw, want)
	if err != nil {
		return err
	}
	a.Text = text
	if a.Address, err = lightning.ParseAddress(text); err != nil {
		return &rpc.ParamError{Want: want, Got: rpc.KindString, Err: err}
	}
	return nil
}

// JSONSchema implements rpc.Described.
func (NodeAddress) JSONSchema() *rpc.Schema { return &rpc.Schema{Type: "string"} }

// nodeID is a parameter that is a node's public key.
type nodeID struct{ lightning.NodeID }

// UnmarshalParam implements rpc.Unmarshaler.
func (n *nodeID) UnmarshalParam(raw json.RawMessage) error {
	text, err := wire.TextParam(raw, "66 hexadecimal digits of a compressed public key")
	if err != nil {
		return err
	}
	if n.NodeID, err = lightning.ParseNodeID(text); err != nil {
		return &rpc.ParamError{Got: rpc.KindString, Err: err}
	}
	return nil
}

// JSONSchema implements rpc.Described.
func (nodeID) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "string", Pattern: "^0[23][0-9a-fA-F]{64}$"}
}

type connectParams struct {
	Coin    string       `json:"coin" doc:"ticker of a Lightning coin, such as tBTC-lightning"`
	Address NodeAddress  `json:"node_address" doc:"pubkey@host:port, where host is an IPv4 address, an IPv6 address in brackets or a domain name"`
	Timeout wire.Seconds `json:"timeout" default:"10" doc:"timeout in seconds, more than 0 and at most 600"`
}

func (l Lightning) connect(ctx context.Context, p connectParams) (string, error) {
	timeout := p.Timeout.Duration()
	if timeout <= 0 || timeout > lightning.MaxTimeout {
		return "", &rpc.ParamError{Path: "timeout", Want: "a number of seconds that is more than 0 and at most 600", Got: rpc.KindNumber, Err: errTimeoutRange}
	}
	c, err := l.find(p.Coin)
	if err != nil {
		return "", err
	}
	already, err := c.Peers().Connect(ctx, p.Address.Address, timeout)
	switch {
	case err != nil:
		return "", ConnectFailure(p.Address.Node, err)
	case already:
		return "Already connected to node : " + p.Address.Text, nil
	}
	return "Connected successfully to node : " + p.Address.Text, nil
}

// errTimeoutRange reports an invalid timeout.
var errTimeoutRange = errors.New("the timeout is out of range")

// ConnectFailure returns an error of a lightning.Network with a kind. The data is that of
// Komodo DeFi Framework if it has such an error, and the text contains the details.
func ConnectFailure(peer lightning.NodeID, err error) error {
	var data string
	for _, reason := range []struct {
		err  error
		data string
	}{
		{lightning.ErrTimeout, "Timeout error: Failed to connect to node: " + peer.String()},
		{lightning.ErrUnreachable, "Timeout error: Failed to connect to node: " + peer.String()},
		{lightning.ErrHandshake, "Handshake error: Node " + peer.String() + " disconnected before finishing the handshake"},
		{lightning.ErrSelf, lightning.ErrSelf.Error()},
		{lightning.ErrTooMany, lightning.ErrTooMany.Error()},
		{lightning.ErrDisconnected, lightning.ErrDisconnected.Error()},
		{lightning.ErrStopped, lightning.ErrStopped.Error()},
		{lightning.ErrNoDialer, lightning.ErrNoDialer.Error()},
	} {
		if errors.Is(err, reason.err) {
			data = reason.data
			break
		}
	}
	if data == "" {
		return err
	}
	text := "Error connecting to node: " + data
	if errors.Is(err, lightning.ErrUnreachable) { // Komodo DeFi Framework reports every failed connection as a timeout
		text = strings.Replace(text, "Timeout error: ", "", 1)
	}
	if err.Error() != data {
		text += ": " + err.Error()
	}
	return mmerr.ConnectionError.From(err, data, text)
}

type nodeParams struct {
	Coin string `json:"coin" doc:"ticker of a Lightning coin"`
	Node nodeID `json:"node_id" doc:"public key of the node, 66 hexadecimal digits"`
}

type disconnectedNode struct {
	Node string `json:"disconnected_node" doc:"id of the node"`
}

func (l Lightning) disconnect(_ context.Context, p nodeParams) (disconnectedNode, error) {
	c, err := l.find(p.Coin)
	if err != nil {
		return disconnectedNode{}, err
	}
	id := p.Node.String()
	err = c.Peers().Disconnect(p.Node.NodeID)
	if errors.Is(err, lightning.ErrNotConnected) {
		return disconnectedNode{}, mmerr.NotConnected.From(err, id, "Node "+id+" is not connected")
	}
	return disconnectedNode{id}, err
}

type lightningCoinParams struct {
	Coin string `json:"coin" doc:"ticker of a Lightning coin"`
}

type lightningPeers struct {
	NodeID    string          `json:"own_node_id" doc:"id of this node"`
	Listening string          `json:"listening,omitempty" doc:"host:port at which the node accepts connections; absent if it does not"`
	Peers     []lightningPeer `json:"peers" doc:"nodes, sorted by id"`
}

type lightningPeer struct {
	Node       string          `json:"node_id"`
	Address    string          `json:"address" doc:"host:port that the user entered, or from which the node connected"`
	Inbound    bool            `json:"inbound" doc:"whether the other node opened the connection"`
	Since      *int64          `json:"connected_since" doc:"in seconds since 1970; null if not connected"`
	State      lightning.State `json:"state" doc:"connected, connecting (for the first time) or waiting (to reconnect)"`
	Persistent bool            `json:"kept" doc:"whether this node reconnects after a failure"`
	Reason     string          `json:"reason,omitempty" doc:"waiting: reason why the node is not connected"`
}

func (l Lightning) peers(_ context.Context, p lightningCoinParams) (lightningPeers, error) {
	c, err := l.find(p.Coin)
	if err != nil {
		return lightningPeers{}, err
	}
	list := lightningPeers{NodeID: c.Address(), Listening: c.Listening(), Peers: []lightningPeer{}}
	for _, peer := range c.Peers().List() {
		list.Peers = append(list.Peers, PeerOf(peer))
	}
	return list, nil
}

func PeerOf(p lightning.Peer) lightningPeer {
	view := lightningPeer{Node: p.Node.String(), Address: p.Address, Inbound: p.Inbound, State: p.State, Persistent: p.Persistent}
	if p.State == lightning.Connected {
		seconds := p.Since.Truncate(time.Second).Unix()
		view.Since = &seconds
	}
	if p.Reason != nil {
		view.Reason = p.Reason.Error()
	}
	return view
}

type addedNode struct {
	Node string `json:"added_node" doc:"id of the node"`
}

func (l Lightning) trust(ctx context.Context, p nodeParams) (addedNode, error) {
	_, err := l.find(p.Coin)
	if err == nil {
		err = trustFailure(l.Trusted.Add(ctx, coin.Canonical(p.Coin), p.Node.NodeID))
	}
	return addedNode{p.Node.String()}, err
}

type removedNode struct {
	Node string `json:"removed_node" doc:"id of the node"`
}

func (l Lightning) distrust(ctx context.Context, p nodeParams) (removedNode, error) {
	_, err := l.find(p.Coin)
	if err == nil {
		err = trustFailure(l.Trusted.Remove(ctx, coin.Canonical(p.Coin), p.Node.NodeID))
	}
	return removedNode{p.Node.String()}, err
}

type trustedNodes struct {
	Nodes []string `json:"trusted_nodes" doc:"ids of nodes"`
}

func (l Lightning) trusted(ctx context.Context, p lightningCoinParams) (trustedNodes, error) {
	if _, err := l.find(p.Coin); err != nil {
		return trustedNodes{}, err
	}
	nodes, err := l.Trusted.List(ctx, coin.Canonical(p.Coin))
	if err != nil {
		return trustedNodes{}, trustFailure(err)
	}
	list := trustedNodes{Nodes: []string{}}
	for _, id := range nodes {
		list.Nodes = append(list.Nodes, id.String())
	}
	return list, nil
}

// trustFailure returns the error for a failure of the store or a full list.
func trustFailure(err error) error {
	if err == nil {
		return nil
	}
	return mmerr.IOError.From(err, err.Error(), "I/O error "+err.Error())
}
