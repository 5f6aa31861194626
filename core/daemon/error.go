package daemon

import (
	"errors"
	"strconv"

	"obverse/core/rpc"
)

// Codes of errors [komodod rpc/protocol.h].
const (
	CodeMisc      = -1 // an exception in a method, a wrong number of parameters
	CodeType      = -3
	CodeWallet    = -4
	CodeAddress   = -5 // invalid address or key, unknown transaction or block
	CodeParameter = -8
	CodeDecode    = -22
	CodeVerify    = -25
	CodeRejected  = -26
	CodeInChain   = -27
	CodeWarmUp    = -28 // the node is starting
	CodeRequest   = -32600
	CodeNoMethod  = -32601
	CodeInternal  = -32603
	CodeParse     = -32700
	CodeBusy      = -32000 // ours: the node is at a limit, or closing; ask again later
)

// Statuses with which a reply travels over HTTP [komodod httprpc.cpp].
const (
	StatusOK           = 200
	StatusBadRequest   = 400
	StatusUnauthorized = 401
	StatusNotFound     = 404
	StatusError        = 500
)

// Error is an error of the daemon API as the client sees it.
type Error struct {
	Code    int
	Message string
}

func (e *Error) Error() string { return strconv.Itoa(e.Code) + ": " + e.Message }

// Errors of the envelope, with komodod's words.
var (
	ErrParse          = &Error{CodeParse, "Parse error"}
	ErrTopLevel       = &Error{CodeParse, "Top-level object parse error"}
	ErrRequestObject  = &Error{CodeRequest, "Invalid Request object"}
	ErrTooManyMembers = &Error{CodeRequest, "Invalid Request object: more than 1024 members"}
	ErrMethodMissing  = &Error{CodeRequest, "Missing method"}
	ErrMethodType     = &Error{CodeRequest, "Method must be a string"}
	ErrParamsType     = &Error{CodeRequest, "Params must be an array"}
	ErrNoMethod       = &Error{CodeNoMethod, "Method not found"}
	ErrInternal       = &Error{CodeInternal, "internal error, see the node's log"}
	ErrBatchReply     = &Error{CodeBusy, "not called: the answers to this batch are too large already, send this request in another batch"}
)

// status is the HTTP status of a single reply.
func (e *Error) status() int {
	switch {
	case e == nil:
		return StatusOK
	case e.Code == CodeRequest:
		return StatusBadRequest
	case e.Code == CodeNoMethod:
		return StatusNotFound
	}
	return StatusError
}

// wireError returns the code and text of any error of a method. Unknown errors become komodod's
// exception: code -1 and the error's text.
func wireError(m rpc.Method, err error) *Error {
	if err == nil {
		return nil
	}
	if known := (*Error)(nil); errors.As(err, &known) {
		return known
	}
	var param *rpc.ParamError
	switch {
	case errors.Is(err, rpc.ErrCount):
		return &Error{CodeMisc, m.Help()}
	case errors.As(err, &param) && errors.Is(err, rpc.ErrType):
		return &Error{CodeType, param.Error()}
	case param != nil:
		return &Error{CodeParameter, param.Error()}
	}
	return &Error{CodeMisc, err.Error()}
}
