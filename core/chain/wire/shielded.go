package wire

// Sizes of the encrypted parts and proofs (Zcash protocol specification 7.1 to 7.4).
const (
	encCiphertextSize     = 580
	outCiphertextSize     = 80
	joinSplitCipherSize   = 601
	groth16ProofSize      = 192
	phgrProofSize         = 296
	spendDescriptionSize  = 384
	outputDescriptionSize = 948
	minJoinSplitSize      = 1698
)

// Shielded holds the shielded parts of a transaction. They are decoded and encoded, but their
// proofs are not verified.
type Shielded struct {
	ValueBalance    int64
	Spends          []SpendDescription
	ShieldedOutputs []OutputDescription
	JoinSplits      []JoinSplit
	JoinSplitPubKey [32]byte
	JoinSplitSig    [64]byte
	BindingSig      [64]byte
}

// IsShielded reports whether any part is present.
func (s *Shielded) IsShielded() bool {
	return s.ValueBalance != 0 || s.hasSapling() || len(s.JoinSplits) > 0
}

func (s *Shielded) hasSapling() bool { return len(s.Spends)+len(s.ShieldedOutputs) > 0 }

// SpendDescription is a Sapling input.
type SpendDescription struct {
	CV, Anchor, Nullifier, RK Hash
	Proof                     [groth16ProofSize]byte
	SpendAuthSig              [64]byte
}

// OutputDescription is a Sapling output.
type OutputDescription struct {
	CV, CMU, EphemeralKey Hash
	EncCiphertext         [encCiphertextSize]byte
	OutCiphertext         [outCiphertextSize]byte
	Proof                 [groth16ProofSize]byte
}

// JoinSplit is a Sprout transfer. Its proof has 192 bytes in v4, and 296 bytes in earlier
// versions.
type JoinSplit struct {
	VPubOld, VPubNew         int64
	Anchor                   Hash
	Nullifiers, Commitments  [2]Hash
	EphemeralKey, RandomSeed Hash
	MACs                     [2]Hash
	Proof                    []byte
	Ciphertexts              [2][joinSplitCipherSize]byte
}

func (tx *Tx) readShielded(r *Reader) {
	if tx.IsSapling() {
		tx.ValueBalance = r.Int64()
		tx.Spends = make([]SpendDescription, r.Count(spendDescriptionSize))
		for i := range tx.Spends {
			tx.Spends[i].read(r)
		}
		tx.ShieldedOutputs = make([]OutputDescription, r.Count(outputDescriptionSize))
		for i := range tx.ShieldedOutputs {
			tx.ShieldedOutputs[i].read(r)
		}
	}
	if tx.Version >= 2 {
		tx.readJoinSplits(r)
	}
	if tx.IsSapling() && tx.hasSapling() {
		r.Fill(tx.BindingSig[:])
	}
}

func (tx *Tx) readJoinSplits(r *Reader) {
	tx.JoinSplits = make([]JoinSplit, r.Count(minJoinSplitSize))
	for i := range tx.JoinSplits {
		tx.JoinSplits[i].read(r, tx.proofSize())
	}
	if len(tx.JoinSplits) > 0 {
		r.Fill(tx.JoinSplitPubKey[:])
		r.Fill(tx.JoinSplitSig[:])
	}
}

func (tx *Tx) proofSize() int {
	if tx.IsSapling() {
		return groth16ProofSize
	}
	return phgrProofSize
}

func (s *SpendDescription) read(r *Reader) {
	s.CV, s.Anchor, s.Nullifier, s.RK = r.Hash(), r.Hash(), r.Hash(), r.Hash()
	r.Fill(s.Proof[:])
	r.Fill(s.SpendAuthSig[:])
}

func (o *OutputDescription) read(r *Reader) {
	o.CV, o.CMU, o.EphemeralKey = r.Hash(), r.Hash(), r.Hash()
	r.Fill(o.EncCiphertext[:])
	r.Fill(o.OutCiphertext[:])
	r.Fill(o.Proof[:])
}

func (j *JoinSplit) read(r *Reader, proofSize int) {
	j.VPubOld, j.VPubNew = r.Int64(), r.Int64()
	j.Anchor = r.Hash()
	j.Nullifiers = [2]Hash{r.Hash(), r.Hash()}
	j.Commitments = [2]Hash{r.Hash(), r.Hash()}
	j.EphemeralKey, j.RandomSeed = r.Hash(), r.Hash()
	j.MACs = [2]Hash{r.Hash(), r.Hash()}
	j.Proof = r.Bytes(proofSize)
	r.Fill(j.Ciphertexts[0][:])
	r.Fill(j.Ciphertexts[1][:])
}

func (tx *Tx) appendShielded(b []byte) []byte {
	if tx.IsSapling() {
		b = AppendInt64(b, tx.ValueBalance)
		b = AppendCompactSize(b, uint64(len(tx.Spends)))
		b = tx.AppendSpends(b)
		b = AppendCompactSize(b, uint64(len(tx.ShieldedOutputs)))
		b = tx.AppendShieldedOutputs(b)
	}
	if tx.Version >= 2 {
		b = AppendCompactSize(b, uint64(len(tx.JoinSplits)))
		b = tx.AppendJoinSplits(b)
		if len(tx.JoinSplits) > 0 {
			b = append(b, tx.JoinSplitSig[:]...)
		}
	}
	if tx.IsSapling() && tx.hasSapling() {
		b = append(b, tx.BindingSig[:]...)
	}
	return b
}

// AppendSpends appends the Sapling inputs with their signatures.
func (s *Shielded) AppendSpends(b []byte) []byte {
	for i := range s.Spends {
		b = append(s.Spends[i].AppendUnsigned(b), s.Spends[i].SpendAuthSig[:]...)
	}
	return b
}

// AppendUnsigned appends the fields to which the signature hash of ZIP 243 commits.
func (s *SpendDescription) AppendUnsigned(b []byte) []byte {
	return append(appendHashes(b, s.CV, s.Anchor, s.Nullifier, s.RK), s.Proof[:]...)
}

// AppendShieldedOutputs appends the Sapling outputs.
func (s *Shielded) AppendShieldedOutputs(b []byte) []byte {
	for i := range s.ShieldedOutputs {
		o := &s.ShieldedOutputs[i]
		b = appendHashes(b, o.CV, o.CMU, o.EphemeralKey)
		b = append(b, o.EncCiphertext[:]...)
		b = append(b, o.OutCiphertext[:]...)
		b = append(b, o.Proof[:]...)
	}
	return b
}

// AppendJoinSplits appends the joinsplits and, if there are any, their public key. ZIP 143
// hashes these bytes; in the wire form, a signature follows.
func (s *Shielded) AppendJoinSplits(b []byte) []byte {
	for i := range s.JoinSplits {
		b = s.JoinSplits[i].append(b)
	}
	if len(s.JoinSplits) > 0 {
		b = append(b, s.JoinSplitPubKey[:]...)
	}
	return b
}

func (j *JoinSplit) append(b []byte) []byte {
	b = AppendInt64(AppendInt64(b, j.VPubOld), j.VPubNew)
	b = appendHashes(b, j.Anchor, j.Nullifiers[0], j.Nullifiers[1], j.Commitments[0], j.Commitments[1],
		j.EphemeralKey, j.RandomSeed, j.MACs[0], j.MACs[1])
	b = append(b, j.Proof...)
	b = append(b, j.Ciphertexts[0][:]...)
	return append(b, j.Ciphertexts[1][:]...)
}

func appendHashes(b []byte, hashes ...Hash) []byte {
	for i := range hashes {
		b = append(b, hashes[i][:]...)
	}
	return b
}
