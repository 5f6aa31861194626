package store

// Batch is a list of changes that are made together, if all its guards hold. The zero Batch is
// empty and changes nothing; staging it makes it possible to wait for the batches before it.
type Batch struct {
	Ops    []Op    // applied in order, so a later one wins over an earlier one with the same key
	Guards []Guard // all must hold in the state before the batch
}

// Op sets a key to data, or deletes it.
type Op struct {
	Key, Data string
	Delete    bool // deletes the key; Data is ignored
}

// Guard is a condition on a key. If it does not hold, the batch is not applied.
type Guard struct {
	Key  string
	Want Value
}

// Put sets key to data, whether or not the key exists.
func (b *Batch) Put(key, data string) {
	b.Ops = append(b.Ops, Op{Key: key, Data: data})
}

// Delete removes key. It is not an error if the key does not exist.
func (b *Batch) Delete(key string) {
	b.Ops = append(b.Ops, Op{Key: key, Delete: true})
}

// Expect makes the batch fail with ErrConflict unless key holds exactly data.
func (b *Batch) Expect(key, data string) {
	b.Guards = append(b.Guards, Guard{Key: key, Want: Value{Data: data, Present: true}})
}

// ExpectAbsent makes the batch fail with ErrConflict if key exists, even if its data is empty.
func (b *Batch) ExpectAbsent(key string) {
	b.Guards = append(b.Guards, Guard{Key: key})
}

// Check returns ErrEmptyKey for a batch that no backend can apply. Every backend calls it at
// the start of Stage.
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
