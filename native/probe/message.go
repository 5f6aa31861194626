package probe

import (
	"fmt"

	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// query is a request of one side to the other.
type query byte

// Queries about the network, NetworkInfo's variants.
const (
	askVersion query = 0 // GetMm2Version; the answer is a string
	askTime    query = 1 // GetPeerUtcTimestamp; the answer is seconds since 1970
)

// aboutNetwork is the variant of a request's payload that holds the queries above.
const aboutNetwork = 1

// encode writes the request: a struct of one field, the bytes of the payload.
func (q query) encode() []byte {
	return encodeStruct(encodeBytes(encodeVariant(aboutNetwork, encodeVariant(byte(q), []byte{msgpcode.Nil}))))
}

// parseQuery reads a request. Requests about anything but the network are an error.
func parseQuery(raw []byte) (query, error) {
	s := scan(raw)
	s.fields(1)
	payload := s.bytes()
	if err := s.end(); err != nil {
		return 0, err
	}
	s = scan(payload)
	about, asked := s.variant(), s.variant()
	s.null()
	if err := s.end(); err != nil {
		return 0, err
	}
	if about != aboutNetwork || asked > uint64(askTime) {
		return 0, fmt.Errorf("%w: unknown query %d.%d", errForm, about, asked)
	}
	return query(asked), nil
}

// Variants of an answer.
const (
	answerOk   = 0 // a struct of one field: the bytes of the payload
	answerNone = 1 // nil: no data
	answerErr  = 2 // a struct of one field: a text
)

// PeerError is a text that a peer answered instead of its version.
type PeerError string

func (e PeerError) Error() string { return string(e) }

// encodeAnswer writes a payload as an answer.
func encodeAnswer(payload []byte) []byte {
	return encodeVariant(answerOk, encodeStruct(encodeBytes(payload)))
}

// encodeRefusal writes an answer that is an error.
func encodeRefusal(text string) []byte {
	return encodeVariant(answerErr, encodeStruct(encodeString(text)))
}

// parseVersion reads the answer to askVersion: the version, empty if the peer has no
// data, or a PeerError.
func parseVersion(raw []byte) (string, error) {
	s := scan(raw)
	var payload []byte
	var refusal PeerError
	kind := s.variant()
	switch {
	case s.err != nil:
	case kind == answerOk:
		s.fields(1)
		payload = s.bytes()
	case kind == answerNone:
		s.null()
	case kind == answerErr:
		s.fields(1)
		refusal = PeerError(s.string())
	default:
		s.fail(fmt.Errorf("%w: unknown kind of answer %d", errForm, kind))
	}
	if err := s.end(); err != nil {
		return "", err
	}
	switch kind {
	case answerNone:
		return "", nil
	case answerErr:
		return "", refusal
	}
	s = scan(payload)
	version := s.string()
	if err := s.end(); err != nil {
		return "", err
	}
	return version, nil
}
