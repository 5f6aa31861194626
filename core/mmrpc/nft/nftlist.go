package nft

import (
	"context"
	"math"

	"obverse/core/mmrpc/wire"
	"obverse/core/wallet/nft"
)

// nftPage selects a page.
type nftPage struct {
	Chains  []wire.NFTChain `json:"chains" doc:"chains to list, in this order"`
	Max     bool            `json:"max" default:"false" doc:"return all entries on one page and ignore limit and page_number"`
	Limit   uint64          `json:"limit" default:"10" doc:"number of entries per page; at most 10000, larger values are reduced"`
	Page    wire.PageNumber `json:"page_number" default:"1"`
	Protect bool            `json:"protect_from_spam" default:"false" doc:"replace names that contain a link with a notice"`
}

func (p nftPage) query() nft.Query {
	return nft.Query{Chains: chainsOf(p.Chains), Max: p.Max, Limit: int(min(p.Limit, wire.MaxHistory)), Page: int(min(p.Page, math.MaxInt32)), Protect: p.Protect}
}

type nftListParams struct {
	_ unequal
	nftPage
	Filters nftFilters `json:"filters" default:"{}" doc:"filters of the list"`
}

type nftFilters struct {
	Spam     bool `json:"exclude_spam" default:"false" doc:"exclude possible spam"`
	Phishing bool `json:"exclude_phishing" default:"false" doc:"exclude entries that refer to a phishing domain"`
}

type nftList struct {
	_       unequal
	NFTs    []nftView  `json:"nfts"`
	Skipped int        `json:"skipped" doc:"number of NFTs before the page"`
	Total   int        `json:"total" doc:"number of NFTs on all pages"`
	Gaps    []wire.Gap `json:"incomplete,omitempty" doc:"chains with possibly missing NFTs, with reasons; absent if the list is complete"`
}

func (n NFTs) list(ctx context.Context, p nftListParams) (nftList, error) {
	q := p.query()
	q.ExcludeSpam, q.ExcludePhishing = p.Filters.Spam, p.Filters.Phishing
	found, err := n.Gallery.List(ctx, q)
	if err != nil {
		return nftList{}, wire.NFTFailure(err)
	}
	gaps, err := n.Gallery.Gaps(ctx, q.Chains)
	if err != nil {
		return nftList{}, wire.NFTFailure(err)
	}
	result := nftList{NFTs: []nftView{}, Skipped: found.Skipped, Total: found.Total, Gaps: wire.ViewGaps(gaps)}
	for i := range found.NFTs {
		result.NFTs = append(result.NFTs, viewNFT(&found.NFTs[i]))
	}
	return result, nil
}

type nftMetadataParams struct {
	wire.NFTToken
	Protect bool `json:"protect_from_spam" default:"false" doc:"replace names that contain a link with a notice"`
}

func (n NFTs) metadata(ctx context.Context, p nftMetadataParams) (nftView, error) {
	found, err := n.Gallery.Get(ctx, p.Token(), p.Protect)
	return viewNFT(&found), wire.NFTFailure(err)
}

// nftView is an NFT in a result. Its members are in the order of Komodo DeFi Framework.
type nftView struct {
	_           unequal
	Chain       string   `json:"chain"`
	Address     string   `json:"token_address" doc:"address of the contract"`
	ID          string   `json:"token_id" doc:"a decimal number of 256 bits"`
	Amount      string   `json:"amount" doc:"a decimal number of 256 bits"`
	Owner       string   `json:"owner_of" doc:"address of the wallet"`
	Hash        Nullable `json:"token_hash" doc:"as reported by the indexer"`
	Minted      *uint64  `json:"block_number_minted"`
	Block       uint64   `json:"block_number" doc:"block in which the amount or the owner changed"`
	Contract    string   `json:"contract_type" doc:"ERC721 or ERC1155"`
	Name        Nullable `json:"name" doc:"name of the collection"`
	Symbol      Nullable `json:"symbol"`
	URI         Nullable `json:"token_uri"`
	Domain      Nullable `json:"token_domain"`
	Metadata    Nullable `json:"metadata" doc:"JSON by the author of the NFT, without embedded documents"`
	URISync     Nullable `json:"last_token_uri_sync"`
	MetaSync    Nullable `json:"last_metadata_sync"`
	Minter      Nullable `json:"minter_address"`
	Spam        bool     `json:"possible_spam"`
	Phishing    bool     `json:"possible_phishing" doc:"whether it refers to a phishing domain"`
	Description nftMeta  `json:"uri_meta"`
}

// nftMeta is the metadata of an NFT as written by its author.
type nftMeta struct {
	_               unequal
	Image           Nullable `json:"image" doc:"as in the metadata of the author"`
	ImageURL        Nullable `json:"image_url" doc:"URL of the image for browsers"`
	ImageDomain     Nullable `json:"image_domain"`
	Name            Nullable `json:"name"`
	Description     Nullable `json:"description"`
	Attributes      anyJSON  `json:"attributes"`
	AnimationURL    Nullable `json:"animation_url"`
	AnimationDomain Nullable `json:"animation_domain"`
	ExternalURL     Nullable `json:"external_url"`
	ExternalDomain  Nullable `json:"external_domain"`
	ImageDetails    anyJSON  `json:"image_details"`
}

func viewNFT(n *nft.NFT) nftView {
	m := &n.Meta
	v := nftView{
		Chain: string(n.Chain), Address: n.Address, ID: n.ID, Amount: n.Amount, Owner: n.Owner, Hash: Nullable(n.Hash),
		Block: n.Block, Contract: n.Type, Name: Nullable(n.Name), Symbol: Nullable(n.Symbol), URI: Nullable(n.URI),
		Domain: Nullable(n.Domain), Metadata: Nullable(n.Metadata), URISync: Nullable(n.URISync), MetaSync: Nullable(n.MetaSync),
		Minter: Nullable(n.Minter), Spam: n.Spam, Phishing: n.Phishing,
		Description: nftMeta{
			Image: Nullable(m.Image), ImageURL: Nullable(m.ImageURL), ImageDomain: Nullable(m.ImageDomain), Name: Nullable(m.Name),
			Description: Nullable(m.Description), Attributes: anyJSON(m.Attributes),
			AnimationURL: Nullable(m.AnimationURL), AnimationDomain: Nullable(m.AnimationDomain),
			ExternalURL: Nullable(m.ExternalURL), ExternalDomain: Nullable(m.ExternalDomain), ImageDetails: anyJSON(m.ImageDetails),
		},
	}
	if n.Minted != 0 {
		v.Minted = &n.Minted
	}
	return v
}

type nftTransfersParams struct {
	_ unequal
	nftPage
	Filters nftTransferFilters `json:"filters" default:"{}" doc:"filters of the list"`
}

type nftTransferFilters struct {
	Receive bool   `json:"receive" default:"false" doc:"include received NFTs; with both receive and send, or neither, the list contains all transfers"`
	Send    bool   `json:"send" default:"false" doc:"include sent NFTs"`
	From    *int64 `json:"from_date" doc:"at or after this time, in seconds since 1970"`
	To      *int64 `json:"to_date" doc:"at or before this time, in seconds since 1970"`
	nftFilters
}

type nftTransferList struct {
	_         unequal
	Transfers []nftTransferView `json:"transfer_history"`
	Skipped   int               `json:"skipped" doc:"number of transfers before the page"`
	Total     int               `json:"total" doc:"number of transfers on all pages"`
	Gaps      []wire.Gap        `json:"incomplete,omitempty" doc:"chains with possibly missing transfers, with reasons; absent if the list is complete"`
}

func (n NFTs) transfers(ctx context.Context, p nftTransfersParams) (nftTransferList, error) {
	q := nft.TransferQuery{Query: p.query(), Receive: p.Filters.Receive, Send: p.Filters.Send}
	q.ExcludeSpam, q.ExcludePhishing = p.Filters.Spam, p.Filters.Phishing
	if p.Filters.From != nil {
		q.From = *p.Filters.From
	}
	if p.Filters.To != nil {
		q.To = *p.Filters.To
	}
	found, err := n.Gallery.Transfers(ctx, q)
	if err != nil {
		return nftTransferList{}, wire.NFTFailure(err)
	}
	gaps, err := n.Gallery.Gaps(ctx, q.Chains)
	if err != nil {
		return nftTransferList{}, wire.NFTFailure(err)
	}
	result := nftTransferList{Transfers: []nftTransferView{}, Skipped: found.Skipped, Total: found.Total, Gaps: wire.ViewGaps(gaps)}
	for i := range found.Transfers {
		result.Transfers = append(result.Transfers, viewTransfer(&found.Transfers[i]))
	}
	return result, nil
}

// nftTransferView is a transfer in a result. Its members are in the order of Komodo DeFi
// Framework.
type nftTransferView struct {
	_           unequal
	Chain       string   `json:"chain"`
	BlockHash   Nullable `json:"block_hash"`
	Hash        string   `json:"transaction_hash"`
	TxIndex     uint64   `json:"transaction_index"`
	LogIndex    uint64   `json:"log_index"`
	Value       Nullable `json:"value" doc:"amount of the platform coin that the transaction sent, in its smallest unit"`
	Type        Nullable `json:"transaction_type" doc:"as reported by the indexer"`
	Address     string   `json:"token_address" doc:"address of the contract"`
	ID          string   `json:"token_id"`
	From        string   `json:"from_address"`
	To          string   `json:"to_address"`
	Amount      string   `json:"amount" doc:"a decimal number of 256 bits"`
	Verified    uint64   `json:"verified" doc:"as reported by the indexer"`
	Operator    Nullable `json:"operator"`
	Spam        bool     `json:"possible_spam"`
	Block       uint64   `json:"block_number"`
	Time        int64    `json:"block_timestamp" doc:"in seconds since 1970"`
	Contract    string   `json:"contract_type" doc:"ERC721 or ERC1155"`
	URI         Nullable `json:"token_uri" doc:"null if it is longer than 1024 bytes; see get_nft_metadata"`
	Domain      Nullable `json:"token_domain"`
	Name        Nullable `json:"collection_name"`
	ImageURL    Nullable `json:"image_url" doc:"null if it is longer than 1024 bytes; see get_nft_metadata"`
	ImageDomain Nullable `json:"image_domain"`
	TokenName   Nullable `json:"token_name"`
	Status      string   `json:"status" doc:"Receive or Send"`
	Phishing    bool     `json:"possible_phishing"`
}

func viewTransfer(t *nft.Transfer) nftTransferView {
	status := "Send"
	if t.Received() {
		status = "Receive"
	}
	return nftTransferView{
		Chain: string(t.Chain), BlockHash: Nullable(t.BlockHash), Hash: t.Hash, TxIndex: t.TxIndex, LogIndex: t.LogIndex, Value: Nullable(t.Value),
		Type: Nullable(t.Kind), Address: t.Address, ID: t.ID, From: t.From, To: t.To, Amount: t.Amount, Verified: t.Verified,
		Operator: Nullable(t.Operator), Spam: t.Spam, Block: t.Block, Time: t.Time, Contract: t.Type, URI: Nullable(t.URI),
		Domain: Nullable(t.Domain), Name: Nullable(t.Name), ImageURL: Nullable(t.ImageURL), ImageDomain: Nullable(t.ImageDomain),
		TokenName: Nullable(t.TokenName), Status: status, Phishing: t.Phishing,
	}
}
