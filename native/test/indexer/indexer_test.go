package indexer

import (
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/nft/nfttest"
	"obverse/native/test/anvil"
	"obverse/native/test/contracts"
)

const alice = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

func get(t *testing.T, url string) (page struct {
	Result []nfttest.Item
	Cursor any
}) {
	t.Helper()
	response, err := http.Get(url)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, 200, response.StatusCode, string(body))
	require.NoError(t, json.Unmarshal(body, &page))
	return page
}

// The lists must contain the effects of the contracts.
func TestIndexer(t *testing.T) {
	n := anvil.Start(t, 137)
	s := Start(t, n, "POLYGON")
	s.Documents = map[string]nfttest.Answer{"https://meta.example/1": {Body: []byte(`{"name":"One"}`)}}
	pictures, coins := n.Deploy(contracts.Token721), n.Deploy(contracts.Token1155)
	n.Deploy(contracts.Token20, 6)
	maxID := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
	n.Do(pictures, "mint(address,uint256,string)", anvil.Rich, 1, "https://meta.example/1")
	n.Do(pictures, "mint(address,uint256,string)", anvil.Rich, 2, "https://meta.example/2")
	n.Do(coins, "mint(address,uint256,uint256,string)", anvil.Rich, maxID, new(big.Int).Lsh(big.NewInt(1), 70), "ipfs://x")
	n.Do(pictures, "transferFrom(address,address,uint256)", anvil.Rich, alice, 2)

	rich, other := strings.ToLower(anvil.Rich), strings.ToLower(alice)
	page := get(t, s.URL+"/api/v2/"+rich+"/nft?chain=POLYGON&format=decimal")
	require.Nil(t, page.Cursor)
	require.Len(t, page.Result, 2)
	byKind := map[any]nfttest.Item{}
	for _, item := range page.Result {
		byKind[item["contract_type"]] = item
	}
	one, many := byKind["ERC721"], byKind["ERC1155"]
	require.Equal(t, []any{strings.ToLower(pictures), "1", "1", rich, "Pictures of a test", "T721", "https://meta.example/1", `{"name":"One"}`, "4", "4"},
		[]any{one["token_address"], one["token_id"], one["amount"], one["owner_of"], one["name"], one["symbol"], one["token_uri"], one["metadata"], one["block_number"], one["block_number_minted"]})
	require.Equal(t, []any{maxID.String(), "1180591620717411303424", nil, "ipfs://x"}, []any{many["token_id"], many["amount"], many["name"], many["token_uri"]})
	require.Len(t, get(t, s.URL+"/api/v2/"+other+"/nft?chain=POLYGON&format=decimal").Result, 1)
	require.Empty(t, get(t, s.URL+"/api/v2/"+rich+"/nft?chain=ETH&format=decimal").Result)

	moved := get(t, s.URL+"/api/v2/"+rich+"/nft/transfers?chain=POLYGON&from_block=7")
	require.Len(t, moved.Result, 1)
	require.Equal(t, []any{rich, other, "2"}, []any{moved.Result[0]["from_address"], moved.Result[0]["to_address"], moved.Result[0]["token_id"]})
	require.Len(t, get(t, s.URL+"/api/v2/"+rich+"/nft/transfers?chain=POLYGON&from_block=1").Result, 4)
}
