package wire

import (
	"errors"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
)

// Parsing is the beginning of the text of errors about the form of a request.
const Parsing = "Error parsing request: "

// Internal returns an error that hides the details of err. Only the places of err are retained.
func Internal(err error) error {
	const text = "internal error, see the node's log"
	return mmerr.InternalError.From(err, text, "Internal error: "+text)
}

// Refuse converts a fault to an error. The places of the error are the caller's, followed by
// those of the fault.
func Refuse(found error) error { return refusal(found, Parsing) }

// RefuseFrom is like Refuse, for a fault with a cause.
func RefuseFrom(cause error, f Fault) error {
	f.Cause = cause
	return refusal(f, Parsing)
}

// RefuseAs is like Refuse, with another beginning of the text.
func RefuseAs(found error, begin string) error { return refusal(found, begin) }

// refusal implements the functions above. The place of the error is the call of one of these.
func refusal(found error, begin string) error {
	var f Fault
	errors.As(found, &f)
	text := begin + f.Serde
	if f.Help != "" {
		text += " (" + f.Help + ")"
	}
	return mmerr.InvalidRequest.Above(2, found, f.Serde, text)
}

// Kinds returns descriptions of error kinds for rpc.Method.Raises. It is called with the kinds
// of a method, without those of the envelope, which any method can return.
func Kinds(list ...interface{ Row() mmerr.Row }) []rpc.ErrorKind {
	described := make([]rpc.ErrorKind, len(list))
	for i, k := range list {
		described[i] = DescribeKind(k.Row())
	}
	return described
}

// DescribeKind returns the description of a kind for documents.
func DescribeKind(row mmerr.Row) rpc.ErrorKind {
	k := rpc.ErrorKind(row)
	if _, none := row.Data.(mmerr.None); none {
		k.Data = nil
	}
	return k
}

// Fault describes an invalid request: the text of Komodo DeFi Framework, additional help, and
// the cause, if any. trace.Here records the place at which it was found.
type Fault struct {
	Serde, Help string
	Cause       error
}

// Error implements error.
func (f Fault) Error() string { return f.Serde }

// Unwrap returns the cause.
func (f Fault) Unwrap() error { return f.Cause }
