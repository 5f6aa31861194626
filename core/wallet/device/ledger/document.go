package ledger

import (
	"bytes"
	"encoding/json"
	"io"

	"obverse/core/wallet/device"
)

// maxDocument is what the app has memory for (app/src/common/tx.c).
const maxDocument = 16384

// members of a sign document, all of which the app wants.
var members = []string{"account_number", "chain_id", "fee", "memo", "msgs", "sequence"}

// checkDocument refuses what the app could not show: anything but amino JSON, with sorted
// keys and without spaces (docs/TXSPEC.md).
func checkDocument(document []byte) error {
	if len(document) > maxDocument {
		return device.Failf(device.Unsupported, "transaction is too long for the device: it has %d bytes, want at most %d", len(document), maxDocument)
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var all map[string]any
	err := decoder.Decode(&all)
	if err == nil {
		_, err = decoder.Token()
	}
	if err != io.EOF {
		return device.Failf(device.Unsupported, "device cannot show this transaction: want amino JSON (SIGN_MODE_LEGACY_AMINO_JSON), not SIGN_MODE_DIRECT")
	}
	for _, name := range members {
		if _, has := all[name]; !has {
			return device.Failf(device.Unsupported, "device cannot show this transaction: %s is missing", name)
		}
	}
	if canonical, err := json.Marshal(all); err != nil || !bytes.Equal(canonical, document) {
		return device.Failf(device.Unsupported, "device cannot show this transaction: want sorted keys and no spaces")
	}
	return nil
}
