package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"obverse/core/wallet/signer/device"
)

// maxDocument is the size of the app's buffer (app/src/common/tx.c).
const maxDocument = 16384

// members of a sign document, all of which the app wants.
var members = []string{"account_number", "chain_id", "fee", "memo", "msgs", "sequence"}

// CheckDocument refuses what the app Cosmos could not show: anything but amino JSON, with sorted
// keys and without spaces (docs/TXSPEC.md).
func CheckDocument(document []byte) error {
	if len(document) > maxDocument {
		return device.Failf(device.Unsupported, "transaction is too long for the device: it has %d bytes, want at most %d", len(document), maxDocument)
	}
	all, err := decodeObject(document)
	if err != nil {
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

var errTrailing = errors.New("something follows the object")

// decodeObject reads an object that is all of b.
func decodeObject(b []byte) (all map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.UseNumber() // a number is written as it was
	if err := decoder.Decode(&all); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errTrailing
	}
	return all, nil
}
