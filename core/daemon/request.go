package daemon

import (
	"encoding/json"
	"slices"
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
	hints  bool // ours: "hints":true asks for more than komodod's words
}

// maxMembers bounds the members of a request, of which komodod reads three.
const maxMembers = 1024

// parseRequest reads a request, which is part of a text that rpc.CheckText took, in
// komodod's order: id, method, params. The first of equal keys counts; all other keys,
// jsonrpc too, are ignored, but for hints.
func parseRequest(raw []byte) (req request, _ *Error) {
	if rpc.KindOf(raw) != rpc.KindObject {
		return req, ErrRequestObject
	}
	var method, params json.RawMessage
	members := 0
	for name, value := range rpc.Members(raw) {
		if members++; members > maxMembers {
			return req, ErrTooManyMembers
		}
		switch {
		case name == "id" && req.id == nil:
			req.id = value
		case name == "method" && method == nil:
			method = value
		case name == "params" && params == nil:
			params = value
		case name == "hints":
			req.hints = string(value) == "true"
		}
	}
	var err error
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

// appender is a result that prints itself, as appendCompact would print it. It reports false
// when it has something that it leaves to encoding/json.
type appender interface {
	appendJSON(dst []byte) (text []byte, printed bool)
}

// replySize is the initial capacity of a reply; most replies fit.
const replySize = 512

// appendPrinted is appendReply of a result that prints itself.
func appendPrinted(dst []byte, result appender, id json.RawMessage) (reply []byte, printed bool) {
	text := append(slices.Grow(dst, replySize), `{"result":`...)
	if text, printed = result.appendJSON(text); !printed {
		return dst, false
	}
	return appendID(append(text, `,"error":null`...), id), true
}

// appendReply writes {"result":…,"error":…,"id":…} without a newline. result is JSON, which is
// printed again, or nil when e is set.
func appendReply(dst, result []byte, e *Error, id json.RawMessage) []byte {
	dst = slices.Grow(dst, len(`{"result":,"error":null,"id":null}`+"\n")+len(result)+len(id))
	dst = append(dst, `{"result":`...)
	if e != nil {
		dst = append(dst, `null,"error":`...)
		dst = appendError(dst, e)
	} else {
		dst = appendCompact(dst, result)
		dst = append(dst, `,"error":null`...)
	}
	return appendID(dst, id)
}

// warner is a result whose reply may carry a warning, in a member of the envelope that komodod
// does not have.
type warner interface{ Warning() string }

// hinter is a result whose reply carries a warning if the request asks for hints.
type hinter interface{ Hint() string }

// appendWarning adds a warning to a reply that ends with its brace.
func appendWarning(reply []byte, warning string) []byte {
	if warning == "" {
		return reply
	}
	return append(appendString(append(reply[:len(reply)-1], `,"warning":`...), warning), '}')
}

// appendID ends a reply.
func appendID(dst []byte, id json.RawMessage) []byte {
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
