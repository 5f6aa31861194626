package cc

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

const tokens = 0xf2

// Keys: the token module's own key, and the key of the documented transactions.
const (
	moduleKey = "028702e30d8465d6aa85f35d2f58c06a6ee17f23f376b56044dadf7b793f2c12b9"
	key       = "02d3431950c2f0f9654217b6ce3d44468d3a9ca7255741767fdeee7c5ec6b47567"
)

func TestCondition(t *testing.T) {
	pub := unhex(t, key)
	secp := NewSecp256k1(pub)
	eval := NewEval(tokens)
	hidden := func(n *Node) *Node {
		c := n.Condition()
		return &Node{Kind: c.Kind, Hidden: &c}
	}
	many := NewThreshold(200)
	for range 200 {
		many.Subs = append(many.Subs, eval)
	}
	cases := []struct {
		name     string
		tree     *Node
		cost     uint64
		subtypes Mask
		kinds    Mask
	}{
		{"eval", eval, 1048576, 0, 1 << Eval},
		{"key", secp, 131072, 0, 1 << Secp256k1},
		{"preimage", &Node{Kind: Preimage, Data: []byte("abc")}, 3, 0, 1 << Preimage},
		{"1 of 1", NewThreshold(1, secp), 132096, 1 << Secp256k1, 1<<Threshold | 1<<Secp256k1},
		{"the dearest of 2", NewThreshold(1, secp, eval), 1048576 + 2048, 1<<Secp256k1 | 1<<Eval,
			1<<Threshold | 1<<Secp256k1 | 1<<Eval},
		{"a hidden condition", NewThreshold(1, secp, hidden(NewThreshold(1, eval))), 1048576 + 1024 + 2048,
			1<<Secp256k1 | 1<<Eval, 1<<Threshold | 1<<Secp256k1 | 1<<Eval},
		{"prefix of a threshold",
			&Node{Kind: Prefix, Data: []byte("ab"), MaxMessageLen: 5, Subs: []*Node{NewThreshold(1, eval)}},
			1024 + 7 + 1024 + 1048576, 1<<Threshold | 1<<Eval, 1<<Prefix | 1<<Threshold | 1<<Eval},
		{"0 of 0", NewThreshold(0), 0, 0, 1 << Threshold},
		{"200 of 200", many, 200 * (1024 + 1048576), 1 << Eval, 1<<Threshold | 1<<Eval},
		{"more than there are", NewThreshold(3, eval), 1024 + 1048576, 1 << Eval, 1<<Threshold | 1<<Eval},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			condition := c.tree.Condition()
			require.Equal(t, c.cost, condition.Cost)
			require.Equal(t, c.subtypes, condition.Subtypes)
			require.Equal(t, c.kinds, c.tree.Kinds())
			require.Equal(t, c.tree.Kind, condition.Kind)
			require.Equal(t, condition, hidden(c.tree).Condition())
			require.Equal(t, c.kinds, hidden(c.tree).Kinds()|c.tree.Kind.mask())
			decoded, err := DecodeCondition(condition.Encode())
			require.NoError(t, err)
			require.Equal(t, condition, decoded)
		})
	}
}

// TestConditionBytes checks the encoding of each node in the tree of the token module's own
// output.
func TestConditionBytes(t *testing.T) {
	eval, secp := NewEval(tokens), NewSecp256k1(unhex(t, moduleKey))
	inner := NewThreshold(1, secp)
	cases := []struct {
		name string
		tree *Node
		want string
	}{
		{"key", secp, "a5278020dda7f13bc2c580b3e4167a5310d94f6b309dbde34a853f051338b51db609e0238103020000"},
		{"keys", inner, "a22b8020943ff8755a46ee299f4ea846d4058ddaaef917c42113116efd863698eff41bd3810302040082020204"},
		{"eval", eval, "af278020966c7c47125c74575a9a1153b799faf55be33a04e3d9f98760a3eeac377103df8103100000"},
		{"single eval", NewThreshold(2, eval, inner),
			"a22c8020d685e1661526bafc7de5bf7b9b2c8a456410e441220242ff40894fab482b106e8103120c008203000401"},
		{"single eval, the other way round", NewThreshold(2, inner, eval),
			"a22c8020d685e1661526bafc7de5bf7b9b2c8a456410e441220242ff40894fab482b106e8103120c008203000401"},
		{"dual eval", NewThreshold(3, NewEval(0xe3), eval, inner),
			"a22c8020ae45993c7ae89c1963bb31a488220b0a14d5153a8ac657cc36a70cf3a7caf9b381032210008203000401"},
		{"1 of 2", NewThreshold(2, eval, NewThreshold(1, secp, NewSecp256k1(unhex(t, key)))),
			"a22c802050262b79b52550d9277423a113061e619f1dc84e6c67c582752dae273bdeab7881031210008203000401"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, unhex(t, c.want), c.tree.Condition().Encode())
		})
	}
}

// TestLongFingerprint checks a threshold whose fingerprint contents need three-byte lengths.
// Each of its conditions has 39 bytes.
func TestLongFingerprint(t *testing.T) {
	leaf := &Node{Kind: Preimage}
	tree := NewThreshold(2000, slices.Repeat([]*Node{leaf}, 2000)...)
	contents := append(unhex(t, "30830130b9"+"800207d0"+"a1830130b0"), bytes.Repeat(leaf.Condition().Encode(), 2000)...)
	require.Equal(t, sha256.Sum256(contents), tree.Condition().Fingerprint)
}

func TestKindNames(t *testing.T) {
	require.Equal(t, "secp256k1-sha-256", Secp256k1.String())
	require.Equal(t, "kind-6", Kind(6).String())
	require.Equal(t, "kind-200", Kind(200).String())
	c := Condition{Kind: Threshold, Cost: 1, Subtypes: 1<<Eval | 1<<6 | 1<<Preimage}
	require.Equal(t, "ni:///sha-256;AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA?fpt=threshold-sha-256&cost=1"+
		"&subtypes=preimage-sha-256,kind-6,eval-sha-256", c.URI())
}

func TestEncodeFulfillsTheCheapest(t *testing.T) {
	cheap, eval := &Node{Kind: Preimage, Data: []byte("a")}, NewEval(tokens)
	dear := &Node{Kind: Preimage, Data: []byte("abc")}
	unsigned, unsigned2 := NewSecp256k1(unhex(t, key)), NewSecp256k1(unhex(t, moduleKey))
	signed := &Node{Kind: Secp256k1, PublicKey: unhex(t, moduleKey), Signature: make([]byte, 64)}
	short := &Node{Kind: Secp256k1, PublicKey: unhex(t, moduleKey), Signature: make([]byte, 63)}
	known := cheap.Condition()
	hidden := &Node{Kind: Preimage, Hidden: &known}
	cases := []struct {
		name      string
		tree      *Node
		fulfilled []*Node // members that the fulfillment contains as fulfilled; nil if the tree is unfulfilled
	}{
		{"the cheaper", NewThreshold(1, eval, dear, cheap), []*Node{cheap}},
		{"the two cheapest", NewThreshold(2, eval, dear, cheap), []*Node{cheap, dear}},
		{"all", NewThreshold(3, eval, dear, cheap), []*Node{cheap, dear, eval}},
		{"a signed condition", NewThreshold(1, eval, unsigned, signed), []*Node{signed}},
		{"eval where nothing is signed", NewThreshold(1, unsigned, eval), []*Node{eval}},
		{"not the hidden", NewThreshold(1, hidden, dear), []*Node{dear}},
		{"a signed condition, others hidden", NewThreshold(1, unsigned, unsigned2, signed), []*Node{signed}},
		{"the same, in another order", NewThreshold(1, unsigned2, unsigned, signed), []*Node{signed}},
		{"none of none", NewThreshold(0, unsigned), []*Node{}},
		{"too few", NewThreshold(2, unsigned, eval), nil},
		{"half a signature", short, nil},
		{"more than there are", NewThreshold(2, eval), nil},
		{"hidden alone", hidden, nil},
		{"prefix of the unsigned", &Node{Kind: Prefix, Subs: []*Node{unsigned}}, nil},
		{"RSA", &Node{Kind: RSA}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b, err := c.tree.Encode()
			if c.fulfilled == nil {
				require.ErrorIs(t, err, ErrUnfulfilled)
				return
			}
			require.NoError(t, err)
			n, err := DecodeFulfillment(b)
			require.NoError(t, err)
			require.Equal(t, c.tree.Condition(), n.Condition())
			fulfilled := []*Node{}
			for _, sub := range n.Subs {
				if sub.Hidden == nil {
					fulfilled = append(fulfilled, sub)
				}
			}
			require.Equal(t, c.fulfilled, fulfilled)
		})
	}
}

func TestFill(t *testing.T) {
	mine, sig := unhex(t, key), make([]byte, 64)
	a, b, other := NewSecp256k1(mine), NewSecp256k1(mine), NewSecp256k1(unhex(t, moduleKey))
	known := a.Condition()
	hidden := &Node{Kind: Secp256k1, PublicKey: mine, Hidden: &known}
	eval := &Node{Kind: Eval, PublicKey: mine}
	tree := NewThreshold(2, a, hidden, eval, NewThreshold(1, b, other))
	require.Equal(t, 2, tree.Fill(mine, sig))
	sig[0] = 1
	require.Equal(t, make([]byte, 64), a.Signature)
	require.Equal(t, a.Signature, b.Signature)
	for _, n := range []*Node{other, hidden, eval} {
		require.Empty(t, n.Signature)
	}
	require.Zero(t, tree.Fill(mine[1:], sig))
}

func TestWalk(t *testing.T) {
	a, b, c := NewEval(1), NewEval(2), NewEval(3)
	inner := NewThreshold(1, b)
	tree := NewThreshold(2, a, inner, c)
	var seen []*Node
	tree.Walk(func(n *Node) { seen = append(seen, n) })
	require.Equal(t, []*Node{tree, a, inner, b, c}, seen)
}
