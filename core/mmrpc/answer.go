package mmrpc

import (
	"bytes"
	"encoding/json"
	"errors"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

// Flat marks results of legacy methods that are the complete answer to a request without
// "mmrpc", as in my_balance. For other results, the answer to such a request is {"result":…}.
type Flat interface{ Flat() }

// LegacyError is an error of a legacy method that has more members than {"error":…} in the
// answer to a request without "mmrpc". Legacy returns the complete answer, given the text of
// that member; the status is still 500. It is found with errors.As.
type LegacyError interface {
	error
	Legacy(text string) any
}

// answer encodes the outcome of a request. It returns the error in the answer: err, or the
// error of encoding the result.
func (s *Server) answer(id json.RawMessage, value any, legacy bool, err error) (int, []byte, error) {
	if err == nil {
		var reply []byte
		if reply, err = success(id, value, legacy); err == nil {
			return statusOK, reply, nil
		}
		s.options.Log.Error("encoding a result failed", "error", err.Error())
		const text = "Couldn't serialize an RPC response"
		err = mmerr.InternalError.From(errors.Join(errPrint, err), text, "Internal error: "+text)
	}
	if legacy {
		return statusError, s.legacyFailure(err), err
	}
	status, reply := s.failure(err, id)
	return status, reply, err
}

// success encodes {"mmrpc":"2.0","result":…,"id":…}, or the legacy form.
func success(id json.RawMessage, value any, legacy bool) ([]byte, error) {
	before, after := `{"mmrpc":"2.0","result":`, `,"id":null}`
	switch _, flat := value.(Flat); {
	case legacy && flat:
		before, after = "", ""
	case legacy:
		before, after = `{"result":`, "}"
	case id != nil:
		after = `,"id":` + string(id) + "}"
	}
	var reply bytes.Buffer
	if printed, is := value.(rpc.Printed); is {
		reply.Grow(len(before) + len(printed) + len(after))
		reply.WriteString(before)
		reply.Write(printed)
	} else {
		reply.WriteString(before)
		if err := encode(&reply, value); err != nil {
			return nil, err
		}
	}
	reply.WriteString(after)
	return reply.Bytes(), nil
}

// encode encodes a value without a newline, and without escaping <, > and &.
func encode(dst *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(dst)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	dst.Truncate(dst.Len() - 1)
	return nil
}

// failureReply is the envelope of an error, with its members in the order of Komodo DeFi
// Framework.
type failureReply struct {
	Version string          `json:"mmrpc"`
	Text    string          `json:"error"`
	Path    string          `json:"error_path"`
	Trace   string          `json:"error_trace"`
	Type    string          `json:"error_type"`
	Data    any             `json:"error_data,omitempty"`
	ID      json.RawMessage `json:"id"`
}

// failure encodes the envelope of an error.
func (s *Server) failure(err error, id json.RawMessage) (status int, reply []byte) {
	var failure *mmerr.Error
	if !errors.As(err, &failure) {
		s.options.Log.Error("method returned an error without a kind", "error", err.Error())
		return s.failure(wire.Internal(err), id)
	}
	places := mmerr.Places(err)
	if id == nil {
		id = json.RawMessage("null")
	}
	data, _ := failure.Data() // nil for an error without data
	var text bytes.Buffer
	err = encode(&text, failureReply{Version: version, Text: failure.Error(), Path: mmerr.Path(places), Trace: mmerr.Trace(places),
		Type: failure.Type(), Data: data, ID: id})
	if err != nil {
		s.options.Log.Error("encoding an error failed", "type", failure.Type(), "error", err.Error())
		return s.failure(wire.Internal(err), id)
	}
	return failure.Status(), text.Bytes()
}

// Refusal returns the complete reply to a request that the transport refuses, for example
// because the node is starting. It has Komodo DeFi Framework's format for errors outside a
// method.
func Refusal(text string) []byte { return append(appendLegacyError(nil, text), '\n') }
