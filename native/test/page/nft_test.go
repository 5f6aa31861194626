package page

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/nft/nfttest"
	"obverse/native/test/anvil"
	"obverse/native/test/contracts"
	"obverse/native/test/indexer"
)

const passphrase = "a passphrase of a page with pictures"

// succeeds calls a method of the node API.
func (c *callee) succeeds(method, params string) string {
	c.t.Helper()
	status, reply := c.do("/rpc", fmt.Appendf(nil, `{"mmrpc":"2.0","userpass":%q,"method":%q,"params":%s}`, rpcPassword, method, params))
	require.Equal(c.t, http.StatusOK, status, "%s: %s", method, reply)
	var answer struct{ Result json.RawMessage }
	require.NoError(c.t, json.Unmarshal(reply, &answer))
	return string(answer.Result)
}

// TestNFTs checks that a page reads NFTs from a real network and from an indexer of its logs,
// across origins.
func TestNFTs(t *testing.T) {
	t.Parallel()
	const maxID = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	const picture = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
	ring, err := key.Open(passphrase, false)
	require.NoError(t, err)
	account, err := address.FromKey(ring.Node().PublicKey())
	require.NoError(t, err)
	network := anvil.Start(t, 137)
	services := indexer.Start(t, network, "POLYGON")
	services.Documents = map[string]nfttest.Answer{
		"https://meta.example/14": {Body: []byte(`{"name":"Lighthouse","image":"` + services.URL + `/14.gif"}`)},
		services.URL + "/14.gif":  {Body: []byte(picture)},
		services.URL + "/15.gif":  {Type: "image/gif", Body: []byte("<svg><script>alert(1)</script></svg>")},
	}
	pictures, things := network.Deploy(contracts.Token721), network.Deploy(contracts.Token1155)
	network.Do(pictures, "mint(address,uint256,string)", account.String(), 14, "https://meta.example/14")
	network.Do(pictures, "mint(address,uint256,string)", account.String(), 15, services.URL+"/15")
	services.Documents[services.URL+"/15"] = nfttest.Answer{Body: []byte(`{"image":"` + services.URL + `/15.gif"}`)}
	id, _ := new(big.Int).SetString(maxID, 10)
	network.Do(things, "mint(address,uint256,uint256,string)", account.String(), id, new(big.Int).Lsh(big.NewInt(1), 70), "")
	pictures, things = strings.ToLower(pictures), strings.ToLower(things)

	b := openBrowser(t)
	c := b.callee(t, map[string]any{"passphrase": passphrase, "nft": map[string]any{"private_hosts": []string{"127.0.0.1"}}})
	enabled := c.succeeds("enable_eth_with_tokens", fmt.Sprintf(`{"ticker":"MATIC","swap_contract_address":"0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80","erc20_tokens_requests":[],
		"nodes":[{"url":%q}],"nft_req":{"provider":{"type":"Indexer","info":{"url":%q,"gateway_proxy":true}}}}`, network.URL, services.URL))
	var chain struct {
		NFTs map[string]struct{ Amount string } `json:"nfts_infos"`
	}
	require.NoError(t, json.Unmarshal([]byte(enabled), &chain))
	require.Equal(t, "1180591620717411303424", chain.NFTs[things+","+maxID].Amount)
	require.Len(t, chain.NFTs, 3)
	params := func(id string) string {
		return fmt.Sprintf(`{"chain":"POLYGON","token_address":%q,"token_id":%q,"url":%q,"url_antispam":%[3]q}`, pictures, id, services.URL)
	}
	require.Equal(t, "null", c.succeeds("refresh_nft_metadata", params("14")))
	require.Contains(t, c.succeeds("get_nft_metadata", params("14")), `"name":"Lighthouse"`)
	require.JSONEq(t, `{"content_type":"image/gif","data":"`+base64.StdEncoding.EncodeToString([]byte(picture))+`"}`, c.succeeds("get_nft_image", params("14")))
	require.Equal(t, "null", c.succeeds("refresh_nft_metadata", params("15")))
	_, reply := c.do("/rpc", fmt.Appendf(nil, `{"mmrpc":"2.0","userpass":%q,"method":"get_nft_image","params":%s}`, rpcPassword, params("15")))
	require.Contains(t, string(reply), "not a PNG, JPEG, GIF, WebP or AVIF picture")
	require.Contains(t, c.succeeds("get_nft_list", `{"chains":["POLYGON"]}`), `"total":3`)
	for _, r := range services.Requests() {
		_, signed := r.Header["X-Auth-Payload"]
		require.Equal(t, strings.HasSuffix(strings.Split(r.URL, "?")[0], "/nft"), signed, "the list alone is asked for through a gateway: %s", r.URL)
	}
}
