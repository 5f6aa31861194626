package activate

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/net/nodepool"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos"
	"obverse/core/wallet/evm"
)

// NodeTrials is the area of the method that tests nodes before they are used for a coin.
type NodeTrials struct {
	Registry *coin.Registry
	Eth      *evm.Activator
	Cosmos   *cosmos.Activator
}

// Methods implements Area.
func (n NodeTrials) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("test_coin_nodes", rpc.Doc{Reads: true,
			Summary: "Test nodes of a network before a coin uses them",
			Detail: "The method queries the chain and the newest block of each node once, concurrently and from the environment of this node: in a page, a node whose " +
				"server forbids pages (CORS) fails the test. Nothing is stored.",
			Category: wire.CategoryCoins,
		}, n.test).Raises(wire.Kinds(mmerr.PlatformConfigIsNotFound, mmerr.CoinProtocolParseError, mmerr.UnexpectedPlatformProtocol)...),
	}
}

const maxTrials = 32

type testNodesParams struct {
	Coin  string     `json:"coin" default:"" doc:"ticker of the network's coin, which need not be active; empty for nodes of any EVM network"`
	Nodes []coinNode `json:"nodes" doc:"at most 32"`
}

type testedNodes struct {
	Nodes []testedNode `json:"nodes" doc:"in the order of the request"`
}

type testedNode struct {
	URL     string `json:"url" doc:"URL without user, password, query and other parts that may contain a key"`
	OK      bool   `json:"ok" doc:"whether the node can be used"`
	Chain   string `json:"chain_id,omitempty" doc:"id of the node's chain; absent if unknown"`
	Height  int64  `json:"height,omitempty" doc:"height of its newest block; absent if unknown"`
	Latency int64  `json:"latency_ms" doc:"response time in milliseconds"`
	Behind  bool   `json:"behind,omitempty" doc:"whether the node lacks the newest blocks"`
	Reason  string `json:"reason,omitempty" doc:"reason why the node cannot be used"`
}

func (n NodeTrials) test(ctx context.Context, p testNodesParams) (testedNodes, error) {
	if len(p.Nodes) > maxTrials {
		return testedNodes{}, &rpc.ParamError{Path: "nodes", Want: "a list of at most 32 nodes", Err: errTooManyNodes}
	}
	try, err := n.trier(p.Coin)
	if err != nil {
		return testedNodes{}, err
	}
	list := testedNodes{Nodes: make([]testedNode, len(p.Nodes))}
	group, ctx := errgroup.WithContext(ctx)
	for i, named := range p.Nodes {
		group.Go(func() error {
			t, err := try(ctx, named.node())
			var urls nodepool.URLErrors
			switch {
			case errors.As(err, &urls):
				list.Nodes[i] = testedNode{URL: urls[0].URL, Reason: urls[0].Reason}
				return nil
			case err != nil:
				return err
			}
			list.Nodes[i] = testedNode{URL: t.URL, OK: t.Reason == "", Chain: t.Chain, Height: t.Height, Latency: t.Latency.Milliseconds(), Behind: t.Behind, Reason: t.Reason}
			return nil
		})
	}
	return list, group.Wait()
}

var errTooManyNodes = errors.New("too many nodes")

// trier returns a function that tests a node for the network of a coin.
func (n NodeTrials) trier(ticker string) (func(context.Context, nodepool.Node) (nodepool.Trial, error), error) {
	if ticker == "" {
		return func(ctx context.Context, node nodepool.Node) (nodepool.Trial, error) {
			return n.Eth.Try(ctx, nil, node)
		}, nil
	}
	entry, err := n.Registry.Lookup(ticker)
	if err != nil {
		return nil, PlatformFailure(ticker, err)
	}
	if _, err := coin.As[coin.Cosmos](entry); err == nil {
		return func(ctx context.Context, node nodepool.Node) (nodepool.Trial, error) {
			return n.Cosmos.Try(ctx, entry, node)
		}, nil
	}
	if _, err := coin.As[coin.ETH](entry); err != nil {
		return nil, PlatformFailure(ticker, err)
	}
	return func(ctx context.Context, node nodepool.Node) (nodepool.Trial, error) {
		return n.Eth.Try(ctx, entry, node)
	}, nil
}
