package wire

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	require.NoError(t, err)
	return b
}

func whole(text string) *big.Int {
	n, _ := new(big.Int).SetString(text, 10)
	return n
}

func signWith(t testing.TB, secret string, x Transaction) []byte {
	t.Helper()
	ring, err := key.Open(secret, false)
	require.NoError(t, err)
	return x.Signed(ring.Node().Sign(x.SigningHash()).Recoverable())
}

// TestLegacy uses the example of EIP-155.
func TestLegacy(t *testing.T) {
	to, err := address.Parse("0x" + strings.Repeat("35", 20))
	require.NoError(t, err)
	x := Transaction{ChainID: 1, Nonce: 9, MaxFee: big.NewInt(20_000_000_000), Gas: 21000, To: to, Value: whole("1000000000000000000")}
	sum := x.SigningHash()
	require.Equal(t, "daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53", hex.EncodeToString(sum[:]))
	raw := signWith(t, "0x"+strings.Repeat("46", 32), x)
	require.Equal(t, "f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe5375678660"+
		"03e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83", hex.EncodeToString(raw))
	sent, err := Decode(raw)
	require.NoError(t, err)
	require.Equal(t, "1 9 "+sender(t, "0x"+strings.Repeat("46", 32)).String()+" "+to.String(), fmt.Sprint(sent.ChainID, " ", sent.Nonce, " ", sent.From, " ", sent.To))
	require.Equal(t, "420000000000000", x.Fee().String())
}

func sender(t testing.TB, secret string) address.Address {
	t.Helper()
	ring, err := key.Open(secret, false)
	require.NoError(t, err)
	a, err := address.FromKey(ring.Node().PublicKey())
	require.NoError(t, err)
	return a
}

// TestDocumented uses a transaction from Komodo DeFi Framework's documentation that is valid
// for any network.
func TestDocumented(t *testing.T) {
	raw := unhex(t, "f86d820b2884d09dc30082d6d894bab36286672fbdc7b250804bf6d14be0df69fa29888ac7230489e80000801ca0ef0167b0e53ed50d87b6fd630925f2bce6ee7"+
		"2e9b5fdb51c6499a7caaecaed96a062e5cb954e503ff83f2d6ce082649fdcdf8a77c8d37c7d26d46d3f736b228d10")
	sum := Hash(raw)
	require.Equal(t, "a26c4dcacf63c04e385dd973ca7e7ca1465a3b904a0893bcadb7e37681d38c95", hex.EncodeToString(sum[:]))
	sent, err := Decode(raw)
	require.NoError(t, err)
	require.Nil(t, sent.ChainID)
	require.EqualValues(t, 0xb28, sent.Nonce)
	require.Equal(t, "0xbAB36286672fbdc7B250804bf6D14Be0dF69fa29", sent.From.String())
}

const secret = "bob passphrase"

func TestFees(t *testing.T) {
	maxUint := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
	for name, x := range map[string]Transaction{
		"nothing at all": {MaxFee: new(big.Int), Tip: new(big.Int), Value: new(big.Int)},
		"all there is":   {ChainID: 1<<64 - 1, Nonce: 1<<64 - 1, MaxFee: maxUint, Tip: maxUint, Gas: 1<<64 - 1, Value: maxUint, Data: make([]byte, 70_000)},
		"a byte":         {ChainID: 137, Nonce: 1, MaxFee: big.NewInt(127), Tip: big.NewInt(128), Gas: 255, Value: big.NewInt(256), Data: []byte{0x7f}},
		"56 bytes":       {ChainID: 137, Nonce: 1, MaxFee: big.NewInt(1), Tip: big.NewInt(1), Gas: 1, Value: big.NewInt(1), Data: make([]byte, 56)},
		"one price":      {ChainID: 1 << 40, Nonce: 5, MaxFee: maxUint, Gas: 1, Value: maxUint, Data: make([]byte, 300)},
	} {
		t.Run(name, func(t *testing.T) {
			raw := signWith(t, secret, x)
			if x.Tip != nil {
				require.EqualValues(t, typeFees, raw[0])
			}
			sent, err := Decode(raw)
			require.NoError(t, err)
			require.Equal(t, x.ChainID, sent.ChainID.Uint64())
			require.Equal(t, x.Nonce, sent.Nonce)
			require.Equal(t, sender(t, secret), sent.From)
			for _, wrong := range [][]byte{raw[:len(raw)-1], append(raw, 0), raw[1:], append([]byte{9}, raw[1:]...)} {
				_, err := Decode(wrong)
				require.ErrorIs(t, err, ErrRaw)
			}
		})
	}
}

// TestAccessLists checks transactions of EIP-2930, which can be sent but not made.
func TestAccessLists(t *testing.T) {
	ring, err := key.Open(secret, false)
	require.NoError(t, err)
	access := list(list(text(make([]byte, 20)), list(text(make([]byte, 32)), text(make([]byte, 32)))))
	body := []item{uint64Item(1), uint64Item(2), uint64Item(3), uint64Item(4), text(make([]byte, 20)), uint64Item(5), text(nil), access}
	s := ring.Node().Sign(address.Keccak([]byte{1}, list(body...)))
	raw := append([]byte{1}, list(append(body, uint64Item(uint64(s.Recovery)), text(s.R[:]), text(s.S[:]))...)...)
	sent, err := Decode(raw)
	require.NoError(t, err)
	require.Equal(t, sender(t, secret), sent.From)
	require.EqualValues(t, 2, sent.Nonce)
}

func TestDecodeRefuses(t *testing.T) {
	members := func(n int, member item) []byte {
		var all []item
		for range n {
			all = append(all, member)
		}
		return list(all...)
	}
	for name, raw := range map[string][]byte{
		"nothing":               nil,
		"a text":                {0x80},
		"an unknown type":       append([]byte{3}, members(12, text([]byte{1}))...),
		"an unknown type alone": {0x30, 0xc0},
		"the type 0":            append([]byte{0}, list(append(ones(6), text([]byte{27}), text([]byte{1}), text([]byte{1}))...)...),
		"no list":               {2, 0x80},
		"too few members":       members(8, text([]byte{1})),
		"too many members":      members(200, text([]byte{1})),
		"a missing length":      {0xf8},
		"a length with zeros":   {0xf9, 0x00, 0x38},
		"a long form too short": {0xf8, 0x01, 0x01},
		"a length of 2^64":      {0xff, 1, 0, 0, 0, 0, 0, 0, 0},
		"a byte in a long form": {0xc2, 0x81, 0x05},
		"a long recovery":       append([]byte{2}, list(append(ones(9), text([]byte{2}), text([]byte{1}), text([]byte{1}))...)...),
		"an r of 33 bytes":      append([]byte{2}, list(append(ones(9), text([]byte{1}), text(make([]byte, 33)), text([]byte{1}))...)...),
		"no signature":          append([]byte{2}, list(append(ones(9), text(nil), text(nil), text(nil))...)...),
		"a v of 26":             list(append(ones(6), text([]byte{26}), text([]byte{1}), text([]byte{1}))...),
	} {
		_, err := Decode(raw)
		require.ErrorIs(t, err, ErrRaw, name)
	}
	huge := list(append([]item{text(append([]byte{1}, make([]byte, 8)...))}, ones(8)...)...)
	_, err := Decode(huge)
	require.ErrorContains(t, err, "nonce has 65 bits")
}

func ones(n int) (all []item) {
	for range n {
		all = append(all, text([]byte{1}))
	}
	return all
}

func FuzzDecode(f *testing.F) {
	f.Add(signWith(f, secret, Transaction{ChainID: 1, MaxFee: big.NewInt(1), Tip: big.NewInt(1), Value: big.NewInt(1)}))
	f.Add(signWith(f, secret, Transaction{ChainID: 1, MaxFee: big.NewInt(1), Value: big.NewInt(1)}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		sent, err := Decode(raw)
		if err != nil {
			require.ErrorIs(t, err, ErrRaw)
			return
		}
		require.False(t, sent.From.IsZero())
		again, err := Decode(append(raw, 0))
		require.ErrorIs(t, err, ErrRaw)
		require.Zero(t, again)
	})
}

// TestContent checks that signed transactions can be decoded.
func TestContent(t *testing.T) {
	to := sender(t, "alice")
	for name, x := range map[string]Transaction{
		"one price":  {ChainID: 137, Nonce: 7, MaxFee: big.NewInt(9), Gas: 50_000, To: to, Value: whole("1000000000000000000"), Data: []byte{1, 2}},
		"fees":       {ChainID: 1, MaxFee: big.NewInt(30), Tip: big.NewInt(2), Gas: 21_000, To: to, Value: new(big.Int)},
		"a contract": {ChainID: 1, MaxFee: big.NewInt(30), Tip: big.NewInt(2), Gas: 21_000, Deploys: true, Value: new(big.Int), Data: []byte{3}},
	} {
		s, err := Decode(signWith(t, "bob", x))
		require.NoError(t, err, name)
		require.Equal(t, x.Deploys, s.To == nil, name)
		if !x.Deploys {
			require.Equal(t, x.To, *s.To, name)
		}
		require.Zero(t, x.Value.Cmp(s.Value), name)
		require.Zero(t, x.MaxFee.Cmp(s.MaxFee), name)
		require.Equal(t, x.Tip == nil, s.Tip == nil, name)
		require.Equal(t, hex.EncodeToString(x.Data), hex.EncodeToString(s.Data), name)
		require.Equal(t, x.Gas, s.Gas, name)
	}
	for _, x := range []Transaction{{ChainID: 1, MaxFee: big.NewInt(1), Gas: 1, Value: new(big.Int), To: to}} {
		raw := signWith(t, "bob", x)
		at := strings.Index(string(raw), string(to[:])) - 1
		_, err := Decode(append(append(raw[:at:at], 0x93), raw[at+2:]...)) // one byte too short
		require.ErrorIs(t, err, ErrRaw)
	}
}
