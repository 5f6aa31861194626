package trezor_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/trezor"
)

func TestSplit(t *testing.T) {
	for size, reports := range map[int]int{0: 1, 1: 1, 55: 1, 56: 2, 118: 2, 119: 3, 1024: 17} {
		m := trezor.Message{Kind: 58, Body: bytes.Repeat([]byte{7}, size)}
		all := trezor.Split(m)
		require.Len(t, all, reports, size)
		joiner := trezor.Joiner{Max: size}
		for n, report := range all {
			got, done, err := joiner.Add(report)
			require.NoError(t, err)
			require.Equal(t, n == reports-1, done)
			if done {
				require.Equal(t, m.Kind, got.Kind)
				require.True(t, bytes.Equal(m.Body, got.Body))
			}
		}
	}
}

func TestJoinerRefuses(t *testing.T) {
	good := func() [][]byte {
		return trezor.Split(trezor.Message{Kind: 2, Body: bytes.Repeat([]byte{7}, 150)})
	}
	for name, c := range map[string]struct {
		change func(r [][]byte) [][]byte
		text   string
	}{
		"empty":       {func([][]byte) [][]byte { return [][]byte{{}} }, "it has 0 bytes, want 64"},
		"short":       {func(r [][]byte) [][]byte { r[1] = r[1][:63]; return r }, "it has 63 bytes, want 64"},
		"long":        {func(r [][]byte) [][]byte { r[0] = append(r[0], 0); return r }, "it has 65 bytes, want 64"},
		"other mark":  {func(r [][]byte) [][]byte { r[1][0] = '!'; return r }, "it begins with 21, want 3f"},
		"not a begin": {func(r [][]byte) [][]byte { return r[1:] }, "it does not begin a message"},
		"too much":    {func(r [][]byte) [][]byte { r[0][8]++; return r }, "it begins 151 bytes, want at most 150"},
		"4 GB":        {func(r [][]byte) [][]byte { r[0][5] = 255; return r }, "it begins 4278190230 bytes, want at most 150"},
	} {
		t.Run(name, func(t *testing.T) {
			joiner := trezor.Joiner{Max: 150}
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

// FuzzJoiner checks that a message always has the announced length, which is limited.
func FuzzJoiner(f *testing.F) {
	f.Add(bytes.Join(trezor.Split(trezor.Message{Kind: 17, Body: make([]byte, 200)}), nil))
	f.Add(bytes.Repeat([]byte("?##\x00\x11\xff\xff\xff\xff"), 40))
	f.Fuzz(func(t *testing.T, stream []byte) {
		joiner := trezor.Joiner{Max: trezor.MaxMessage}
		for n := 0; len(stream) > 0; n++ {
			report := stream[:min(device.ReportSize, len(stream))]
			stream = stream[len(report):]
			m, done, err := joiner.Add(report)
			if err != nil {
				require.True(t, device.Is(err, device.InvalidAnswer))
				return
			}
			require.LessOrEqual(t, len(m.Body), trezor.MaxMessage)
			if done {
				require.Len(t, trezor.Split(m), n+1)
				return
			}
		}
	})
}

// FuzzFields checks that parsed fields are parts of the message, and that their number is
// limited.
func FuzzFields(f *testing.F) {
	f.Add([]byte{0x0a, 3, 'a', 'b', 'c', 0x10, 0x96, 1, 0x1a, 0})
	f.Add(bytes.Repeat([]byte{8, 1}, 300))
	f.Add([]byte{0x0b, 0x0c, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, message []byte) {
		all, ok := trezor.ReadFields(message)
		require.True(t, ok || all == nil)
		require.LessOrEqual(t, len(all), 256)
		content, _ := all.Bytes(1)
		require.LessOrEqual(t, len(content), len(message))
		require.LessOrEqual(t, len(all.Numbers(2)), len(all))
	})
}
