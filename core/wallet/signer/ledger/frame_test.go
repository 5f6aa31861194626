package ledger_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

// TestFramesOfLedgersLibrary checks that reports equal those of Ledger's library byte for byte.
func TestFramesOfLedgersLibrary(t *testing.T) {
	for _, f := range ledgertest.Frames(t) {
		apdu := ledgertest.Hex(t, f.APDU)
		var reports []string
		joiner := ledger.Joiner{Channel: f.Channel, Max: len(apdu)}
		for n, report := range ledger.Split(f.Channel, apdu) {
			reports = append(reports, hex.EncodeToString(report))
			got, done, err := joiner.Add(report)
			require.NoError(t, err)
			require.Equal(t, n == len(f.Reports)-1, done)
			if done {
				require.Equal(t, apdu, got)
			}
		}
		require.Equal(t, f.Reports, reports)
	}
}

func TestJoinerRefuses(t *testing.T) {
	const channel = 0x0102
	good := func() [][]byte { return ledger.Split(channel, bytes.Repeat([]byte{7}, 150)) }
	for name, c := range map[string]struct {
		change func(reports [][]byte) [][]byte
		text   string
	}{
		"an empty report":   {func(r [][]byte) [][]byte { return [][]byte{{}} }, "it has 0 bytes, want 64"},
		"a short report":    {func(r [][]byte) [][]byte { r[1] = r[1][:63]; return r }, "it has 63 bytes, want 64"},
		"a long report":     {func(r [][]byte) [][]byte { r[0] = append(r[0], 0); return r }, "it has 65 bytes, want 64"},
		"another channel":   {func(r [][]byte) [][]byte { r[1][0] = 9; return r }, "its channel is 0902, want 0102"},
		"another tag":       {func(r [][]byte) [][]byte { r[0][2] = 2; return r }, "its tag is 02, want 05"},
		"not the first one": {func(r [][]byte) [][]byte { return r[1:] }, "its sequence number is 1, want 0"},
		"a gap":             {func(r [][]byte) [][]byte { return [][]byte{r[0], r[2]} }, "its sequence number is 2, want 1"},
		"one twice":         {func(r [][]byte) [][]byte { return [][]byte{r[0], r[0]} }, "its sequence number is 0, want 1"},
		"nothing in it":     {func(r [][]byte) [][]byte { r[0][5], r[0][6] = 0, 0; return r }, "it begins 0 bytes, want 1 to 150"},
		"too much":          {func(r [][]byte) [][]byte { r[0][6]++; return r }, "it begins 151 bytes, want 1 to 150"},
		"65535 bytes":       {func(r [][]byte) [][]byte { r[0][5], r[0][6] = 255, 255; return r }, "it begins 65535 bytes, want 1 to 150"},
	} {
		t.Run(name, func(t *testing.T) {
			joiner := ledger.Joiner{Channel: channel, Max: 150}
			for _, report := range c.change(good()) {
				_, done, err := joiner.Add(report)
				require.False(t, done)
				if err != nil {
					require.Equal(t, device.Failf(device.InvalidAnswer, "invalid report from the device: %s", c.text), err)
					return
				}
			}
			require.Fail(t, "it was taken")
		})
	}
}

// FuzzJoiner checks that an APDU always has the announced length, which is limited.
func FuzzJoiner(f *testing.F) {
	f.Add(bytes.Join(ledger.Split(0x0101, make([]byte, 200)), nil))
	f.Add(bytes.Repeat([]byte{1, 1, 5, 0, 0, 0xff, 0xff}, 40))
	f.Fuzz(func(t *testing.T, stream []byte) {
		joiner := ledger.Joiner{Channel: 0x0101, Max: ledger.MaxAnswer}
		for n := 0; len(stream) > 0; n++ {
			report := stream[:min(device.ReportSize, len(stream))]
			stream = stream[len(report):]
			apdu, done, err := joiner.Add(report)
			if err != nil {
				require.True(t, device.Is(err, device.InvalidAnswer))
				return
			}
			require.LessOrEqual(t, len(apdu), ledger.MaxAnswer)
			if done {
				reports := ledger.Split(0x0101, apdu)
				require.Len(t, reports, n+1)
				return
			}
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add(uint16(0x0101), []byte{0xb0, 1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, channel uint16, apdu []byte) {
		if len(apdu) == 0 || len(apdu) > 65535 {
			return
		}
		joiner := ledger.Joiner{Channel: channel, Max: 65535}
		for _, report := range ledger.Split(channel, apdu) {
			require.Len(t, report, device.ReportSize)
			got, done, err := joiner.Add(report)
			require.NoError(t, err)
			if done {
				require.Equal(t, apdu, got)
				return
			}
		}
		require.Fail(t, "it has no end")
	})
}
