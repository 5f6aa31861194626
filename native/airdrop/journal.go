package airdrop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"obverse/native/atomicfile"
)

// Header is the first line of a journal: what is paid, by which node, and from which block on.
type Header struct {
	Format int     `json:"airdrop"`
	Token  string  `json:"token"`
	SHA256 string  `json:"sha256"` // of the file
	Keys   int     `json:"keys"`
	Tokens int64   `json:"tokens"`
	Coins  string  `json:"coins"` // that each key gets too
	Batch  int     `json:"batch"` // keys in a batch
	Chain  string  `json:"chain"`
	PubKey string  `json:"pubkey"` // of the node
	Blocks []Block `json:"blocks"` // the last block before the first payment, and blocks before it
}

// Block identifies a block of the chain.
type Block struct {
	Height int    `json:"height"`
	Hash   string `json:"hash"`
}

const format = 1

// States of a batch. A batch without a state was never sent.
const (
	stateSending = "sending" // a call was made, or was about to be made
	statePart    = "part"    // a call paid a part of the keys
	stateUnclear = "unclear" // a call could not find out about all of its transactions
	stateSent    = "sent"    // all keys are paid
)

// checkBatch is the number of the entries that check the batches that were sent.
const checkBatch = 0

// entry is a further line of a journal.
type entry struct {
	Batch        int    `json:"batch"` // the first is 1; checkBatch
	State        string `json:"state"`
	Transactions []Tx   `json:"transactions,omitempty"`
	Unclear      []Tx   `json:"unclear,omitempty"`
	Foreign      []int  `json:"foreign,omitempty"` // lines that a transaction of other origin had paid
	Process      string `json:"process,omitempty"` // of the node that gave an unclear answer
}

// Tx is a transaction and the lines that it pays, by their index.
type Tx struct {
	TxID  string `json:"txid"`
	Lines []int  `json:"lines"`
}

// Journal records the progress of an airdrop in a file. An entry is on the disk when append returns.
// The file is locked, so that one process at a time continues an airdrop.
type Journal struct {
	Header
	file    *os.File
	path    string
	isNew   bool // has no header yet
	entries []entry
}

// ErrLocked means that another process holds the journal.
var ErrLocked = errors.New("another process is paying this airdrop")

// OpenJournal locks the journal at a path, and creates it if it does not exist.
func OpenJournal(path string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file, path: path}
	if err := j.open(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

func (j *Journal) open() error {
	err := syscall.Flock(int(j.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("%w (journal %s)", ErrLocked, j.path)
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", j.path, err)
	}
	held, err := j.file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(j.path)
	if err != nil || !os.SameFile(held, named) { // renamed before it was locked
		return fmt.Errorf("%w (journal %s)", ErrLocked, j.path)
	}
	return j.read()
}

// read reads the entries and removes an incomplete one at the end, after which nothing was sent.
func (j *Journal) read() error {
	r := bufio.NewReader(j.file)
	end := int64(0)
	for first := true; ; first = false {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			j.isNew = first
			if len(text) == 0 {
				return nil
			}
			return j.file.Truncate(end)
		}
		if err != nil {
			return err
		}
		if first {
			err = decode(text, &j.Header)
			if err == nil && j.Format != format {
				err = fmt.Errorf("unknown format %d, want %d", j.Format, format)
			}
		} else {
			var e entry
			err = decode(text, &e)
			j.entries = append(j.entries, e)
		}
		if err != nil {
			return fmt.Errorf("%s is not a journal of an airdrop: at byte %d: %w", j.path, end, err)
		}
		end += int64(len(text))
	}
}

func decode(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// begin writes the header.
func (j *Journal) begin(h Header) error {
	if err := j.write(h); err != nil {
		return err
	}
	if err := atomicfile.SyncFolder(j.path); err != nil {
		return err
	}
	j.Header, j.isNew = h, false
	return nil
}

func (j *Journal) append(e entry) error {
	if err := j.write(e); err != nil {
		return err
	}
	j.entries = append(j.entries, e)
	return nil
}

func (j *Journal) write(line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if _, err = j.file.Write(append(text, '\n')); err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	return nil
}

// Close ends the lock. It removes a journal without a header, with which nothing was paid.
func (j *Journal) Close() error {
	var err error
	if j.isNew {
		err = os.Remove(j.path)
	}
	return errors.Join(err, j.file.Close())
}

// Path returns the path of the journal.
func (j *Journal) Path() string { return j.path }

// IsNew reports whether the airdrop has not begun.
func (j *Journal) IsNew() bool { return j.isNew }

// Retire renames the journal of a complete airdrop, and returns the new name. Close is still needed.
func (j *Journal) Retire() (name string, err error) {
	for n := 1; ; n++ {
		name = fmt.Sprintf("%s.%d", j.path, n)
		err := os.Link(j.path, name)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := os.Remove(j.path); err != nil {
			return "", err
		}
		return name, atomicfile.SyncFolder(j.path)
	}
}

// batches returns the number of batches.
func (j *Journal) batches() int { return (j.Keys + j.Batch - 1) / j.Batch }

// states returns the last state of each batch, by its number.
func (j *Journal) states() map[int]string {
	states := map[int]string{}
	for _, e := range j.entries {
		states[e.Batch] = e.State
	}
	return states
}

// IsComplete reports whether all batches were sent.
func (j *Journal) IsComplete() bool {
	if j.isNew {
		return false
	}
	states := j.states()
	for n := 1; n <= j.batches(); n++ {
		if states[n] != stateSent {
			return false
		}
	}
	return states[checkBatch] == "" || states[checkBatch] == stateSent
}

// Paid returns the number of keys in the batches that were sent.
func (j *Journal) Paid() (n int) {
	for batch, state := range j.states() {
		if batch != checkBatch && state == stateSent {
			first, end := j.bounds(batch)
			n += end - first
		}
	}
	return n
}

// bounds returns the lines of a batch.
func (j *Journal) bounds(batch int) (first, end int) {
	return (batch - 1) * j.Batch, min(batch*j.Batch, j.Keys)
}
