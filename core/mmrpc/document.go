package mmrpc

import (
	"bytes"
	"encoding/json"
	"fmt"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

// description is the introduction of the OpenRPC document.
const description = "mmrpc 2.0. A call is a POST of {\"userpass\":…,\"mmrpc\":\"2.0\",\"method\":…,\"params\":{…},\"id\":…}, or of an array of such. " +
	"Beyond the errors that it lists, every method can give InvalidMmRpcVersion, InvalidRequest, LocalHostOnly, Banned, UserpassIsNotSet, " +
	"UserpassIsInvalid and InternalError. Events, of which stream methods speak, come as server-sent events on GET /event-stream?id=<client_id>; " +
	"a client on another machine needs the RPC password (Basic, any user) or &ticket=, and one that was cut off sends the last id that it has got as Last-Event-ID."

// ErrorKinds returns descriptions of all kinds of errors that methods return, for documents.
func ErrorKinds() (described []rpc.ErrorKind) {
	for _, row := range mmerr.Rows() {
		described = append(described, wire.DescribeKind(row))
	}
	return described
}

// OpenRPC returns the indented document that is the result of rpc.discover.
func (s *Server) OpenRPC() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(s.table.OpenRPC(s.options.Info, rpc.ByName, ErrorKinds()...)); err != nil {
		return nil, fmt.Errorf("print the OpenRPC document: %w", err)
	}
	return text.Bytes(), nil
}
