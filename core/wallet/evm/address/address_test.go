package address

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
)

// examples holds the examples of EIP-55.
var examples = []string{
	"0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
	"0xde709f2102306220921060314715629080e2fb77", "0x27b1fdb04752bbc536007a920d24acb045561c26",
	"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
	"0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
}

func TestChecksum(t *testing.T) {
	for _, text := range examples {
		a, err := Parse(text)
		require.NoError(t, err)
		require.Equal(t, text, a.String())
		require.Equal(t, strings.ToLower(text), a.Plain())
		lower, err := Parse(strings.ToLower(text))
		require.NoError(t, err)
		require.Equal(t, a, lower)
		upper, err := Parse("0x" + strings.ToUpper(text[2:]))
		require.NoError(t, err)
		require.Equal(t, a, upper)
	}
}

// TestChecksumOfNetworks uses the examples of EIP-1191. Rootstock's addresses have another
// checksum, which other networks reject.
func TestChecksumOfNetworks(t *testing.T) {
	for _, text := range []string{"0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD", "0x27b1FdB04752BBc536007A920D24ACB045561c26", "0x42712D45473476B98452f434E72461577d686318",
		"0xDe709F2102306220921060314715629080e2FB77", "0xFb6916095cA1Df60bb79ce92cE3EA74c37c5d359"} {
		a, err := ParseOn(30, text)
		require.NoError(t, err, text)
		require.Equal(t, strings.ToLower(text), a.Plain())
		for _, same := range []string{a.String(), a.Plain()} {
			b, err := ParseOn(30, same)
			require.NoError(t, err)
			require.Equal(t, a, b)
		}
		for _, chain := range []uint64{1, 31, 137} {
			_, err = ParseOn(chain, text)
			require.ErrorIs(t, err, ErrChecksum, text)
		}
		_, err = ParseOn(30, strings.Replace(text, "A", "a", 1))
		if strings.Contains(text, "A") {
			require.ErrorIs(t, err, ErrChecksum)
		}
	}
	_, err := ParseOn(31, "0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd")
	require.NoError(t, err, "the test network's")
	_, err = ParseOn(30, "0x12")
	require.ErrorIs(t, err, ErrForm)
}

func TestKeccak(t *testing.T) {
	for text, want := range map[string]string{
		"":    "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
		"abc": "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
	} {
		sum := Keccak([]byte(text))
		require.Equal(t, want, hex.EncodeToString(sum[:]))
	}
	require.Equal(t, Keccak([]byte("abc")), Keccak([]byte("a"), nil, []byte("bc")))
}

// TestOfKey checks addresses of passphrases in the tests and documentation of Komodo DeFi
// Framework.
func TestOfKey(t *testing.T) {
	for phrase, want := range map[string]string{
		"spice describe gravity federal blast come thank unfair canal monkey style afraid":        "0xbAB36286672fbdc7B250804bf6D14Be0dF69fa29",
		"february soldier message acid member jump shadow walk novel impose puppy tornado":        "0x8c40a6E127c7a13e26ce95deA88354C3fb134580",
		"0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80" /* anvil's first */ : "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
	} {
		ring, err := key.Open(phrase, false)
		require.NoError(t, err)
		a, err := FromKey(ring.Node().PublicKey())
		require.NoError(t, err)
		require.Equal(t, want, a.String())
	}
	ring, err := key.Open("february soldier message acid member jump shadow walk novel impose puppy tornado", true)
	require.NoError(t, err)
	path, err := key.ParsePath("m/44'/60'/0'/0/0")
	require.NoError(t, err)
	private, err := ring.At(path)
	require.NoError(t, err)
	a, err := FromKey(private.PublicKey())
	require.NoError(t, err)
	require.Equal(t, "0x26cE5D1cD4CC673a1b0b980371C7c862B9503452", a.String())
}

// TestUncompress uses the key of the documentation's example of an activation.
func TestUncompress(t *testing.T) {
	const all = "04ec603f83519cc2150bd99ed0ed6b3f7f029dedff2957cd22542e2504e3d2a7953c084f907cce2f0e26fb0cfc55e06925bf0f88a92b904224dba8ebafdf98ce7b"
	var public [33]byte
	_, err := hex.Decode(public[:], []byte("03"+all[2:66]))
	require.NoError(t, err)
	got, err := Uncompress(public)
	require.NoError(t, err)
	require.Equal(t, all, hex.EncodeToString(got[:]))
	_, err = FromKey([33]byte{2})
	require.ErrorIs(t, err, ErrKey)
	_, err = FromKey([33]byte{5, 1})
	require.ErrorIs(t, err, ErrKey)
}

func TestParseRefuses(t *testing.T) {
	good := examples[4]
	for _, c := range []struct {
		text string
		want error
		says string
	}{
		{"", ErrForm, "prefixed with 0x"},
		{good[2:], ErrForm, "prefixed with 0x"},
		{"0X" + good[2:], ErrForm, "prefixed with 0x"},
		{good[:41], ErrForm, "it has 39 digits"},
		{good + "0", ErrForm, "it has 41 digits"},
		{"0x" + strings.Repeat("g", 40), ErrForm, ""},
		{"0x" + strings.Repeat("é", 20), ErrForm, ""},
		{strings.Replace(good, "A", "a", 1), ErrChecksum, "checksum of the address is wrong"},
		{strings.Replace(good, "ed", "eD", 1), ErrChecksum, ""},
	} {
		a, err := Parse(c.text)
		require.ErrorIs(t, err, c.want, c.text)
		require.ErrorContains(t, err, c.says)
		require.True(t, a.IsZero())
	}
}

func FuzzParse(f *testing.F) {
	f.Add(examples[0])
	f.Add("0x")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(text)
		if err != nil {
			return
		}
		require.True(t, strings.EqualFold(text, a.String()))
		again, err := Parse(a.String())
		require.NoError(t, err)
		require.Equal(t, a, again)
	})
}
