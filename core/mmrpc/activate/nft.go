package activate

import (
	"context"
	"errors"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft"
)

// EnableNFT is the area of the method that activates networks of NFTs.
type EnableNFT struct {
	Gallery *nft.Gallery
}

// Methods implements Area.
func (e EnableNFT) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("enable_nft", rpc.Doc{Whole: true,
			Summary: "Activate NFTs on an active EVM network, and list the NFTs of its address",
			Detail: "The node reads the complete list of the indexer and stores it. It skips invalid items and logs their number. " +
				"With the provider Chain, it queries the platform's nodes instead of an indexer: it searches the logs of the newest blocks for NFTs that the address received, and " +
				"lists those that the address still holds. update_nft searches older blocks, and get_nft_scan reports the progress. " +
				"After a restart, the node activates the NFTs again with the stored list; until the user enables them " +
				"again, this method replaces their provider.",
			Category: wire.CategoryNFTs,
		}, e.enable).Raises(wire.Kinds(mmerr.TokenIsAlreadyActivated, mmerr.TokenConfigIsNotFound, mmerr.TokenProtocolParseError,
			mmerr.UnexpectedTokenProtocol, mmerr.PlatformCoinIsNotActivated, mmerr.UnsupportedPlatformCoin, mmerr.Transport, mmerr.DbError)...),
	}
}

type enableNFTParams struct {
	Ticker     string        `json:"ticker" doc:"ticker of the NFT network, such as NFT_ETH or NFT_MATIC"`
	Activation nftActivation `json:"activation_params"`
}

type enabledNFT struct {
	NFTs     map[string]nftEntry `json:"nfts" doc:"NFTs by address of the contract, a comma, and id"`
	Platform string              `json:"platform_coin" doc:"ticker"`
}

func (e EnableNFT) enable(ctx context.Context, p enableNFTParams) (enabledNFT, error) {
	provider := p.Activation.provider
	if provider == nil {
		return enabledNFT{}, wire.Refuse(wire.Fault{Serde: "missing field `provider`", Help: `parameter "activation_params" must be ` + WantProvider})
	}
	if err := p.Activation.check("activation_params.provider"); err != nil {
		return enabledNFT{}, err
	}
	provider.Policy = p.Activation.policy.platformPolicy()
	done, err := e.Gallery.Activate(ctx, p.Ticker, *provider)
	if err != nil {
		return enabledNFT{}, networkFailure(p.Ticker, err)
	}
	return enabledNFT{viewNFTs(done.NFTs), done.Platform}, nil
}

// networkFailure returns an error of the activation of an NFT network with a kind.
func networkFailure(ticker string, err error) error {
	var kind *coin.PlatformKindError
	var store *nft.StoreError
	switch {
	case errors.As(err, &store), errors.Is(err, nft.ErrContracts), errors.As(err, new(*nft.ContractError)):
		return wire.NFTFailure(err)
	case errors.As(err, &kind):
		return mmerr.UnsupportedPlatformCoin.From(err, mmerr.PlatformToken{Platform: kind.Platform, Token: ticker}, kind.Error())
	case errors.Is(err, nft.ErrChain):
		return mmerr.InternalError.From(err, wire.Text(nft.ErrChain), wire.Text(nft.ErrChain))
	}
	return TokenFailure(ticker, err)
}
