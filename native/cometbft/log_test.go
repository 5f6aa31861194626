package cometbft

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cometbft/cometbft/privval"
	"github.com/cometbft/cometbft/types"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/engine"
)

// TestWrongSettings checks that the error for an invalid setting names the setting, and does not
// advise the user to delete data.
func TestWrongSettings(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, taken.Close()) })
	address := taken.Addr().String()
	for says, wrong := range map[string]func(*Settings){
		"validator.listen: listen tcp " + address:         func(s *Settings) { s.Listen = address },
		"validator.rpc: failed to listen on " + address:   func(s *Settings) { s.serve(address) },
		"validator.signer: error with private validator":  func(s *Settings) { s.Signer = "tcp://" + address },
		"validator.external_address or validator.peers: ": func(s *Settings) { s.External = "127.0.0.1:99999" },
	} {
		w := begun(t, 1)
		w.nodes[0].end(t)
		settings := w.settings[0]
		wrong(&settings)
		err := w.nodes[0].engine.Open(t.Context(), settings, w.nodes[0].shared)
		require.ErrorContains(t, err, says, says)
		require.NotContains(t, err.Error(), "delete obverse.db")
	}
}

// TestDamagedAddressBook checks that the error names the file that can be deleted.
func TestDamagedAddressBook(t *testing.T) {
	s := Settings{Home: t.TempDir(), Listen: freeAddress(t)}
	id, err := Prepare(s.Home)
	require.NoError(t, err)
	book := filepath.Join(s.Home, "config", "addrbook.json")
	require.NoError(t, os.WriteFile(book, []byte(`{"key`), 0o600))
	require.NoError(t, (&Genesis{ChainID: "a", Time: time.Now(), Options: testOptions(t), Validators: []types.GenesisValidator{id.Validator},
		Terms: engine.Terms{Payee: chaintest.Key(t, 3).Token(), From: 1}}).Save(s.Home))
	v := newNetwork(t, testOptions(t), 1)
	v.nodes[0].inMemory(t)
	v.nodes[0].open(t, v)
	err = v.nodes[0].engine.Open(t.Context(), s, v.nodes[0].shared)
	require.ErrorContains(t, err, book+" is not valid JSON: delete it")
	require.NotContains(t, err.Error(), "delete obverse.db")
}

// TestMissingSigner checks that the error names the setting that waits for a signer.
func TestMissingSigner(t *testing.T) {
	s := Settings{Signer: "tcp://127.0.0.1:1"}
	err := s.explain(fmt.Errorf("send: %w", privval.ErrConnectionTimeout))
	require.ErrorContains(t, err, "validator.signer: no signer has connected")
	require.NotContains(t, err.Error(), "delete obverse.db")
}
