package nft

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/store"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft/nfttest"
)

const (
	smurfURI   = "https://smurfs.example/metadata/5"
	smurfImage = "https://images.example/5.jpg"
	smurfMeta  = `{"name":"Forest Mushrooms","description":"Sweet","image":"https://images.example/5.jpg","animation_url":null,"external_url":"https://app.example/5","attributes":[{"trait_type":"Type","value":"Ingredient"}]}`
	smurfIndex = `{"name":"Forest","image":"https://old.example/5.jpg","image_details":{"bytes":12345678901234567890,"width":1.0}}`
)

var five = Token{Polygon, smurfs, "5"}

// described returns a bench with an NFT with its metadata on another server, another NFT of the
// same contract, one of the same domain, and transfers of each.
func described(t *testing.T) *bench {
	b := newBench(t)
	b.world.Documents = map[string]nfttest.Answer{smurfURI: {Type: "text/plain", Body: []byte(smurfMeta)}}
	item := smurf("5").With("token_uri", smurfURI)
	b.polygon(t, item, smurf("6"), nfttest.NewItem(apes, "1", ERC721, "1").With("metadata", `{"image":"https://images.example/1.jpg"}`))
	b.world.Moved("POLYGON", wallet, nfttest.NewTransfer(smurfs, "5", ERC1155, "1", other, wallet, 100, 1),
		nfttest.NewTransfer(smurfs, "5", ERC1155, "1", wallet, wallet, 101, 2), nfttest.NewTransfer(smurfs, "6", ERC1155, "1", other, wallet, 102, 3),
		nfttest.NewTransfer(apes, "1", ERC721, "1", other, wallet, 103, 4))
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	b.world.Hold("POLYGON", wallet, item.With("name", "Smurfs", "symbol", "SMF", "metadata", smurfIndex, "amount", "9", "owner_of", other,
		"block_number", "1", "last_metadata_sync", "2024-01-01T00:00:00.000Z"), smurf("6"), nfttest.NewItem(apes, "1", ERC721, "1"))
	return b
}

func (b *bench) transfersOf(t *testing.T) []Transfer {
	l, err := b.Transfers(t.Context(), TransferQuery{Query: Query{Chains: []Chain{Polygon}, Max: true}})
	require.NoError(t, err)
	return l.Transfers
}

func TestRefresh(t *testing.T) {
	b := described(t)
	before, earlier := b.stored(t, smurfs, "5"), len(b.world.Paths())
	require.NoError(t, b.Refresh(t.Context(), five, services()))
	want := before
	want.Name, want.Symbol, want.Metadata, want.MetaSync = "Smurfs", "SMF", smurfIndex, "2024-01-01T00:00:00.000Z"
	want.Meta = Meta{Image: smurfImage, ImageURL: smurfImage, ImageDomain: "images.example", Name: "Forest Mushrooms", Description: "Sweet",
		Attributes: `[{"trait_type":"Type","value":"Ingredient"}]`, ExternalURL: "https://app.example/5", ExternalDomain: "app.example",
		ImageDetails: `{"bytes":12345678901234567890,"width":1.0}`}
	require.Equal(t, want, b.stored(t, smurfs, "5"), "amount, owner and block do not change")
	require.Equal(t, []string{
		"GET /api/v2/nft/" + smurfs + "/5?chain=POLYGON&format=decimal",
		"GET /url/decode/" + hex.EncodeToString([]byte(smurfURI)),
		"POST /api/blocklist/contract/scan",
		"POST /api/blocklist/domain/scan",
	}, b.world.Paths()[earlier:])
	requests := b.world.Requests()[earlier:]
	require.Equal(t, `{"network":"POLYGON","addresses":"`+smurfs+`"}`, string(requests[2].Body))
	require.Equal(t, `{"domains":"smurfs.example,images.example,app.example"}`, string(requests[3].Body))
	require.Equal(t, "application/json", requests[2].Header["Content-Type"])
	for _, m := range b.transfersOf(t) {
		if m.Token == five {
			require.Equal(t, []string{"Smurfs", smurfURI, "smurfs.example", smurfImage, "images.example", "Forest Mushrooms"},
				[]string{m.Name, m.URI, m.Domain, m.ImageURL, m.ImageDomain, m.TokenName})
		} else {
			require.NotEqual(t, "Smurfs", m.Name)
		}
	}
}

func TestRefreshFindsSpam(t *testing.T) {
	flags := func(t *testing.T, b *bench) (spam, phishing []string) {
		l, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
		require.NoError(t, err)
		note := func(name string, s, p bool) {
			if s {
				spam = append(spam, name)
			}
			if p {
				phishing = append(phishing, name)
			}
		}
		for _, n := range l.NFTs {
			note(n.Address[:4]+n.ID, n.Spam, n.Phishing)
		}
		for _, m := range b.transfersOf(t) {
			note("moved "+m.Address[:4]+m.ID, m.Spam, m.Phishing)
		}
		return spam, phishing
	}
	all := func(names ...string) []string { return names }
	t.Run("a bad contract", func(t *testing.T) {
		b := described(t)
		b.world.Spam = map[string]bool{smurfs: true}
		require.NoError(t, b.Refresh(t.Context(), five, services()))
		spam, phishing := flags(t, b)
		require.ElementsMatch(t, all("0x485", "0x486", "moved 0x485", "moved 0x485", "moved 0x486"), spam, "all of the contract")
		require.Empty(t, phishing)
	})
	t.Run("a bad domain", func(t *testing.T) {
		b := described(t)
		b.world.Phishing = map[string]bool{"images.example": true}
		b.world.Hold("POLYGON", wallet, smurf("5").With("token_uri", smurfURI))
		require.NoError(t, b.Refresh(t.Context(), five, services()))
		spam, phishing := flags(t, b)
		require.Empty(t, spam)
		require.ElementsMatch(t, all("0x485", "0xd21", "moved 0x485", "moved 0x485", "moved 0xd21"), phishing, "all of the domain")
		earlier := len(b.world.Paths())
		require.NoError(t, b.Refresh(t.Context(), five, services()))
		require.Len(t, b.world.Paths()[earlier:], 2, "the document is not read again: the indexer, and the contract's scan")
	})
	for name, item := range map[string]nfttest.Item{
		"the indexer says so":         smurf("5").With("possible_spam", "true", "token_uri", smurfURI),
		"a domain that costs nothing": smurf("5").With("token_uri", "https://free.xyz/5"),
		"a file with a query":         smurf("5").With("token_uri", "https://smurfs.example/5.json?1"),
		"a link as a name":            smurf("5").With("name", "Claim at smurfs.example", "token_uri", smurfURI),
		"a link in the metadata":      smurf("5").With("metadata", `{"name":"https://smurfs.example"}`),
	} {
		t.Run(name, func(t *testing.T) {
			b := described(t)
			b.world.Hold("POLYGON", wallet, item)
			earlier := len(b.world.Paths())
			require.NoError(t, b.Refresh(t.Context(), five, services()))
			spam, _ := flags(t, b)
			require.ElementsMatch(t, all("0x485", "moved 0x485", "moved 0x485"), spam, "that one alone")
			for _, path := range b.world.Paths()[earlier:] {
				require.NotContains(t, path, "/url/decode/", "where spam leads is not read")
				require.NotContains(t, path, "contract", "and its contract not scanned")
			}
			b.world.Hold("POLYGON", wallet, smurf("5"))
			require.NoError(t, b.Refresh(t.Context(), five, services()))
			spam, _ = flags(t, b)
			require.Empty(t, spam, "an indexer may change its mind")
		})
	}
	t.Run("a link in what its URI says", func(t *testing.T) {
		b := described(t)
		b.world.Documents[smurfURI] = nfttest.Answer{Body: []byte(`{"name":"go to www.smurfs.example"}`)}
		require.NoError(t, b.Refresh(t.Context(), five, services()))
		require.True(t, b.stored(t, smurfs, "5").Spam)
		displayed, err := b.Get(t.Context(), five, true)
		require.NoError(t, err)
		require.Equal(t, redacted, displayed.Meta.Name)
	})
}

// TestRefreshFailures checks that a failure of any server changes nothing.
func TestRefreshFailures(t *testing.T) {
	at := func(part string, a nfttest.Answer) func(nfttest.Request) (nfttest.Answer, bool) {
		return func(r nfttest.Request) (nfttest.Answer, bool) { return a, strings.Contains(r.URL, part) }
	}
	const indexer, contracts, domains = "/api/v2/nft/", "/contract/scan", "/domain/scan"
	for _, c := range []struct {
		name, at string
		answer   nfttest.Answer
		scan     bool
		text     string
	}{
		{"the indexer is down", indexer, nfttest.Answer{Err: fetch.ErrUnreachable}, false, "https://indexer.example/api/v2/nft/…/5: unreachable"},
		{"the indexer fails", indexer, nfttest.Answer{Status: 500}, false, "500"},
		{"the indexer does not know it", indexer, nfttest.Answer{Status: 404}, false, "404"},
		{"invalid JSON of the indexer", indexer, nfttest.Answer{Body: []byte("{")}, false, "cannot be used"},
		{"another token of the indexer", indexer, nfttest.JSON(smurf("6")), false, `invalid token "` + smurfs + `,6"`},
		{"the indexer nests deep", indexer, nfttest.Answer{Body: []byte(strings.Repeat("[", 100))}, false, "nested"},
		{"the indexer sends elsewhere", indexer, nfttest.Answer{Status: 302}, false, "redirect"},
		{"the indexer answers with 50 MB", indexer, nfttest.Answer{Body: make([]byte, 50<<20)}, false, "too large"},
		{"no scan of contracts", contracts, nfttest.Answer{Status: 502}, true, "502"},
		{"a scan of contracts without a result", contracts, nfttest.Answer{Body: []byte(`{"result":null}`)}, true, "the answer has no result"},
		{"a scan of contracts that is empty", contracts, nfttest.Answer{Body: []byte(`{}`)}, true, "the answer has no result"},
		{"a scan of contracts that is rubbish", contracts, nfttest.Answer{Body: []byte(`{"result":{"x":1}}`)}, true, "cannot be used"},
		{"no scan of domains", domains, nfttest.Answer{Err: fetch.ErrTimeout}, true, "https://antispam.example/api/blocklist/domain/scan: timed out"},
		{"a large scan of domains", domains, nfttest.Answer{Body: make([]byte, 2<<20)}, true, "too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := described(t)
			b.world.Spam = map[string]bool{smurfs: true}
			b.world.Hook = at(c.at, c.answer)
			before, moved := b.stored(t, smurfs, "5"), b.transfersOf(t)
			err := b.Refresh(t.Context(), five, services())
			require.ErrorIs(t, err, coin.ErrTransport)
			require.ErrorContains(t, err, c.text)
			require.Equal(t, c.scan, errors.As(err, new(*ScanError)))
			require.Equal(t, before, b.stored(t, smurfs, "5"))
			require.Equal(t, moved, b.transfersOf(t))
		})
	}
	t.Run("not in the wallet", func(t *testing.T) {
		b := described(t)
		earlier := len(b.world.Paths())
		for _, absent := range []Token{{Polygon, smurfs, "7"}, {Polygon, apes, "5"}, {ETH, smurfs, "5"}} {
			err := b.Refresh(t.Context(), absent, services())
			var missing *NotFoundError
			require.ErrorAs(t, err, &missing)
			require.EqualError(t, missing, "NFT "+absent.ID+" of contract "+absent.Address+" is not in the wallet")
		}
		require.Len(t, b.world.Paths(), earlier, "no request")
	})
	t.Run("given up", func(t *testing.T) {
		b := described(t)
		ctx, cancel := context.WithCancel(t.Context())
		b.world.Hook = func(nfttest.Request) (nfttest.Answer, bool) {
			cancel()
			return nfttest.Answer{Err: context.Canceled}, true
		}
		err := b.Refresh(ctx, five, services())
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, coin.ErrTransport)
	})
	t.Run("sent away meanwhile", func(t *testing.T) {
		b := described(t)
		gone := sync.OnceFunc(func() {
			require.NoError(t, b.records.replace(t.Context(), &listUpdate{chain: Polygon, wallet: wallet}))
		})
		b.world.Hook = func(r nfttest.Request) (nfttest.Answer, bool) {
			if strings.Contains(r.URL, "/domain/scan") {
				gone()
			}
			return nfttest.Answer{}, false
		}
		require.ErrorAs(t, b.Refresh(t.Context(), five, services()), new(*NotFoundError))
	})
	t.Run("the disk is full", func(t *testing.T) {
		b := described(t)
		b.records.kv = fullStore{b.kv}
		require.ErrorAs(t, b.Refresh(t.Context(), five, services()), new(*StoreError))
	})
}

// fullStore is a store that rejects all writes.
type fullStore struct{ store.KV }

func (fullStore) Stage(context.Context, store.Batch) (store.Durable, error) {
	return nil, store.ErrFailed
}

// TestRefreshKeepsWhatItKnows checks that members remain unchanged if no server answers or the
// indexer omits them.
func TestRefreshKeepsWhatItKnows(t *testing.T) {
	b := described(t)
	require.NoError(t, b.Refresh(t.Context(), five, services()))
	known := b.stored(t, smurfs, "5")
	delete(b.world.Documents, smurfURI)
	item := smurf("5").With("token_uri", smurfURI, "contract_type", nil, "amount", nil)
	b.world.Hold("POLYGON", wallet, item)
	require.NoError(t, b.Refresh(t.Context(), five, services()))
	now := b.stored(t, smurfs, "5")
	require.Equal(t, known.Meta, now.Meta)
	require.Equal(t, known.Type, now.Type)
	require.Equal(t, known.Amount, now.Amount)
	require.Empty(t, now.Metadata, "which the indexer has no more")

	done, err := b.list(t.Context(), Server{URL: indexerURL}, Polygon, wallet)
	require.NoError(t, err)
	require.Equal(t, 1, done.skipped)
	b.world.Hold("POLYGON", wallet, smurf("5"))
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	require.Equal(t, known.Meta, b.stored(t, smurfs, "5").Meta, "a new list keeps it too")
}

// TestRefreshReadsURIs checks that the target of a URI determines which server reads it.
func TestRefreshReadsURIs(t *testing.T) {
	const id = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"
	camo := func(url string) string { return antispamURL + "/url/decode/" + hex.EncodeToString([]byte(url)) }
	named := func(name string) nfttest.Answer { return nfttest.JSON(map[string]string{"name": name}) }
	for _, c := range []struct {
		name, uri string
		world     map[string]nfttest.Answer
		requests  []string
		want      string
	}{
		{"http", "http://smurfs.example/5", map[string]nfttest.Answer{"http://smurfs.example/5": named("A")}, []string{camo("http://smurfs.example/5")}, "A"},
		{"not there", "http://smurfs.example/5", nil, []string{camo("http://smurfs.example/5")}, ""},
		{"ipfs", "ipfs://" + id + "/5", map[string]nfttest.Answer{"https://one.example/ipfs/" + id + "/5": named("B")},
			[]string{camo("https://one.example/ipfs/" + id + "/5")}, "B"},
		{"the second gateway", "ipfs://ipfs/" + id + "/a b", map[string]nfttest.Answer{"https://two.example/ipfs/" + id + "/a%20b": named("C"),
			"https://one.example/ipfs/" + id + "/a%20b": {Type: "text/html", Body: []byte(`{"name":"X"}`)}},
			[]string{camo("https://one.example/ipfs/" + id + "/a%20b"), camo("https://two.example/ipfs/" + id + "/a%20b")}, "C"},
		{"the node itself calls a gateway on this machine", id, map[string]nfttest.Answer{"http://127.0.0.1:8080/ipfs/" + id: named("D")},
			[]string{camo("https://one.example/ipfs/" + id), camo("https://two.example/ipfs/" + id), "http://127.0.0.1:8080/ipfs/" + id}, "D"},
		{"the indexer's own gateway", "https://ipfs.moralis.io:2053/ipfs/" + id, map[string]nfttest.Answer{"https://one.example/ipfs/" + id: named("E")},
			[]string{camo("https://one.example/ipfs/" + id)}, "E"},
		{"written into it", `data:application/json;base64,eyJuYW1lIjoiRiJ9`, nil, nil, "F"},
		{"written into it, escaped", `data:application/json,%7B%22name%22:%22G%22%7D`, nil, nil, "G"},
		{"a picture", `data:image/png;base64,eyJuYW1lIjoiRiJ9`, nil, nil, ""},
		{"a web page", `data:text/html,{"name":"H"}`, nil, nil, ""},
		{"this machine", "http://127.0.0.1:8080/5", map[string]nfttest.Answer{"http://127.0.0.1:8080/5": named("X")}, nil, ""},
		{"this machine by name", "http://localhost/5", nil, nil, ""},
		{"a network around", "http://[fd00::1]/5", nil, nil, ""},
		{"a service of clouds", "http://169.254.169.254/latest/meta-data", nil, nil, ""},
		{"an allowed host", "http://meta.lan:81/5", map[string]nfttest.Answer{"http://meta.lan:81/5": named("I")}, []string{"http://meta.lan:81/5"}, "I"},
		{"with a password", "http://a:b@smurfs.example/5", nil, nil, ""},
		{"another scheme", "ftp://smurfs.example/5", nil, nil, ""},
		{"arweave", "ar://abc", map[string]nfttest.Answer{"https://arweave.net/abc": named("J")}, []string{camo("https://arweave.net/abc")}, "J"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.Settings = Settings{PrivateHosts: []string{"META.lan"}, Gateways: []string{"https://one.example/ipfs/", "https://two.example/ipfs", "http://127.0.0.1:8080/ipfs/"}}
			b.world.Documents = c.world
			b.polygon(t, smurf("5").With("token_uri", c.uri))
			earlier := len(b.world.Requests())
			require.NoError(t, b.Refresh(t.Context(), five, services()))
			var got []string
			for _, r := range b.world.Requests()[earlier+1:] {
				if !strings.HasPrefix(r.URL, antispamURL+"/api/") {
					got = append(got, r.URL)
				}
			}
			require.Equal(t, c.requests, got)
			require.Equal(t, c.want, b.stored(t, smurfs, "5").Meta.Name)
		})
	}
}

// TestRefreshOfHostileMetadata checks that metadata of an untrusted server is limited in size,
// and that documents are removed.
func TestRefreshOfHostileMetadata(t *testing.T) {
	for _, c := range []struct {
		name string
		body string
		want Meta
	}{
		{"SVG in it", `{"image":"data:image/svg+xml;base64,PHN2Zz4=","name":"<svg onload=alert(1)>","description":"see <script>x</script>","attributes":[{"value":"data:text/html,x"}]}`,
			Meta{Name: removed, Description: removed, Attributes: `[{"value":"` + removed + `"}]`}},
		{"a picture in it", `{"image":"data:image/png;base64,iVBORw0KGgo="}`, Meta{Image: "data:image/png;base64,iVBORw0KGgo=", ImageURL: "data:image/png;base64,iVBORw0KGgo="}},
		{"a script as a URL", `{"external_url":"java\tscript:alert(1)","animation_url":" JavaScript:x","image":"vbscript:x"}`, Meta{}},
		{"other types", `{"image":{"a":1},"name":5,"description":["x"],"attributes":"text","external_url":7,"image_details":null}`, Meta{Name: "5", Attributes: `"text"`}},
		{"a list", `["x"]`, Meta{}},
		{"HTML", `<html>{"name":"x"}</html>`, Meta{}},
		{"invalid UTF-8", "{\"name\":\"a\xffb\",\"image\":\"https://i.example/\xff\"}", Meta{Name: "a\ufffdb", Image: "https://i.example/\ufffd", ImageURL: "https://i.example/\ufffd", ImageDomain: "i.example"}},
		{"a long name", `{"name":"` + strings.Repeat("é", 1000) + `"}`, Meta{Name: strings.Repeat("é", 256)}},
		{"a name of several lines", `{"name":"a\nb\u0000c"}`, Meta{Name: "a b c"}},
		{"a long URL", `{"image":"https://i.example/` + strings.Repeat("x", maxURI) + `"}`, Meta{}},
		{"many attributes", `{"attributes":["` + strings.Repeat("x", maxJSON) + `"]}`, Meta{}},
		{"nested deep", `{"name":"x","attributes":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, Meta{}},
		{"2 MB", `{"name":"x"}` + strings.Repeat(" ", 2<<20), Meta{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := described(t)
			b.world.Hold("POLYGON", wallet, smurf("5").With("token_uri", smurfURI))
			b.world.Documents[smurfURI] = nfttest.Answer{Body: []byte(c.body)}
			require.NoError(t, b.Refresh(t.Context(), five, services()))
			require.Equal(t, c.want, b.stored(t, smurfs, "5").Meta)
		})
	}
}
