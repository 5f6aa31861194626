package relay

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/btcsuite/btcd/btcutil/base58"
)

// tokenLife is the lifetime of a token, long enough for a clock that is wrong by hours. A
// connection may outlast its token.
const tokenLife = 24 * time.Hour

// ed25519Code is the multicodec prefix of an Ed25519 key in a did:key.
const ed25519Code = "\xed\x01"

// clientID returns the client's id at the relay: its public key as a DID.
func clientID(public ed25519.PublicKey) string {
	return "did:key:z" + base58.Encode(append([]byte(ed25519Code), public...))
}

// claims holds the claims of a token, in the order of the official clients.
type claims struct {
	Issuer   string `json:"iss"`
	Subject  string `json:"sub"`
	Audience string `json:"aud"`
	Issued   int64  `json:"iat"`
	Expires  int64  `json:"exp"`
}

// token returns the JWT that identifies the client to the relay. Subject is a nonce.
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
