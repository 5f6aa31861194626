package store

// Batch is a list of changes that happen together, if its guards hold. The zero Batch is
// empty and changes nothing; staging it is a way to wait for the batches before it.
type Batch struct {
	Ops    []Op    // in order: a later one on the same key wins
	Guards []Guard // all must hold on the state before the batch
}

// Op sets a key to data, or deletes it.
type Op struct {
	Key, Data string
	Delete    bool // Data is ignored
}

// Guard is a condition on a key. If it does not hold, the batch is not applied.
type Guard struct {
	Key  string
	Want Value
}

// Put sets key to data, whether it was there or not.
func (b *Batch) Put(key, data string) {
	b.Ops = append(b.Ops, Op{Key: key, Data: data})
}

// Delete removes key. A key that is not there is no error.
func (b *Batch) Delete(key string) {
	b.Ops = append(b.Ops, Op{Key: key, Delete: true})
}

// Expect makes the batch fail with ErrConflict unless key holds exactly data.
func (b *Batch) Expect(key, data string) {
	b.Guards = append(b.Guards, Guard{Key: key, Want: Value{Data: data, Present: true}})
}

// ExpectAbsent makes the batch fail with ErrConflict if key is there, even if empty.
func (b *Batch) ExpectAbsent(key string) {
	b.Guards = append(b.Guards, Guard{Key: key})
}

// Check finds what no backend can take: it fails with ErrEmptyKey. Every backend calls
// it first in Stage.
func (b Batch) Check() error {
	for i := range b.Ops {
		if b.Ops[i].Key == "" {
			return ErrEmptyKey
		}
	}
	for i := range b.Guards {
		if b.Guards[i].Key == "" {
			return ErrEmptyKey
		}
	}
	return nil
}
