package wire

// Version group ids, and the versions that use them (primitives/transaction.h).
const (
	OverwinterVersion = 3
	OverwinterGroupID = 0x03c48270
	SaplingVersion    = 4
	SaplingGroupID    = 0x892f2085

	overwinteredBit = 1 << 31
)

// Limits of the sizes that a decoder allocates.
const (
	MaxBlockSize  = 4 << 20      // after Sapling
	MaxTxSize     = MaxBlockSize // the consensus limit of a transaction is lower
	MinTxInSize   = 41
	MinTxOutSize  = 9
	CoinImportIdx = 1_000_000_000 // prevout index that marks a coin import
	NullIndex     = 0xffffffff    // prevout index of a coinbase
)

// OutPoint identifies an output of a transaction.
type OutPoint struct {
	Hash  Hash
	Index uint32
}

// IsNull reports whether o is the prevout of a coinbase.
func (o OutPoint) IsNull() bool { return o.Index == NullIndex && o.Hash.IsZero() }

// TxIn is an input, which spends an output.
type TxIn struct {
	PrevOut   OutPoint
	ScriptSig []byte
	Sequence  uint32
}

// TxOut is an output, which pays Value satoshis to Script.
type TxOut struct {
	Value  int64
	Script []byte
}

// Tx is a transaction of any format: legacy (Overwintered false, any version),
// Overwinter v3 or Sapling v4. Fields that a format lacks are zero.
type Tx struct {
	Overwintered   bool
	Version        uint32 // low 31 bits of the header
	VersionGroupID uint32
	Inputs         []TxIn
	Outputs        []TxOut
	LockTime       uint32
	ExpiryHeight   uint32
	Shielded
}

// IsSapling reports whether the transaction has format v4.
func (tx *Tx) IsSapling() bool { return tx.Overwintered && tx.Version == SaplingVersion }

// IsCoinbase reports whether the transaction is a coinbase.
func (tx *Tx) IsCoinbase() bool { return len(tx.Inputs) == 1 && tx.Inputs[0].PrevOut.IsNull() }

// IsCoinImport reports whether the transaction's value comes from another chain.
func (tx *Tx) IsCoinImport() bool {
	return len(tx.Inputs) == 1 && tx.Inputs[0].PrevOut.Index == CoinImportIdx
}

// Header returns the first four bytes: the version with the overwintered bit.
func (tx *Tx) Header() uint32 {
	if tx.Overwintered {
		return tx.Version | overwinteredBit
	}
	return tx.Version
}

// ID returns the double SHA-256 of the whole encoding, including scriptSigs.
func (tx *Tx) ID() Hash { return HashOf(tx.Encode()) }

// Encode returns the wire form.
func (tx *Tx) Encode() []byte { return tx.Append(make([]byte, 0, 512)) }

// Append appends the wire form to b.
func (tx *Tx) Append(b []byte) []byte {
	b = AppendUint32(b, tx.Header())
	if tx.Overwintered {
		b = AppendUint32(b, tx.VersionGroupID)
	}
	b = AppendCompactSize(b, uint64(len(tx.Inputs)))
	for i := range tx.Inputs {
		b = tx.Inputs[i].append(b)
	}
	b = AppendCompactSize(b, uint64(len(tx.Outputs)))
	for i := range tx.Outputs {
		b = tx.Outputs[i].Append(b)
	}
	b = AppendUint32(b, tx.LockTime)
	if tx.Overwintered {
		b = AppendUint32(b, tx.ExpiryHeight)
	}
	return tx.appendShielded(b)
}

func (in *TxIn) append(b []byte) []byte {
	b = in.PrevOut.Append(b)
	b = AppendVarBytes(b, in.ScriptSig)
	return AppendUint32(b, in.Sequence)
}

// Append appends the 36-byte encoding of the outpoint.
func (o OutPoint) Append(b []byte) []byte {
	return AppendUint32(append(b, o.Hash[:]...), o.Index)
}

// Append appends the value and the script.
func (out *TxOut) Append(b []byte) []byte {
	return AppendVarBytes(AppendInt64(b, out.Value), out.Script)
}

// DecodeTx decodes a transaction, which must be all of b.
func DecodeTx(b []byte) (*Tx, error) {
	r := NewReader(b)
	tx := ReadTx(r)
	if err := r.End(); err != nil {
		return nil, err
	}
	return tx, nil
}

// ReadTx reads a transaction. The reader's error reports whether it is valid. The scripts share
// memory with the reader's bytes.
func ReadTx(r *Reader) *Tx {
	header := r.Uint32()
	tx := &Tx{Overwintered: header&overwinteredBit != 0, Version: header &^ overwinteredBit}
	if tx.Overwintered {
		tx.VersionGroupID = r.Uint32()
		tx.checkFormat(r)
	}
	tx.Inputs = make([]TxIn, r.Count(MinTxInSize))
	for i := range tx.Inputs {
		tx.Inputs[i] = readTxIn(r)
	}
	tx.Outputs = make([]TxOut, r.Count(MinTxOutSize))
	for i := range tx.Outputs {
		tx.Outputs[i] = readTxOut(r)
	}
	tx.LockTime = r.Uint32()
	if tx.Overwintered {
		tx.ExpiryHeight = r.Uint32()
	}
	tx.readShielded(r)
	return tx
}

// checkFormat fails for overwintered headers that komodod cannot deserialise.
func (tx *Tx) checkFormat(r *Reader) {
	v3 := tx.Version == OverwinterVersion && tx.VersionGroupID == OverwinterGroupID
	v4 := tx.Version == SaplingVersion && tx.VersionGroupID == SaplingGroupID
	if !v3 && !v4 {
		r.Fail(ErrFormat)
	}
}

func readTxIn(r *Reader) TxIn {
	return TxIn{
		PrevOut:   OutPoint{Hash: r.Hash(), Index: r.Uint32()},
		ScriptSig: r.VarBytes(MaxTxSize),
		Sequence:  r.Uint32(),
	}
}

func readTxOut(r *Reader) TxOut {
	return TxOut{Value: r.Int64(), Script: r.VarBytes(MaxTxSize)}
}
