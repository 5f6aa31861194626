package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"obverse/core/text"
)

// ErrMessage means that a decrypted message is not valid at this point of the protocol.
var ErrMessage = errors.New("invalid message")

// Message is a request (with a Method), or a response (with a Result or Error).
type Message struct {
	ID     uint64
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *Error
}

// IsRequest reports whether m is a request rather than a response.
func (m Message) IsRequest() bool { return m.Method != "" }

// Error is an error response.
type Error struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

// maxMethod and maxReason limit texts of the other end, in bytes.
const (
	maxMethod = 64
	maxReason = 300
)

// message is the JSON form of a Message.
type message struct {
	ID      json.RawMessage `json:"id"`
	Version string          `json:"jsonrpc"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// Encode encodes a message. Params and Result must be JSON.
func (m Message) Encode() ([]byte, error) {
	out := message{ID: json.RawMessage(strconv.FormatUint(m.ID, 10)), Version: "2.0", Method: m.Method, Params: m.Params, Result: m.Result}
	if m.Error != nil {
		text, err := json.Marshal(m.Error)
		if err != nil {
			return nil, err
		}
		out.Error = text
	}
	return json.Marshal(out)
}

// DecodeMessage decodes a message. It returns ErrMessage.
func DecodeMessage(raw []byte) (Message, error) {
	var in message
	if err := json.Unmarshal(raw, &in); err != nil {
		return Message{}, fmt.Errorf("%w: not a JSON-RPC object", ErrMessage)
	}
	id, err := ParseID(in.ID)
	if err != nil {
		return Message{}, err
	}
	m := Message{ID: id, Method: in.Method, Params: in.Params, Result: in.Result}
	refusal := len(in.Error) > 0 && !isNull(in.Error)
	switch {
	case len(m.Method) > maxMethod:
		return Message{}, fmt.Errorf("%w: method has %d bytes, limit %d", ErrMessage, len(m.Method), maxMethod)
	case m.IsRequest() && (refusal || len(m.Result) > 0), !m.IsRequest() && !refusal && len(m.Result) == 0:
		return Message{}, fmt.Errorf("%w: neither a request nor a response", ErrMessage)
	case refusal:
		m.Error = decodeError(in.Error)
		m.Result = nil
	}
	return m, nil
}

// decodeError decodes an error. Some wallets send other values than the specified object.
func decodeError(raw json.RawMessage) *Error {
	var e struct {
		Code    json.Number     `json:"code"`
		Message json.RawMessage `json:"message"`
	}
	var words string
	if json.Unmarshal(raw, &e) != nil {
		_ = json.Unmarshal(raw, &words)
		return &Error{Message: text.Line(words, maxReason)}
	}
	code, _ := e.Code.Int64()
	if json.Unmarshal(e.Message, &words) != nil {
		words = ""
	}
	return &Error{Code: code, Message: text.Line(words, maxReason)}
}

// ParseID parses the id of a message: a number, or a number in a string.
func ParseID(raw json.RawMessage) (uint64, error) {
	digits := strings.Trim(string(bytes.TrimSpace(raw)), `"`)
	id, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: id is not a number", ErrMessage)
	}
	return id, nil
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }
