package main

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"obverse/native/test/interop"
)

// draft is a transaction to be signed by the chain's program.
type draft struct {
	from      interop.Account
	arguments []string // arguments of a transaction with one message, flags last
	// rewrite changes the messages. Each is an object with "@type".
	rewrite func(messages []any) []any
	// number and sequence are queried from the chain unless offline is set.
	offline          bool
	number, sequence uint64
	chain            string // chain id, if it differs from the chain's
	mode             string // sign mode; direct by default
}

// sign returns the bytes of the signed transaction.
func (r *recorder) sign(ctx context.Context, d draft) ([]byte, error) {
	text, err := r.CLI(ctx, append(r.Signed(d.from, d.arguments...), "--from", d.from.Address, "--generate-only")...)
	if err != nil {
		return nil, err
	}
	if d.rewrite != nil {
		var tx map[string]any
		if err := json.Unmarshal([]byte(text), &tx); err != nil {
			return nil, fmt.Errorf("%w: %.200q", err, text)
		}
		body := tx["body"].(map[string]any)
		body["messages"] = d.rewrite(body["messages"].([]any))
		rewritten, err := json.Marshal(tx)
		if err != nil {
			return nil, err
		}
		text = string(rewritten)
	}
	unsigned, signed := filepath.Join(r.Dir, "unsigned.json"), filepath.Join(r.Dir, "signed.json")
	if err := os.WriteFile(unsigned, []byte(text), 0o600); err != nil {
		return nil, err
	}
	arguments := r.Signed(d.from, "sign", unsigned, "--output-document", signed)
	if d.offline {
		arguments = append(arguments, "--offline", "--account-number", strconv.FormatUint(d.number, 10),
			"--sequence", strconv.FormatUint(d.sequence, 10))
	}
	if d.chain != "" {
		arguments = append(arguments, "--chain-id", d.chain)
	}
	if d.mode != "" {
		arguments = append(arguments, "--sign-mode", d.mode)
	}
	if _, err := r.CLI(ctx, arguments...); err != nil {
		return nil, err
	}
	text, err = r.CLI(ctx, "tx", "encode", signed)
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(strings.TrimSpace(text))
}

// account returns the number and next sequence of an account.
func (r *recorder) account(ctx context.Context, owner interop.Account) (number, sequence uint64, err error) {
	var account struct {
		Number   uint64 `json:"account_number,string"`
		Sequence uint64 `json:"sequence,string"`
	}
	err = r.Query(ctx, &account, "auth", "account", owner.Address)
	return account.Number, account.Sequence, err
}

// bytesField is a protobuf field of bytes, a string or a message.
func bytesField[T string | []byte](b []byte, number int, value T) []byte {
	b = binary.AppendUvarint(b, uint64(number)<<3|2)
	b = binary.AppendUvarint(b, uint64(len(value)))
	return append(b, value...)
}

// message returns a protobuf message of strings with the fields 1, 2, …, without empty ones.
func message(fields ...string) (b []byte) {
	for n, field := range fields {
		if field != "" {
			b = bytesField(b, n+1, field)
		}
	}
	return b
}

// unsign removes the signatures of a TxRaw.
func unsign(tx []byte) (b []byte, err error) {
	const signatures = 3
	for len(tx) > 0 {
		key, n := binary.Uvarint(tx)
		length, m := binary.Uvarint(tx[max(n, 0):])
		if n <= 0 || m <= 0 || key&7 != 2 || uint64(len(tx)-n-m) < length {
			return nil, fmt.Errorf("no TxRaw: %x", tx)
		}
		field := tx[n+m : n+m+int(length)]
		tx = tx[n+m+int(length):]
		if key>>3 == signatures {
			field = nil
		}
		b = bytesField(b, int(key>>3), field)
	}
	return b, nil
}
