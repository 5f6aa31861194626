package wire

import (
	"encoding/hex"
	"strconv"
	"time"
)

// Pairing is the invitation that one end passes to the other, usually as a QR code.
type Pairing struct {
	Key     SymKey
	Expires time.Time
}

// URI returns the text of the QR code. It contains the key: anyone who reads it can approve the
// session.
func (p Pairing) URI() string {
	return "wc:" + p.Key.Topic() + "@2?expiryTimestamp=" + strconv.FormatInt(p.Expires.Unix(), 10) +
		"&relay-protocol=" + RelayProtocol + "&symKey=" + hex.EncodeToString(p.Key[:])
}

// RelayProtocol is the only relay protocol in use.
const RelayProtocol = "irn"
