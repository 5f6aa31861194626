package trading_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/trading"
)

// TestUtxo checks that UTXO coins are refused, with and without mmrpc.
func TestUtxo(t *testing.T) {
	s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), StrictParams: true, Now: time.Now}, trading.Utxo{})
	for _, m := range (trading.Utxo{}).Methods() {
		status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request(m.Name, `{"ticker":"KMD","activation_params":{}}`)))
		require.Equal(t, 501, status, m.Name)
		require.Contains(t, string(reply), `"error":"`+m.Name+` is not available: this node has no UTXO coins"`)
		require.Contains(t, string(reply), `"error_type":"UtxoNotSupported","error_data":"`+m.Name+`"`)
	}
	_, reply := s.Serve(t.Context(), mmrpctest.Here, fmt.Appendf(nil, `{"userpass":%q,"method":"electrum","coin":"KMD","servers":[]}`, mmrpctest.Userpass))
	require.Contains(t, string(reply), `electrum is not available: this node has no UTXO coins`)
}
