// Package nft implements the methods of the node API for NFTs: lists, transfers, metadata and
// images. core/wallet/nft does the work. Package activate activates the networks, and package
// send sends NFTs.
//
// Source: Komodo DeFi Framework's nft.
package nft

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/nft"
)

// NFTs is the area of the methods for NFTs.
type NFTs struct {
	Gallery *nft.Gallery
}

// Methods implements Area.
func (n NFTs) Methods() []rpc.Method {
	lookUp := wire.Kinds(mmerr.Transport, mmerr.UpdateSpamPhishingError, mmerr.DbError)
	return []rpc.Method{
		rpc.Handle("refresh_nft_metadata", rpc.Doc{
			Summary: "Refresh the metadata and the spam status of an NFT of the wallet",
			Detail: "The node stores the metadata of the indexer, the document at the NFT's URI, and the scan results of its contract and domains for the NFT and " +
				"its transfers in one step. If a service fails, the stored data does not change.",
			Category: wire.CategoryNFTs,
		}, n.refresh).Raises(wire.Kinds(mmerr.GetNftInfoError)...).Raises(lookUp...),
		rpc.Handle("update_nft", rpc.Doc{
			Summary: "Refresh the NFTs of the wallet on some chains, with the transfers since the last update",
			Detail: "The node scans the contracts and domains of all NFTs. If the update of a chain fails, the list of the chain does not change and the other chains are still updated. " +
				"Without url, the node searches the chain for up to 10 seconds: first new blocks, then older ones from the point where the previous call ended. It reads the texts and documents of " +
				"NFTs from their contracts, and with fetch_metadata from the locations that the contracts state.",
			Category: wire.CategoryNFTs,
		}, n.update).Raises(wire.Kinds(mmerr.NoSuchCoin)...).Raises(lookUp...),
		rpc.Handle("get_nft_list", rpc.Doc{Reads: true,
			Summary: "List the stored NFTs by chain, newest first", Category: wire.CategoryNFTs,
		}, n.list).Raises(wire.Kinds(mmerr.DbError)...),
		rpc.Handle("get_nft_metadata", rpc.Doc{Reads: true,
			Summary: "Return the stored data of an NFT", Category: wire.CategoryNFTs,
		}, n.metadata).Raises(wire.Kinds(mmerr.TokenNotFoundInWallet, mmerr.DbError)...),
		rpc.Handle("get_nft_transfers", rpc.Doc{Reads: true,
			Summary: "List the stored NFT transfers by chain, newest first",
			Detail:  "The method update_nft loads the transfers.", Category: wire.CategoryNFTs,
		}, n.transfers).Raises(wire.Kinds(mmerr.DbError)...),
		rpc.Handle("get_nft_scan", rpc.Doc{Reads: true,
			Summary: "Report the progress of the search for NFTs of the wallet on a chain", Category: wire.CategoryNFTs,
		}, n.scan).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.DbError)...),
		rpc.Handle("get_nft_image", rpc.Doc{Reads: true,
			Summary: "Fetch the image of an NFT of the wallet",
			Detail: "The method returns PNG, JPEG, GIF, WebP and AVIF images of up to 4 MiB, regardless of the content type that the server reports, and rejects SVG and HTML. " +
				"It fetches the image from the public internet, from IPFS gateways, or from hosts that the config allows, and does not follow redirects.",
			Category: wire.CategoryNFTs,
		}, n.image).Raises(wire.Kinds(mmerr.TokenNotFoundInWallet, mmerr.NftHasNoImage, mmerr.NftMayBeSpam, mmerr.Transport, mmerr.DbError)...),
	}
}

type refreshNFTParams struct {
	wire.NFTToken
	nftServices
}

// nftServices are the services that provide metadata.
type nftServices struct {
	URL      nftURL `json:"url" rpc:"optional" doc:"URL of the indexer; required unless the network was activated with the provider Chain"`
	Antispam nftURL `json:"url_antispam" rpc:"optional" doc:"URL of the anti-spam service; required with url"`
	Gateway  bool   `json:"gateway_proxy" default:"false" doc:"sign requests with the node's identity, for a gateway"`
	Komodo   bool   `json:"komodo_proxy" default:"false" doc:"same as gateway_proxy"`
	Fetch    bool   `json:"fetch_metadata" default:"true" doc:"without url: fetch documents from the servers of the NFT authors, which see the IP address of the node"`
}

func (s nftServices) services() (nft.Services, error) {
	if s.URL != "" && s.Antispam == "" {
		return nft.Services{}, wire.Refuse(wire.Fault{Serde: "missing field `url_antispam`", Help: `parameter "url_antispam" must be ` + wire.WantServer})
	}
	signed := s.Gateway || s.Komodo
	return nft.Services{Indexer: nft.Server{URL: string(s.URL), Gateway: signed}, Antispam: nft.Server{URL: string(s.Antispam), Gateway: signed}, Web: s.Fetch}, nil
}

func (n NFTs) refresh(ctx context.Context, p refreshNFTParams) (Nothing, error) {
	services, err := p.services()
	if err != nil {
		return Nothing{}, err
	}
	err = n.Gallery.Refresh(ctx, p.Token(), services)
	var absent *nft.NotFoundError
	if errors.As(err, &absent) {
		return Nothing{}, mmerr.GetNftInfoError.From(err, mmerr.Nested{Type: "TokenNotFoundInWallet", Data: wire.NameNFT(absent.Token)}, wire.Text(absent))
	}
	return Nothing{}, wire.NFTFailure(err)
}

type updateNFTParams struct {
	Chains    []wire.NFTChain   `json:"chains" doc:"chains with an active NFT network"`
	Contracts wire.NFTContracts `json:"contracts" rpc:"optional" doc:"without url, for one chain: ERC-721 contracts with the enumeration extension whose NFTs the list includes from now on, regardless of their age; at most 20"`
	nftServices
}

func (n NFTs) update(ctx context.Context, p updateNFTParams) (Nothing, error) {
	services, err := p.services()
	if err != nil {
		return Nothing{}, err
	}
	if len(p.Contracts) > 0 && (len(p.Chains) != 1 || p.URL != "") {
		return Nothing{}, wire.Refuse(wire.Fault{Serde: "contracts without their chain", Help: `parameter "contracts" needs one chain in "chains" and no "url"`})
	}
	services.Contracts = p.Contracts
	return Nothing{}, wire.NFTFailure(n.Gallery.Update(ctx, chainsOf(p.Chains), services))
}

type nftScanParams struct {
	Chain wire.NFTChain `json:"chain" doc:"chain with an active NFT network"`
}

type nftScan struct {
	Chain     string   `json:"chain"`
	Provider  string   `json:"provider" doc:"provider of the network: Indexer or Chain"`
	From      *uint64  `json:"from_block" doc:"the oldest block that was searched; null if no block was searched"`
	To        *uint64  `json:"to_block" doc:"the newest block that was searched"`
	Complete  bool     `json:"complete" doc:"whether the search of older blocks has ended"`
	Reason    Nullable `json:"reason" doc:"reason why the search ended before the oldest block: NoLogs (the nodes do not have the logs of older blocks) or TooMany (the limit of 20,000 transfers and 2,000 NFTs is reached; above the limit, the list covers as many contracts as possible)"`
	Contracts []string `json:"contracts" doc:"contracts that update_nft was called with"`
}

func (n NFTs) scan(ctx context.Context, p nftScanParams) (nftScan, error) {
	s, onChain, err := n.Gallery.Scanned(ctx, nft.Chain(p.Chain))
	if err != nil {
		return nftScan{}, wire.NFTFailure(err)
	}
	found := nftScan{Chain: string(p.Chain), Provider: wire.IndexerType, Complete: s.Done() && !s.Behind, Contracts: append([]string{}, s.Contracts...)}
	if onChain {
		found.Provider = wire.ChainType
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

type nftImageParams struct {
	wire.NFTToken
	Protect bool `json:"protect_from_spam" default:"true" doc:"refuse metadata of possible spam: fetching it reveals the client's IP address to its author"`
}

type nftImage struct {
	Type string `json:"content_type" doc:"image/png, image/jpeg, image/gif, image/webp or image/avif, according to the data"`
	Data string `json:"data" doc:"the image in base64"`
}

func (n NFTs) image(ctx context.Context, p nftImageParams) (nftImage, error) {
	image, err := n.Gallery.Image(ctx, p.Token(), p.Protect)
	switch {
	case errors.Is(err, nft.ErrNoImage):
		return nftImage{}, mmerr.NftHasNoImage.From(err, wire.NameNFT(p.Token()), nft.ErrNoImage.Error())
	case errors.Is(err, nft.ErrSpam):
		return nftImage{}, mmerr.NftMayBeSpam.From(err, wire.NameNFT(p.Token()), nft.ErrSpam.Error()+"; protect_from_spam false does so")
	case err != nil:
		return nftImage{}, wire.NFTFailure(err)
	}
	return nftImage{image.Type, base64.StdEncoding.EncodeToString(image.Data)}, nil
}

// unequal makes a struct incomparable, so that a page does not contain code for comparing it.
type unequal [0]func()

func chainsOf(params []wire.NFTChain) []nft.Chain {
	chains := make([]nft.Chain, len(params))
	for i, c := range params {
		chains[i] = nft.Chain(c)
	}
	return chains
}

// nftURL is the URL of a service. It may contain a credential, so errors do not contain it.
type nftURL string

// UnmarshalParam implements rpc.Unmarshaler.
func (u *nftURL) UnmarshalParam(raw json.RawMessage) error {
	text, err := wire.Unquote(raw, wire.WantServer)
	if err != nil {
		return err
	}
	if err := nft.CheckURL(text); err != nil {
		return &rpc.ParamError{Want: wire.WantServer, Got: "another string", Err: err}
	}
	*u = nftURL(text)
	return nil
}

// Nothing is a result that is always null.
type Nothing struct{}

// MarshalJSON implements json.Marshaler.
func (Nothing) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// JSONSchema implements rpc.Described.
func (Nothing) JSONSchema() *rpc.Schema { return &rpc.Schema{Type: "null"} }

// Nullable is a string that is null if it is empty.
type Nullable string

// MarshalJSON implements json.Marshaler.
func (n Nullable) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(n))
}

// JSONSchema implements rpc.Described.
func (Nullable) JSONSchema() *rpc.Schema {
	return &rpc.Schema{OneOf: []*rpc.Schema{{Type: "string"}, {Type: "null"}}}
}

// anyJSON is JSON written by the author of an NFT. It is null if it is absent.
type anyJSON string

// MarshalJSON implements json.Marshaler.
func (a anyJSON) MarshalJSON() ([]byte, error) {
	if a == "" {
		return []byte("null"), nil
	}
	return []byte(a), nil
}

// JSONSchema implements rpc.Described.
func (anyJSON) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Description: "any JSON, as the NFT's author wrote it"}
}
