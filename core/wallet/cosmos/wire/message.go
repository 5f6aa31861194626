package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"

	"obverse/core/wallet/protobuf"
)

// Limits of decoding.
const (
	// MaxSize is the maximum size of a message in bytes.
	MaxSize = 4 << 20
	// maxList is the maximum length of a list. An empty member has two encoded bytes, but needs
	// much more memory.
	maxList = 1 << 16
)

var (
	// ErrMalformed means that bytes are not a valid encoding of the message.
	ErrMalformed = errors.New("malformed protobuf message")
	// ErrTooLarge means that a message is larger than MaxSize, or has a list that is too long.
	ErrTooLarge = errors.New("protobuf message is too large")
)

// Message is a pointer to one of the messages of this package.
type Message = any

// Encode returns the encoding of a message. Its fields are in the order of their numbers, and
// fields with their default value are omitted.
func Encode(m Message) []byte { return appendMessage(nil, reflect.ValueOf(m).Elem()) }

func appendMessage(b []byte, message reflect.Value) []byte {
	if special, is := message.Addr().Interface().(custom); is {
		return special.append(b)
	}
	for _, p := range parts(message) {
		b = appendField(b, p.number, p.at)
	}
	return b
}

// Decode decodes b into a message, which it resets first. It does not retain b. After an error,
// ErrMalformed or ErrTooLarge, the message must not be used.
func Decode(b []byte, m Message) error {
	message := reflect.ValueOf(m).Elem()
	message.SetZero()
	return decode(b, message)
}

// decode merges the encoded fields into a message.
func decode(b []byte, message reflect.Value) error {
	if len(b) > MaxSize {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, len(b))
	}
	take := taker(message)
	var f field
	for n := 0; len(b) > 0; b = b[n:] {
		if f.Field, n = protobuf.Consume(b); n < 0 {
			return fmt.Errorf("%w: %w", ErrMalformed, protowire.ParseError(n))
		}
		if take(&f); f.err != nil {
			return fmt.Errorf("field %d: %w", f.Number, f.err)
		}
	}
	return nil
}

// taker returns the function that decodes fields into a message.
func taker(message reflect.Value) func(*field) {
	if special, is := message.Addr().Interface().(custom); is {
		return special.read
	}
	list := parts(message)
	return func(f *field) {
		for _, p := range list {
			if p.number == f.Number {
				f.read(p.at)
			}
		}
	}
}

// PathSmartContract queries a CosmWasm contract.
const PathSmartContract = "/cosmwasm.wasm.v1.Query/SmartContractState"

// SmartContractRequest is a query to a contract.
type SmartContractRequest struct {
	Contract string // address
	Query    []byte // JSON
}

// SmartContractResponse is the response.
type SmartContractResponse struct {
	Data []byte // JSON
}

// MsgExecuteContract calls a CosmWasm contract.
type MsgExecuteContract struct {
	Sender   string          `json:"sender"`
	Contract string          `json:"contract"` // address
	Msg      json.RawMessage `json:"msg"`      // JSON, if it is valid
	Funds    []Coin          `json:"funds" wire:"5"`
}

// TypeURL implements Named.
func (*MsgExecuteContract) TypeURL() string { return "/cosmwasm.wasm.v1.MsgExecuteContract" }
