package wire

import "fmt"

// Feature is the number of a feature's compulsory bit, which is even. The next bit offers the
// feature without requiring it.
type Feature int

// Features of BOLT 9 that are used in this package.
const (
	DataLossProtect   Feature = 0
	GossipQueries     Feature = 6
	VarOnion          Feature = 8
	StaticRemoteKey   Feature = 12
	PaymentSecret     Feature = 14
	BasicMPP          Feature = 16
	ShutdownAnySegwit Feature = 26
	ChannelType       Feature = 44
	SCIDAlias         Feature = 46
	ZeroConf          Feature = 50
	SimpleClose       Feature = 60
)

// lastFeature is the last feature that BOLT 9 assigns. Features up to it concern channels,
// payments and gossip, which this node does not have, so that a peer may require them. Higher
// features are unknown and may concern the connection itself.
const lastFeature Feature = 62

// needs returns pairs of a feature and another feature that it requires by BOLT 9, except for
// features that every node is assumed to have.
func needs() [][2]Feature {
	return [][2]Feature{{BasicMPP, PaymentSecret}, {ZeroConf, SCIDAlias}, {SimpleClose, ShutdownAnySegwit}}
}

// LocalFeatures returns the features that this node offers. They include the features that lnd,
// LDK, Core Lightning and Eclair require of their peers, and gossip queries, so that peers wait
// for a query before they send gossip. The node requires no feature of the peer.
func LocalFeatures() Features {
	return NewFeatures(DataLossProtect, GossipQueries, VarOnion, StaticRemoteKey, PaymentSecret, ChannelType)
}

// Features is a set of feature bits, the highest in the first byte.
type Features []byte

// NewFeatures returns a set that offers each feature without requiring it.
func NewFeatures(offered ...Feature) Features {
	var f Features
	for _, feature := range offered {
		f = f.with(int(feature) + 1)
	}
	return f
}

// with returns the set with an additional bit.
func (f Features) with(bit int) Features {
	out := make(Features, max(len(f), bit/8+1))
	copy(out[len(out)-len(f):], f)
	out[len(out)-1-bit/8] |= 1 << (bit % 8)
	return out
}

func (f Features) bit(n int) bool {
	at := len(f) - 1 - n/8
	return at >= 0 && f[at]>>(n%8)&1 == 1
}

// Has reports whether a feature is offered or required.
func (f Features) Has(feature Feature) bool {
	return f.bit(int(feature)) || f.bit(int(feature)+1)
}

// Requires reports whether a feature is required.
func (f Features) Requires(feature Feature) bool { return f.bit(int(feature)) }

// FeatureError means that a peer requires an unknown feature, or offers a feature without
// another one that it needs.
type FeatureError struct {
	Feature Feature
	Missing Feature // -1 if Feature is unknown
}

func (e *FeatureError) Error() string {
	if e.Missing < 0 {
		return fmt.Sprintf("feature %d is required and not supported", int(e.Feature))
	}
	return fmt.Sprintf("feature %d is offered without feature %d", int(e.Feature), int(e.Missing))
}

// Check returns a *FeatureError if the node must not continue with a peer that has these
// features.
func (f Features) Check() error {
	for bit := 0; bit < 8*len(f); bit += 2 {
		if f.bit(bit) && Feature(bit) > lastFeature {
			return &FeatureError{Feature(bit), -1}
		}
	}
	for _, pair := range needs() {
		if f.Has(pair[0]) && !f.Has(pair[1]) {
			return &FeatureError{pair[0], pair[1]}
		}
	}
	return nil
}

// or returns the union of two sets.
func (f Features) or(g Features) Features {
	if len(g) > len(f) {
		f, g = g, f
	}
	out := append(Features(nil), f...)
	for n, b := range g {
		out[len(out)-len(g)+n] |= b
	}
	return out
}
