package nft

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft/nfttest"
)

// TestScanAnswers checks answers of a scan with one mistake, with the error that names it, and
// that a valid answer only marks the names in it.
func TestScanAnswers(t *testing.T) {
	names := []string{"a.example", "b.example", "c.example"}
	result := func(value any) nfttest.Answer { return nfttest.JSON(map[string]any{"result": value}) }
	for _, c := range []struct {
		name   string
		answer nfttest.Answer
		want   string // the bad names
		text   string
	}{
		{"none", result(map[string]bool{"a.example": false}), "", ""},
		{"one", result(map[string]bool{"a.example": true, "b.example": false}), "a.example", ""},
		{"all", result(map[string]bool{"a.example": true, "b.example": true, "c.example": true}), "a.example b.example c.example", ""},
		{"in capitals", result(map[string]bool{"A.EXAMPLE": true}), "a.example", ""},
		{"in capitals and not", nfttest.Answer{Body: []byte(`{"result":{"a.example":false,"A.example":true}}`)}, "a.example", ""},
		{"of others", result(map[string]bool{"d.example": true, "": true, "a.example,b.example": true}), "", ""},
		{"empty", result(map[string]bool{}), "", ""},
		{"null for one", result(map[string]any{"a.example": nil, "b.example": true}), "b.example", ""},
		{"more members", nfttest.Answer{Body: []byte(`{"x":[1],"result":{"c.example":true},"z":null}`)}, "c.example", ""},
		{"a content type of text", nfttest.Answer{Type: "text/plain", Body: []byte(`{"result":{"a.example":true}}`)}, "a.example", ""},
		{"no result", nfttest.Answer{Body: []byte(`{"Result2":{}}`)}, "", "the answer has no result"},
		{"a list", result([]string{"a.example"}), "", `member "result" has the wrong type: array`},
		{"a text", result("a.example"), "", `member "result" has the wrong type: string`},
		{"texts as verdicts", result(map[string]string{"a.example": "true"}), "", `has the wrong type: string`},
		{"numbers as verdicts", result(map[string]int{"a.example": 1}), "", `has the wrong type: number`},
		{"a list outside", nfttest.Answer{Body: []byte(`[{"result":{}}]`)}, "", `has the wrong type: array`},
		{"null", nfttest.Answer{Body: []byte(`null`)}, "", "the answer has no result"},
		{"nothing", nfttest.Answer{}, "", "unexpected end of JSON input"},
		{"cut short", nfttest.Answer{Body: []byte(`{"result":{"a.example":true`)}, "", "unexpected end of JSON input"},
		{"twice", nfttest.Answer{Body: []byte(`{"result":{}}{"result":{}}`)}, "", "after top-level value"},
		{"a web page", nfttest.Answer{Type: "text/html", Body: []byte(`{"result":{}}`)}, "", "answers with a document of another kind"},
		{"a redirect", nfttest.Answer{Status: 301, Body: []byte(`{"result":{}}`)}, "", "redirect"},
		{"a status", nfttest.Answer{Status: 403, Body: []byte("no\x00 key")}, "", "HTTP status 403: no  key"},
		{"more than it may", nfttest.Answer{Body: []byte(`{"result":{}}` + strings.Repeat(" ", maxAnswer))}, "", "too large"},
		{"as much as it may", nfttest.Answer{Body: []byte(`{"result":{}}` + strings.Repeat(" ", maxAnswer-13))}, "", ""},
		{"nested deep", nfttest.Answer{Body: []byte(`{"result":{},"x":` + strings.Repeat("[", 33) + strings.Repeat("]", 33) + `}`)}, "", "nested more than 32 levels deep"},
		{"unreachable", nfttest.Answer{Err: fetch.ErrUnreachable}, "", "unreachable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.world.Hook = func(nfttest.Request) (nfttest.Answer, bool) { return c.answer, true }
			for _, scan := range []func() (map[string]bool, error){
				func() (map[string]bool, error) { return b.scanDomains(t.Context(), services().Antispam, names) },
				func() (map[string]bool, error) {
					return b.scanContracts(t.Context(), services().Antispam, Polygon, names)
				},
			} {
				bad, err := scan()
				if c.text != "" {
					require.ErrorContains(t, err, c.text)
					require.ErrorAs(t, err, new(*ScanError))
					require.ErrorIs(t, err, coin.ErrTransport)
					require.Nil(t, bad)
					continue
				}
				require.NoError(t, err)
				want := map[string]bool{}
				for _, name := range strings.Fields(c.want) {
					want[name] = true
				}
				require.Equal(t, want, bad)
			}
		})
	}
}

// TestScansInParts checks that many names are scanned in several requests, each name once, and
// that a request that fails fails the scan.
func TestScansInParts(t *testing.T) {
	for _, n := range []int{0, 1, maxScanned, maxScanned + 1, 3*maxScanned - 1} {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("%d.example", i))
		}
		b := newBench(t)
		b.world.Phishing = map[string]bool{}
		if n > 0 {
			b.world.Phishing[all[0]], b.world.Phishing[all[n-1]] = true, true
		}
		bad, err := b.scanDomains(t.Context(), services().Antispam, all)
		require.NoError(t, err)
		require.Equal(t, b.world.Phishing, bad)
		var scanned []string
		for _, r := range b.world.Requests() {
			var body struct{ Domains string }
			require.NoError(t, json.Unmarshal(r.Body, &body))
			names := strings.Split(body.Domains, ",")
			require.LessOrEqual(t, len(names), maxScanned)
			scanned = append(scanned, names...)
		}
		require.Equal(t, all, scanned)
		require.Len(t, b.world.Requests(), (n+maxScanned-1)/maxScanned)
		if n > maxScanned {
			last := all[n-1]
			b.world.Hook = func(r nfttest.Request) (nfttest.Answer, bool) {
				return nfttest.Answer{Status: 500}, strings.Contains(string(r.Body), last)
			}
			_, err = b.scanDomains(t.Context(), services().Antispam, all)
			require.ErrorAs(t, err, new(*ScanError))
		}
	}
}

// TestNamesOfScans checks that each contract and domain is scanned once for any number of NFTs,
// and that names that a list cannot contain are not scanned.
func TestNamesOfScans(t *testing.T) {
	b := newBench(t)
	odd := func(id, uri string) nfttest.Item {
		return smurf(id).With("metadata", string(nfttest.JSON(map[string]string{"image": uri}).Body))
	}
	b.polygon(t, odd("1", "https://a.example/1"), odd("2", "https://A.EXAMPLE:8443/2"), odd("3", "https://user:p@a.example/3"), odd("4", "https://1.2.3.4/4"),
		odd("5", "https://[2001:db8::1]/5"), odd("6", "ipfs://"+ipfsID), odd("7", "https://b,c.example/7"), odd("8", "https://"+strings.Repeat("x", 254)+"/"),
		odd("9", "https://b.example"), odd("10", "data:image/png,x"), nfttest.NewItem(apes, "1", ERC721, "1"))
	b.world.Moved("POLYGON", wallet, nfttest.NewTransfer(other, "1", ERC721, "1", wallet, smurfs, 5, 1), goodTransfer())
	earlier := len(b.world.Requests())
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	var contracts, domains []string
	for _, r := range b.world.Requests()[earlier:] {
		var body struct{ Addresses, Domains, Network string }
		if json.Unmarshal(r.Body, &body) == nil {
			contracts, domains = append(contracts, body.Addresses), append(domains, body.Domains)
		}
	}
	require.Equal(t, smurfs+","+apes+","+other, strings.Join(contracts, ""), "of transfers too")
	require.ElementsMatch(t, []string{"a.example", "b.example"}, strings.Split(strings.Join(domains, ""), ","))
}

// TestVerdictsStay checks that spam and phishing are marked separately, until a refresh, and
// that a listing does not remove the marks.
func TestVerdictsStay(t *testing.T) {
	b := filledBench(t)
	flags := func(id string) [2]bool {
		n := b.stored(t, smurfs, id)
		return [2]bool{n.Spam, n.Phishing}
	}
	require.Equal(t, [][2]bool{{false, false}, {true, false}, {false, true}}, [][2]bool{flags("1"), flags("2"), flags("4")})
	b.world.Phishing = nil
	b.world.Hold("POLYGON", wallet, smurf("1"), smurf("2"), smurf("4"))
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	require.Equal(t, [][2]bool{{false, false}, {true, false}, {false, true}}, [][2]bool{flags("1"), flags("2"), flags("4")})
	require.NoError(t, b.Refresh(t.Context(), Token{Polygon, smurfs, "2"}, services()))
	require.Equal(t, [2]bool{false, false}, flags("2"), "the indexer says so no more")
	require.NoError(t, b.Refresh(t.Context(), Token{Polygon, smurfs, "4"}, services()))
	require.Equal(t, [2]bool{false, true}, flags("4"))
}
