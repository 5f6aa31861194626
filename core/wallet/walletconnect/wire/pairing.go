package wire

import (
	"encoding/hex"
	"strconv"
	"time"
)

// Pairing is what one end shows to the other, mostly as a QR code, so that they find each
// other.
type Pairing struct {
	Key     SymKey
	Expires time.Time
}

// URI is the text to show. It holds the key: whoever reads it can approve the session.
func (p Pairing) URI() string {
	return "wc:" + p.Key.Topic() + "@2?expiryTimestamp=" + strconv.FormatInt(p.Expires.Unix(), 10) +
		"&relay-protocol=" + RelayProtocol + "&symKey=" + hex.EncodeToString(p.Key[:])
}

// RelayProtocol is the only protocol of relays that is in use.
const RelayProtocol = "irn"
