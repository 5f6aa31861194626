package wire

import (
	"encoding/json"
	"fmt"

	"obverse/core/text"
)

// Methods of sessions and pairings.
const (
	SessionPropose = "wc_sessionPropose"
	SessionSettle  = "wc_sessionSettle"
	SessionUpdate  = "wc_sessionUpdate"
	SessionExtend  = "wc_sessionExtend"
	SessionRequest = "wc_sessionRequest"
	SessionEvent   = "wc_sessionEvent"
	SessionDelete  = "wc_sessionDelete"
	SessionPing    = "wc_sessionPing"
	PairingPing    = "wc_pairingPing"
	PairingDelete  = "wc_pairingDelete"
)

// Metadata describes an end of a session to its user.
type Metadata struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	URL         string   `json:"url"`
	Icons       []string `json:"icons"`
}

// Limits of metadata. Longer texts are truncated, and additional icons are omitted.
const (
	maxName  = 100
	maxText  = 500
	maxIcons = 4
)

// Bounded returns metadata of the other end within the limits.
func (m Metadata) Bounded() Metadata {
	out := Metadata{Name: text.Line(m.Name, maxName), Description: text.Line(m.Description, maxText), URL: text.Line(m.URL, maxText), Icons: []string{}}
	for _, icon := range m.Icons {
		if len(icon) <= maxText && len(out.Icons) < maxIcons { // a truncated URL would be a different one
			out.Icons = append(out.Icons, text.Line(icon, maxText))
		}
	}
	return out
}

// Participant is an end of a session.
type Participant struct {
	PublicKey string   `json:"publicKey"`
	Metadata  Metadata `json:"metadata"`
}

// Relay names the relay protocol.
type Relay struct {
	Protocol string `json:"protocol"`
}

// Proposal holds the params of SessionPropose.
type Proposal struct {
	Required Namespaces  `json:"requiredNamespaces"`
	Optional Namespaces  `json:"optionalNamespaces"`
	Relays   []Relay     `json:"relays"`
	Pairing  string      `json:"pairingTopic"`
	Proposer Participant `json:"proposer"`
	Expires  int64       `json:"expiryTimestamp"` // Unix seconds
}

// Approval holds the result of SessionPropose.
type Approval struct {
	Relay     Relay  `json:"relay"`
	Responder string `json:"responderPublicKey"`
}

// Settlement holds the params of SessionSettle.
type Settlement struct {
	Relay      Relay           `json:"relay"`
	Controller Participant     `json:"controller"`
	Namespaces json.RawMessage `json:"namespaces"`
	Expires    int64           `json:"expiry"` // Unix seconds
}

// Request holds the params of SessionRequest.
type Request struct {
	Request RequestCall `json:"request"`
	Chain   string      `json:"chainId"`
}

// RequestCall is the request for the wallet.
type RequestCall struct {
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Expires int64           `json:"expiryTimestamp,omitempty"` // Unix seconds
}

// Event holds the params of SessionEvent.
type Event struct {
	Event struct {
		Name string          `json:"name"`
		Data json.RawMessage `json:"data"`
	} `json:"event"`
	Chain string `json:"chainId"`
}

// Update holds the params of SessionUpdate.
type Update struct {
	Namespaces json.RawMessage `json:"namespaces"`
}

// Decode decodes params or a result, which name describes. It returns ErrMessage.
func Decode[T any](raw json.RawMessage, name string) (value T, err error) {
	if len(raw) == 0 || isNull(raw) {
		return value, fmt.Errorf("%w: %s is missing", ErrMessage, name)
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return value, fmt.Errorf("%w: %s is malformed", ErrMessage, name)
	}
	return value, nil
}
