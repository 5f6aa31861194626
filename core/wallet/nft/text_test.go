package nft

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestHasLink(t *testing.T) {
	for _, name := range strings.Split(`https://x|HTTP://X.COM|visit smurfs.example now|claim.xyz|CLAIM AT EVIL.COM|x.io/claim|www.a.co|mailto:a@b|tg:x|foo:/bar|a.b.example|`+
		"evil.c\u034fom|evil.\ufe0fcom|evil﹒com|claim\u200b.xyz|claim。xyz|claim．xyz|https：//x|evil\u00ad.com|vitalik.eth.limo|vitalik.eth/x|пример.рф|javascript:alert(1)|ipfs:Qm|1.xyz|node.js|(evil.com)|evil.com:80|data:x", "|") {
		require.True(t, hasLink(name), name)
	}
	for _, name := range strings.Split(`|Forest Mushrooms|Dr.Who|No.42|v1.0|1.5|A.I.|U.S.A|e.g. this|vitalik.eth|Re:Zero|12:30|Mr. Smith|...|.com|What?!|a . b|#1|Sub.Zero|Vol.2|http`, "|") {
		require.False(t, hasLink(name), name)
	}
}

func TestMaliciousURI(t *testing.T) {
	for _, uri := range strings.Fields(`https://a.xyz https://a.xyz/5 https://a.gq/ https://a.top https://A.TOP/ https://a.xyz:8080/ https://a.example/5.json?x
		https://a.example/5.png%20 https://a.example/a.jpg?b https://a.example/a.xml% https://a.xyz.b.xyz/`) {
		require.True(t, maliciousURI(uri), uri)
	}
	for _, uri := range strings.Fields(`https://a.example https://a.xyzzy.example/5 https://a.example/5.json https://a.example/5.png https://xyz.example/top x`) {
		require.False(t, maliciousURI(uri), uri)
	}
	require.False(t, maliciousURI(""))
}

func TestInline(t *testing.T) {
	for _, value := range []string{"data:image/svg+xml,<svg/>", "DATA:IMAGE/SVG+XML;base64,x", "data:text/html,x", "data:,x", "data:image/png", "data:x", "data:application/xhtml+xml,x",
		strings.Repeat(" ", 300) + "javascript:x", strings.Repeat("\u200b", 300) + "data:text/html,x", " \n data:text/html,x", "da\tta:text/html,x", "\u200bdata:text/html,x", "javascript:x", "JaVaScRiPt:x", "java\nscript:x", "vbscript:x", "blob:x", "<svg>", "<SVG onload=x>", "<!doctype html>",
		"<?xml version=1?>", "<html>", "</x>", "<b>bold</b>", "text <script>x</script>", "text <svg/onload=x>", "x<iframe src=y>"} {
		require.True(t, hasActiveContent(value), value)
	}
	for _, value := range []string{"", "text", "https://a.example/x.svg", "data:image/png;base64,x", "data:image/jpeg,x", "data:application/json;base64,x", "3 < 4", "<3", "< b", "I <3 you", "a <b>", "database: x", "ipfs://x"} {
		require.False(t, hasActiveContent(value), value)
	}
}

func TestScrub(t *testing.T) {
	require.Equal(t, `{"a": "`+removed+`" ,"<svg>":[ "b",{"c":"`+removed+`"},1.50,12345678901234567890], "d":"x\u003cy"}`,
		scrub(`{"a": "data:image\/svg+xml,x" ,"<svg>":[ "b",{"c":"\u003csvg>"},1.50,12345678901234567890], "d":"x\u003cy"}`), "the rest stays as it is written")
	require.Equal(t, `"`+removed+`"`, scrub(`"<svg>"`))
	require.Equal(t, `{}`, scrub(`{}`))
}

func TestCleanJSON(t *testing.T) {
	require.Equal(t, `{"a":"b"}`, cleanJSON(`{"a":"b"}`))
	require.Equal(t, "{\"a\":\"\ufffd\"}", cleanJSON("{\"a\":\"\xff\"}"))
	for _, raw := range []string{"", "x", "{", `{"a":`, "<svg>", strings.Repeat("[", 40) + strings.Repeat("]", 40), `"` + strings.Repeat("x", maxJSON) + `"`, `"` + strings.Repeat("x", 5<<20) + `"`} {
		require.Empty(t, cleanJSON(raw))
	}
	art := `{"name":"x","image":"data:image/svg+xml;base64,` + strings.Repeat("x", 1<<20) + `"}`
	require.Equal(t, `{"name":"x","image":"`+removed+`"}`, cleanJSON(art), "a picture that is no picture does not cost the rest")
}

func TestUint256(t *testing.T) {
	const maxUint256 = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	for text, want := range map[string]string{"0": "0", "000": "0", "5": "5", "007": "7", maxUint256: maxUint256, "00" + maxUint256: maxUint256} {
		got, ok := ParseUint256(text)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "-1", "+1", "1.0", "0x5", "1e3", " 1", "١", "115792089237316195423570985008687907853269984665640564039457584007913129639936",
		strings.Repeat("9", 78), "1" + strings.Repeat("0", 78)} {
		_, ok := ParseUint256(text)
		require.False(t, ok, text)
	}
}

func TestURIs(t *testing.T) {
	const v0, v1 = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG", "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"
	for uri, want := range map[string]string{
		"ipfs://" + v0: v0, "ipfs://ipfs/" + v1 + "/a": v1 + "/a", "/ipfs/" + v0: v0, "ipfs/" + v0 + "/1.json": v0 + "/1.json", v1: v1, v0 + "/x": v0 + "/x",
		"https://gateway.example/ipfs/" + v0 + "/a%20b?x=y#z": v0 + "/a%20b", "ipfs://" + v0 + "/a b%23": v0 + "/a%20b%23", "ipfs://" + v0 + "/100%": v0 + "/100%25",
	} {
		path, is := ipfsPath(uri)
		require.True(t, is, uri)
		require.Equal(t, want, path, uri)
	}
	for _, uri := range []string{"", "ipfs://", "ipfs://short/x", "https://a.example/x", "ipfs://" + v0 + "/../../api/v0/config", "ipfs://" + v0 + "/%2e%2e/x", "https://a.example/x/ipfs/" + v0,
		"ipfs://" + strings.Repeat("a", 200), "ipfs://" + v0[:45] + "@", "http://%zz/ipfs/" + v0} {
		_, is := ipfsPath(uri)
		require.False(t, is, uri)
	}
	s := Settings{Gateways: []string{}}
	require.Empty(t, s.places("ipfs://"+v0), "without gateways there are no requests")
	require.Equal(t, "ipfs://"+v0, s.web("ipfs://"+v0))
	require.Equal(t, "https://ipfs.moralis.io:2053/ipfs/"+v1, s.canonical("https://ipfs.moralis.io:2053/ipfs/"+v1))
	require.Equal(t, "https://ipfs.io/ipfs/"+v1, Settings{}.canonical("https://ipfs.moralis.io:2053/ipfs/"+v1))
	for _, gateway := range DefaultGateways() {
		require.True(t, strings.HasPrefix(gateway, "https://") && strings.HasSuffix(gateway, "/ipfs/"))
	}
	for uri, want := range map[string]string{"https://A.example:80/x": "a.example", "http://1.2.3.4/": "", "http://[::1]/": "", "ipfs://x": "", "": "", "https://": "", "https://a%2cb/": "", "http://%zz": ""} {
		require.Equal(t, want, domainOf(uri), uri)
	}
}

// FuzzRewrite checks that the rest of a rewritten text is unchanged, and that the result is
// valid JSON.
func FuzzRewrite(f *testing.F) {
	for _, seed := range []string{`{"name":"a","b":[{"name":"c\"\\"}]}`, `"x"`, `[]`, `{"a" : "b" , "c":1}`, `{"\"":"<svg>"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !json.Valid([]byte(raw)) {
			return
		}
		require.Equal(t, raw, rewrite(raw, func(_ int, _, value string) string { return value }))
		var n int
		out := rewrite(raw, func(depth int, _, value string) string { n++; return value + "!" })
		require.True(t, json.Valid([]byte(out)), out)
		require.Equal(t, scrub(raw), scrub(scrub(raw)))
	})
}

// FuzzReadItem checks that the fields of an item are valid and limited in size, for any answer
// of an indexer.
func FuzzReadItem(f *testing.F) {
	f.Add([]byte(`{"token_address":"0x48c75fbf0452fa8ff2928ddf46b0fe7629cca2ff","token_id":"5","contract_type":"ERC1155","amount":"1","name":"x","metadata":"{\"name\":\"y\"}","token_uri":"ipfs://x"}`))
	f.Add([]byte(`{"token_address":"0x48c75fbf0452fa8ff2928ddf46b0fe7629cca2ff","token_id":5,"contract_type":"ERC721","metadata":{"image":"data:image/svg+xml,x"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		n, err := Settings{}.readItem(Polygon, raw, NFT{})
		if err != nil {
			return
		}
		_, ok := ParseUint256(n.ID)
		require.True(t, ok)
		_, ok = ParseAddress(n.Address)
		require.True(t, ok)
		require.Contains(t, []string{ERC721, ERC1155}, n.Type)
		require.LessOrEqual(t, len(n.Name), maxName)
		require.LessOrEqual(t, len(n.Metadata), maxJSON)
		require.True(t, n.Metadata == "" || json.Valid([]byte(n.Metadata)))
		require.True(t, utf8.ValidString(n.Name+n.Symbol+n.Metadata+n.URI+n.Meta.Name+n.Meta.ImageURL))
		require.Equal(t, n.Metadata, scrub(n.Metadata))
		for _, p := range (Settings{}).places(n.URI) {
			require.False(t, p.private)
		}
		stored, err := json.Marshal(n)
		require.NoError(t, err)
		var back NFT
		require.NoError(t, json.Unmarshal(stored, &back))
		require.Equal(t, n, back)
	})
}

// FuzzReadPage checks that no answer causes a panic.
func FuzzReadPage(f *testing.F) {
	f.Add([]byte(`{"result":[{}],"cursor":"x"}`))
	f.Add([]byte(`{"message":"x"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := readPage(body)
		if err == nil {
			require.True(t, json.Valid(body))
			p.each(func(raw json.RawMessage) { require.True(t, json.Valid(raw)) })
		}
		_, _ = readTransfer(Polygon, wallet, body)
		readMeta(body)
	})
}

// TestDomainsAsBrowsersReadThem checks URLs that browsers open at evil.example, which the scan
// for phishing must therefore find.
func TestDomainsAsBrowsersReadThem(t *testing.T) {
	for _, uri := range []string{`https:\\evil.example/x`, "https:/evil.example", "https:evil.example", "https:///evil.example/", "//evil.example/x", `\/evil.example`,
		"https://ev\til.example/", "https://evil.example\n/", " \x01https://evil.example", "\u200bhttps://evil.example", "https://%65vil.example/", "https://evil.example./x",
		"https://evil。example/", "https://ｅｖｉｌ．ｅｘａｍｐｌｅ/", "https://ev\u00adil.example", "https://ev\u200bil.example", `https://evil.example\@good.example/`,
		"https://good.example@evil.example:443/", "https://a@b@evil.example", "HTTPS://EVIL.example:99999", "https://evil.example?x", "https://evil.example#x"} {
		require.Equal(t, "evil.example", domainOf(uri), uri)
	}
	for _, uri := range []string{"", "evil.example", "/evil.example", "ipfs://evil.example", "mailto:a@evil.example", "https://", "https:", "https://a b/", "https://[::1]/", "https://1.2.3.4/"} {
		require.Empty(t, domainOf(uri), uri)
	}
}
