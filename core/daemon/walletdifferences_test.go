package daemon_test

import (
	"slices"
	"strings"
)

// walletDifference is a reason why the node's response to calls differs from komodod's.
// native/docs/differences.md documents the reasons.
type walletDifference struct {
	reason string
	calls  string // session and numbers; * stands for all
}

// walletDifferences lists all recorded calls with another response, except for unsupported methods
// and help texts.
var walletDifferences = []walletDifference{
	{"W1: keys are derived instead of random, and the first is the node's",
		"keys 3 7 28 42 43 120 121 122 155; lists 8 9"},
	{"W2: a watched address includes outputs to its public key",
		"keys 88 90 94 99 101; sendmany-lock-fee 3 50 87 90"},
	{"W3: getreceivedbyaddress counts outputs to the public key, as listreceivedbyaddress does",
		"lists 17 18 19 21; immature 47"},
	{"W4: komodod orders the inputs of a payment randomly",
		"send-pubkey 25 86; lists 133 134"},
	{"W5: there are no moves between accounts", "sendmany-lock-fee 58 60"},
	{"W6: a payment that the mempool rejects is not stored, and the error contains the reason",
		"sendmany-lock-fee 75 77 84; rejected 5 6 7 13 18 20 21; rejected-2 23 30"},
	{"W7: payments to addresses of tokens are refused", "send-pubkey 73 74 75"},
	{"W8: each of two outputs with data has its own data", "raw-a 73"},
	{"W9: the inputs of a funded transaction count towards its amount", "raw-a 80"},
	{"W10: the amount of a previous output defaults to the known amount", "raw-a 131"},
	{"W11: transactions that were in blocks before their key was imported are listed in the order of the blocks",
		"lists 38 41 67; send-pubkey 93"},
	{"W12: tokencreate never picks an immature coin", "immature 20"},
	{"W13: the blocks of a dropped branch are not in the recording", "immature 80 81 82 83 84 89 90 92 93"},
	{"W14: unconfirmed change is spent where komodod has no token inputs; 200 transfers are left out of the recording",
		"token-issuer 6 7 8 9 10 24 25 26 27 28"},
	{"D1: the supply of a token is in coins", "token-create-many 3"},
	{"W15: keys are not written to files", "keys 149 150 151 153 154; keys-noexport 2"},
	{"W16: unconfirmed change can always be spent (-spendzeroconfchange)", "rejected-2 24 25"},
	{"W17: the wallet has no separate passphrase", "encrypt-a *; encrypt-a-2 *; encrypt-disabled 1"},
	{"W18: error texts of truncated proofs, and help texts", "node-calls 25 26 33; lists 116"},
	{"D12: order and figures of the mempool", "node-calls 86 87 88 91 103 191"},
}

// differs returns the reason why a call may have another response, or "".
func differs(c walletCall) string {
	for _, d := range walletDifferences {
		for part := range strings.SplitSeq(d.calls, ";") {
			words := strings.Fields(part)
			if words[0] == c.Session && (slices.Contains(words[1:], c.N.String()) || words[1] == "*") {
				return d.reason
			}
		}
	}
	return ""
}
