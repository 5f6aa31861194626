package abi

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/evm/address"
)

func TestFunctions(t *testing.T) {
	for signature, function := range map[string]uint32{
		"balanceOf(address)": BalanceOf, "decimals()": Decimals, "transfer(address,uint256)": Transfer,
	} {
		sum := address.Keccak([]byte(signature))
		require.Equal(t, binary.BigEndian.Uint32(sum[:]), function, signature)
	}
}

func whole(t *testing.T) *big.Int {
	return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
}

func TestCall(t *testing.T) {
	a, err := address.Parse("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
	require.NoError(t, err)
	require.Equal(t, "313ce567", hex.EncodeToString(Call(Decimals)))
	require.Equal(t, "70a08231"+strings.Repeat("0", 24)+"5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", hex.EncodeToString(Call(BalanceOf, Address(a))))
	data := Call(Transfer, Address(a), Uint(whole(t)))
	require.Equal(t, "a9059cbb"+strings.Repeat("0", 24)+"5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"+strings.Repeat("f", 64), hex.EncodeToString(data))
	to, amount, ok := ReadTransfer(data)
	require.True(t, ok)
	require.Equal(t, a, to)
	require.Equal(t, whole(t), amount)
	for _, other := range [][]byte{nil, data[:67], append([]byte{1}, data[1:]...), append(data, 0)} {
		_, _, ok = ReadTransfer(other)
		require.False(t, ok)
	}
}

func TestReadUint(t *testing.T) {
	word := func(n *big.Int) []byte { w := Uint(n); return w[:] }
	for _, c := range []struct {
		name     string
		returned []byte
		bits     int
		want     *big.Int
		says     string
	}{
		{"zero", word(new(big.Int)), 8, new(big.Int), ""},
		{"beyond 64 bits", word(new(big.Int).Lsh(big.NewInt(3), 64)), 256, new(big.Int).Lsh(big.NewInt(3), 64), ""},
		{"256 bits", word(whole(t)), 256, whole(t), ""},
		{"more behind it", append(word(big.NewInt(7)), 1, 2), 8, big.NewInt(7), ""},
		{"too large", word(big.NewInt(256)), 8, nil, "number has 9 bits, limit is 8"},
		{"nothing", nil, 8, nil, "may not be a contract"},
		{"too short", make([]byte, 31), 8, nil, "31 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := ReadUint(c.returned, c.bits)
			if c.want == nil {
				require.ErrorIs(t, err, ErrReturn)
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			require.Zero(t, c.want.Cmp(n))
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(Call(Transfer, Word{}, Word{1}), 8)
	f.Fuzz(func(t *testing.T, returned []byte, bits int) {
		_, _ = ReadText(returned) // must not panic
		if n, err := ReadUint(returned, bits); err == nil {
			require.LessOrEqual(t, n.BitLen(), bits)
		}
		if to, amount, ok := ReadTransfer(returned); ok {
			again, same, ok := ReadTransfer(Call(Transfer, Address(to), Uint(amount)))
			require.True(t, ok)
			require.Equal(t, to, again)
			require.Zero(t, amount.Cmp(same))
		}
	})
}

func TestReadText(t *testing.T) {
	word := func(n int64) []byte { w := Uint(big.NewInt(n)); return w[:] }
	text := func(offset, size int64, content string) []byte {
		return append(append(word(offset), word(size)...), content...)
	}
	for _, c := range []struct {
		name     string
		returned []byte
		want     string
		fails    bool
	}{
		{"a string", text(32, 3, "DAI"+strings.Repeat("\x00", 29)), "DAI", false},
		{"not padded", text(32, 3, "DAI"), "DAI", false},
		{"bytes32", append([]byte("MKR"), make([]byte, 29)...), "MKR", false},
		{"empty", text(32, 0, ""), "", false},
		{"other letters", text(32, 6, "₮₮"), "₮₮", false},
		{"nothing", nil, "", true},
		{"half a word", make([]byte, 16), "", true},
		{"beyond the end", text(32, 4, "DAI"), "", true},
		{"an offset beyond", text(65, 3, "DAI"), "", true},
		{"an offset at the end", text(67, 3, "DAI"), "", true},
		{"a huge size", text(32, math.MaxInt64, "DAI"), "", true},
		{"too long", text(32, 257, strings.Repeat("x", 257)), "", true},
		{"a line", text(32, 2, "a\n"), "", true},
		{"not UTF-8", text(32, 1, "\xff"), "", true},
		{"a mark that turns the direction", text(32, 3, "\u202e"), "", true},
		{"an invisible letter", text(32, 6, "US\u3164D"), "", true},
		{"an invisible mark", text(32, 5, "US\u034fD"), "", true},
		{"an emoji", text(32, 6, "❤️"), "❤️", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ReadText(c.returned)
			require.Equal(t, c.fails, err != nil, "%v", err)
			if c.fails {
				require.ErrorIs(t, err, ErrReturn)
			}
			require.Equal(t, c.want, got)
		})
	}
}
