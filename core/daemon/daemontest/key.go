package daemontest

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"obverse/core/chain/chaintest"
)

// testKeys is the number of the test keys K1 to K3.
const testKeys = 3

// keysOf returns the number of the test key that the node had in each session, or 0 for none.
// It uses the start options, the answers, or the name of the session, and otherwise assumes K1.
func keysOf(t testing.TB, exchanges []Exchange) map[string]int {
	t.Helper()
	keys := map[string]int{}
	for _, x := range exchanges {
		if _, known := keys[x.Session]; !known {
			keys[x.Session] = namedKey(x.Session)
		}
	}
	for _, x := range exchanges {
		if n, found := keyInAnswer(t, x); found {
			keys[x.Session] = n
		}
	}
	return keys
}

var keyInName = regexp.MustCompile(`\bK([1-3])\b`)

func namedKey(session string) int {
	if strings.HasPrefix(session, "A:") {
		return 0
	}
	if found := keyInName.FindStringSubmatch(session); found != nil {
		return int(found[1][0] - '0')
	}
	return 1
}

// keyInAnswer derives the key from a start flag, from getinfo's pubkey or from the address of
// tokenaddress.
func keyInAnswer(t testing.TB, x Exchange) (n int, found bool) {
	for n := 1; n <= testKeys; n++ {
		key := chaintest.Key(t, n)
		pub := key.PublicKey()
		for _, flag := range x.Flags {
			if flag == "-pubkey="+hex.EncodeToString(pub[:]) {
				return n, true
			}
		}
		for _, mark := range []string{fmt.Sprintf(`"pubkey":"%x","CCid"`, pub), fmt.Sprintf(`"myaddress":"%v"`, key.Address().Text())} {
			if strings.Contains(x.Response.Body, mark) {
				return n, true
			}
		}
	}
	return 0, false
}
