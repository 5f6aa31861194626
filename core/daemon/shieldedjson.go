package daemon

import (
	"obverse/core/chain/wire"
	"obverse/core/number"
)

// shownSpend is a Sapling input [komodod rpc/rawtransaction.cpp TxShieldedSpendsToJSON].
type spendJSON struct {
	CV           wire.Hash `json:"cv"`
	Anchor       wire.Hash `json:"anchor"`
	Nullifier    wire.Hash `json:"nullifier"`
	RK           wire.Hash `json:"rk"`
	Proof        hexBytes  `json:"proof"`
	SpendAuthSig hexBytes  `json:"spendAuthSig"`
}

// shownShield is a Sapling output [TxShieldedOutputsToJSON].
type shieldJSON struct {
	CV            wire.Hash `json:"cv"`
	CMU           wire.Hash `json:"cmu"`
	EphemeralKey  wire.Hash `json:"ephemeralKey"`
	EncCiphertext hexBytes  `json:"encCiphertext"`
	OutCiphertext hexBytes  `json:"outCiphertext"`
	Proof         hexBytes  `json:"proof"`
}

// shownSplit is a Sprout transfer [TxJoinSplitToJSON].
type splitJSON struct {
	VPubOld       number.Coins `json:"vpub_old"`
	VPubOldZat    int64        `json:"vpub_oldZat"`
	VPubNew       number.Coins `json:"vpub_new"`
	VPubNewZat    int64        `json:"vpub_newZat"`
	Anchor        wire.Hash    `json:"anchor"`
	Nullifiers    [2]wire.Hash `json:"nullifiers"`
	Commitments   [2]wire.Hash `json:"commitments"`
	OneTimePubKey wire.Hash    `json:"onetimePubKey"`
	RandomSeed    wire.Hash    `json:"randomSeed"`
	MACs          [2]wire.Hash `json:"macs"`
	Proof         hexBytes     `json:"proof"`
	Ciphertexts   [2]hexBytes  `json:"ciphertexts"`
}

// showSapling adds what a v4 transaction has beyond earlier ones.
func (t *txJSON) showSapling(s *wire.Shielded) {
	t.ValueBalance = new(number.Coins(s.ValueBalance))
	t.Spends = make([]spendJSON, len(s.Spends))
	for i := range s.Spends {
		d := &s.Spends[i]
		t.Spends[i] = spendJSON{d.CV, d.Anchor, d.Nullifier, d.RK, d.Proof[:], d.SpendAuthSig[:]}
	}
	t.Shielded = make([]shieldJSON, len(s.ShieldedOutputs))
	for i := range s.ShieldedOutputs {
		d := &s.ShieldedOutputs[i]
		t.Shielded[i] = shieldJSON{d.CV, d.CMU, d.EphemeralKey, d.EncCiphertext[:], d.OutCiphertext[:], d.Proof[:]}
	}
	if len(s.Spends)+len(s.ShieldedOutputs) > 0 {
		t.BindingSig = s.BindingSig[:]
	}
}

func showSplits(splits []wire.JoinSplit) []splitJSON {
	result := make([]splitJSON, len(splits))
	for i := range splits {
		j := &splits[i]
		result[i] = splitJSON{
			VPubOld: number.Coins(j.VPubOld), VPubOldZat: j.VPubOld,
			VPubNew: number.Coins(j.VPubNew), VPubNewZat: j.VPubNew,
			Anchor: j.Anchor, Nullifiers: j.Nullifiers, Commitments: j.Commitments,
			OneTimePubKey: j.EphemeralKey, RandomSeed: j.RandomSeed, MACs: j.MACs, Proof: j.Proof,
			Ciphertexts: [2]hexBytes{j.Ciphertexts[0][:], j.Ciphertexts[1][:]},
		}
	}
	return result
}
