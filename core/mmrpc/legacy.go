package mmrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
)

// legacyFailure encodes an error in the form for requests without mmrpc.
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

// legacyText returns the text used by the old dispatcher of Komodo DeFi Framework.
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

// appendLegacyError appends {"error":…}.
func appendLegacyError(dst []byte, text string) []byte {
	var reply bytes.Buffer
	_ = encode(&reply, struct { // cannot fail for strings
		Error string `json:"error"`
	}{text})
	return append(dst, reply.Bytes()...)
}

// forgetJSONRPC lets generic OpenRPC clients call rpc.discover with their own envelope, which
// has the version in a member named "jsonrpc". Such clients also send an empty list if there
// are no parameters. Other errors are not ignored.
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

// isEmptyArray reports whether a value is an empty array. It reads only the first element,
// since there may be millions.
func isEmptyArray(raw json.RawMessage) bool {
	if rpc.KindOf(raw) != rpc.KindArray {
		return false
	}
	for range rpc.Items(raw) {
		return false
	}
	return true
}
