package nft_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/mmrpctest"
	nftmethods "obverse/core/mmrpc/nft"
	"obverse/core/mmrpc/servertest"
	"obverse/core/mmrpc/wire"
	"obverse/core/net/fetch"
	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft"
	"obverse/core/wallet/nft/nfttest"
)

const (
	nftAntispam = "https://nft.antispam.dragonhound.info"
	nftOwner    = "0xf622a6c52c94b500542e2ae6bcad24c53bc5b6a2"
	nftContract = "0x48c75fbf0452fa8ff2928ddf46b0fe7629cca2ff"
	nftLookUp   = `"url":"` + servertest.NFTIndexer + `","url_antispam":"` + nftAntispam + `"`
	nftFive     = `"chain":"POLYGON","token_address":"` + nftContract + `","token_id":"5"`
	enableNFT   = `{"ticker":"NFT_MATIC","activation_params":{"provider":{"type":"Indexer","info":{"url":"` + servertest.NFTIndexer + `"}}}}`
)

// groundCoin is a coin of an EVM network.
type groundCoin struct {
	servertest.RichCoin
	entry *coin.Entry
}

func (c *groundCoin) Entry() *coin.Entry { return c.entry }

func (c *groundCoin) Address() string { return nftOwner }

func (c *groundCoin) Policy() key.Policy { return key.ContextPrivKey{} }

func (c *groundCoin) Height(context.Context) (uint64, error) { return 1 << 40, nil }

// nftBench is a node with NFTs, behind a server.
type nftBench struct {
	*servertest.CoinsBench
	world   *nfttest.Server
	gallery *nft.Gallery
}

// newNFTBench returns a bench on which MATIC and KMD are active.
func newNFTBench(t *testing.T) *nftBench {
	t.Helper()
	user, problems, err := coin.ParseList([]byte(`[{"coin":"KMD","protocol":{"type":"UTXO"}},{"coin":"NFT_KMD","protocol":{"type":"NFT","protocol_data":{"platform":"KMD"}}},
		{"coin":"GLMR","protocol":{"type":"ETH","protocol_data":{"chain_id":1284}}},{"coin":"NFT_GLMR","protocol":{"type":"NFT","protocol_data":{"platform":"GLMR"}}},
		{"coin":"NFT_WOOF","protocol":{"type":"WOOF"}}]`))
	require.NoError(t, err)
	require.Empty(t, problems)
	b := &nftBench{world: &nfttest.Server{}}
	registry := coin.NewRegistry(user)
	b.CoinsBench = servertest.NewCoinsBench(t, func(active *coin.Active) []mmrpc.Area {
		b.gallery = nft.New(nft.Config{Active: active, Registry: registry, Store: lateStore{b}, Fetcher: b.world, Now: time.Now,
			Settings: nft.Settings{PrivateHosts: []string{"images.lan"}}})
		return []mmrpc.Area{activate.EnableNFT{Gallery: b.gallery}, nftmethods.NFTs{Gallery: b.gallery}, activate.Coins{Active: active}}
	})
	for _, ticker := range []string{"MATIC", "KMD", "GLMR"} {
		entry, err := registry.Lookup(ticker)
		require.NoError(t, err)
		b.Add(t, &groundCoin{servertest.RichCoin{BareCoin: servertest.BareCoin{Symbol: ticker}, Held: "1", Fails: nil}, entry})
	}
	return b
}

// lateStore is the store of a bench that does not exist yet when the store is needed.
type lateStore struct{ b *nftBench }

func (s lateStore) Get(ctx context.Context, keys ...string) ([]store.Value, error) {
	return s.b.KV.Get(ctx, keys...)
}

func (s lateStore) Scan(ctx context.Context, prefix, after string, limit int) ([]store.Entry, error) {
	return s.b.KV.Scan(ctx, prefix, after, limit)
}

func (s lateStore) Stage(ctx context.Context, batch store.Batch) (store.Durable, error) {
	return s.b.KV.Stage(ctx, batch)
}

func smurf() nfttest.Item {
	return nfttest.NewItem(nftContract, "5", "ERC1155", "1").With("token_uri", "https://app.thesmurfssociety.com/metadata/5",
		"metadata", `{"name":"Forest Mushrooms","image":"https://images.example/5.jpg","external_url":""}`)
}

// hold activates the NFT network, with NFTs that the wallet owns.
func (b *nftBench) hold(t *testing.T, items ...nfttest.Item) {
	t.Helper()
	b.world.Hold("POLYGON", nftOwner, items...)
	status, reply := b.Ask(t, mmrpctest.Request("enable_nft", enableNFT))
	require.Equal(t, 200, status, reply)
}

func (b *nftBench) result(t *testing.T, method, params string) string {
	t.Helper()
	status, reply := b.Ask(t, mmrpctest.Request(method, params))
	require.Equal(t, 200, status, reply)
	return mmrpctest.Member(t, reply, "result")
}

// TestNFTExamples compares documented calls and their answers byte for byte, except for the
// order of a map's members.
func TestNFTExamples(t *testing.T) {
	file, err := os.ReadFile("../testdata/node-examples.json")
	require.NoError(t, err)
	var examples []struct {
		Method            string
		Request, Response json.RawMessage
	}
	require.NoError(t, json.Unmarshal(file, &examples))
	compared := map[string]int{}
	for _, e := range examples {
		if e.Request == nil || string(e.Request) == "null" || e.Method != "enable_nft" && e.Method != "refresh_nft_metadata" {
			continue
		}
		fails := mmrpctest.TextOf(t, string(e.Response), "error_type")
		compared[e.Method+" "+fails]++
		b := newNFTBench(t)
		b.world.Hold("POLYGON", nftOwner, nfttest.NewItem("0xc28a19e9a663d966cf99532bdb1229df1b0e344b", "1", "ERC1155", "1"),
			nfttest.NewItem("0xd25f13e4ba534ef625c75b84934689194b7bd59e", "14", "ERC721", "1"))
		if e.Method == "refresh_nft_metadata" && fails == "" {
			b.hold(t, smurf())
		}
		params := strings.Replace(mmrpctest.Member(t, string(e.Request), "params"), `"komodo_proxy": true`, `"komodo_proxy": false`, 1) // the bench has no identity
		_, reply := b.Ask(t, mmrpctest.Request(e.Method, params))
		want := strings.Replace(string(e.Response), `"id": null`, `"id": 5`, 1)
		require.JSONEq(t, want, withTrace(t, reply, want))
	}
	require.Equal(t, map[string]int{"enable_nft ": 1, "refresh_nft_metadata ": 1, "refresh_nft_metadata GetNftInfoError": 1}, compared)
}

// withTrace replaces the places in an answer by those of another answer, if it has any.
func withTrace(t *testing.T, reply, from string) string {
	var members, theirs map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(reply), &members))
	require.NoError(t, json.Unmarshal([]byte(from), &theirs))
	for _, name := range []string{"error_path", "error_trace"} {
		if members[name] != nil {
			members[name] = theirs[name]
		}
	}
	out, err := json.Marshal(members)
	require.NoError(t, err)
	return string(out)
}

func TestEnableNFT(t *testing.T) {
	b := newNFTBench(t)
	maxUint256 := "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	b.world.Hold("POLYGON", nftOwner, smurf().With("contract_type", nil), nfttest.NewItem(nftContract, maxUint256, "ERC1155", "18446744073709551617"))
	require.Equal(t, `{"nfts":{"`+nftContract+`,`+maxUint256+`":{"token_address":"`+nftContract+`","token_id":"`+maxUint256+
		`","chain":"POLYGON","contract_type":"ERC1155","amount":"18446744073709551617"}},"platform_coin":"MATIC"}`, b.result(t, "enable_nft", enableNFT))
	require.Contains(t, b.result(t, "get_enabled_coins", `{}`), `{"ticker":"NFT_MATIC"}`)
	require.Contains(t, b.result(t, "disable_coin", `{"coin":"NFT_MATIC"}`), `"coin":"NFT_MATIC"`)
	b.world.Hold("POLYGON", nftOwner)
	for _, params := range []string{strings.Replace(enableNFT, "Indexer", "Moralis", 1),
		strings.Replace(enableNFT, `"url"`, `"komodo_proxy":false,"gateway_proxy":false,"url"`, 1)} {
		require.Equal(t, `{"nfts":{},"platform_coin":"MATIC"}`, b.result(t, "enable_nft", params))
		b.result(t, "disable_coin", `{"coin":"NFT_MATIC"}`)
	}
}

func TestEnableNFTFailures(t *testing.T) {
	const woof = "unknown variant `WOOF`, expected one of "
	as := func(ticker string) string { return strings.Replace(enableNFT, "NFT_MATIC", ticker, 1) }
	info := func(info string) string {
		return `{"ticker":"NFT_MATIC","activation_params":{"provider":{"type":"Indexer","info":` + info + `}}}`
	}
	down := func(nfttest.Request) (nfttest.Answer, bool) {
		return nfttest.Answer{Status: 502, Body: []byte("bad gateway")}, true
	}
	unreadable := "Status code not in 2xx range from " + servertest.NFTIndexer + "/api/v2/…/nft: 502, bad gateway"
	for _, c := range []struct {
		name, params string
		hook         func(nfttest.Request) (nfttest.Answer, bool)
		status       int
		kind, text   string
		data         string // empty if the data are not compared
	}{
		{"platform is not active", as("NFT_ETH"), nil, 400, "PlatformCoinIsNotActivated", "Platform coin ETH is not activated", `"ETH"`},
		{"no such network", as("NFT_TESTTT"), nil, 400, "TokenConfigIsNotFound", "Token NFT_TESTTT config is not found", `"NFT_TESTTT"`},
		{"an unreadable protocol", as("NFT_WOOF"), nil, 500, "TokenProtocolParseError", "Token NFT_WOOF protocol parsing failed: " + woof, ""},
		{"a coin of another kind", as("ATOM"), nil, 400, "UnexpectedTokenProtocol", "Unexpected token protocol {\"type\":\"TENDERMINT\"", ""},
		{"on no EVM network", as("NFT_KMD"), nil, 500, "UnsupportedPlatformCoin", "KMD is not a platform coin for token NFT_KMD",
			`{"platform_coin_ticker":"KMD","token_ticker":"NFT_KMD"}`},
		{"on a chain without an indexer", as("NFT_GLMR"), nil, 500, "InternalError", "The provided string does not correspond to any of the supported blockchain types.", `"The provided string does not correspond to any of the supported blockchain types."`},
		{"the indexer is down", enableNFT, down, 500, "Transport", unreadable, `"` + unreadable + `"`},
		{"another provider", strings.Replace(enableNFT, "Indexer", "Alchemy", 1), nil, 400, "InvalidRequest", "Error parsing request: unknown variant `Alchemy`, expected `Indexer`", ""},
		{"no provider", `{"ticker":"NFT_MATIC","activation_params":{}}`, nil, 400, "InvalidRequest", "Error parsing request: missing field `type`", ""},
		{"null for a provider", `{"ticker":"NFT_MATIC","activation_params":null}`, nil, 400, "InvalidRequest", "Error parsing request: missing field `provider`", ""},
		{"no activation_params", `{"ticker":"NFT_MATIC"}`, nil, 400, "InvalidRequest", "Error parsing request: missing field `activation_params`", ""},
		{"no ticker", `{"activation_params":{}}`, nil, 400, "InvalidRequest", "Error parsing request: missing field `ticker`", ""},
		{"no URL", info(`{}`), nil, 400, "InvalidRequest", "Error parsing request: missing field `url`", ""},
		{"a bad URL", info(`{"url":"ftp://u:s3cret@x"}`), nil, 400, "InvalidRequest", "Error parsing request: not a URL of http or https", ""},
		{"no flag", info(`{"url":"https://x","gateway_proxy":1}`), nil, 400, "InvalidRequest", "Error parsing request: invalid type: integer `1`, expected true or false", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newNFTBench(t)
			b.world.Hook = c.hook
			status, reply := b.Ask(t, mmrpctest.Request("enable_nft", c.params))
			require.Equal(t, c.status, status, reply)
			require.Equal(t, c.kind, mmrpctest.TextMember(t, reply, "error_type"))
			require.True(t, strings.HasPrefix(mmrpctest.TextMember(t, reply, "error"), c.text), reply)
			require.NotContains(t, reply, "s3cret")
			if c.data != "" {
				require.Equal(t, c.data, mmrpctest.Member(t, reply, "error_data"))
			}
			require.Len(t, b.Active.List(), 3, "nothing has changed")
		})
	}
	b := newNFTBench(t)
	b.hold(t)
	status, reply := b.Ask(t, mmrpctest.Request("enable_nft", enableNFT))
	require.Equal(t, 400, status)
	require.Equal(t, mmrpctest.Failed("Token NFT_MATIC is already activated", "activation", "TokenIsAlreadyActivated", `"NFT_MATIC"`, "5"), mmrpctest.Untraced(reply))
}

func TestRefreshNFT(t *testing.T) {
	b := newNFTBench(t)
	b.hold(t, smurf())
	b.world.Hold("POLYGON", nftOwner, smurf().With("name", "Smurfs", "symbol", "SMF"))
	status, reply := b.Ask(t, mmrpctest.Request("refresh_nft_metadata", `{`+nftFive+`,`+nftLookUp+`}`))
	require.Equal(t, 200, status, reply)
	require.Equal(t, `{"mmrpc":"2.0","result":null,"id":5}`, reply)
	small := strings.Replace(strings.Replace(nftFive, "POLYGON", "polygon", 1), "0x48c7", "0X48C7", 1)
	require.Equal(t, "null", b.result(t, "refresh_nft_metadata", `{`+strings.Replace(small, `"5"`, `"005"`, 1)+`,`+nftLookUp+`,"komodo_proxy":false}`))
	require.Equal(t, "Smurfs", mmrpctest.TextMember(t, b.result(t, "get_nft_metadata", `{`+nftFive+`}`), "name"))
}

func TestRefreshNFTFailures(t *testing.T) {
	at := func(part string) func(nfttest.Request) (nfttest.Answer, bool) {
		return func(r nfttest.Request) (nfttest.Answer, bool) {
			return nfttest.Answer{Err: fetch.ErrUnreachable}, strings.Contains(r.URL, part)
		}
	}
	const good = `{` + nftFive + `,` + nftLookUp + `}`
	for _, c := range []struct {
		name, params string
		hook         func(nfttest.Request) (nfttest.Answer, bool)
		status       int
		kind, data   string
	}{
		{"not in the wallet", strings.Replace(good, `"5"`, `"7"`, 1), nil, 500, "GetNftInfoError",
			`{"error_type":"TokenNotFoundInWallet","error_data":{"token_address":"` + nftContract + `","token_id":"7"}}`},
		{"on another chain", strings.Replace(good, "POLYGON", "eth", 1), nil, 500, "GetNftInfoError",
			`{"error_type":"TokenNotFoundInWallet","error_data":{"token_address":"` + nftContract + `","token_id":"5"}}`},
		{"the indexer is down", good, at("moralis"), 500, "Transport", `"` + servertest.NFTIndexer + `/api/v2/nft/…/5: unreachable"`},
		{"the service against spam is down", good, at("/contract/scan"), 500, "UpdateSpamPhishingError",
			`{"error_type":"Transport","error_data":"` + nftAntispam + `/api/blocklist/contract/scan: unreachable"}`},
		{"no such chain", strings.Replace(good, "POLYGON", "Polygon", 1), nil, 400, "InvalidRequest", `"The provided string does not correspond to any of the supported blockchain types."`},
		{"no address", strings.Replace(good, nftContract, "0x5", 1), nil, 400, "InvalidRequest", `"invalid value: string \"0x5\", expected an address: 0x and 40 hexadecimal digits"`},
		{"an id below zero", strings.Replace(good, `"5"`, `"-5"`, 1), nil, 400, "InvalidRequest", `"invalid value: string \"-5\", expected a string with a decimal number of up to 256 bits"`},
		{"an id that is a number", strings.Replace(good, `"5"`, `5`, 1), nil, 400, "InvalidRequest", "\"invalid type: integer `5`, expected a string with a decimal number of up to 256 bits\""},
		{"no URL", `{` + nftFive + `}`, nil, 400, "InvalidRequest", "\"missing field `url`\""},
		{"an invalid URL", strings.Replace(good, nftAntispam, "s3cret", 1), nil, 400, "InvalidRequest", `"not a URL of http or https: unsupported scheme"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newNFTBench(t)
			b.hold(t, smurf())
			before := b.result(t, "get_nft_list", `{"chains":["POLYGON"]}`)
			b.world.Hold("POLYGON", nftOwner, smurf().With("name", "Smurfs"))
			b.world.Hook = c.hook
			status, reply := b.Ask(t, mmrpctest.Request("refresh_nft_metadata", c.params))
			require.Equal(t, c.status, status, reply)
			require.Equal(t, c.kind, mmrpctest.TextMember(t, reply, "error_type"))
			require.Equal(t, c.data, mmrpctest.Member(t, reply, "error_data"))
			require.NotContains(t, reply, "s3cret")
			require.Equal(t, before, b.result(t, "get_nft_list", `{"chains":["POLYGON"]}`), "nothing has changed")
		})
	}
}

func TestNFTList(t *testing.T) {
	b := newNFTBench(t)
	b.hold(t, smurf().With("name", "go to smurfs.example", "token_id", "6", "block_number", "1", "metadata", nil, "token_uri", nil, "block_number_minted", nil,
		"token_hash", nil, "last_metadata_sync", nil, "last_token_uri_sync", nil, "minter_address", nil), smurf())
	const five = `{"chain":"POLYGON","token_address":"` + nftContract + `","token_id":"5","amount":"1","owner_of":"` + nftOwner + `","token_hash":"28f970585fd743b056859a6e41f50a8e",` +
		`"block_number_minted":36781490,"block_number":42491885,"contract_type":"ERC1155","name":null,"symbol":null,"token_uri":"https://app.thesmurfssociety.com/metadata/5",` +
		`"token_domain":"app.thesmurfssociety.com","metadata":"{\"name\":\"Forest Mushrooms\",\"image\":\"https://images.example/5.jpg\",\"external_url\":\"\"}",` +
		`"last_token_uri_sync":"2022-12-13T13:12:50.840Z","last_metadata_sync":"2023-05-15T07:30:04.882Z","minter_address":"ERC1155 tokens don't have a single minter",` +
		`"possible_spam":false,"possible_phishing":false,"uri_meta":{"image":"https://images.example/5.jpg","image_url":"https://images.example/5.jpg","image_domain":"images.example",` +
		`"name":"Forest Mushrooms","description":null,"attributes":null,"animation_url":null,"animation_domain":null,"external_url":null,"external_domain":null,"image_details":null}}`
	six := func(name string) string {
		return `{"chain":"POLYGON","token_address":"` + nftContract + `","token_id":"6","amount":"1","owner_of":"` + nftOwner + `","token_hash":null,` +
			`"block_number_minted":null,"block_number":1,"contract_type":"ERC1155","name":"` + name + `","symbol":null,"token_uri":null,"token_domain":null,"metadata":null,` +
			`"last_token_uri_sync":null,"last_metadata_sync":null,"minter_address":null,"possible_spam":true,"possible_phishing":false,` +
			`"uri_meta":{"image":null,"image_url":null,"image_domain":null,"name":null,"description":null,"attributes":null,"animation_url":null,"animation_domain":null,` +
			`"external_url":null,"external_domain":null,"image_details":null}}`
	}
	open, redacted := six("go to smurfs.example"), six("URL redacted for user protection")
	for params, want := range map[string]string{
		`{"chains":["POLYGON"]}`:                                                                                `{"nfts":[` + five + `,` + open + `],"skipped":0,"total":2}`,
		`{"chains":["polygon","BSC"],"protect_from_spam":true}`:                                                 `{"nfts":[` + five + `,` + redacted + `],"skipped":0,"total":2}`,
		`{"chains":["POLYGON"],"limit":1,"page_number":2}`:                                                      `{"nfts":[` + open + `],"skipped":1,"total":2}`,
		`{"chains":["POLYGON"],"limit":1,"page_number":2,"max":true}`:                                           `{"nfts":[` + five + `,` + open + `],"skipped":0,"total":2}`,
		`{"chains":["POLYGON"],"filters":{"exclude_spam":true}}`:                                                `{"nfts":[` + five + `],"skipped":0,"total":1}`,
		`{"chains":["POLYGON"],"filters":{"exclude_phishing":true},"limit":0}`:                                  `{"nfts":[],"skipped":0,"total":2}`,
		`{"chains":["POLYGON"],"page_number":18446744073709551615,"limit":18446744073709551615,"filters":null}`: `{"nfts":[],"skipped":2,"total":2}`,
		`{"chains":[]}`: `{"nfts":[],"skipped":0,"total":0}`,
	} {
		require.Equal(t, want, b.result(t, "get_nft_list", params), params)
	}
	require.Equal(t, five, b.result(t, "get_nft_metadata", `{`+nftFive+`}`))
	require.Equal(t, redacted, b.result(t, "get_nft_metadata", `{`+strings.Replace(nftFive, `"5"`, `"6"`, 1)+`,"protect_from_spam":true}`))
	for params, kind := range map[string]string{`{}`: "InvalidRequest", `{"chains":"POLYGON"}`: "InvalidRequest", `{"chains":["SOLANA"]}`: "InvalidRequest",
		`{"chains":[],"page_number":0}`: "InvalidRequest", `{"chains":[],"page_number":1.5}`: "InvalidRequest", `{"chains":[],"limit":-1}`: "InvalidRequest",
		`{"chains":[],"filters":{"exclude":true}}`: "InvalidRequest"} {
		status, reply := b.Ask(t, mmrpctest.Request("get_nft_list", params))
		require.Equal(t, 400, status, reply)
		require.Equal(t, kind, mmrpctest.TextMember(t, reply, "error_type"))
	}
	status, reply := b.Ask(t, mmrpctest.Request("get_nft_metadata", `{`+strings.Replace(nftFive, "POLYGON", "BSC", 1)+`}`))
	require.Equal(t, 500, status)
	require.Equal(t, mmrpctest.Failed("Token: token_address "+nftContract+", token_id 5 was not found in wallet", "nft", "TokenNotFoundInWallet",
		`{"token_address":"`+nftContract+`","token_id":"5"}`, "5"), mmrpctest.Untraced(reply))
}

func TestNFTTransfers(t *testing.T) {
	b := newNFTBench(t)
	b.hold(t, smurf())
	b.world.Moved("POLYGON", nftOwner, nfttest.NewTransfer(nftContract, "5", "ERC1155", "1", nftOwner, "0x083c32b38e8050473f6999e22f670d1404235592", 9, 2),
		nfttest.NewTransfer(nftContract, "5", "ERC1155", "2", "0x083c32b38e8050473f6999e22f670d1404235592", nftOwner, 8, 1))
	require.Equal(t, "null", b.result(t, "update_nft", `{"chains":["POLYGON"],`+nftLookUp+`}`))
	one := b.result(t, "get_nft_transfers", `{"chains":["POLYGON"],"max":true,"filters":{"receive":true,"from_date":1678233600,"to_date":1778233600},"protect_from_spam":true}`)
	require.Equal(t, `{"transfer_history":[{"chain":"POLYGON","block_hash":"0x`+strings.Repeat("ab", 32)+`","transaction_hash":"0x`+fmt.Sprintf("%064x", 8)+
		`","transaction_index":3,"log_index":1,"value":"0","transaction_type":"Single","token_address":"`+nftContract+`","token_id":"5","from_address":"0x083c32b38e8050473f6999e22f670d1404235592",`+
		`"to_address":"`+nftOwner+`","amount":"2","verified":1,"operator":null,"possible_spam":false,"block_number":8,"block_timestamp":1684135804,"contract_type":"ERC1155",`+
		`"token_uri":"https://app.thesmurfssociety.com/metadata/5","token_domain":"app.thesmurfssociety.com","collection_name":null,"image_url":"https://images.example/5.jpg",`+
		`"image_domain":"images.example","token_name":"Forest Mushrooms","status":"Receive","possible_phishing":false}],"skipped":0,"total":1}`, one)
	require.Contains(t, b.result(t, "get_nft_transfers", `{"chains":["POLYGON"],"limit":1}`), `"status":"Send"`)
	status, reply := b.Ask(t, mmrpctest.Request("update_nft", `{"chains":["POLYGON","BSC"],`+nftLookUp+`}`))
	require.Equal(t, 404, status)
	require.Equal(t, `{"coin":"NFT_BNB"}`, mmrpctest.Member(t, reply, "error_data"))
}

func TestNFTImage(t *testing.T) {
	b := newNFTBench(t)
	b.hold(t, smurf(), smurf().With("token_id", "6", "metadata", nil), smurf().With("token_id", "7", "possible_spam", true))
	at := func(id string) string { return `{` + strings.Replace(nftFive, `"5"`, `"`+id+`"`, 1) + `}` }
	for id, want := range map[string]struct {
		status int
		kind   string
	}{"5": {500, "Transport"}, "6": {404, "NftHasNoImage"}, "7": {400, "NftMayBeSpam"}, "8": {500, "TokenNotFoundInWallet"}} {
		status, reply := b.Ask(t, mmrpctest.Request("get_nft_image", at(id)))
		require.Equal(t, want.status, status, reply)
		require.Equal(t, want.kind, mmrpctest.TextMember(t, reply, "error_type"))
	}
	b.world.Documents = map[string]nfttest.Answer{"https://images.example/5.jpg": {Body: []byte("GIF89a")}}
	require.Equal(t, `{"content_type":"image/gif","data":"R0lGODlh"}`, b.result(t, "get_nft_image", at("5")))
	require.Contains(t, b.result(t, "get_nft_image", strings.Replace(at("7"), "}", `,"protect_from_spam":false}`, 1)), "image/gif")
}

var errDisk = errors.New("disk full")

// TestNFTStoreFails checks the errors of methods when the store fails.
func TestNFTStoreFails(t *testing.T) {
	b := newNFTBench(t)
	b.hold(t, smurf())
	b.KV = deadStore{b.KV}
	for method, params := range map[string]string{
		"refresh_nft_metadata": `{` + nftFive + `,` + nftLookUp + `}`, "get_nft_list": `{"chains":["POLYGON"]}`, "get_nft_transfers": `{"chains":["BSC"]}`,
		"get_nft_metadata": `{` + nftFive + `}`, "get_nft_image": `{` + nftFive + `}`, "update_nft": `{"chains":["POLYGON"],` + nftLookUp + `}`,
	} {
		status, reply := b.Ask(t, mmrpctest.Request(method, params))
		require.Equal(t, 500, status, method)
		require.Equal(t, "DbError", mmrpctest.TextMember(t, reply, "error_type"), method)
		require.Contains(t, mmrpctest.TextMember(t, reply, "error"), "DB error ")
	}
}

// deadStore is a store that cannot be read.
type deadStore struct{ store.KV }

func (deadStore) Get(context.Context, ...string) ([]store.Value, error) { return nil, errDisk }

func (deadStore) Scan(context.Context, string, string, int) ([]store.Entry, error) {
	return nil, errDisk
}

func TestNFTSchemas(t *testing.T) {
	for _, m := range (nftmethods.NFTs{}).Methods() {
		require.NotEmpty(t, m.Doc.Summary, m.Name)
	}
	require.Equal(t, "null", nftmethods.Nothing{}.JSONSchema().Type)
	require.Len(t, wire.NFTChain("").JSONSchema().Enum, 5)
	require.Len(t, nftmethods.Nullable("").JSONSchema().OneOf, 2)
	require.Equal(t, &rpc.Schema{Type: "integer", Minimum: "1"}, wire.PageNumber(0).JSONSchema())
}

// chainCoin is a coin of an EVM network whose nodes provide logs.
type chainCoin struct{ groundCoin }

func (c *chainCoin) NFTReader() nft.Reader { return c }

func (c *chainCoin) NFTTransfers(_ context.Context, from, to uint64) ([]nft.Transfer, bool, error) {
	return []nft.Transfer{{Token: nft.Token{Address: nftContract, ID: "5"}, Wallet: nftOwner, Type: nft.ERC1155, Amount: "1", From: nftContract, To: nftOwner, Hash: "0x" + strings.Repeat("ab", 32), Block: to}}, false, nil
}

func (c *chainCoin) NFTAmounts(_ context.Context, list []nft.NFT) (amounts []nft.Amount, err error) {
	return slices.Repeat([]nft.Amount{{Number: "3"}}, len(list)), nil
}

func (c *chainCoin) NFTTexts(_ context.Context, list []nft.NFT, _ int) ([]nft.Texts, error) {
	return slices.Repeat([]nft.Texts{{Name: "Smurfs"}}, len(list)), nil
}

func (c *chainCoin) NFTsOf(context.Context, string, int) ([]string, bool, error) {
	return nil, false, nft.ErrNoEnumeration
}

func (c *chainCoin) Height(context.Context) (uint64, error) { return 40, nil }

// TestNFTsOfTheChain checks that the chain is queried if there is no indexer, and that the
// answers have the same form.
func TestNFTsOfTheChain(t *testing.T) {
	b := newNFTBench(t)
	entry, err := b.gallery.Registry.Lookup("ETH")
	require.NoError(t, err)
	b.Add(t, &chainCoin{groundCoin{servertest.RichCoin{BareCoin: servertest.BareCoin{Symbol: "ETH"}, Held: "1", Fails: nil}, entry}})
	require.JSONEq(t, `{"nfts":{"`+nftContract+`,5":{"token_address":"`+nftContract+`","token_id":"5","chain":"ETH","contract_type":"ERC1155","amount":"3"}},"platform_coin":"ETH"}`,
		b.result(t, "enable_nft", `{"ticker":"NFT_ETH","activation_params":{"provider":{"type":"Chain"}}}`))
	require.JSONEq(t, `{"chain":"ETH","provider":"Chain","from_block":0,"to_block":40,"complete":true,"reason":null,"contracts":[]}`, b.result(t, "get_nft_scan", `{"chain":"ETH"}`))
	require.Equal(t, "null", b.result(t, "update_nft", `{"chains":["ETH"]}`))
	require.Equal(t, "null", b.result(t, "refresh_nft_metadata", strings.Replace(`{`+nftFive+`,"fetch_metadata":false}`, "POLYGON", "ETH", 1)))
	require.Contains(t, b.result(t, "get_nft_list", `{"chains":["ETH"]}`), `"name":"Smurfs"`)
	b.hold(t, smurf())
	require.JSONEq(t, `{"chain":"POLYGON","provider":"Indexer","from_block":null,"to_block":null,"complete":false,"reason":null,"contracts":[]}`, b.result(t, "get_nft_scan", `{"chain":"POLYGON"}`))
	for _, c := range []struct{ method, params, says string }{
		{"update_nft", `{"chains":["POLYGON"]}`, "missing field `url`"},
		{"update_nft", `{"chains":["ETH"],"url":"` + servertest.NFTIndexer + `"}`, "missing field `url_antispam`"},
		{"update_nft", `{"chains":["ETH"],"contracts":["` + nftContract + `"]}`, "the contract does not list the NFTs of an address"},
		{"update_nft", `{"chains":["ETH","POLYGON"],"contracts":["` + nftContract + `"]}`, "contracts without their chain"},
		{"update_nft", `{"chains":["ETH"],"contracts":["0x5"]}`, "expected an address"},
		{"update_nft", `{"chains":["ETH"],"contracts":"0x5"}`, "expected a list of at most 20 addresses"},
		{"update_nft", `{"chains":["ETH"],"contracts":["` + strings.Repeat(nftContract+`","`, 20) + nftContract + `"]}`, "more than 20 contracts"},
		{"enable_nft", `{"ticker":"NFT_AVAX","activation_params":{"provider":{"type":"Chain","info":{"contracts":5}}}}`, "expected a list of at most 20 addresses"},
	} {
		status, reply := b.Ask(t, mmrpctest.Request(c.method, c.params))
		require.Equal(t, 400, status, reply)
		require.Equal(t, "InvalidRequest", mmrpctest.TextMember(t, reply, "error_type"))
		require.Contains(t, reply, c.says)
	}
	status, reply := b.Ask(t, mmrpctest.Request("get_nft_scan", `{"chain":"BSC"}`))
	require.Equal(t, 404, status, reply)
}

// TestPolicyOfNFTs checks that the policy of an NFT network must be that of its platform, whose
// NFTs it lists.
func TestPolicyOfNFTs(t *testing.T) {
	for policy, status := range map[string]int{`"ContextPrivKey"`: 200, `{"type":"ContextPrivKey"}`: 200, `null`: 200, `"Trezor"`: 400, `{"type":"WalletConnect","session_topic":"ab"}`: 400,
		`"Iguana"`: 400, `{}`: 400} {
		b := newNFTBench(t)
		b.world.Hold("POLYGON", nftOwner)
		got, reply := b.Ask(t, mmrpctest.Request("enable_nft", strings.Replace(enableNFT, `{"provider"`, `{"priv_key_policy":`+policy+`,"provider"`, 1)))
		require.Equal(t, status, got, reply)
		if status == 400 {
			require.Contains(t, reply, `activation_params.priv_key_policy`)
		}
	}
}
