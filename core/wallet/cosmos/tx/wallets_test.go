package tx

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/cosmos/wire"
)

// walletVectors holds transactions and texts that libraries of other wallets signed. They use
// the nonces of RFC 6979, as this package does.
type walletVectors struct {
	Secret   string
	Direct   []walletTx
	Amino    []walletTx
	Messages []struct {
		Prefix, Address, Message, Signature string

		PublicKey string `json:"public_key"`
		SignText  string `json:"sign_text"`
	}
}

type walletTx struct {
	Name, Prefix, From, Memo string
	ChainID                  string `json:"chain_id"`
	Number, Sequence, Gas    uint64
	Fee                      *[2]string // denom, amount
	TimeoutHeight            uint64     `json:"timeout_height"`
	Send                     *struct{ To, Denom, Amount string }
	Transfer                 *struct{ To, Denom, Amount, Channel, Revision, Height, Time string }
	Body, Signature, Tx      string
	AuthInfo                 string `json:"auth_info"`
	SignBytes                string `json:"sign_bytes"`
	SignText                 string `json:"sign_text"`
	Hash                     string
}

func readWallets(t testing.TB) (v walletVectors, account key.Account) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "wallets.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &v))
	return v, newAccount(t, "0x"+v.Secret)
}

func newAccount(t testing.TB, passphrase string) key.Account {
	t.Helper()
	ring, err := key.Open(passphrase, false)
	require.NoError(t, err)
	t.Cleanup(ring.Wipe)
	account, err := ring.Account(t.Context(), key.ContextPrivKey{}, nil)
	require.NoError(t, err)
	return account
}

func number64(t *testing.T, text string) uint64 {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return n
}

func (v walletTx) draft(t *testing.T) Draft {
	d := Draft{ChainID: v.ChainID, Account: v.Number, Sequence: v.Sequence, Memo: v.Memo, TimeoutHeight: v.TimeoutHeight, Fee: wire.Fee{GasLimit: v.Gas}}
	if v.Fee != nil {
		d.Fee.Amount = []wire.Coin{{Denom: v.Fee[0], Amount: v.Fee[1]}}
	}
	if s := v.Send; s != nil {
		d.Messages = []wire.Named{&wire.MsgSend{From: v.From, To: s.To, Amount: []wire.Coin{{Denom: s.Denom, Amount: s.Amount}}}}
	}
	if m := v.Transfer; m != nil {
		d.Messages = []wire.Named{&wire.MsgTransfer{SourcePort: "transfer", SourceChannel: m.Channel, Sender: v.From, Receiver: m.To,
			Token: wire.Coin{Denom: m.Denom, Amount: m.Amount}, TimeoutTimestamp: number64(t, m.Time),
			TimeoutHeight: wire.Height{Revision: number64(t, m.Revision), Block: number64(t, m.Height)}}}
	}
	return d
}

func TestWalletsSignDirectly(t *testing.T) {
	vectors, account := readWallets(t)
	require.Len(t, vectors.Direct, 6)
	for _, v := range vectors.Direct {
		t.Run(v.Name, func(t *testing.T) {
			d := v.draft(t)
			doc := d.SignDoc(account.(key.PublicKeyer).PublicKey())
			require.Equal(t, v.Body, hex.EncodeToString(doc.Body))
			require.Equal(t, v.AuthInfo, hex.EncodeToString(doc.AuthInfo))
			require.Equal(t, v.SignBytes, hex.EncodeToString(wire.Encode(&doc)))
			signed, err := d.Sign(t.Context(), account, v.From)
			require.NoError(t, err)
			require.Equal(t, Signed{Raw: fromHex(t, v.Tx), Hash: v.Hash, Fee: d.Fee, Memo: v.Memo}, signed)
		})
	}
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	require.NoError(t, err)
	return b
}

// ledgerAccount is an account in a Ledger.
type ledgerAccount struct{ key.HashSigner }

func (ledgerAccount) Policy() key.PolicyName { return key.NameHardwareWallet }
func (ledgerAccount) Close()                 {}
func (ledgerAccount) InLedger() bool         { return true }

func TestWalletsSignAmino(t *testing.T) {
	vectors, account := readWallets(t)
	require.Len(t, vectors.Amino, 6)
	for _, v := range vectors.Amino {
		t.Run(v.Name, func(t *testing.T) {
			d := v.draft(t)
			doc, err := d.AminoDoc()
			require.NoError(t, err)
			text, err := doc.Bytes()
			require.NoError(t, err)
			require.Equal(t, v.SignText, string(text))
			back, err := ParseAminoDoc(text)
			require.NoError(t, err)
			again, err := back.Bytes()
			require.NoError(t, err)
			require.Equal(t, v.SignText, string(again))
			signed, err := d.Sign(t.Context(), ledgerAccount{account.(key.HashSigner)}, v.From)
			require.NoError(t, err)
			require.Equal(t, Signed{Raw: fromHex(t, v.Tx), Hash: v.Hash, Fee: d.Fee, Memo: v.Memo}, signed)
		})
	}
}
