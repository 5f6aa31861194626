package mmrpc

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft"
)

const categoryNFT = "NFTs"

// NFTs is the area of the methods about NFTs.
type NFTs struct {
	Gallery *nft.Gallery
}

// Methods implements Area.
func (n NFTs) Methods() []rpc.Method {
	lookUp := kinds(mmerr.Transport, mmerr.UpdateSpamPhishingError, mmerr.DbError)
	return []rpc.Method{
		rpc.Handle("refresh_nft_metadata", rpc.Doc{
			Summary: "Refresh an NFT of the wallet: its metadata, and whether it is spam",
			Detail: "The indexer's metadata, what the NFT's URI leads to, and the scans of its contract and domains change what is kept of the NFT and of " +
				"its transfers in one step. When a service fails, nothing is changed.",
			Category: categoryNFT,
		}, n.refresh).Raises(kinds(mmerr.GetNftInfoError)...).Raises(lookUp...),
		rpc.Handle("update_nft", rpc.Doc{
			Summary: "Refresh the list of what the wallet holds on some chains, with the transfers since the last time",
			Detail: "Contracts and domains of all NFTs are scanned. A chain that fails keeps what it had, and does not keep the others from being updated. " +
				"Without url the chain itself is searched, for up to 10 seconds: new blocks first, then older ones, from where the call before ended. Texts and documents of " +
				"NFTs that were found are read from their contracts, and with fetch_metadata from where the contracts say that they are.",
			Category: categoryNFT,
		}, n.update).Raises(kinds(mmerr.NoSuchCoin)...).Raises(lookUp...),
		rpc.Handle("get_nft_list", rpc.Doc{Reads: true,
			Summary: "List the NFTs that are kept, chain by chain and the newest first", Category: categoryNFT,
		}, n.list).Raises(kinds(mmerr.DbError)...),
		rpc.Handle("get_nft_metadata", rpc.Doc{Reads: true,
			Summary: "Tell what is kept of one NFT", Category: categoryNFT,
		}, n.metadata).Raises(kinds(mmerr.TokenNotFoundInWallet, mmerr.DbError)...),
		rpc.Handle("get_nft_transfers", rpc.Doc{Reads: true,
			Summary: "List the transfers of NFTs that are kept, chain by chain and the newest first",
			Detail:  "They are loaded by update_nft.", Category: categoryNFT,
		}, n.transfers).Raises(kinds(mmerr.DbError)...),
		rpc.Handle("get_nft_scan", rpc.Doc{Reads: true,
			Summary: "Say how far a chain was searched for the NFTs of the wallet", Category: categoryNFT,
		}, n.scan).Raises(kinds(mmerr.NoSuchCoin, mmerr.DbError)...),
		rpc.Handle("get_nft_image", rpc.Doc{Reads: true,
			Summary: "Fetch the picture of an NFT of the wallet",
			Detail: "PNG, JPEG, GIF, WebP and AVIF pictures of up to 4 MiB are handed on, whatever their server calls them; SVG and HTML never are. " +
				"It is fetched from the public internet, from IPFS gateways, or from hosts that the config allows, and redirects are not followed.",
			Category: categoryNFT,
		}, n.image).Raises(kinds(mmerr.TokenNotFoundInWallet, mmerr.NftHasNoImage, mmerr.NftMayBeSpam, mmerr.Transport, mmerr.DbError)...),
	}
}

type refreshNFTParams struct {
	nftToken
	nftServices
}

// nftServices are where metadata is looked up.
type nftServices struct {
	URL      nftURL `json:"url" rpc:"optional" doc:"of the indexer; required unless the network was activated with the provider Chain"`
	Antispam nftURL `json:"url_antispam" rpc:"optional" doc:"of the service against spam; required with url"`
	Gateway  bool   `json:"gateway_proxy" default:"false" doc:"requests are signed with the node's identity, for a gateway"`
	Komodo   bool   `json:"komodo_proxy" default:"false" doc:"another name of gateway_proxy"`
	Fetch    bool   `json:"fetch_metadata" default:"true" doc:"without url: fetch documents from where the authors of NFTs keep them, who see the address from which they are asked"`
}

func (s nftServices) services() (nft.Services, error) {
	if s.URL != "" && s.Antispam == "" {
		return nft.Services{}, refuse(fault{serde: "missing field `url_antispam`", help: `parameter "url_antispam" must be ` + wantServer})
	}
	signed := s.Gateway || s.Komodo
	return nft.Services{Indexer: nft.Server{URL: string(s.URL), Gateway: signed}, Antispam: nft.Server{URL: string(s.Antispam), Gateway: signed}, Web: s.Fetch}, nil
}

func (n NFTs) refresh(ctx context.Context, p refreshNFTParams) (nothing, error) {
	services, err := p.services()
	if err != nil {
		return nothing{}, err
	}
	err = n.Gallery.Refresh(ctx, p.token(), services)
	var absent *nft.NotFoundError
	if errors.As(err, &absent) {
		return nothing{}, mmerr.GetNftInfoError.From(err, mmerr.Nested{Type: "TokenNotFoundInWallet", Data: nameNFT(absent.Token)}, wireText(absent))
	}
	return nothing{}, nftFailure(err)
}

type updateNFTParams struct {
	Chains    []nftChain   `json:"chains" doc:"whose networks of NFTs are active"`
	Contracts nftContracts `json:"contracts" rpc:"optional" doc:"without url, of one chain: contracts of ERC-721 with its enumeration, whose NFTs are listed from now on, however old; at most 20"`
	nftServices
}

func (n NFTs) update(ctx context.Context, p updateNFTParams) (nothing, error) {
	services, err := p.services()
	if err != nil {
		return nothing{}, err
	}
	if len(p.Contracts) > 0 && (len(p.Chains) != 1 || p.URL != "") {
		return nothing{}, refuse(fault{serde: "contracts without their chain", help: `parameter "contracts" needs one chain in "chains" and no "url"`})
	}
	services.Contracts = p.Contracts
	return nothing{}, nftFailure(n.Gallery.Update(ctx, chainsOf(p.Chains), services))
}

type nftScanParams struct {
	Chain nftChain `json:"chain" doc:"whose network of NFTs is active"`
}

type nftScan struct {
	Chain     string   `json:"chain"`
	Provider  string   `json:"provider" doc:"with which the network was activated: Indexer or Chain"`
	From      *uint64  `json:"from_block" doc:"the oldest block that was searched; null: none was"`
	To        *uint64  `json:"to_block" doc:"the newest one"`
	Complete  bool     `json:"complete" doc:"older blocks are not searched any more"`
	Reason    nullable `json:"reason" doc:"why they are not although there are some: NoLogs (the nodes do not have their logs) or TooMany (20,000 transfers are kept and 2,000 NFTs are listed; above that, of as many contracts as possible)"`
	Contracts []string `json:"contracts" doc:"that were named"`
}

func (n NFTs) scan(ctx context.Context, p nftScanParams) (nftScan, error) {
	s, onChain, err := n.Gallery.Scanned(ctx, nft.Chain(p.Chain))
	if err != nil {
		return nftScan{}, nftFailure(err)
	}
	found := nftScan{Chain: string(p.Chain), Provider: indexerType, Complete: s.Done() && !s.Behind, Contracts: append([]string{}, s.Contracts...)}
	if onChain {
		found.Provider = chainType
	}
	if s.Next > s.Low {
		to := s.Next - 1
		found.From, found.To = &s.Low, &to
	}
	switch {
	case s.Full || s.Cut:
		found.Complete = false
		found.Reason = "TooMany"
	case s.Bottom:
		found.Reason = "NoLogs"
	}
	return found, nil
}

// nftFailure gives an error of the gallery its kind.
func nftFailure(err error) error {
	var network *nft.NetworkError
	var absent *nft.NotFoundError
	var scan *nft.ScanError
	var store *nft.StoreError
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(wireText(err), "\n", "; ")
	switch {
	case errors.Is(err, nft.ErrNoIndexer):
		return refuse(fault{serde: "missing field `url`", help: `parameter "url" must be ` + wantServer + ", since the network was activated with an indexer", cause: err})
	case errors.Is(err, nft.ErrContracts), errors.As(err, new(*nft.ContractError)):
		return refuse(fault{serde: err.Error(), help: `parameter "contracts" must be ` + wantContracts, cause: err})
	case errors.As(err, &network):
		return mmerr.NoSuchCoin.From(err, mmerr.Coin{Coin: network.Ticker}, "No such coin "+network.Ticker+": activate it first with enable_nft")
	case errors.As(err, &absent):
		return mmerr.TokenNotFoundInWallet.From(err, nameNFT(absent.Token), text)
	case errors.As(err, &scan):
		return mmerr.UpdateSpamPhishingError.From(err, mmerr.Nested{Type: "Transport", Data: text}, text)
	case errors.As(err, &store):
		return mmerr.DbError.From(err, text, "DB error "+text)
	case errors.Is(err, coin.ErrTransport):
		return mmerr.Transport.From(err, text, text)
	}
	return err
}

func nameNFT(t nft.Token) mmerr.NFT { return mmerr.NFT{Address: t.Address, ID: t.ID} }

type nftImageParams struct {
	nftToken
	Protect bool `json:"protect_from_spam" default:"true" doc:"refuse that of possible spam: who fetches it tells its author where he is"`
}

type nftImage struct {
	Type string `json:"content_type" doc:"image/png, image/jpeg, image/gif, image/webp or image/avif, by what it is"`
	Data string `json:"data" doc:"the picture, in base64"`
}

func (n NFTs) image(ctx context.Context, p nftImageParams) (nftImage, error) {
	image, err := n.Gallery.Image(ctx, p.token(), p.Protect)
	switch {
	case errors.Is(err, nft.ErrNoImage):
		return nftImage{}, mmerr.NftHasNoImage.From(err, nameNFT(p.token()), nft.ErrNoImage.Error())
	case errors.Is(err, nft.ErrSpam):
		return nftImage{}, mmerr.NftMayBeSpam.From(err, nameNFT(p.token()), nft.ErrSpam.Error()+"; protect_from_spam false does so")
	case err != nil:
		return nftImage{}, nftFailure(err)
	}
	return nftImage{image.Type, base64.StdEncoding.EncodeToString(image.Data)}, nil
}
