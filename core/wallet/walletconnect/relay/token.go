package relay

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/btcsuite/btcd/btcutil/base58"
)

// tokenLife is how long a token may be used, for a clock that is wrong by hours too. A
// connection outlives its token.
const tokenLife = 24 * time.Hour

// ed25519Code begins an ed25519 key in a did:key (multicodec).
const ed25519Code = "\xed\x01"

// clientID is the name of a client at a relay: its key as a DID.
func clientID(public ed25519.PublicKey) string {
	return "did:key:z" + base58.Encode(append([]byte(ed25519Code), public...))
}

// claims are what a token says. The order is that of the official clients.
type claims struct {
	Issuer   string `json:"iss"`
	Subject  string `json:"sub"`
	Audience string `json:"aud"`
	Issued   int64  `json:"iat"`
	Expires  int64  `json:"exp"`
}

// token is the JWT by which a relay knows its client. Subject is a nonce.
func token(key ed25519.PrivateKey, subject [32]byte, url string, now time.Time) (string, error) {
	body, err := json.Marshal(claims{clientID(key.Public().(ed25519.PublicKey)), hex.EncodeToString(subject[:]), url,
		now.Unix(), now.Add(tokenLife).Unix()})
	if err != nil {
		return "", err
	}
	signed := encode([]byte(`{"alg":"EdDSA","typ":"JWT"}`)) + "." + encode(body)
	return signed + "." + encode(ed25519.Sign(key, []byte(signed))), nil
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
