package wire

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplit(t *testing.T) {
	kind, payload, err := Split([]byte{0, 18, 7})
	require.NoError(t, err)
	require.Equal(t, TypePing, kind)
	require.Equal(t, []byte{7}, payload)
	for _, short := range [][]byte{nil, {0}} {
		_, _, err := Split(short)
		require.ErrorIs(t, err, ErrMessage)
		require.ErrorIs(t, err, ErrShort)
	}
}

func TestKnownTypes(t *testing.T) {
	for _, known := range []Type{1, 3, 16, 17, 18, 19, 32, 33, 38, 64, 128, 136, 256, 258, 262, 264, 265, 513, 32769, 65535} {
		require.True(t, known.Known(), "%d", known)
	}
	for _, unknown := range []Type{0, 4, 20, 30, 42, 200, 260, 512, 32768, 65534} {
		require.False(t, unknown.Known(), "%d", unknown)
	}
}

func TestPingPong(t *testing.T) {
	require.Equal(t, "0012000300020000", hex.EncodeToString(Ping{Pong: 3, Ignored: 2}.Encode()))
	require.Equal(t, "00130003000000", hex.EncodeToString(Pong(3).Encode()))
	require.Len(t, Pong(maxPong).Encode(), 65535, "the largest message")

	ping, err := DecodePing(unhex(t, "0003 0002 abcd"))
	require.NoError(t, err)
	require.Equal(t, Ping{3, 2}, ping)
	ping, err = DecodePing(unhex(t, "0003 0000 01010203"))
	require.NoError(t, err, "what follows is left alone")
	require.Equal(t, Ping{3, 0}, ping)
	for size, wanted := range map[int]bool{0: true, 65531: true, 65532: false, 65535: false} {
		require.Equal(t, wanted, Ping{Pong: size}.Wanted(), size)
	}
	pong, err := DecodePong(unhex(t, "0003 000000"))
	require.NoError(t, err)
	require.Equal(t, Pong(3), pong)
	for _, short := range []string{"", "00", "000000", "0000 0001", "ffff ffff 00"} {
		_, err := DecodePing(unhex(t, short))
		require.ErrorIs(t, err, ErrMessage, short)
	}
	for _, short := range []string{"", "00", "0001", "ffff 00"} {
		_, err := DecodePong(unhex(t, short))
		require.ErrorIs(t, err, ErrMessage, short)
	}
}

func TestProblems(t *testing.T) {
	p := Problem{Channel: [32]byte{31: 5}, Text: "no"}
	encoded := p.Encode(TypeError)
	require.Equal(t, "0011"+strings.Repeat("00", 31)+"0500026e6f", hex.EncodeToString(encoded))
	got, err := DecodeProblem(encoded[2:])
	require.NoError(t, err)
	require.Equal(t, p, got)
	require.Equal(t, "0001", hex.EncodeToString(p.Encode(TypeWarning)[:2]))

	for name, c := range map[string]struct{ text, want string }{
		"control characters": {"a\x1b[31mb\nc\x00", "a?[31mb?c?"},
		"no ASCII":           {"é☃\xff", "????"[:3]},
		"long":               {strings.Repeat("x", 60000), strings.Repeat("x", maxText)},
		"empty":              {"", ""},
	} {
		got, err := DecodeProblem(Problem{Text: c.text}.Encode(TypeError)[2:])
		require.NoError(t, err, name)
		require.Equal(t, c.want, got.Text, name)
	}
	for _, short := range [][]byte{nil, make([]byte, 33), append(make([]byte, 32), 0, 1)} {
		_, err := DecodeProblem(short)
		require.ErrorIs(t, err, ErrMessage)
	}
}

func TestInit(t *testing.T) {
	chain := [32]byte{1}
	for name, c := range map[string]struct {
		init Init
		want string
	}{
		"nothing":  {Init{}, "0010 0000 0000"},
		"features": {Init{Features: Features{0x20, 1}}, "0010 0000 0002 2001"},
		"all": {Init{Features{1}, [][32]byte{chain}, netip.MustParseAddrPort("1.2.3.4:9735")},
			"0010 0000 0001 01 01 20 01" + strings.Repeat("00", 31) + "03 07 01 01020304 2607"},
		"IPv6":       {Init{Remote: netip.MustParseAddrPort("[2001:db8::1]:1")}, "0010 0000 0000 03 13 02 20010db8000000000000000000000001 0001"},
		"no network": {Init{Networks: [][32]byte{}}, "0010 0000 0000 01 00"},
	} {
		t.Run(name, func(t *testing.T) {
			encoded := c.init.Encode()
			require.Equal(t, unhex(t, c.want), encoded)
			got, err := DecodeInit(encoded[2:])
			require.NoError(t, err)
			require.True(t, bytes.Equal(c.init.Features, got.Features))
			require.Equal(t, c.init.Networks, got.Networks)
			require.Equal(t, c.init.Remote, got.Remote)
		})
	}
}

func TestDecodeInit(t *testing.T) {
	for _, c := range []struct {
		name, payload string
		want          error
	}{
		{"empty", "", ErrShort},
		{"one list", "0000", ErrShort},
		{"short list", "0002 01", ErrShort},
		{"short second list", "0000 0002 01", ErrShort},
		{"half a hash", "0000 0000 01 10 " + strings.Repeat("00", 16), ErrLength},
		{"unknown even record", "0000 0000 02 00", EvenError(2)},
		{"records out of order", "0000 0000 03 00 01 00", ErrOrder},
		{"unknown odd record", "0000 0000 05 01 00 c9 00", nil},
		{"address of Tor", "0000 0000 03 0d 03" + strings.Repeat("00", 12), nil},
		{"a name", "0000 0000 03 05 05 01 61 2607", nil},
		{"address and more", "0000 0000 03 08 01 01020304 2607 00", nil},
		{"IPv6 address cut off", "0000 0000 03 12 02 20010db8000000000000000000000001 00", nil},
		{"address cut off", "0000 0000 03 03 01 0102", nil},
		{"empty address", "0000 0000 03 00", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := DecodeInit(unhex(t, c.payload))
			require.ErrorIs(t, err, c.want)
			if c.want != nil {
				require.ErrorIs(t, err, ErrMessage)
			}
			require.False(t, m.Remote.IsValid())
		})
	}
	m, err := DecodeInit(unhex(t, "0001 02 0002 8000"))
	require.NoError(t, err)
	require.Equal(t, Features{0x80, 2}, m.Features, "older nodes have two lists, which are one")
	m, err = DecodeInit(unhex(t, "0002 8000 0001 02"))
	require.NoError(t, err)
	require.Equal(t, Features{0x80, 2}, m.Features)
}

func TestShares(t *testing.T) {
	one, other := [32]byte{1}, [32]byte{2}
	for _, c := range []struct {
		name         string
		theirs, ours [][32]byte
		want         bool
	}{
		{"neither side sends chains", nil, nil, true},
		{"they do not say", nil, [][32]byte{one}, true},
		{"we do not say", [][32]byte{one}, nil, true},
		{"the same", [][32]byte{one}, [][32]byte{one}, true},
		{"one in common", [][32]byte{other, one}, [][32]byte{one}, true},
		{"none in common", [][32]byte{other}, [][32]byte{one}, false},
		{"they have none", [][32]byte{}, [][32]byte{one}, false},
	} {
		require.Equal(t, c.want, Init{Networks: c.theirs}.Shares(c.ours), c.name)
	}
}

func TestFeatures(t *testing.T) {
	require.Equal(t, "20000000"+"a282", hex.EncodeToString(LocalFeatures()), "bits 1, 7, 9, 13, 15 and 45")
	for _, f := range []Feature{DataLossProtect, GossipQueries, VarOnion, StaticRemoteKey, PaymentSecret, ChannelType} {
		require.True(t, LocalFeatures().Has(f))
		require.False(t, LocalFeatures().Requires(f))
	}
	require.False(t, LocalFeatures().Has(BasicMPP))
	require.False(t, Features(nil).Has(0))
	require.NoError(t, LocalFeatures().Check())
	require.True(t, Features{1}.Has(0))
	require.True(t, Features{1}.Requires(0))
	require.Equal(t, Features{0x12, 0x35}, Features{0x12, 0x34}.or(Features{1}))
	require.Equal(t, Features{0x12, 0x35}, Features{1}.or(Features{0x12, 0x34}))

	for _, c := range []struct {
		name     string
		features Features
		want     string
	}{
		{"none", nil, ""},
		{"of lnd", unhex(t, "8000000000000000 0080 88 a0 8a 59 a1"), ""},
		{"unknown odd bits", Features(nil).with(63).with(101).with(4001), ""},
		{"known even bits", Features(nil).with(0).with(8).with(12).with(14).with(44), ""},
		{"the last known even bits", Features(nil).with(60).with(26).with(62), ""},
		{"simple closes alone", Features(nil).with(60), "feature 60 is offered without feature 26"},
		{"unknown even bit", Features(nil).with(64), "feature 64 is required and not supported"},
		{"far away", Features(nil).with(8*65000 - 8), "feature 519992 is required and not supported"},
		{"multi-part payments alone", NewFeatures(BasicMPP), "feature 16 is offered without feature 14"},
		{"zero confirmations alone", Features(nil).with(50), "feature 50 is offered without feature 46"},
		{"both", NewFeatures(ZeroConf, SCIDAlias), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.features.Check()
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			var wrong *FeatureError
			require.ErrorAs(t, err, &wrong)
			require.EqualError(t, err, c.want)
		})
	}
}

func TestAnswersAboutChannels(t *testing.T) {
	chain, id := strings.Repeat("aa", 32), strings.Repeat("bb", 32)
	refusal, err := RefuseChannel(unhex(t, chain+id+"00"), "none here")
	require.NoError(t, err)
	require.Equal(t, "0011"+id+"0009"+hex.EncodeToString([]byte("none here")), hex.EncodeToString(refusal))
	answer, err := NoChannels(TypeQueryRange, unhex(t, chain+"00000001 ffffffff 0101"))
	require.NoError(t, err)
	require.Equal(t, "0108"+chain+"00000001ffffffff"+"01"+"0001"+"00", hex.EncodeToString(answer))
	answer, err = NoChannels(TypeQueryChannels, unhex(t, chain+"0001 00"))
	require.NoError(t, err)
	require.Equal(t, "0106"+chain+"00", hex.EncodeToString(answer))

	_, err = RefuseChannel(make([]byte, 63), "")
	require.ErrorIs(t, err, ErrMessage)
	_, err = NoChannels(TypeQueryRange, make([]byte, 39))
	require.ErrorIs(t, err, ErrMessage)
	_, err = NoChannels(TypeQueryChannels, make([]byte, 31))
	require.ErrorIs(t, err, ErrMessage)
}

// FuzzMessages checks that any input is decoded or rejected, and that decoded messages can be
// encoded again.
func FuzzMessages(f *testing.F) {
	f.Add(Init{LocalFeatures(), [][32]byte{{1}}, netip.MustParseAddrPort("[2001:db8::1]:9735")}.Encode())
	f.Add(Init{Remote: netip.MustParseAddrPort("192.0.2.1:9735")}.Encode())
	f.Add(Ping{20, 5}.Encode())
	f.Add(Pong(9).Encode())
	f.Add(Problem{Text: "sorry"}.Encode(TypeError))
	f.Add(append([]byte{0, 32}, make([]byte, 70)...))
	f.Add(append([]byte{1, 7}, make([]byte, 42)...))
	f.Fuzz(func(t *testing.T, message []byte) {
		kind, payload, err := Split(message)
		if err != nil {
			return
		}
		if ping, err := DecodePing(payload); err == nil {
			require.LessOrEqual(t, len(ping.Encode()), len(message))
			if ping.Wanted() {
				require.LessOrEqual(t, len(Pong(ping.Pong).Encode()), 65535)
			}
		}
		if pong, err := DecodePong(payload); err == nil {
			require.LessOrEqual(t, len(pong.Encode()), len(message))
		}
		if p, err := DecodeProblem(payload); err == nil {
			require.LessOrEqual(t, len(p.Text), maxText)
			again, err := DecodeProblem(p.Encode(TypeError)[2:])
			require.NoError(t, err)
			require.Equal(t, p, again)
		}
		if m, err := DecodeInit(payload); err == nil {
			_ = m.Features.Check()
			again, err := DecodeInit(m.Encode()[2:])
			require.NoError(t, err)
			require.Equal(t, m.Networks, again.Networks)
			require.Equal(t, m.Remote.IsValid(), again.Remote.IsValid())
		}
		_, _ = RefuseChannel(payload, "")
		_, _ = NoChannels(kind, payload)
	})
}
