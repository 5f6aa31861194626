package mmrpc

import (
	"bytes"
	"encoding/json"
	"fmt"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
)

// description introduces the document.
const description = "mmrpc 2.0. A call is a POST of {\"userpass\":…,\"mmrpc\":\"2.0\",\"method\":…,\"params\":{…},\"id\":…}, or of an array of such. " +
	"Beyond the errors that it lists, every method can give InvalidMmRpcVersion, InvalidRequest, LocalHostOnly, Banned, UserpassIsNotSet, " +
	"UserpassIsInvalid and InternalError. Events, of which stream methods speak, come as server-sent events on GET /event-stream?id=<client_id>; " +
	"a client on another machine needs the RPC password (Basic, any user) or &ticket=, and one that was cut off sends the last id that it has got as Last-Event-ID."

// kinds lists error kinds for rpc.Method.Raises: those of a method beyond the ones of
// the envelope, which any method can give.
func kinds(list ...interface{ Row() mmerr.Row }) []rpc.ErrorKind {
	described := make([]rpc.ErrorKind, len(list))
	for i, k := range list {
		described[i] = describeKind(k.Row())
	}
	return described
}

func everyKind() (described []rpc.ErrorKind) {
	for _, row := range mmerr.Rows() {
		described = append(described, describeKind(row))
	}
	return described
}

func describeKind(row mmerr.Row) rpc.ErrorKind {
	k := rpc.ErrorKind(row)
	if _, none := row.Data.(mmerr.None); none {
		k.Data = nil
	}
	return k
}

// OpenRPC is the document that rpc.discover gives, indented.
func (s *Server) OpenRPC() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(s.table.OpenRPC(s.options.Info, rpc.ByName, everyKind()...)); err != nil {
		return nil, fmt.Errorf("print the OpenRPC document: %w", err)
	}
	return text.Bytes(), nil
}
