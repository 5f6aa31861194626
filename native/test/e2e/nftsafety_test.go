package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/nft/nfttest"
	"obverse/native/test/indexer"
)

// nftRows holds the fields of NFTs, and of their transfers, that tests check.
type nftRows struct {
	NFTs      []nftRow
	Transfers []nftRow `json:"transfer_history"`
	Total     int
}

type nftRow struct {
	Contract  string `json:"token_address"`
	ID        string `json:"token_id"`
	Name      string
	TokenName string `json:"token_name"`
	Spam      bool   `json:"possible_spam"`
	Phishing  bool   `json:"possible_phishing"`
	Meta      struct {
		Name     string
		ImageURL string `json:"image_url"`
	} `json:"uri_meta"`
}

func (c *callee) nfts(method, params string) (rows nftRows) {
	c.t.Helper()
	require.NoError(c.t, json.Unmarshal(c.succeeds(method, `{"chains":["ETH"],`+params+`"max":true}`), &rows))
	return rows
}

// flagged returns the tokens of rows that are spam, and those that are phishing.
func flagged(rows []nftRow) (spam, phishing []string) {
	for _, r := range rows {
		if r.Spam {
			spam = append(spam, r.ID)
		}
		if r.Phishing {
			phishing = append(phishing, r.ID)
		}
	}
	slices.Sort(spam)
	slices.Sort(phishing)
	return spam, phishing
}

func (w *nftWorld) refreshOf(contract, id string) string {
	return strings.NewReplacer(w.pictures, contract, `"14"`, `"`+id+`"`).Replace(w.refresh(false))
}

// Spam and phishing are marked in the list and in the transfers. Filters exclude them, and names
// with links are replaced for users who request this.
func TestNFTSpam(t *testing.T) {
	t.Parallel()
	w := newNFTWorld(t)
	claim := w.URL + "/meta/20"
	w.Documents[claim] = nfttest.Answer{Body: []byte(`{"name":"Claim at https://evil.example now"}`)}
	w.network.Do(w.pictures, "mint(address,uint256,string)", w.address, 20, claim)
	w.network.Do(w.things, "mint(address,uint256,uint256,string)", w.address, 1, 7, "")
	c := newLaunch(t, `nft.private_hosts=["127.0.0.1"]`).callee(t)
	c.succeeds("enable_eth_with_tokens", w.enableETH(""))
	c.succeeds("enable_nft", w.enableNFT(false))
	c.succeeds("update_nft", fmt.Sprintf(`{"chains":["ETH"],"url":%q,"url_antispam":%q}`, w.URL, w.URL))
	marks := func(wantSpam, wantPhishing []string) {
		t.Helper()
		for _, rows := range [][]nftRow{c.nfts("get_nft_list", "").NFTs, c.nfts("get_nft_transfers", "").Transfers} {
			require.Len(t, rows, 4)
			spam, phishing := flagged(rows)
			require.Equal(t, wantSpam, spam)
			require.Equal(t, wantPhishing, phishing)
		}
	}
	marks([]string{"20"}, nil)
	w.Spam = map[string]bool{w.things: true}
	c.succeeds("refresh_nft_metadata", w.refreshOf(w.things, "1"))
	marks([]string{"1", maxNFT, "20"}, nil)
	w.Phishing = map[string]bool{"lighthouse.example": true}
	require.Equal(t, "null", string(c.succeeds("refresh_nft_metadata", w.refresh(false))))
	marks([]string{"1", maxNFT, "20"}, []string{"14"})

	require.Equal(t, 1, c.nfts("get_nft_list", `"filters":{"exclude_spam":true},`).Total)
	require.Equal(t, 3, c.nfts("get_nft_list", `"filters":{"exclude_phishing":true},`).Total)
	require.Zero(t, c.nfts("get_nft_list", `"filters":{"exclude_spam":true,"exclude_phishing":true},`).Total)
	require.Zero(t, c.nfts("get_nft_transfers", `"filters":{"exclude_spam":true,"exclude_phishing":true},`).Total)
	const redacted = "URL redacted for user protection"
	named := func(protect bool) (name, moved string) {
		params := fmt.Sprintf(`"protect_from_spam":%t,`, protect)
		find := func(rows []nftRow) nftRow {
			return rows[slices.IndexFunc(rows, func(r nftRow) bool { return r.ID == "20" })]
		}
		return find(c.nfts("get_nft_list", params).NFTs).Meta.Name, find(c.nfts("get_nft_transfers", params).Transfers).TokenName
	}
	for protect, want := range map[bool]string{false: "Claim at https://evil.example now", true: redacted} {
		name, moved := named(protect)
		require.Equal(t, []string{want, want}, []string{name, moved})
	}
	kind, _ := c.refuses("get_nft_image", strings.Replace(w.fourteen(""), `"14"`, `"20"`, 1))
	require.Equal(t, "NftMayBeSpam", kind)
}

// Files on IPFS are requested from the gateways in order. A document is not accepted as a picture,
// even if its server sends the media type of a picture.
func TestNFTGateways(t *testing.T) {
	t.Parallel()
	const id = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"
	w := newNFTWorld(t)
	one, two := w.URL+"/one/ipfs/"+id, w.URL+"/two/ipfs/"+id
	w.Documents[one+"/21"] = nfttest.Answer{Type: "text/html", Body: []byte(`{"name":"A gateway's own page"}`)}
	w.Documents[two+"/21"] = nfttest.Answer{Type: "text/plain", Body: []byte(`{"name":"Far away","image":"ipfs://` + id + `/21.png"}`)}
	w.Documents[one+"/21.png"] = nfttest.Answer{Type: "image/png", Body: []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`)}
	w.network.Do(w.pictures, "mint(address,uint256,string)", w.address, 21, "ipfs://"+id+"/21")
	c := newLaunch(t, fmt.Sprintf(`nft.ipfs_gateways=["%s/one/ipfs/","%[1]s/two/ipfs"]`, w.URL)).callee(t)
	c.succeeds("enable_eth_with_tokens", w.enableETH(""))
	c.succeeds("enable_nft", w.enableNFT(false))
	requested := func() (paths []string) {
		for _, r := range w.Requests() {
			if at := strings.Index(r.URL, "/ipfs/"); at >= 0 {
				paths = append(paths, strings.TrimPrefix(r.URL, w.URL))
			}
		}
		return paths
	}
	c.succeeds("refresh_nft_metadata", w.refreshOf(w.pictures, "21"))
	order := []string{"/one/ipfs/" + id + "/21", "/two/ipfs/" + id + "/21"}
	require.Equal(t, order, requested())
	picture := strings.Replace(w.fourteen(""), `"14"`, `"21"`, 1)
	var n nftRow
	require.NoError(t, json.Unmarshal(c.succeeds("get_nft_metadata", picture), &n))
	require.Equal(t, []string{"Far away", one + "/21.png"}, []string{n.Meta.Name, n.Meta.ImageURL})
	kind, data := c.refuses("get_nft_image", picture)
	require.Equal(t, "Transport", kind)
	require.Contains(t, data, "HTTP status 404", "the last gateway's answer")
	order = append(order, "/one/ipfs/"+id+"/21.png", "/two/ipfs/"+id+"/21.png")
	require.Equal(t, order, requested())
	w.Documents[two+"/21.png"] = nfttest.Answer{Body: []byte(pixels)}
	require.Contains(t, string(c.succeeds("get_nft_image", picture)), `"content_type":"image/gif"`)
	for body, says := range map[string]string{"<html><body>": "not a PNG", "GIF89a" + strings.Repeat("x", 50<<20): "too large"} {
		w.Documents[two+"/21.png"] = nfttest.Answer{Type: "image/gif", Body: []byte(body)}
		kind, data = c.refuses("get_nft_image", picture)
		require.Equal(t, "Transport", kind)
		require.Contains(t, data, says)
	}
}

// After each kind of failure of the services, no NFT is lost or stored incompletely.
func TestNFTFailingServices(t *testing.T) {
	t.Parallel()
	w := newNFTWorld(t)
	c := newLaunch(t, `nft.private_hosts=["127.0.0.1"]`).callee(t)
	c.succeeds("enable_eth_with_tokens", w.enableETH(""))
	c.succeeds("enable_nft", w.enableNFT(false))
	c.succeeds("update_nft", fmt.Sprintf(`{"chains":["ETH"],"url":%q,"url_antispam":%q}`, w.URL, w.URL))
	both := func() string {
		return string(c.succeeds("get_nft_list", `{"chains":["ETH"],"max":true}`)) + string(c.succeeds("get_nft_transfers", `{"chains":["ETH"],"max":true}`))
	}
	before := both()
	w.Documents[w.URL+"/meta/14"] = nfttest.Answer{Body: []byte(`{"name":"Another","external_url":"https://lighthouse.example/"}`)}
	w.Spam = map[string]bool{w.pictures: true}
	failures := map[string]nfttest.Answer{
		"gone": {Err: fmt.Errorf("hang up")}, "an error": {Status: http.StatusInternalServerError}, "a redirect": {Status: http.StatusFound, Body: []byte("http://127.0.0.1/")},
		"50 MB": {Body: []byte(`{"result":{"` + strings.Repeat("x", 50<<20) + `":true}}`)}, "no JSON": {Body: []byte("\xff")}, "a web page": {Type: "text/html"},
	}
	for at, want := range map[string]string{"/api/v2/nft/": "Transport", "/contract/scan": "UpdateSpamPhishingError", "/domain/scan": "UpdateSpamPhishingError"} {
		for name, answer := range failures {
			w.Hook = func(r nfttest.Request) (nfttest.Answer, bool) { return answer, strings.Contains(r.URL, at) }
			kind, data := c.refuses("refresh_nft_metadata", w.refresh(false))
			require.Equal(t, want, kind, "%s: %s: %s", at, name, data)
			require.Equal(t, before, both(), "%s: %s", at, name)
		}
	}
	w.Hook = nil
	c.succeeds("refresh_nft_metadata", w.refresh(false))
	require.NotEqual(t, before, both())
}

// TestNFTsOfACollector measures the cost of 10,000 NFTs.
func TestNFTsOfACollector(t *testing.T) {
	t.Parallel()
	const count = 10_000
	address, _ := ethAddress(t)
	items := make([]nfttest.Item, count)
	for n := range items {
		items[n] = nfttest.NewItem("0x48c75fbf0452fa8ff2928ddf46b0fe7629cca2ff", fmt.Sprint(n), "ERC1155", "1").With("block_number", fmt.Sprint(n),
			"name", "Smurfs", "symbol", "SMF", "token_uri", fmt.Sprintf("https://smurfs.example/metadata/%d", n),
			"metadata", fmt.Sprintf(`{"name":"Forest Mushrooms #%d","description":"Sweet and nutty with distinct earthy tones.","image":"https://images.example/%d.jpg"}`, n, n))
	}
	services := &nfttest.Server{}
	services.Hold("ETH", address, items...)
	url := indexer.Serve(t, services)
	l := newLaunch(t)
	c := l.callee(t)
	c.succeeds("enable_eth_with_tokens", enablingEth(`[]`, c.Eth))
	idle := c.peakMemory()
	timed := func(method, params string) (result json.RawMessage, took time.Duration) {
		t.Helper()
		start := time.Now()
		result = c.succeeds(method, params)
		return result, time.Since(start).Round(time.Millisecond)
	}
	enabled, enabling := timed("enable_nft", fmt.Sprintf(`{"ticker":"NFT_ETH","activation_params":{"provider":{"type":"Indexer","info":{"url":%q}}}}`, url))
	var answer struct{ NFTs map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(enabled, &answer))
	require.Len(t, answer.NFTs, count)
	page, paging := timed("get_nft_list", `{"chains":["ETH"],"limit":10,"page_number":500}`)
	require.Contains(t, string(page), `"skipped":4990,"total":10000}`)
	_, whole := timed("get_nft_list", `{"chains":["ETH"],"max":true,"protect_from_spam":true,"filters":{"exclude_spam":true}}`)
	_, refreshing := timed("refresh_nft_metadata", fmt.Sprintf(`{"chain":"ETH","token_address":"0x48c75fbf0452fa8ff2928ddf46b0fe7629cca2ff","token_id":"5000","url":%q,"url_antispam":%[1]q}`, url))
	peak := c.peakMemory()
	t.Logf("10,000 NFTs in 100 pages of the indexer: listed and kept in %s, a page of 10 in %s, all in %s, one refreshed in %s; memory at most %d MB, %d MB before",
		enabling, paging, whole, refreshing, peak>>20, idle>>20)
	c.kill()
	c = l.callee(t)
	again, _ := timed("get_nft_list", `{"chains":["ETH"],"limit":10,"page_number":500}`)
	require.Equal(t, string(page), string(again), "they are kept")
}
