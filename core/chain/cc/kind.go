package cc

import "fmt"

// Kind is a type of crypto-condition, by its number on the wire.
type Kind uint8

// The kinds. RSA has conditions but no fulfillments here.
const (
	Preimage  Kind = 0
	Prefix    Kind = 1
	Threshold Kind = 2
	RSA       Kind = 3
	Ed25519   Kind = 4
	Secp256k1 Kind = 5
	Eval      Kind = 15
)

var kindNames = [16]string{
	Preimage:  "preimage-sha-256",
	Prefix:    "prefix-sha-256",
	Threshold: "threshold-sha-256",
	RSA:       "rsa-sha-256",
	Ed25519:   "ed25519-sha-256",
	Secp256k1: "secp256k1-sha-256",
	Eval:      "eval-sha-256",
}

// String is the name of the kind in URIs.
func (k Kind) String() string {
	if k.isKnown() {
		return kindNames[k]
	}
	return fmt.Sprintf("kind-%d", uint8(k))
}

func (k Kind) isKnown() bool { return int(k) < len(kindNames) && kindNames[k] != "" }

// isCompound reports whether the kind has subconditions. Conditions of such kinds list the
// kinds of their subconditions.
func (k Kind) isCompound() bool { return k == Prefix || k == Threshold }

// Mask is a set of kinds: bit k for kind k.
type Mask = uint32

func (k Kind) mask() Mask { return 1 << k }
