package daemon

import (
	"encoding/json"
	"strconv"
	"strings"

	"obverse/core/rpc"
)

// request is one parsed request. Its id is set as far as it could be read, also
// when the rest is refused.
type request struct {
	id     json.RawMessage
	method string
	params []json.RawMessage
}

// parseRequest reads a request in komodod's order: id, method, params. The first of
// equal keys counts; all other keys, jsonrpc too, are ignored.
func parseRequest(raw []byte) (request, *Error) {
	if rpc.KindOf(raw) != rpc.KindObject {
		return request{}, ErrRequestObject
	}
	fields, err := rpc.Fields(raw)
	if err != nil {
		return request{}, ErrParse
	}
	req := request{id: first(fields, "id")}
	method := first(fields, "method")
	switch rpc.KindOf(method) {
	case rpc.KindString:
	case rpc.KindNull:
		return req, ErrMethodMissing
	default:
		return req, ErrMethodType
	}
	if req.method, err = rpc.Unquote(method); err != nil {
		return req, ErrMethodType
	}
	params := first(fields, "params")
	switch rpc.KindOf(params) {
	case rpc.KindNull:
		return req, nil
	case rpc.KindArray:
		if req.params, err = rpc.Elements(params); err == nil {
			return req, nil
		}
	}
	return req, ErrParamsType
}

func first(fields []rpc.Field, name string) json.RawMessage {
	for _, f := range fields {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// appendReply writes {"result":…,"error":…,"id":…} without a newline. result is
// JSON, or nil when e is set.
func appendReply(dst, result []byte, e *Error, id json.RawMessage) []byte {
	dst = append(dst, `{"result":`...)
	if e != nil {
		dst = append(dst, `null,"error":`...)
		dst = appendError(dst, e)
	} else {
		dst = append(dst, result...)
		dst = append(dst, `,"error":null`...)
	}
	dst = append(dst, `,"id":`...)
	if id == nil {
		dst = append(dst, "null"...)
	} else {
		dst = appendCompact(dst, id)
	}
	return append(dst, '}')
}

func appendError(dst []byte, e *Error) []byte {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, strings.ToValidUTF8(e.Message, "\ufffd"))
	return append(dst, '}')
}

// Refusal is the whole reply to a request that the transport refuses, such as one
// that is too large.
func Refusal(code int, message string) []byte {
	return append(appendReply(nil, nil, &Error{code, message}, nil), '\n')
}
