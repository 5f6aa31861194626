package daemon_test

import (
	"slices"
	"strings"
)

// walletDifference is a reason for which calls are answered otherwise than by komodod. They are
// documented in native/docs/differences.md.
type walletDifference struct {
	reason string
	calls  string // session and numbers; * stands for all
}

// walletDifferences lists every call of the recordings with another answer, but for methods that are
// not offered and for texts of help.
var walletDifferences = []walletDifference{
	{"W1: keys are derived and not random, and the first is the node's",
		"keys 3 7 28 42 43 120 121 122 155; lists 8 9"},
	{"W2: a watched address includes outputs to its public key",
		"keys 88 90 94 99 101; sendmany-lock-fee 3 50 87 90"},
	{"W3: getreceivedbyaddress counts outputs to the public key, as listreceivedbyaddress does",
		"lists 17 18 19 21; immature 47"},
	{"W4: komodod orders the inputs of a payment by chance",
		"send-pubkey 25 86; lists 133 134"},
	{"W5: there are no moves between accounts", "sendmany-lock-fee 58 60"},
	{"W6: a payment that the mempool refuses is forgotten, and the error has the reason",
		"sendmany-lock-fee 75 77 84; rejected 5 6 7 13 18 20 21; rejected-2 23 30"},
	{"W7: payments to addresses of tokens are refused", "send-pubkey 73 74 75"},
	{"W8: two outputs with data have their own data", "raw-a 73"},
	{"W9: given inputs count towards what has to be found", "raw-a 80"},
	{"W10: an output that is described without its amount has the known amount", "raw-a 131"},
	{"W11: transactions that were in blocks before their key was imported are listed in the order of the blocks",
		"lists 38 41 67; send-pubkey 93"},
	{"W12: tokencreate never picks an immature coin", "immature 20"},
	{"W13: the blocks of a dropped branch are not in the recording", "immature 80 81 82 83 84 89 90 92 93"},
	{"W14: unconfirmed change is spent where komodod has no token inputs; 200 transfers are left out of the recording",
		"token-issuer 6 7 8 9 10 24 25 26 27 28"},
	{"D1: the supply of a token is in coins", "token-create-many 3"},
	{"W15: keys are not written to files", "keys 149 150 151 153 154; keys-noexport 2"},
	{"W16: unconfirmed change can always be spent (-spendzeroconfchange)", "rejected-2 24 25"},
	{"W17: the wallet has no passphrase of its own", "encrypt-a *; encrypt-a-2 *; encrypt-disabled 1"},
	{"W18: texts of truncated proofs and of help", "node-calls 25 26 33; lists 116"},
	{"D12: order and figures of the mempool", "node-calls 86 87 88 91 103 191"},
}

// differs returns the reason for which a call may have another answer, or "".
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
