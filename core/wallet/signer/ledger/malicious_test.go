package ledger_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

// private returns a key of the emulated device, so that a test can sign data that the device
// did not show.
func private(t testing.TB, path key.Path) *key.Private {
	t.Helper()
	ring, err := key.Open(ledgertest.Phrase, true)
	require.NoError(t, err)
	k, err := ring.At(path)
	require.NoError(t, err)
	return k
}

// TestSignaturesAreVerified checks that an error is returned if a device signs something else,
// or returns something else than a signature.
func TestSignaturesAreVerified(t *testing.T) {
	k := private(t, cosmosPath)
	right := k.SignDER(sha256.Sum256(document("")))
	const wrong = "signing: invalid signature from the device: it does not belong to this message and account"
	for name, c := range map[string]struct {
		signature []byte
		fault     device.Fault
		text      string
	}{
		"of another document":   {k.SignDER(sha256.Sum256(document("x"))), device.InvalidSignature, wrong},
		"of another key":        {private(t, ethereumPath).SignDER(sha256.Sum256(document(""))), device.InvalidSignature, wrong},
		"nothing":               {nil, device.InvalidAnswer, "signing: invalid signature of 0 bytes from the device, want DER"},
		"zeros":                 {make([]byte, 70), device.InvalidAnswer, "signing: invalid signature of 70 bytes from the device, want DER"},
		"one byte less":         {right[:len(right)-1], device.InvalidAnswer, "signing: invalid signature of " + itoa(len(right)-1) + " bytes from the device, want DER"},
		"r of zero":             {[]byte{0x30, 6, 2, 1, 0, 2, 1, 1}, device.InvalidAnswer, "signing: invalid signature of 8 bytes from the device, want DER"},
		"more than a signature": {bytes.Repeat([]byte{0x30}, 1022), device.InvalidAnswer, "signing: invalid signature of 1022 bytes from the device, want DER"},
	} {
		t.Run(name, func(t *testing.T) {
			d, client := open(t, "Cosmos")
			d.Tamper(func(command, answer []byte) []byte {
				if command[0] == 0x55 && command[1] == 2 && command[2] == 2 {
					return append(slices.Clone(c.signature), 0x90, 0)
				}
				return answer
			})
			s, err := signCosmos(t.Context(), client, d, document(""))
			requireFault(t, c.fault, c.text, err)
			require.Zero(t, s)
		})
	}
}

func itoa(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }

func TestEthereumSignaturesAreVerified(t *testing.T) {
	sent := payment(t, nil)
	other := payment(t, nil)
	other.Nonce++
	for name, c := range map[string]struct {
		signature []byte
		fault     device.Fault
	}{
		"of another transaction":   {signature(private(t, ethereumPath).Sign(other.SigningHash())), device.InvalidSignature},
		"of another key":           {signature(private(t, cosmosPath).Sign(sent.SigningHash())), device.InvalidSignature},
		"zeros":                    {make([]byte, 65), device.InvalidSignature},
		"numbers that are too big": {bytes.Repeat([]byte{0xff}, 65), device.InvalidSignature},
		"64 bytes":                 {make([]byte, 64), device.InvalidAnswer},
		"66 bytes":                 {make([]byte, 66), device.InvalidAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			d, client := open(t, "Ethereum")
			at(4, append(c.signature, 0x90, 0)...)(d)
			s, err := signEthereum(t.Context(), client, d, sent)
			require.True(t, device.Is(err, c.fault), err)
			require.Zero(t, s)
		})
	}
}

func signature(s key.Signature) []byte { return slices.Concat([]byte{s.Recovery}, s.R[:], s.S[:]) }

// TestLargerS checks that the lower s of a signature is returned, which chains require,
// although both are valid for a device.
func TestLargerS(t *testing.T) {
	d, client := open(t, "Ethereum")
	sent := payment(t, nil)
	right := private(t, ethereumPath).Sign(sent.SigningHash())
	large := right
	large.S = negated(right.S)
	at(4, append(signature(large), 0x90, 0)...)(d)
	got, err := signEthereum(t.Context(), client, d, sent)
	require.NoError(t, err)
	require.Equal(t, right, got)
}

// TestAddressesAreVerified checks that a key and an address that do not belong together are
// rejected, regardless of the wrong byte.
func TestAddressesAreVerified(t *testing.T) {
	for app, c := range map[string]struct {
		instruction byte
		size        int // size of the answer without its status
	}{"Cosmos": {4, 33 + 45}, "Ethereum": {2, 1 + 65 + 1 + 40}} {
		t.Run(app, func(t *testing.T) {
			d, client := open(t, app)
			for n := range c.size {
				d.Tamper(func(command, answer []byte) []byte {
					if command[0] != 0xb0 && command[1] == c.instruction {
						require.Len(t, answer, c.size+2)
						answer[n] ^= 0x55
					}
					return answer
				})
				var err error
				if app == "Cosmos" {
					_, err = signCosmos(t.Context(), client, d, document(""))
				} else {
					_, err = signEthereum(t.Context(), client, d, payment(t, nil))
				}
				require.True(t, device.Is(err, device.InvalidAnswer), "%d: %v", n, err)
			}
			require.Empty(t, d.Screens())
		})
	}
}

// TestWrongReports checks that reports that are not a valid answer end the request.
func TestWrongReports(t *testing.T) {
	endless := func(channel uint16) (all [][]byte) {
		for range 4000 {
			all = append(all, append([]byte{byte(channel >> 8), byte(channel), 5, 0, 0, 4, 0}, make([]byte, 57)...))
		}
		return all
	}
	for name, c := range map[string]struct {
		reports func(channel uint16, answer []byte) [][]byte
		text    string
	}{
		"empty":     {func(uint16, []byte) [][]byte { return [][]byte{{}} }, "invalid report from the device: it has 0 bytes, want 64"},
		"endless":   {func(channel uint16, _ []byte) [][]byte { return endless(channel) }, "invalid report from the device: its sequence number is 0, want 1"},
		"another's": {func(channel uint16, _ []byte) [][]byte { return endless(channel + 1) }, "invalid report from the device: its channel is 0102, want 0101"},
		"too long": {func(channel uint16, _ []byte) [][]byte {
			return ledger.Split(channel, make([]byte, ledger.MaxAnswer+1))
		}, "invalid report from the device: it begins 1025 bytes, want 1 to 1024"},
		"without status": {func(channel uint16, _ []byte) [][]byte { return ledger.Split(channel, []byte{0x90}) }, "invalid answer from the device: got 1 bytes, want 2 to 1024"},
		"no name":        {func(channel uint16, _ []byte) [][]byte { return ledger.Split(channel, []byte{1, 9, 'C', 0x90, 0}) }, "asking which app is open: invalid answer of 3 bytes, want a name and a version"},
		"an odd name": {func(channel uint16, _ []byte) [][]byte {
			return ledger.Split(channel, []byte("\x01\x02\x1b[\x01x\x90\x00"))
		}, "asking which app is open: invalid answer of 6 bytes, want a name and a version"},
		"an odd version": {func(channel uint16, _ []byte) [][]byte {
			return ledger.Split(channel, []byte("\x01\x06Cosmos\x03two\x90\x00"))
		}, `app Cosmos: invalid version "two"`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, client := open(t, "Cosmos")
				d.Frame(c.reports)
				_, err := signCosmos(t.Context(), client, d, document(""))
				requireFault(t, device.InvalidAnswer, c.text, err)
				d.Unplug()
			})
		})
	}
}

// scripted is a port to a device that returns the given answers, regardless of the commands.
type scripted struct{ answers [][]byte }

func (s *scripted) List(context.Context) ([]device.Info, error) { return []device.Info{{ID: "x"}}, nil }

func (s *scripted) Open(context.Context, string) (ledger.Link, error) { return s, nil }

func (s *scripted) Close() error { return nil }

func (s *scripted) Exchange(context.Context, []byte) ([]byte, error) {
	if len(s.answers) == 0 {
		return nil, device.Failf(device.Unplugged, "gone")
	}
	answer := s.answers[0]
	s.answers = s.answers[1:]
	return answer, nil
}

// FuzzAnswers checks that any answers of a device result in a fault or in a signature of the
// requested data.
func FuzzAnswers(f *testing.F) {
	open := []byte("\x01\x06Cosmos\x062.38.8\x90\x00")
	k := private(f, cosmosPath)
	public := k.PublicKey()
	address := append(public[:], "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4\x90\x00"...)
	f.Add(false, open, address, []byte{0x90, 0}, append(k.SignDER(sha256.Sum256(document("x"))), 0x90, 0))
	f.Add(false, open, address, []byte{0x90, 0}, []byte{0x69, 0x86})
	f.Add(true, []byte("\x01\x08Ethereum\x061.22.1\x90\x00"), []byte{1, 1, 22, 1, 0x90, 0}, address, make([]byte, 67))
	f.Fuzz(func(t *testing.T, ethereum bool, a, b, c, d []byte) {
		client := &ledger.Client{Port: &scripted{[][]byte{a, b, c, d}}}
		var s key.Signature
		var err error
		if ethereum {
			err = client.Ethereum(t.Context(), "", func(e *ledger.Ethereum) (err error) {
				s, err = e.SignTyped(t.Context(), ethereumPath, public, [32]byte{1}, [32]byte{2})
				return err
			})
		} else {
			err = client.Cosmos(t.Context(), "", func(e *ledger.Cosmos) (err error) {
				s, err = e.SignAmino(t.Context(), cosmosPath, "cosmos", public, document(""))
				return err
			})
		}
		if err == nil {
			require.Equal(t, k.Sign(sha256.Sum256(document(""))), s)
			return
		}
		require.True(t, device.Is(err, device.Faults()...), err)
		require.Zero(t, s)
		require.Less(t, len(err.Error()), 400)
	})
}
