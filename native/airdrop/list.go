package airdrop

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
)

// Line is a line of the file: a payment.
type Line struct {
	Number int    // of the line in the file, the first is 1
	Name   string // the public key or address, as in the file
	Amount int64  // tokens

	// Holder is the address at which the key holds tokens. It identifies the key. The node has to
	// be asked for the key of an address, so that Resolve sets it.
	Holder script.Address
}

// isAddress reports whether the line has an address, of which the key is not known yet.
func (l *Line) isAddress() bool { return l.Holder == script.Address{} }

// List contains the payments of a file.
type List struct {
	Lines  []Line
	Total  int64  // tokens
	SHA256 string // of the file, in hexadecimal
}

// maxProblems is the number of errors that Problems lists.
const maxProblems = 20

// Problems are the errors of a file. They name the line, the value and the allowed values.
type Problems struct {
	Texts []string
	More  int // further lines with errors, of which there is no text
}

// Error returns all errors, each on a line.
func (p *Problems) Error() string {
	text := strings.Join(p.Texts, "\n")
	if p.More > 0 {
		text += fmt.Sprintf("\nand %d more", p.More)
	}
	return text
}

// err returns the problems as an error, or nil if the file has no errors.
func (p *Problems) err() error {
	if len(p.Texts) == 0 {
		return nil
	}
	return p
}

func (p *Problems) isFull() bool { return len(p.Texts) >= maxProblems }

func (p *Problems) add(line int, format string, args ...any) {
	if p.isFull() {
		p.More++
		return
	}
	p.Texts = append(p.Texts, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
}

// ErrEmpty means that a file has no payments.
var ErrEmpty = errors.New("no line has a public key and an amount")

// Read parses a file with a public key or an address in the first column and an amount in the
// second. A first line with neither a key nor an amount is a heading. It reports all errors that can
// be found without a node, as Problems.
func Read(file []byte) (*List, error) {
	sum := sha256.Sum256(file)
	list, problems := &List{SHA256: hex.EncodeToString(sum[:])}, &Problems{}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf")))) // spreadsheets write a byte order mark
	r.FieldsPerRecord, r.TrimLeadingSpace, r.ReuseRecord = -1, true, true
	for first := true; ; first = false {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			problems.add(bad.Line, "%v", bad.Err)
			break // what follows a misplaced quote may be taken for other columns
		}
		if err != nil {
			return nil, err
		}
		number, _ := r.FieldPos(0)
		if first && isHeading(record) {
			continue
		}
		if line, ok := parse(record, number, problems); ok {
			list.add(line, problems)
		}
	}
	if len(list.Lines) == 0 && problems.err() == nil {
		return nil, ErrEmpty
	}
	list.refuseTwice(problems)
	return list, problems.err()
}

// isHeading reports whether a record names columns. A line with a mistyped amount is not a heading.
func isHeading(record []string) bool {
	return len(record) == 2 && strings.Trim(record[1], "0123456789.,-+eE ") != "" && !hasKey(record[0])
}

func hasKey(name string) bool {
	name = strings.TrimSpace(name)
	_, err := wallet.ParseKey(name)
	_, bad := script.ParseAddress(name)
	return err == nil || bad == nil
}

func parse(record []string, number int, problems *Problems) (line Line, ok bool) {
	if len(record) != 2 {
		problems.add(number, "want 2 columns, a public key or address and an amount without thousands separators, got %d", len(record))
		return line, false
	}
	line = Line{Number: number, Name: strings.TrimSpace(record[0])}
	key, err := wallet.ParseKey(line.Name)
	address, bad := script.ParseAddress(line.Name)
	switch {
	case err == nil && key == token.GlobalKey():
		problems.add(number, "public key %s is the key of the tokens' module, which anyone has", line.Name)
		return line, false
	case err == nil:
		line.Holder = HolderAddress(key)
	case bad != nil || address.Version != script.PubKeyHashVersion:
		problems.add(number, "%q is neither a public key (66 hexadecimal digits that start with 02 or 03) nor an address of a key", clip(line.Name))
		return line, false
	}
	text := strings.TrimSpace(record[1])
	amount, err := strconv.ParseInt(text, 10, 64)
	if err != nil || amount < 1 || text[0] == '+' {
		problems.add(number, "amount %q must be a whole number of tokens, 1 or more", clip(text))
		return line, false
	}
	line.Amount = amount
	return line, true
}

// HolderAddress returns the address at which a key holds tokens.
func HolderAddress(key token.Key) script.Address {
	return script.PubKeyAddress(token.Script(token.CreateCodes(nil), key))
}

func (l *List) add(line Line, problems *Problems) {
	if l.Total+line.Amount < l.Total {
		problems.add(line.Number, "the amounts up to here add up to more tokens than there can be")
		return
	}
	l.Total += line.Amount
	l.Lines = append(l.Lines, line)
}

// refuseTwice refuses keys that are on two lines, once their addresses are known, and equal names.
func (l *List) refuseTwice(problems *Problems) {
	keys, names := make(map[script.Address]int, len(l.Lines)), make(map[string]int, len(l.Lines))
	for i := range l.Lines {
		line := &l.Lines[i]
		before, twice := names[line.Name]
		if !line.isAddress() {
			before, twice = keys[line.Holder]
			keys[line.Holder] = max(before, line.Number)
		}
		names[line.Name] = line.Number
		if twice {
			problems.add(line.Number, "%s has the key of line %d: pay each key once", line.Name, before)
		}
	}
}

// clip shortens a text of the file for an error.
func clip(text string) string {
	const limit = 70
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}
