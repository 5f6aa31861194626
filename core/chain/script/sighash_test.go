package script

import (
	"slices"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/wire"
)

// shielded returns a transaction with one of each shielded part in the format of a version.
func shielded(version uint32) *wire.Tx {
	tx := spending().Tx
	tx.JoinSplits = []wire.JoinSplit{{VPubOld: 1, Proof: make([]byte, 192)}}
	switch version {
	case wire.SaplingVersion:
		tx.Spends = make([]wire.SpendDescription, 1)
		tx.ShieldedOutputs = make([]wire.OutputDescription, 1)
	case wire.OverwinterVersion:
		tx.Version, tx.VersionGroupID = version, wire.OverwinterGroupID
	default:
		tx.Overwintered, tx.VersionGroupID, tx.ExpiryHeight, tx.Version = false, 0, 0, version
	}
	return tx
}

// TestShieldedPartsAreSigned changes one field and compares the hashes: the hash must change in
// all formats that contain the field, except for the signatures of shielded parts.
func TestShieldedPartsAreSigned(t *testing.T) {
	const legacy, overwinter, sapling = 2, wire.OverwinterVersion, wire.SaplingVersion
	all := []uint32{legacy, overwinter, sapling}
	cases := []struct {
		name   string
		change func(tx *wire.Tx)
		signed []uint32
	}{
		{"joinsplit", func(tx *wire.Tx) { tx.JoinSplits[0].VPubNew++ }, all},
		{"joinsplit gone", func(tx *wire.Tx) { tx.JoinSplits = nil }, all},
		{"joinsplit key", func(tx *wire.Tx) { tx.JoinSplitPubKey[31]++ }, all},
		{"joinsplit signature", func(tx *wire.Tx) { tx.JoinSplitSig[0]++ }, nil},
		{"version", func(tx *wire.Tx) { tx.Version++ }, all},
		{"group id", func(tx *wire.Tx) { tx.VersionGroupID++ }, []uint32{overwinter, sapling}},
		{"expiry", func(tx *wire.Tx) { tx.ExpiryHeight++ }, []uint32{overwinter, sapling}},
		{"value balance", func(tx *wire.Tx) { tx.ValueBalance-- }, []uint32{sapling}},
		{"spend", func(tx *wire.Tx) {
			if len(tx.Spends) > 0 {
				tx.Spends[0].Nullifier[0]++
			}
		}, []uint32{sapling}},
		{"spend signature", func(tx *wire.Tx) {
			if len(tx.Spends) > 0 {
				tx.Spends[0].SpendAuthSig[0]++
			}
		}, nil},
		{"shielded output", func(tx *wire.Tx) {
			if len(tx.ShieldedOutputs) > 0 {
				tx.ShieldedOutputs[0].OutCiphertext[79]++
			}
		}, []uint32{sapling}},
		{"binding signature", func(tx *wire.Tx) { tx.BindingSig[0]++ }, nil},
	}
	hash := func(tx *wire.Tx) wire.Hash {
		h, err := SignatureHash(tx, 0, []byte{Op1}, 5, SigHashAll, saplingBranch, nil)
		require.NoError(t, err)
		return h
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, version := range all {
				before := hash(shielded(version))
				tx := shielded(version)
				c.change(tx)
				require.Equal(t, slices.Contains(c.signed, version), before != hash(tx), "version %d", version)
			}
		})
	}
}

func TestBranchAndAmountAreSigned(t *testing.T) {
	s := spending()
	hash := func(amount int64, branch uint32) wire.Hash {
		h, err := SignatureHash(s.Tx, 0, []byte{Op1}, amount, SigHashAll, branch, nil)
		require.NoError(t, err)
		return h
	}
	require.NotEqual(t, hash(1, saplingBranch), hash(2, saplingBranch))
	require.NotEqual(t, hash(1, saplingBranch), hash(1, 0))
	s = legacySpending()
	require.Equal(t, hash(1, saplingBranch), hash(2, 0))
}

func TestStrictDER(t *testing.T) {
	order := btcec.S256().N.Bytes()
	long := append([]byte{0}, make([]byte, 33)...)
	long[1] = 0x80
	cases := []struct {
		name string
		sig  []byte
		want bool
	}{
		{"shortest", derOf([]byte{1}, []byte{1}, 1), true},
		{"sign byte where needed", derOf([]byte{0, 0x80}, []byte{1}, 1), true},
		{"over the order", derOf(append([]byte{0}, order...), []byte{1}, 1), true},
		{"34 bytes", derOf(long, []byte{1}, 1), true},
		{"no hash type", derOf([]byte{1}, []byte{1}, 1)[:8], false},
		{"other tag", corrupted(derOf([]byte{1}, []byte{1}, 1), 0, 1), false},
		{"length of all", corrupted(derOf([]byte{1}, []byte{1}, 1), 1, 1), false},
		{"tag of R", corrupted(derOf([]byte{1}, []byte{1}, 1), 2, 1), false},
		{"length of R", corrupted(derOf([]byte{1}, []byte{1}, 1), 3, 2), false},
		{"R past the end", corrupted(derOf([]byte{1}, []byte{1}, 1), 3, 0x80), false},
		{"tag of S", corrupted(derOf([]byte{1}, []byte{1}, 1), 5, 1), false},
		{"length of S", corrupted(derOf([]byte{1}, []byte{1}, 1), 6, 2), false},
		{"empty R", derOf(nil, []byte{1, 1}, 1), false},
		{"empty S", derOf([]byte{1, 1}, nil, 1), false},
		{"negative R", derOf([]byte{0x80}, []byte{1}, 1), false},
		{"negative S", derOf([]byte{1}, []byte{0x80}, 1), false},
		{"padded R", derOf([]byte{0, 1}, []byte{1}, 1), false},
		{"padded S", derOf([]byte{1}, []byte{0, 1}, 1), false},
		{"too long", derOf(make([]byte, 40), make([]byte, 40), 1), false},
		{"empty", nil, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, isStrictDER(c.sig))
			if c.want {
				require.NoError(t, checkSignatureEncoding(c.sig, LowS|StrictEnc))
				require.False(t, NewECDSA().verifyDER(pubKey(1), c.sig, new([32]byte)))
			}
		})
	}
}
