package wire_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/signer/device"
)

// TestKindsOfDevices checks that each fault has a kind, with the name used by Komodo DeFi
// Framework if there is one, and that its text is kept.
func TestKindsOfDevices(t *testing.T) {
	upstream := map[device.Fault]string{device.NotFound: "NoTrezorDeviceAvailable", device.MultipleDevices: "FoundMultipleDevices",
		device.Unexpected: "FoundUnexpectedDevice", device.InvalidAnswer: "UnexpectedMessage", device.InvalidSignature: "InvalidSignature"}
	for _, fault := range device.Faults() {
		err := fmt.Errorf("%w: %w", coin.ErrSigning, device.Failf(fault, "unlock it"))
		for _, failed := range []error{wire.KeyFailure(err), wire.SendingFailure(err), activate.ActivationFailure("ETH", err)} {
			var failure *mmerr.Error
			require.ErrorAs(t, failed, &failure)
			require.Equal(t, "unlock it", failure.Error())
			data, _ := failure.Data()
			if fault == device.Timeout {
				require.Equal(t, []any{"Timeout", 408, "unlock it"}, []any{failure.Type(), failure.Status(), data})
				continue
			}
			name := string(fault)
			if upstream[fault] != "" {
				name = upstream[fault]
			}
			require.Equal(t, []any{"HwError", 410, mmerr.Nested{Type: name, Data: "unlock it"}}, []any{failure.Type(), failure.Status(), data})
		}
	}
}
