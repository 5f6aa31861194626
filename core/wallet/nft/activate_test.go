package nft

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/proxyauth"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft/nfttest"
)

func TestActivate(t *testing.T) {
	b := newBench(t)
	maxUint256 := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)).String()
	done := b.polygon(t, smurf("5"), nfttest.NewItem(strings.ToUpper(apes[2:4])+apes[4:], "14", ERC721, "1"), // no address
		nfttest.NewItem("0x"+strings.ToUpper(apes[2:]), "14", ERC721, "1"), nfttest.NewItem(smurfs, maxUint256, ERC1155, "18446744073709551616"),
		nfttest.NewItem(apes, "007", ERC721, "1").With("amount", nil, "owner_of", other))
	require.Equal(t, "MATIC", done.Platform)
	var got []string
	for _, n := range done.NFTs {
		require.Equal(t, Polygon, n.Chain)
		require.Equal(t, wallet, n.Owner, "whatever the indexer says")
		got = append(got, n.Key()+" "+n.Type+" "+n.Amount)
	}
	require.Equal(t, []string{smurfs + ",5 ERC1155 1", apes + ",14 ERC721 1", smurfs + "," + maxUint256 + " ERC1155 18446744073709551616", apes + ",7 ERC721 1"}, got)
	require.Equal(t, []string{"GET /api/v2/" + wallet + "/nft?chain=POLYGON&format=decimal"}, b.world.Paths())
	require.Equal(t, map[string]string{"Accept": "application/json"}, b.world.Requests()[0].Header)
	require.Len(t, b.logged, 1)

	active, err := b.Active.Get("NFT_MATIC")
	require.NoError(t, err)
	n := active.(*Network)
	require.Equal(t, "NFT_MATIC", n.Ticker())
	require.Equal(t, "MATIC", n.Platform())
	require.Equal(t, checksumWallet, n.Address())
	require.Equal(t, "NFT_MATIC", n.Entry().Ticker)
	require.Equal(t, []string{"NFT_MATIC"}, b.Active.Tokens("MATIC"))
	require.Equal(t, maxUint256, b.stored(t, smurfs, maxUint256).ID)
}

func TestActivateFailures(t *testing.T) {
	down := func(nfttest.Request) (nfttest.Answer, bool) {
		return nfttest.Answer{Status: 500, Body: []byte("no\ndisk")}, true
	}
	for _, c := range []struct {
		name, ticker string
		hook         func(nfttest.Request) (nfttest.Answer, bool)
		check        func(*testing.T, error)
	}{
		{"no such coin", "NFT_TESTTT", nil, is(coin.ErrNotConfigured)},
		{"no protocol", "NFT_NONE", nil, as[*coin.ParseError]("NFT_NONE")},
		{"half a protocol", "NFT_WOOF", nil, as[*coin.ParseError]("missing field `protocol_data`")},
		{"a coin of another kind", "IRIS", nil, as[*coin.UnexpectedError]("IRIS has the protocol TENDERMINT")},
		{"the platform itself", "BNB", nil, as[*coin.UnexpectedError]("BNB has the protocol ETH")},
		{"platform is not active", "NFT_ETH", nil, as[*coin.PlatformError]("the platform coin ETH is not activated")},
		{"platform is no EVM network", "NFT_KMD", nil, as[*coin.PlatformKindError]("KMD is not a platform coin for token NFT_KMD")},
		{"platform has no indexer", "NFT_GLMR", nil, is(ErrChain)},
		{"platform without an address", "NFT_BNB", nil, as[*coin.PlatformKindError]("BNB is not a platform coin for token NFT_BNB")},
		{"already active", "NFT_MATIC", nil, is(coin.ErrAlreadyActive)},
		{"the indexer fails", "NFT_AVAX", down, is(coin.ErrNotConfigured)},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.polygon(t, smurf("5"))
			b.world.Hook = c.hook
			for ticker, address := range map[string]string{"GLMR": checksumWallet, "KMD": "RNone"} {
				b.addPlatform(t, ticker, address)
			}
			bnb, err := b.Registry.Lookup("BNB")
			require.NoError(t, err)
			if c.ticker == "NFT_BNB" {
				b.commit(t, &noAddress{bnb})
			}
			before, requests := b.Active.List(), len(b.world.Requests())
			_, err = b.Activate(t.Context(), c.ticker, indexer())
			require.Error(t, err)
			c.check(t, err)
			require.Equal(t, before, b.Active.List(), "nothing has changed")
			require.Len(t, b.world.Requests(), requests, "no request")
		})
	}
}

func is(want error) func(*testing.T, error) {
	return func(t *testing.T, err error) { require.ErrorIs(t, err, want) }
}

func as[E error](text string) func(*testing.T, error) {
	return func(t *testing.T, err error) {
		var want E
		require.ErrorAs(t, err, &want)
		require.ErrorContains(t, want, text)
	}
}

// hooked returns a hook that answers every request with the same answer.
func hooked(a nfttest.Answer) func(nfttest.Request) (nfttest.Answer, bool) {
	return func(nfttest.Request) (nfttest.Answer, bool) { return a, true }
}

// TestActivateWithBadIndexers checks that an activation fails with the reason, and changes
// nothing, if the indexer fails.
func TestActivateWithBadIndexers(t *testing.T) {
	const list = "https://indexer.example/api/v2/…/nft"
	page := func(cursor any, items ...any) nfttest.Answer {
		items = append([]any{}, items...)
		return nfttest.JSON(map[string]any{"cursor": cursor, "result": items})
	}
	endless := 0
	for _, c := range []struct {
		name string
		hook func(nfttest.Request) (nfttest.Answer, bool)
		text string
	}{
		{"fails", hooked(nfttest.Answer{Status: 500, Body: []byte("no\ndisk \x00\xff")}), list + ": HTTP status 500: no disk  \ufffd"},
		{"unauthorized", hooked(nfttest.Answer{Status: 401, Body: []byte(`{"message":"Invalid key"}`)}), `: HTTP status 401: {"message":"Invalid key"}`},
		{"is not there", hooked(nfttest.Answer{Err: fetch.ErrUnreachable}), list + ": unreachable"},
		{"is too slow", hooked(nfttest.Answer{Err: fmt.Errorf("%w: %w", fetch.ErrTimeout, context.DeadlineExceeded)}), list + ": timed out"},
		{"sends elsewhere", hooked(nfttest.Answer{Status: 307, Body: []byte("http://127.0.0.1/")}), list + ": responds with a redirect, which is not followed"},
		{"is a web page", hooked(nfttest.Answer{Type: "Text/HTML; charset=utf-8", Body: []byte("<html>")}), "answers with a document of another kind, Text/HTML"},
		{"answers with 50 MB", hooked(nfttest.Answer{Body: make([]byte, 50<<20)}), list + ": response too large: more than 16777216 bytes"},
		{"answers with no JSON", hooked(nfttest.Answer{Body: []byte("{")}), "cannot be used: unexpected end of JSON input"},
		{"answers with nothing", hooked(nfttest.Answer{}), "cannot be used"},
		{"answers with a list", hooked(nfttest.Answer{Body: []byte(`[1]`)}), "cannot be used: member \"\" has the wrong type: array"},
		{"has no list", hooked(nfttest.Answer{Body: []byte(`{"result":{"a":1}}`)}), "cannot be used: member \"result\" has the wrong type"},
		{"says something else", hooked(nfttest.Answer{Body: []byte(`{"message":"slow down"}`)}), "answer is not a page of a listing: slow down"},
		{"nests deep", hooked(nfttest.Answer{Body: []byte(`{"result":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`)}), "nested more than 32 levels deep"},
		{"nests very deep", hooked(nfttest.Answer{Body: []byte(strings.Repeat("[", 1<<20))}), "nested more than 32 levels deep"},
		{"repeats its cursor", hooked(page("again", smurf("5"))), "pages repeat: a cursor came twice"},
		{"repeats its cursors", func(r nfttest.Request) (nfttest.Answer, bool) {
			return page(map[bool]any{true: "b", false: "a"}[strings.HasSuffix(r.URL, "=a")], smurf("5")), true
		}, "pages repeat: a cursor came twice"},
		{"never ends", func(nfttest.Request) (nfttest.Answer, bool) { endless++; return page(fmt.Sprint(endless)), true }, "more than 1000 pages"},
		{"has a long cursor", hooked(page(strings.Repeat("x", 8<<10+1))), "cursor is longer than 8192 bytes"},
		{"has too many", func(r nfttest.Request) (nfttest.Answer, bool) {
			endless++
			return nfttest.Answer{Body: []byte(fmt.Sprintf(`{"cursor":"%d","result":[%s0]}`, endless, strings.Repeat("0,", 9_999)))}, true
		}, "more than 250000 items"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.addPlatform(t, "MATIC", checksumWallet)
			b.world.Hook = c.hook
			_, err := b.Activate(t.Context(), "NFT_MATIC", Provider{Indexer: Server{URL: indexerURL + "?key=s3cret"}})
			require.ErrorIs(t, err, coin.ErrTransport)
			require.ErrorContains(t, err, c.text)
			require.NotContains(t, err.Error(), "s3cret")
			require.Len(t, b.Active.List(), 1)
			owner, err := b.records.wallet(t.Context(), Polygon)
			require.NoError(t, err)
			require.Empty(t, owner, "nothing is stored")
		})
	}
}

// TestBadItemsAreLeftOut checks that an invalid item does not affect the others.
func TestBadItemsAreLeftOut(t *testing.T) {
	b := newBench(t)
	good := smurf("5")
	done := b.polygon(t, good.With("contract_type", nil), good.With("contract_type", "CRYPTOPUNKS"), good.With("token_address", "0x12"),
		good.With("token_address", nil), good.With("token_id", "0x5"), good.With("token_id", "-1"), good.With("token_id", strings.Repeat("9", 78)),
		good.With("token_id", ""), good.With("amount", "1.5"), good.With("amount", "-1"), good.With("amount", nil), good.With("token_id", []int{5}), good)
	require.Len(t, done.NFTs, 1)
	require.Len(t, b.logged, maxWarnings+1)
	require.Contains(t, b.logged[0], `skipped an invalid NFT of the indexer's list POLYGON invalid contract_type ""`)
	require.Contains(t, b.logged[maxWarnings], "skipped more invalid items of the indexer's list POLYGON")

	b = newBench(t)
	b.addPlatform(t, "MATIC", checksumWallet)
	whole := nfttest.JSON(good).Body
	b.world.Hook = hooked(nfttest.Answer{Body: []byte(`{"result":[5,null,"x",[],{},{"token_address":"\ud800","token_id":"` + "\xff" + `"},` + string(whole) + `]}`)})
	done, err := b.Activate(t.Context(), "NFT_MATIC", indexer())
	require.NoError(t, err)
	require.Len(t, done.NFTs, 1)
}

// TestEmptyLists checks that a listing ends if members or results are missing, as in Komodo
// DeFi Framework.
func TestEmptyLists(t *testing.T) {
	for _, body := range []string{`{}`, `{"result":null,"cursor":"x"}`, `{"result":[]}`, `{"result":[],"cursor":""}`, `{"result":[],"cursor":null}`, `null`} {
		b := newBench(t)
		b.addPlatform(t, "MATIC", checksumWallet)
		b.world.Hook = hooked(nfttest.Answer{Body: []byte(body)})
		done, err := b.Activate(t.Context(), "NFT_MATIC", indexer())
		require.NoError(t, err, body)
		require.Empty(t, done.NFTs)
	}
}

func TestPages(t *testing.T) {
	b := newBench(t)
	b.world.PageSize = 2
	done := b.polygon(t, smurf("1"), smurf("2"), smurf("3"), smurf("2").With("amount", "7"), smurf("5"))
	var got []string
	for _, n := range done.NFTs {
		got = append(got, n.ID+"x"+n.Amount)
	}
	require.Equal(t, []string{"1x1", "2x7", "3x1", "5x1"}, got, "each once, as it came last")
	require.Equal(t, []string{
		"GET /api/v2/" + wallet + "/nft?chain=POLYGON&format=decimal",
		"GET /api/v2/" + wallet + "/nft?chain=POLYGON&format=decimal&cursor=after%2F2%2Bmore%3D",
		"GET /api/v2/" + wallet + "/nft?chain=POLYGON&format=decimal&cursor=after%2F4%2Bmore%3D",
	}, b.world.Paths())
}

// TestRetryAfter checks that a request is repeated later if the service asks for it.
func TestRetryAfter(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		b.addPlatform(t, "MATIC", checksumWallet)
		requests := 0
		b.Fetcher = fetch.Func(func(context.Context, fetch.Request) (fetch.Response, error) {
			requests++
			if requests < maxAttempts {
				return fetch.Response{Status: 429, RetryAfter: "5"}, nil
			}
			return fetch.Response{Status: 200, Body: []byte(`{}`)}, nil
		})
		began := time.Now()
		_, err := b.Activate(t.Context(), "NFT_MATIC", indexer())
		require.NoError(t, err)
		require.Equal(t, 10*time.Second, time.Since(began))
		for _, after := range []string{"3600", "5"} {
			b.Fetcher = fetch.Func(func(context.Context, fetch.Request) (fetch.Response, error) {
				return fetch.Response{Status: 503, RetryAfter: after}, nil
			})
			_, err = b.list(t.Context(), Server{URL: indexerURL}, Polygon, wallet)
			require.ErrorContains(t, err, "503")
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, nil)
		defer cancel()
		_, err = b.list(ctx, Server{URL: indexerURL}, Polygon, wallet)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, coin.ErrTransport, "not a failure of a server")
	})
}

// TestTimeouts checks that services that are slow, or that answer every time just before the
// timeout, are waited for only for a limited time.
func TestTimeouts(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		b.polygon(t, smurf("5"), smurf("6"))
		b.addPlatform(t, "BNB", checksumWallet)
		answers := func(after time.Duration) {
			pages := 0
			b.Fetcher = fetch.Func(func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
				select {
				case <-ctx.Done():
					return fetch.Response{}, fmt.Errorf("%w: %w", fetch.ErrTimeout, ctx.Err())
				case <-time.After(after):
					pages++
					return fetch.Response{Status: 200, Body: fmt.Appendf(nil, `{"result":[],"cursor":"%d"}`, pages)}, nil
				}
			})
		}
		for _, c := range []struct {
			name        string
			after, took time.Duration
			says        string
		}{
			{"never", time.Hour, timeout, "https://indexer.example/api/v2/…/nft: timed out"},
			{"late, and without end", timeout - time.Second, maxListing, "https://indexer.example/api/v2/…/nft: did not answer everything within 2m0s"},
		} {
			answers(c.after)
			began := time.Now()
			_, err := b.Activate(t.Context(), "NFT_BNB", indexer())
			require.ErrorIs(t, err, coin.ErrTransport, c.name)
			require.ErrorContains(t, err, c.says)
			require.Equal(t, c.took, time.Since(began))
		}
		answers(time.Hour)
		began := time.Now()
		require.ErrorIs(t, b.Refresh(t.Context(), five, services()), coin.ErrTransport)
		require.Equal(t, timeout, time.Since(began))
	})
}

func TestServerURLs(t *testing.T) {
	for url, want := range map[string]string{
		"https://a.example":           "https://a.example/api/v2/nft/0x1/2",
		"https://a.example/":          "https://a.example/api/v2/nft/0x1/2",
		"http://a.example:8080/b/c/":  "http://a.example:8080/b/c/api/v2/nft/0x1/2",
		"https://a.example/b%2Fc?k=v": "https://a.example/b%2Fc/api/v2/nft/0x1/2?k=v",
		"https://u:p%20w@a.example#f": "https://a.example/api/v2/nft/0x1/2",
	} {
		base, err := parseServer(url)
		require.NoError(t, err)
		r, err := newBench(t).request(base, false, apiCall{path: []string{"api", "v2", "nft", "0x1", "2"}})
		require.NoError(t, err)
		require.Equal(t, want, r.URL)
		require.Equal(t, strings.Contains(url, "@"), r.Header["Authorization"] == "Basic dTpwIHc=")
	}
	for _, url := range []string{"", "a.example", "ftp://a.example", "https://", "https:///x", "http://a b", "http://u:s3cret@%zz", "javascript:x",
		"https://a.example/" + strings.Repeat("x", 2048)} {
		err := CheckURL(url)
		require.ErrorIs(t, err, ErrURL, url)
		require.NotContains(t, err.Error(), "s3cret")
		_, err = newBench(t).ask(t.Context(), Server{URL: url}, apiCall{})
		require.ErrorIs(t, err, ErrURL, url)
	}
}

// TestGatewayHeader checks the header with the verifier of Komodo DeFi Framework. Without the
// flag the request has no such header.
func TestGatewayHeader(t *testing.T) {
	b := newBench(t)
	b.world.Hold("POLYGON", wallet, smurf("5").With("token_uri", "https://smurfs.example/5"))
	b.addPlatform(t, "MATIC", checksumWallet)
	_, err := b.Activate(t.Context(), "NFT_MATIC", Provider{Indexer: Server{indexerURL, true}})
	require.NoError(t, err)
	token := Token{Polygon, smurfs, "5"}
	require.NoError(t, b.Refresh(t.Context(), token, Services{Indexer: Server{indexerURL, true}, Antispam: Server{antispamURL, true}}))
	signed := b.world.Requests()
	require.Len(t, signed, 5, "list, metadata, its URI, and two scans")
	for _, r := range signed {
		got, err := proxyauth.Verify(r.Header[proxyauth.Header], time.Now(), proxyauth.Lifetime)
		require.NoError(t, err)
		require.Equal(t, newIdentity().PeerID(), got.Peer)
		require.True(t, got.URI == indexerURL+"/" || got.URI == antispamURL+"/", "the base URL, %s", got.URI)
		require.EqualValues(t, len(r.Body), got.BodySize)
	}
	require.NoError(t, b.Refresh(t.Context(), token, services()))
	for _, r := range b.world.Requests()[len(signed):] {
		require.NotContains(t, r.Header, proxyauth.Header)
	}
	b.Identity = nil
	require.ErrorIs(t, b.Refresh(t.Context(), token, Services{Indexer: Server{indexerURL, true}, Antispam: Server{antispamURL, true}}), errNoIdentity)
}

func TestRestore(t *testing.T) {
	kv := bunttest.Memory(t)
	first := openBench(t, kv)
	first.world.Hold("POLYGON", wallet, smurf("5"))
	first.addPlatform(t, "MATIC", checksumWallet)
	_, err := first.Activate(t.Context(), "NFT_MATIC", Provider{Indexer: Server{indexerURL, true}})
	require.NoError(t, err)

	b := openBench(t, kv)
	saved := b.Active.Saved()
	require.Len(t, saved, 2)
	require.JSONEq(t, `{"url":"https://indexer.example","gateway":true}`, string(saved[1].Params))
	require.ErrorAs(t, b.Restore(t.Context(), saved[1]), new(*coin.PlatformError))
	entry, err := b.Registry.Lookup("MATIC")
	require.NoError(t, err)
	_, x, err := b.Active.Restore(t.Context(), "MATIC")
	require.NoError(t, err)
	require.NoError(t, x.Commit(t.Context(), coin.Item{Coin: &fakePlatform{entry: entry, address: checksumWallet}}))
	require.NoError(t, b.Restore(t.Context(), saved[1]))
	require.Empty(t, b.world.Requests(), "no request")
	require.Equal(t, "5", b.stored(t, smurfs, "5").ID)

	b.world.Hold("POLYGON", wallet, smurf("6"))
	_, err = b.Activate(t.Context(), "NFT_MATIC", indexer())
	require.NoError(t, err, "what was only restored may be enabled")
	_, err = b.Activate(t.Context(), "NFT_MATIC", indexer())
	require.ErrorIs(t, err, coin.ErrAlreadyActive)
	_, err = b.Get(t.Context(), Token{Polygon, smurfs, "5"}, false)
	require.ErrorAs(t, err, new(*NotFoundError), "it is gone")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.True(t, errors.Is(b.Restore(ctx, saved[1]), context.Canceled))
}

// TestJoin checks that a platform that is activated with its NFTs passes its address to them.
func TestJoin(t *testing.T) {
	b := newBench(t)
	b.world.Hold("POLYGON", wallet, smurf("5"))
	matic, err := b.Registry.Lookup("MATIC")
	require.NoError(t, err)
	platform := &fakePlatform{entry: matic, address: checksumWallet}
	ticker, err := Ticker("MATIC")
	require.NoError(t, err)
	x, err := b.Active.Begin(t.Context(), "MATIC", ticker)
	require.NoError(t, err)
	item, nfts, err := b.Join(t.Context(), platform, indexer())
	require.NoError(t, err)
	require.Len(t, nfts, 1)
	require.NoError(t, x.Commit(t.Context(), coin.Item{Coin: platform}, item))
	require.Equal(t, "5", b.stored(t, smurfs, "5").ID)

	_, err = Ticker("GLMR")
	require.ErrorIs(t, err, ErrChain)
	for ticker, want := range map[string]func(*testing.T, error){"GLMR": is(ErrChain), "KMD": is(ErrChain)} {
		entry, err := b.Registry.Lookup(ticker)
		require.NoError(t, err)
		_, _, err = b.Join(t.Context(), &fakePlatform{entry: entry, address: checksumWallet}, indexer())
		want(t, err)
	}
	_, _, err = b.Join(t.Context(), &noAddress{matic}, indexer())
	require.ErrorAs(t, err, new(*coin.PlatformKindError))
	b.world.Hook = hooked(nfttest.Answer{Status: 500})
	_, _, err = b.Join(t.Context(), platform, indexer())
	require.ErrorIs(t, err, coin.ErrTransport)

	// When the platform is active with another address, the NFTs are of that address.
	moved := item.Coin.(coin.Token).OnPlatform(&fakePlatform{entry: matic, address: "0x083C32B38e8050473f6999e22f670d1404235592"})
	require.Equal(t, "0x083C32B38e8050473f6999e22f670d1404235592", moved.(*Network).Address())
	require.Equal(t, other, moved.(*Network).wallet)
	require.Equal(t, item.Coin, moved.OnPlatform(&noAddress{matic}).OnPlatform(platform))
}

func TestChains(t *testing.T) {
	for _, c := range Chains() {
		for _, name := range []string{string(c), strings.ToLower(string(c))} {
			got, err := ParseChain(name)
			require.NoError(t, err)
			require.Equal(t, c, got)
		}
		platform := strings.TrimPrefix(c.Ticker(), "NFT_")
		got, err := chainOf(platform)
		require.NoError(t, err)
		require.Equal(t, c, got)
	}
	for _, name := range []string{"", "Polygon", "MATIC", "SOLANA", "POLYGON "} {
		_, err := ParseChain(name)
		require.ErrorIs(t, err, ErrChain, name)
	}
	require.Equal(t, "NFT_MATIC", Polygon.Ticker())
	require.Empty(t, Chain("x").Ticker())
}
