package speculos

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/stretchr/testify/require"

	cosmos "obverse/core/wallet/cosmos/address"
	evm "obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
	"obverse/native/test/npmprocess"
)

const testdata = "../../core/wallet/signer/ledger/ledgertest/testdata"

// line is a line of the peer's output: the result of Ledger's library for a response of the device.
type line struct {
	Name, Error string
	End         bool
	Result      struct {
		Version, PublicKey, Address string
		Signature                   string
		Raw, R, S                   string
		V                           any
	}

	Channel uint16
	APDU    string
	Reports []string
	Back    string
}

// server serves clients of this machine, one after the other.
type server struct {
	port string

	mu       sync.Mutex
	commands [][]string // commands of each client
}

func serve(t *testing.T, d *ledgertest.Device) *server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	s, ended := &server{port: port}, make(chan struct{})
	t.Cleanup(func() {
		listener.Close()
		d.Unplug()
		<-ended
	})
	go func() {
		defer close(ended)
		for s.next(listener, d) {
		}
	}()
	return s
}

// next serves a client until it disconnects.
func (s *server) next(listener net.Listener, d *ledgertest.Device) bool {
	client, err := listener.Accept()
	if err != nil {
		return false
	}
	defer client.Close()
	before := len(d.Requests())
	_ = d.ServeSpeculos(context.Background(), client) // ends when the client disconnects
	var commands []string
	for _, apdu := range d.Requests()[before:] {
		commands = append(commands, hex.EncodeToString(apdu))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commands = append(s.commands, commands)
	return true
}

// askLibraries makes Ledger's libraries send the requests of an app.
func askLibraries(t *testing.T, s *server, requests []ledgertest.Request) map[string]line {
	t.Helper()
	arguments := []string{s.port, file(t, "requests.json")}
	for _, r := range requests {
		arguments = append(arguments, r.Name)
	}
	peer := npmprocess.Start[line](t, "speculos/npmpeer", "@ledgerhq/hw-app-eth", arguments...)
	results := map[string]line{}
	for {
		l := peer.Next(t, func(line) bool { return true })
		if l.End {
			return results
		}
		require.Empty(t, l.Error, l.Name)
		results[l.Name] = l
	}
}

func file(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(testdata, name))
	require.NoError(t, err)
	return path
}

func requestsTo(t *testing.T, app string) (requests []ledgertest.Request) {
	for _, r := range ledgertest.Requests(t) {
		if r.App == app {
			requests = append(requests, r)
		}
	}
	require.NotEmpty(t, requests)
	return requests
}

// Ledger's libraries receive versions, addresses and valid signatures from the emulator. They send
// the same commands as this client.
func TestLedgersLibraries(t *testing.T) {
	for _, app := range []string{"Cosmos", "Ethereum"} {
		t.Run(app, func(t *testing.T) {
			d := ledgertest.New(t, "emulator")
			d.Set(func(s *ledgertest.Settings) { s.BlindSigning, s.Versions["Cosmos"] = true, [3]byte{2, 34, 9} })
			d.OpenApp(app)
			s, requests := serve(t, d), requestsTo(t, app)
			results := askLibraries(t, s, requests)
			require.Len(t, results, len(requests))
			client := &ledger.Client{Port: Port{Address: "127.0.0.1:" + s.port}}
			for _, r := range requests {
				check(t, r, results[r.Name], d)
				r.Make(t.Context(), t, client, d)
			}
			if app == "Ethereum" {
				require.Contains(t, slices.Concat(d.Screens()...), "Amount: 2500000 (6 decimals) USDC")
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			for n, r := range requests {
				require.Equal(t, ledgertest.Commands(t)[r.Name], s.commands[n], r.Name)
			}
		})
	}
}

func check(t *testing.T, r ledgertest.Request, got line, d *ledgertest.Device) {
	t.Helper()
	if r.Method == "version" {
		require.Equal(t, map[string]string{"Cosmos": "2.34.9", "Ethereum": "1.22.1"}[r.App], got.Result.Version)
		return
	}
	public := d.PublicKey(r.Path(t))
	account, err := evm.FromKey(public)
	require.NoError(t, err)
	switch r.App + " " + r.Method {
	case "Cosmos address":
		want, err := cosmos.FromKey(r.Prefix, public)
		require.NoError(t, err)
		require.Equal(t, want.String(), got.Result.Address)
		require.Equal(t, hex.EncodeToString(public[:]), got.Result.PublicKey)
	case "Cosmos sign":
		signature, err := ecdsa.ParseDERSignature(ledgertest.Hex(t, got.Result.Signature))
		require.NoError(t, err)
		key, err := btcec.ParsePubKey(public[:])
		require.NoError(t, err)
		hash := sha256.Sum256([]byte(r.Document))
		require.True(t, signature.Verify(hash[:], key), r.Name)
	case "Ethereum address":
		require.Equal(t, account.String(), got.Result.Address)
	case "Ethereum sign":
		transaction := r.Transaction(t)
		require.Equal(t, got.Result.Raw, hex.EncodeToString(transaction.Unsigned()), "%s: ethers writes it otherwise", r.Name)
		v := number(t, got.Result.V.(string), 16)
		if transaction.Tip == nil {
			v.Sub(v, transaction.LegacyV())
		}
		requireSigner(t, account, transaction.SigningHash(), v, got)
	case "Ethereum text":
		hash := evm.Keccak([]byte("\x19Ethereum Signed Message:\n"+strconv.Itoa(len(r.Text))), []byte(r.Text))
		requireSigner(t, account, hash, big.NewInt(int64(got.Result.V.(float64))-27), got)
	case "Ethereum typed":
		hash := evm.Keccak([]byte{0x19, 0x01}, ledgertest.Hex(t, r.Domain), ledgertest.Hex(t, r.Message))
		requireSigner(t, account, hash, big.NewInt(int64(got.Result.V.(float64))-27), got)
	default:
		require.Fail(t, "nothing checks "+r.Name)
	}
}

func number(t *testing.T, text string, base int) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(text, base)
	require.True(t, ok, text)
	return n
}

func requireSigner(t *testing.T, want evm.Address, hash [32]byte, recovery *big.Int, got line) {
	t.Helper()
	signer, err := wire.Signer(hash, recovery, ledgertest.Hex(t, got.Result.R), ledgertest.Hex(t, got.Result.S))
	require.NoError(t, err, got.Name)
	require.Equal(t, want, signer, got.Name)
}

// Ledger's library and this client encode APDUs as in the vectors.
func TestLedgersFraming(t *testing.T) {
	peer := npmprocess.Start[line](t, "speculos/npmpeer", "@ledgerhq/hw-app-eth", "--frames", file(t, "frames.json"))
	for _, want := range ledgertest.Frames(t) {
		l := peer.Next(t, func(line) bool { return true })
		require.Equal(t, want, ledgertest.Frame{Channel: l.Channel, APDU: l.APDU, Reports: l.Reports})
		require.Equal(t, want.APDU, l.Back)
		for n, report := range ledger.Split(want.Channel, ledgertest.Hex(t, want.APDU)) {
			require.Equal(t, want.Reports[n], hex.EncodeToString(report), fmt.Sprint(want.APDU, n))
		}
	}
}
