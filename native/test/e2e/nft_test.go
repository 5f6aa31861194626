package e2e

import (
	"encoding/base64"
	little "encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	libp2p "github.com/libp2p/go-libp2p/core/peer"
	"github.com/stretchr/testify/require"

	"obverse/core/wallet/nft/nfttest"
	"obverse/native/test/anvil"
	"obverse/native/test/contracts"
	"obverse/native/test/indexer"
)

// mostNFT is the greatest token id, and manyNFT is an amount of more than 64 bits.
const (
	maxNFT  = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	manyNFT = "1180591620717411303424"
)

// pixels is the smallest valid GIF.
const pixels = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// nftWorld is a chain with NFTs of the node's address, with an indexer that also serves their
// metadata.
type nftWorld struct {
	*indexer.Server
	network          *anvil.Network
	address          string
	pictures, things string // contracts, in lower case
}

func newNFTWorld(t *testing.T) *nftWorld {
	t.Helper()
	address, _ := ethAddress(t)
	w := &nftWorld{network: anvil.Start(t, 1), address: address}
	w.Server = indexer.Start(t, w.network, "ETH")
	meta := w.URL + "/meta/14"
	w.Documents = map[string]nfttest.Answer{
		meta:                {Body: []byte(`{"name":"Lighthouse","description":"Old","external_url":"https://lighthouse.example/","image":"` + w.URL + `/image/14","attributes":[{"trait_type":"Height","value":1.50}]}`)},
		w.URL + "/image/14": {Type: "image/svg+xml", Body: []byte(pixels)},
	}
	pictures, things := w.network.Deploy(contracts.Token721), w.network.Deploy(contracts.Token1155)
	w.network.Deploy(contracts.Token20, 6)
	maxAmount, _ := new(big.Int).SetString(maxNFT, 10)
	many, _ := new(big.Int).SetString(manyNFT, 10)
	w.network.Do(pictures, "mint(address,uint256,string)", address, 14, meta)
	w.network.Do(pictures, "mint(address,uint256,string)", anvil.Rich, 15, meta)
	w.network.Do(things, "mint(address,uint256,uint256,string)", address, maxAmount, many, "")
	w.pictures, w.things = strings.ToLower(pictures), strings.ToLower(things)
	return w
}

func (w *nftWorld) enableETH(request string) string {
	return strings.Replace(enablingEth(`[]`, w.network.URL), `{`, `{`+request, 1)
}

func (w *nftWorld) enableNFT(signed bool) string {
	return fmt.Sprintf(`{"ticker":"NFT_ETH","activation_params":%s}`, w.provider(signed))
}

func (w *nftWorld) provider(signed bool) string {
	return fmt.Sprintf(`{"provider":{"type":"Indexer","info":{"url":%q,"gateway_proxy":%t}}}`, w.URL, signed)
}

func (w *nftWorld) fourteen(more string) string {
	return fmt.Sprintf(`{"chain":"ETH","token_address":%q,"token_id":"14"%s}`, w.pictures, more)
}

func (w *nftWorld) refresh(signed bool) string {
	return w.fourteen(fmt.Sprintf(`,"url":%q,"url_antispam":%q,"gateway_proxy":%t`, w.URL, w.URL, signed))
}

func (w *nftWorld) held() string {
	return `{"` + w.pictures + `,14":{"token_address":"` + w.pictures + `","token_id":"14","chain":"ETH","contract_type":"ERC721","amount":"1"},"` +
		w.things + `,` + maxNFT + `":{"token_address":"` + w.things + `","token_id":"` + maxNFT + `","chain":"ETH","contract_type":"ERC1155","amount":"` + manyNFT + `"}}`
}

// TestNFTs tests the NFTs of a real chain: activation, listing, refreshing, pictures, transfers, a
// restart.
func TestNFTs(t *testing.T) {
	t.Parallel()
	w := newNFTWorld(t)
	l := newLaunch(t, `nft.private_hosts=["127.0.0.1"]`)
	c := l.callee(t)
	kind, data := c.refuses("enable_nft", w.enableNFT(false))
	require.Equal(t, []string{"PlatformCoinIsNotActivated", `"ETH"`}, []string{kind, data})
	c.succeeds("enable_eth_with_tokens", w.enableETH(""))
	require.JSONEq(t, `{"nfts":`+w.held()+`,"platform_coin":"ETH"}`, string(c.succeeds("enable_nft", w.enableNFT(false))))
	kind, data = c.refuses("enable_nft", w.enableNFT(false))
	require.Equal(t, []string{"TokenIsAlreadyActivated", `"NFT_ETH"`}, []string{kind, data})
	require.JSONEq(t, `{"coins":[{"ticker":"ETH"},{"ticker":"NFT_ETH"}]}`, string(c.succeeds("get_enabled_coins", `{}`)))

	require.Equal(t, "null", string(c.succeeds("refresh_nft_metadata", w.refresh(false))))
	var n struct {
		Name string
		Meta struct {
			Name       string
			ImageURL   string `json:"image_url"`
			Attributes json.RawMessage
		} `json:"uri_meta"`
	}
	require.NoError(t, json.Unmarshal(c.succeeds("get_nft_metadata", w.fourteen("")), &n))
	require.Equal(t, []string{"Pictures of a test", "Lighthouse", w.URL + "/image/14", `[{"trait_type":"Height","value":1.50}]`},
		[]string{n.Name, n.Meta.Name, n.Meta.ImageURL, string(n.Meta.Attributes)})
	for _, r := range w.Requests() {
		require.NotContains(t, r.Header, "X-Auth-Payload", "no request asked for it")
	}
	picture := `{"content_type":"image/gif","data":"` + base64.StdEncoding.EncodeToString([]byte(pixels)) + `"}`
	require.JSONEq(t, picture, string(c.succeeds("get_nft_image", w.fourteen(""))))

	const otherAddress = "0x00000000000000000000000000000000000000e1"
	w.network.Do(w.pictures, "mint(address,uint256,string)", w.address, 16, "")
	require.Equal(t, "null", string(c.succeeds("update_nft", fmt.Sprintf(`{"chains":["ETH"],"url":%q,"url_antispam":%q}`, w.URL, w.URL))))
	var list struct{ Total int }
	require.NoError(t, json.Unmarshal(c.succeeds("get_nft_list", `{"chains":["ETH"]}`), &list))
	require.Equal(t, 3, list.Total)
	require.Contains(t, string(c.succeeds("get_nft_transfers", `{"chains":["ETH"]}`)), `"token_name":"Lighthouse"`)
	require.NotContains(t, string(c.succeeds("get_nft_transfers", `{"chains":["ETH"]}`)), otherAddress)

	before := c.succeeds("get_nft_list", `{"chains":["ETH"],"max":true}`)
	c.kill()
	c = l.callee(t)
	require.JSONEq(t, string(before), string(c.succeeds("get_nft_list", `{"chains":["ETH"],"max":true}`)), "the list is kept")
	c.enabled(2)
	c.succeeds("enable_eth_with_tokens", w.enableETH(`"nft_req":`+w.provider(false)+`,`))
	require.Contains(t, string(c.succeeds("disable_coin", `{"coin":"NFT_ETH"}`)), `"passivized":false`)
	c.succeeds("disable_coin", `{"coin":"ETH"}`)
	var eth struct {
		NFTs json.RawMessage `json:"nfts_infos"`
	}
	require.NoError(t, json.Unmarshal(c.succeeds("enable_eth_with_tokens", w.enableETH(`"nft_req":`+w.provider(false)+`,`)), &eth))
	require.Contains(t, string(eth.NFTs), w.pictures+",16")
	code, _ := c.stop()
	require.Zero(t, code)
}

// libp2p's own code verifies the header for gateways, over the bytes that Komodo DeFi
// Framework's proxy_signature signs.
func TestNFTGatewayHeader(t *testing.T) {
	t.Parallel()
	w := newNFTWorld(t)
	c := newLaunch(t, `nft.private_hosts=["127.0.0.1"]`).callee(t)
	c.succeeds("enable_eth_with_tokens", w.enableETH(""))
	c.succeeds("enable_nft", w.enableNFT(true))
	c.succeeds("refresh_nft_metadata", w.refresh(true))
	var id struct{ Result string }
	require.NoError(t, json.Unmarshal([]byte(`{"result":`+string(c.succeeds("get_my_peer_id", `{}`))+`}`), &id))
	signed := 0
	for _, r := range w.Requests() {
		if strings.Contains(r.URL, "/meta/") { // servers of others receive no headers
			require.NotContains(t, r.Header, "X-Auth-Payload")
			continue
		}
		signed++
		verifyGateway(t, r.Header["X-Auth-Payload"], w.URL+"/", len(r.Body), id.Result)
	}
	require.Equal(t, 4, signed, "the list, the metadata and two scans")
}

func verifyGateway(t *testing.T, header, uri string, size int, id string) {
	t.Helper()
	var payload struct {
		Signature []uint16 `json:"signature_bytes"`
		Address   string
		Message   struct {
			URI     string
			Size    uint64   `json:"body_size"`
			Public  []uint16 `json:"public_key_encoded"`
			Expires int64    `json:"expires_at"`
		} `json:"raw_message"`
	}
	require.NoError(t, json.Unmarshal([]byte(header), &payload))
	bytesOf := func(list []uint16) (b []byte) {
		for _, n := range list {
			b = append(b, byte(n))
		}
		return b
	}
	m := payload.Message
	key, err := crypto.UnmarshalPublicKey(bytesOf(m.Public))
	require.NoError(t, err)
	peer, err := libp2p.IDFromPublicKey(key)
	require.NoError(t, err)
	require.Equal(t, id, peer.String())
	require.Equal(t, id, payload.Address)
	message := append([]byte("Encoded Message for KDP\n"), bytesOf(m.Public)...)
	message = append(message, m.URI...)
	message = little.LittleEndian.AppendUint64(message, m.Size)
	message = little.LittleEndian.AppendUint64(message, uint64(m.Expires))
	good, err := key.Verify(message, bytesOf(payload.Signature))
	require.NoError(t, err)
	require.True(t, good)
	require.Equal(t, uri, m.URI)
	require.EqualValues(t, size, m.Size)
	require.WithinRange(t, time.Unix(m.Expires, 0), time.Now().Add(-time.Minute), time.Now().Add(16*time.Second))
}

// URLs of others must not lead into the network of the node.
func TestNFTPrivateHosts(t *testing.T) {
	t.Parallel()
	w := newNFTWorld(t)
	inside, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = inside.Close() })
	reached := make(chan string, 16)
	go func() {
		_ = http.Serve(inside, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.Path }))
	}()
	_, port, err := net.SplitHostPort(inside.Addr().String())
	require.NoError(t, err)
	host := func(name string) string { return "http://" + net.JoinHostPort(name, port) }
	w.network.Do(w.pictures, "mint(address,uint256,string)", w.address, 17, host("127.0.0.1")+"/17")
	w.network.Do(w.pictures, "mint(address,uint256,string)", w.address, 18, host("localhost")+"/18")
	w.network.Do(w.pictures, "mint(address,uint256,string)", w.address, 19, "https://meta.example/19")
	camo := w.URL + "/url/decode/" + hex.EncodeToString([]byte("https://meta.example/19"))
	w.Documents[camo] = nfttest.Answer{Status: http.StatusFound, Body: []byte(host("127.0.0.1") + "/redirected")}
	c := newLaunch(t).callee(t)
	c.succeeds("enable_eth_with_tokens", w.enableETH(""))
	c.succeeds("enable_nft", w.enableNFT(false))
	for _, id := range []string{"14", "17", "18", "19"} {
		require.Equal(t, "null", string(c.succeeds("refresh_nft_metadata", strings.Replace(w.refresh(false), `"14"`, `"`+id+`"`, 1))))
	}
	for _, r := range w.Requests() {
		require.NotContains(t, r.URL, "/meta/14", "nor is this machine's asked by the service against spam")
	}
	w.Documents["https://meta.example/19"] = nfttest.Answer{Body: []byte(`{"image":"` + host("127.0.0.1") + `/image"}`)}
	delete(w.Documents, camo)
	c.succeeds("refresh_nft_metadata", strings.Replace(w.refresh(false), `"14"`, `"19"`, 1))
	kind, data := c.refuses("get_nft_image", strings.Replace(w.fourteen(""), `"14"`, `"19"`, 1))
	require.Equal(t, "Transport", kind)
	require.Contains(t, data, "where no picture is looked for")
	require.Empty(t, reached)
}

// After a kill during a refresh, the node has either the old or the new NFT, both in the list and
// in the transfers.
func TestNFTKillDuringRefresh(t *testing.T) {
	t.Parallel()
	w := newNFTWorld(t)
	l := newLaunch(t, `nft.private_hosts=["127.0.0.1"]`)
	c := l.callee(t)
	c.succeeds("enable_eth_with_tokens", w.enableETH(""))
	c.succeeds("enable_nft", w.enableNFT(false))
	c.succeeds("update_nft", fmt.Sprintf(`{"chains":["ETH"],"url":%q,"url_antispam":%q}`, w.URL, w.URL))
	names := func() [2]string {
		var n struct {
			Meta struct{ Name string } `json:"uri_meta"`
		}
		require.NoError(t, json.Unmarshal(c.succeeds("get_nft_metadata", w.fourteen("")), &n))
		var moved struct {
			Transfers []struct {
				ID   string `json:"token_id"`
				Name string `json:"token_name"`
			} `json:"transfer_history"`
		}
		require.NoError(t, json.Unmarshal(c.succeeds("get_nft_transfers", `{"chains":["ETH"]}`), &moved))
		for _, m := range moved.Transfers {
			if m.ID == "14" {
				return [2]string{n.Meta.Name, m.Name}
			}
		}
		require.Fail(t, "no transfer")
		return [2]string{}
	}
	require.Equal(t, [2]string{"Lighthouse", "Lighthouse"}, names())
	for round, at := range []string{"/api/v2/nft/", "/meta/", "/contract/scan", "/domain/scan", "after the answer"} {
		name := fmt.Sprint("Lighthouse ", round)
		w.Documents[w.URL+"/meta/14"] = nfttest.Answer{Body: []byte(`{"name":"` + name + `","external_url":"https://lighthouse.example/"}`)}
		requested, goOn := make(chan struct{}), make(chan struct{})
		once := sync.OnceFunc(func() { close(requested) })
		w.Hook = func(r nfttest.Request) (nfttest.Answer, bool) {
			if strings.Contains(r.URL, at) {
				once()
				<-goOn
			}
			return nfttest.Answer{}, false
		}
		done := make(chan nodeAnswer, 1)
		before := names()
		if at != "after the answer" {
			go func() {
				response, err := c.client.http.Post(c.ready.Node, "application/json", strings.NewReader(
					fmt.Sprintf(`{"mmrpc":"2.0","userpass":%q,"method":"refresh_nft_metadata","params":%s}`, rpcPassword, w.refresh(false))))
				if err == nil {
					_ = response.Body.Close()
				}
				done <- nodeAnswer{}
			}()
			c.wait(requested, "the service is not asked")
			c.kill()
			close(goOn)
			<-done
			c = l.callee(t)
			require.Equal(t, before, names(), "killed at %s", at)
			continue
		}
		c.succeeds("refresh_nft_metadata", w.refresh(false))
		c.kill()
		c = l.callee(t)
		require.Equal(t, [2]string{name, name}, names())
	}
}

// A failing indexer fails only the call that uses it.
func TestNFTBadIndexer(t *testing.T) {
	t.Parallel()
	w := newNFTWorld(t)
	c := newLaunch(t, `nft.private_hosts=["127.0.0.1"]`).callee(t)
	c.succeeds("enable_eth_with_tokens", w.enableETH(""))
	var answer nfttest.Answer
	w.Hook = func(nfttest.Request) (nfttest.Answer, bool) { return answer, true }
	item, err := json.Marshal(nfttest.NewItem(w.pictures, "14", "ERC721", "1"))
	require.NoError(t, err)
	for name, given := range map[string]struct {
		answer nfttest.Answer
		says   string
	}{
		"a cursor that repeats":  {nfttest.Answer{Body: []byte(`{"cursor":"again","result":[` + string(item) + `]}`)}, "pages repeat"},
		"50 MB":                  {nfttest.Answer{Body: []byte(`{"result":["` + strings.Repeat("x", 50<<20) + `"]}`)}, "too large"},
		"a redirect":             {nfttest.Answer{Status: http.StatusFound, Body: []byte("http://127.0.0.1/")}, "redirect"},
		"invalid UTF-8":          {nfttest.Answer{Body: []byte("{\"result\":[\xff]}")}, "cannot be used"},
		"a connection that ends": {nfttest.Answer{Err: fmt.Errorf("hang up")}, "unreachable"},
		"an error":               {nfttest.Answer{Status: 500, Body: []byte("<html>sorry")}, "Status code not in 2xx range from " + w.URL + "/api/v2/…/nft: 500, <html>sorry"},
	} {
		answer = given.answer
		kind, data := c.refuses("enable_nft", w.enableNFT(false))
		require.Equal(t, "Transport", kind, name)
		var text string
		require.NoError(t, json.Unmarshal([]byte(data), &text))
		require.Contains(t, text, given.says, name)
	}
	answer = nfttest.Answer{Body: []byte(`{"result":[{"token_address":"` + w.pictures + `","token_id":"15","amount":"1"},` + string(item) +
		`,{"token_address":"` + w.things + "\",\"token_id\":\"1\",\"contract_type\":\"ERC1155\",\"amount\":\"1\",\"name\":\"a\xffb\"}]}")}
	var enabled struct{ NFTs map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(c.succeeds("enable_nft", w.enableNFT(false)), &enabled))
	require.Len(t, enabled.NFTs, 2, "without the one that has no contract_type")
	require.Contains(t, string(c.succeeds("get_nft_list", `{"chains":["ETH"]}`)), "a\ufffdb")

	before := c.succeeds("get_nft_list", `{"chains":["ETH"]}`)
	answer = nfttest.Answer{Status: 503}
	kind, _ := c.refuses("refresh_nft_metadata", w.refresh(false))
	require.Equal(t, "Transport", kind)
	require.JSONEq(t, string(before), string(c.succeeds("get_nft_list", `{"chains":["ETH"]}`)), "nothing has changed")
	kind, data := c.refuses("refresh_nft_metadata", strings.Replace(w.refresh(false), `"14"`, `"99"`, 1))
	require.Equal(t, "GetNftInfoError", kind)
	require.JSONEq(t, `{"error_type":"TokenNotFoundInWallet","error_data":{"token_address":"`+w.pictures+`","token_id":"99"}}`, data)
}
