package send

import (
	"context"
	"errors"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos"
	"obverse/core/wallet/evm"
	"obverse/core/wallet/evm/ens"
)

// Names is the area of the method that resolves names.
type Names struct {
	Active *coin.Active
}

// Methods implements Area.
func (n Names) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("resolve_name", rpc.Doc{Reads: true,
			Summary: "Resolve a name to an address",
			Detail: "Coins of EVM networks support names of ENS (alice.eth), which requires ETH to be active. Coins of Cosmos chains support names of " +
				"ICNS that end in the prefix of their addresses (alice.cosmos), which requires OSMOSIS to be active. The node queries all active nodes, " +
				"and fails unless their answers agree. Names with letters other than a to z are rejected.",
			Category: wire.CategorySending,
		}, n.resolve).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.PlatformCoinIsNotActivated, mmerr.NameNotFound, mmerr.CoinNotSupported, mmerr.Transport)...),
	}
}

type resolveNameParams struct {
	Coin string `json:"coin" doc:"ticker of the active coin or token to send to the address"`
	Name string `json:"name" doc:"name such as alice.eth or alice.cosmos"`
}

type resolvedName struct {
	Coin    string `json:"coin" doc:"as in the request"`
	Name    string `json:"name" doc:"name in its registered form"`
	Address string `json:"address" doc:"an address of the coin"`
	Service string `json:"service" doc:"ENS or ICNS"`
}

func (n Names) resolve(ctx context.Context, p resolveNameParams) (resolvedName, error) {
	active, err := n.Active.Get(p.Coin)
	if err != nil {
		return resolvedName{}, wire.NoSuchCoin(err, p.Coin)
	}
	result := resolvedName{Coin: p.Coin}
	if token, is := active.(coin.Token); is {
		if active, err = n.Active.Get(token.Platform()); err != nil {
			return resolvedName{}, wire.NoSuchCoin(err, token.Platform())
		}
	}
	switch platform := active.(type) {
	case *evm.Platform:
		result.Service = "ENS"
		result.Name, result.Address, err = n.ens(ctx, platform, p.Name)
	case *cosmos.Platform:
		result.Service = "ICNS"
		result.Name, result.Address, err = n.icns(ctx, platform, p.Name)
	default:
		return resolvedName{}, mmerr.CoinNotSupported.New(mmerr.None{}, wire.Clip(p.Coin)+" is not sent to names: use an address")
	}
	if err != nil {
		return resolvedName{}, nameFailure(err)
	}
	return result, nil
}

// ens resolves a name on Ethereum or, on a test network, in the registry of that network.
func (n Names) ens(ctx context.Context, platform *evm.Platform, name string) (normal, at string, err error) {
	if normal, err = ens.Normalise(name); err != nil {
		return "", "", err
	}
	for _, active := range n.Active.List() {
		if ethereum, is := active.(*evm.Platform); is && ethereum.ChainID() == ens.Ethereum {
			at, err = ethereum.ResolveName(ctx, normal, platform.ChainID())
			return normal, at, err
		}
	}
	return "", "", notActive("ETH", "names of ENS")
}

func (n Names) icns(ctx context.Context, platform *cosmos.Platform, name string) (normal, at string, err error) {
	if normal, err = cosmos.NormaliseName(name, platform.Prefix()); err != nil {
		return "", "", err
	}
	for _, active := range n.Active.List() {
		if osmosis, is := active.(*cosmos.Platform); is && osmosis.ChainID() == cosmos.NamesChain {
			at, err = osmosis.ResolveName(ctx, normal, platform.Prefix())
			return normal, at, err
		}
	}
	return "", "", notActive("OSMOSIS", "names of ICNS")
}

func notActive(ticker, what string) error {
	return mmerr.PlatformCoinIsNotActivated.New(ticker, "Platform coin "+ticker+" is not activated, whose nodes know "+what)
}

func nameFailure(err error) error {
	switch {
	case errors.Is(err, ens.ErrName), errors.Is(err, cosmos.ErrName):
		return &rpc.ParamError{Path: "name", Want: "a name", Err: err}
	case errors.Is(err, ens.ErrNotFound), errors.Is(err, cosmos.ErrNameNotFound):
		return mmerr.NameNotFound.From(err, err.Error(), err.Error())
	case errors.Is(err, coin.ErrTransport):
		return mmerr.Transport.From(err, wire.Text(err), wire.Text(err))
	}
	return err
}
