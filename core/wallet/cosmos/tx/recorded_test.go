package tx

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/cosmos/wire"
)

// tape is a recorded request and its answer.
type tape struct {
	Name              string
	Request, Response json.RawMessage
}

// parameters returns the parameters of a request.
func (e tape) parameters() json.RawMessage {
	var request struct{ Params json.RawMessage }
	if json.Unmarshal(e.Request, &request) != nil {
		return nil // a batch
	}
	return request.Params
}

// chains are the real chains with recorded responses.
var chains = []string{"gaiad", "iris"}

func readTapes(t testing.TB, chain, file string) (tapes []tape) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", chain, file+".json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &tapes))
	return tapes
}

func recordedChainID(t testing.TB, chain string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", chain, "chain.json"))
	require.NoError(t, err)
	var about struct {
		ChainID string `json:"chain_id"`
	}
	require.NoError(t, json.Unmarshal(text, &about))
	return about.ChainID
}

// recordedTxs returns the transactions in a chain's blocks, by hash.
func recordedTxs(t testing.TB, chain string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, entry := range readTapes(t, chain, "history") {
		var found struct {
			Result struct {
				Txs []struct {
					Hash string
					Tx   []byte
				}
			}
		}
		if json.Unmarshal(entry.Response, &found) != nil {
			continue // some recorded requests are not for transactions
		}
		for _, tx := range found.Result.Txs {
			all[tx.Hash] = tx.Tx
		}
	}
	return all
}

// unpacked is a decoded transaction of one signer.
type unpacked struct {
	raw      wire.Tx
	body     wire.TxBody
	auth     wire.AuthInfo
	public   [33]byte
	messages []wire.Named
}

func unpack(t testing.TB, raw []byte) (u unpacked) {
	t.Helper()
	require.NoError(t, wire.Decode(raw, &u.raw))
	require.NoError(t, wire.Decode(u.raw.Body, &u.body))
	require.NoError(t, wire.Decode(u.raw.AuthInfo, &u.auth))
	require.Len(t, u.auth.Signers, 1)
	var public wire.PubKey
	require.NoError(t, wire.Decode(u.auth.Signers[0].PubKey.Value, &public))
	require.Len(t, public.Key, 33)
	u.public = [33]byte(public.Key)
	for _, any := range u.body.Messages {
		message, err := any.Unpack()
		if err != nil {
			require.ErrorIs(t, err, wire.ErrUnknownType) // the message is a grant
			return u
		}
		u.messages = append(u.messages, message)
	}
	return u
}

// draft returns the transaction without its signature.
func (u unpacked) draft(chain string, account uint64) Draft {
	return Draft{ChainID: chain, Account: account, Sequence: u.auth.Signers[0].Sequence, Messages: u.messages, Memo: u.body.Memo,
		Fee: u.auth.Fee, TimeoutHeight: u.body.TimeoutHeight}
}

// signBytes returns the signed bytes. If this package supports the messages, it encodes them
// again from the decoded transaction.
func (u unpacked) signBytes(t testing.TB, chain string, account uint64) []byte {
	t.Helper()
	if len(u.messages) < len(u.body.Messages) {
		return wire.Encode(&wire.SignDoc{Body: u.raw.Body, AuthInfo: u.raw.AuthInfo, ChainID: chain, Account: account})
	}
	d := u.draft(chain, account)
	if u.auth.Signers[0].Mode.Single == wire.SignDirect {
		doc := d.SignDoc(u.public)
		return wire.Encode(&doc)
	}
	doc, err := d.AminoDoc()
	require.NoError(t, err)
	text, err := doc.Bytes()
	require.NoError(t, err)
	return text
}

// TestRecordedSignatures checks that signatures of real transactions cover exactly the bytes
// that this package signs for the same chain, account and sequence. Each account has one
// number.
func TestRecordedSignatures(t *testing.T) {
	for _, chain := range chains {
		t.Run(chain, func(t *testing.T) {
			chainID := recordedChainID(t, chain)
			numbers, modes := map[[33]byte][]uint64{}, map[wire.SignMode]int{}
			txs := recordedTxs(t, chain)
			require.Greater(t, len(txs), 20)
			for hash, raw := range txs {
				u := unpack(t, raw)
				require.Equal(t, hash, Hash(raw))
				require.Len(t, u.raw.Signatures, 1)
				signature := Signature(u.raw.Signatures[0])
				var fits []uint64
				for account := range uint64(20) {
					if signature.verifies(u.public, u.signBytes(t, chainID, account)) {
						fits = append(fits, account)
					}
				}
				require.Len(t, fits, 1, "%s %x", hash, raw)
				if known, is := numbers[u.public]; is {
					require.Equal(t, known, fits, hash)
				}
				numbers[u.public] = fits
				modes[u.auth.Signers[0].Mode.Single]++

				require.False(t, signature.verifies(u.public, u.signBytes(t, chainID+"x", fits[0])))
				require.Contains(t, signature.signers(u.signBytes(t, chainID, fits[0])), u.public)
				u.auth.Signers[0].Sequence++
				if len(u.messages) == len(u.body.Messages) {
					require.False(t, signature.verifies(u.public, u.signBytes(t, chainID, fits[0])))
				}
			}
			require.Equal(t, 1, modes[wire.SignAmino])
			require.GreaterOrEqual(t, len(numbers), 2)
		})
	}
}

// TestRecordedRefusals checks the explanations of refusals for the sender.
func TestRecordedRefusals(t *testing.T) {
	want := map[string]string{
		"sequence of the past":               "another transaction of the account came first; make it again",
		"sequence of the future":             "another transaction of the account came first; make it again",
		"signed for another chain":           "the signature does not fit: the transaction is for another chain or account, or others came first",
		"signed with another account number": "the signature does not fit: the transaction is for another chain or account, or others came first",
		"fee too small":                      "the node takes a fee of LEAST or more, and the transaction pays 0.000001 COIN",
		"no fee":                             "the node takes a fee of LEAST or more, and the transaction pays none",
		"fee in another denom": "the node takes a fee of LEAST or more, and the transaction pays " +
			"100000 ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2",
		"no such account":              "account not found on the chain: it has never received anything",
		"gas too little for the check": "the transaction needs more gas than it may use",
		"too late":                     "the transaction is too old; make it again",
		"address of another chain":     "",
		"no transaction":               "",
	}
	for _, chain := range chains {
		denom := map[string]string{"gaiad": "uatom", "iris": "uiris"}[chain]
		minimum := map[string]string{"gaiad": "0.003 COIN", "iris": "0.06 COIN"}[chain]
		left := len(want)
		for _, entry := range readTapes(t, chain, "broadcast") {
			expected, checked := want[entry.Name]
			if !checked {
				continue
			}
			left--
			var answer struct {
				Result struct {
					Code                 uint32
					Codespace, Log, Hash string
				}
			}
			require.NoError(t, json.Unmarshal(entry.Response, &answer))
			r := answer.Result
			require.NotZero(t, r.Code, entry.Name)
			err := Chain{Native: Asset{"COIN", denom, 6}}.refused(Verdict{r.Code, r.Codespace, r.Log}, r.Hash, 0)
			require.Equal(t, strings.ReplaceAll(expected, "LEAST", minimum), err.Help, entry.Name)
			require.Contains(t, err.Error(), r.Log)
		}
		require.Zero(t, left, "not all were recorded")
	}
}

func TestRecordedShortages(t *testing.T) {
	for _, chain := range chains {
		denom := map[string]string{"gaiad": "uatom", "iris": "uiris"}[chain]
		native := Asset{"COIN", denom, 6}
		voucher := Asset{"TOKEN", "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2", 6}
		var found []string
		for _, entry := range readTapes(t, chain, "broadcast") {
			var answer struct {
				Result struct {
					Log      string
					Response struct{ Log string }
				}
			}
			if json.Unmarshal(entry.Response, &answer) != nil {
				continue
			}
			log := answer.Result.Log + answer.Result.Response.Log
			short := asShortage(log, voucher, native)
			if short == nil {
				require.NotContains(t, log, "insufficient funds", entry.Name)
				continue
			}
			require.True(t, short.ForFee)
			require.Equal(t, "COIN", short.Coin)
			require.Negative(t, short.Available.Cmp(short.Required))
			require.Nil(t, asShortage(log, voucher, voucher))
			require.False(t, asShortage(log, native, native).ForFee)
			found = append(found, entry.Name)
		}
		for _, name := range []string{"fee is more than it has", "has no coin for the fee", "simulate: more than it has", "simulate: has no coin for the fee"} {
			require.Contains(t, found, name)
		}
	}
}
