package mmrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
)

// legacyFailure writes an error in the form of requests without mmrpc.
func (s *Server) legacyFailure(err error) []byte {
	text := mmerr.Trace([]mmerr.Place{mmerr.Caller(0)}) + " " + legacyText(err)
	var more LegacyError
	if errors.As(err, &more) {
		var reply bytes.Buffer
		printed := encode(&reply, more.Legacy(text))
		if printed == nil {
			return reply.Bytes()
		}
		s.options.Log.Error("encoding an error failed", "error", printed.Error())
	}
	return appendLegacyError(nil, text)
}

// legacyText says what upstream's old dispatcher says.
func legacyText(err error) string {
	const failed, refused = "RPC call failed: ", "Selected method is not allowed: "
	switch {
	case mmerr.Banned.Is(err):
		return refused + "Your IP is banned."
	case mmerr.LocalHostOnly.Is(err):
		return refused + "Selected method can only be called from localhost."
	case mmerr.UserpassNotSet.Is(err):
		return failed + err.Error()
	}
	return failed + mmerr.Trace(mmerr.Places(err)) + " " + err.Error()
}

// appendLegacyError writes {"error":…}.
func appendLegacyError(dst []byte, text string) []byte {
	var reply bytes.Buffer
	_ = encode(&reply, struct { // strings can always be printed
		Error string `json:"error"`
	}{text})
	return append(dst, reply.Bytes()...)
}

// forgetJSONRPC lets general clients of OpenRPC ask rpc.discover in their own
// envelope, which names its version "jsonrpc". What else is wrong stays wrong.
// Such clients send an empty list where there are no parameters.
func (e *envelope) forgetJSONRPC(m rpc.Method) {
	if m.Name != discover || len(e.others) != 1 || e.others[0].Name != "jsonrpc" || e.broken != nil {
		return
	}
	e.others = slices.Delete(e.others, 0, 1)
	e.fault = e.rest
	if isEmptyArray(e.params) {
		e.params = nil
	}
}

// isEmptyArray looks at the first element only: there may be millions.
func isEmptyArray(raw json.RawMessage) bool {
	if rpc.KindOf(raw) != rpc.KindArray {
		return false
	}
	for range rpc.Items(raw) {
		return false
	}
	return true
}
