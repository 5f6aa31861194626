package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"

	"obverse/core/wallet/protobuf"
)

// Limits of what is decoded.
const (
	// MaxSize is how many bytes a message may have.
	MaxSize = 4 << 20
	// maxList is how many members a list may have: an empty one costs two bytes on the
	// wire and much more here.
	maxList = 1 << 16
)

var (
	// ErrMalformed says that bytes are not the message that they should be.
	ErrMalformed = errors.New("malformed protobuf message")
	// ErrTooLarge says that a message is longer than MaxSize, or one of its lists.
	ErrTooLarge = errors.New("protobuf message is too large")
)

// Message is a pointer to one of the messages of this package.
type Message = any

// Encode gives the bytes of a message: its fields in the order of their numbers, without
// those that have their default.
func Encode(m Message) []byte { return appendMessage(nil, reflect.ValueOf(m).Elem()) }

func appendMessage(b []byte, message reflect.Value) []byte {
	if own, is := message.Addr().Interface().(custom); is {
		return own.append(b)
	}
	for _, p := range parts(message) {
		b = appendField(b, p.number, p.at)
	}
	return b
}

// Decode replaces a message by what the bytes hold, which are not kept. After an error,
// ErrMalformed or ErrTooLarge, the message is not to be used.
func Decode(b []byte, m Message) error {
	message := reflect.ValueOf(m).Elem()
	message.SetZero()
	return decode(b, message)
}

// decode adds what the bytes hold to a message.
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

// taker gives the function that puts fields into a message.
func taker(message reflect.Value) func(*field) {
	if own, is := message.Addr().Interface().(custom); is {
		return own.read
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

// PathSmartContract is the query of what a contract of CosmWasm answers.
const PathSmartContract = "/cosmwasm.wasm.v1.Query/SmartContractState"

// SmartContractRequest asks a contract.
type SmartContractRequest struct {
	Contract string // address
	Query    []byte // JSON
}

// SmartContractResponse answers it.
type SmartContractResponse struct {
	Data []byte // JSON
}

// MsgExecuteContract calls a contract of CosmWasm.
type MsgExecuteContract struct {
	Sender   string          `json:"sender"`
	Contract string          `json:"contract"` // address
	Msg      json.RawMessage `json:"msg"`      // JSON, if it is sound
	Funds    []Coin          `json:"funds" wire:"5"`
}

// TypeURL implements Named.
func (*MsgExecuteContract) TypeURL() string { return "/cosmwasm.wasm.v1.MsgExecuteContract" }
