package wire

import (
	"errors"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
)

// Parsing begins the text of every refusal of a request's form.
const Parsing = "Error parsing request: "

// Internal hides what happened inside; err gives its places and no more.
func Internal(err error) error {
	const text = "internal error, see the node's log"
	return mmerr.InternalError.From(err, text, "Internal error: "+text)
}

// Refuse makes an error of a fault; its place is the caller's, and those of the fault
// follow.
func Refuse(found error) error { return refusal(found, Parsing) }

// RefuseFrom makes an error of a fault that has a cause.
func RefuseFrom(cause error, f Fault) error {
	f.Cause = cause
	return refusal(f, Parsing)
}

// RefuseAs is Refuse with another beginning of the text.
func RefuseAs(found error, begin string) error { return refusal(found, begin) }

// refusal is called by those above, for their callers.
func refusal(found error, begin string) error {
	var f Fault
	errors.As(found, &f)
	text := begin + f.Serde
	if f.Help != "" {
		text += " (" + f.Help + ")"
	}
	return mmerr.InvalidRequest.Above(2, found, f.Serde, text)
}

// Kinds lists error kinds for rpc.Method.Raises: those of a method beyond the ones of
// the envelope, which any method can give.
func Kinds(list ...interface{ Row() mmerr.Row }) []rpc.ErrorKind {
	described := make([]rpc.ErrorKind, len(list))
	for i, k := range list {
		described[i] = DescribeKind(k.Row())
	}
	return described
}

// DescribeKind describes one kind for documents.
func DescribeKind(row mmerr.Row) rpc.ErrorKind {
	k := rpc.ErrorKind(row)
	if _, none := row.Data.(mmerr.None); none {
		k.Data = nil
	}
	return k
}

// Fault is a refusal of a request: upstream's words, more that may help, and the error
// that it came from, or nil. Where it is found, trace.Here notes the place.
type Fault struct {
	Serde, Help string
	Cause       error
}

// Error implements error.
func (f Fault) Error() string { return f.Serde }

// Unwrap gives the cause.
func (f Fault) Unwrap() error { return f.Cause }
