package mmrpc

import (
	"bytes"
	"encoding/json"
	"fmt"

	"obverse/core/mmerr"
	"obverse/core/rpc"
)

// description introduces the document.
const description = "mmrpc 2.0. A call is a POST of {\"userpass\":…,\"mmrpc\":\"2.0\",\"method\":…,\"params\":{…},\"id\":…}, or of an array of such. " +
	"Beyond the errors that it lists, every method can give InvalidMmRpcVersion, InvalidRequest, LocalHostOnly, Banned, UserpassIsNotSet, " +
	"UserpassIsInvalid and InternalError."

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

// TypeScript declares the same for TypeScript, and the envelope around it.
func (s *Server) TypeScript() string {
	return s.table.TypeScript(s.options.Info, everyKind()...) + envelopeTypes
}

const envelopeTypes = `
/** A request. */
export interface MmRpcRequest<M extends keyof Methods = keyof Methods> {
  /** The RPC password; methods that need none say so. */
  userpass?: string;
  mmrpc: "2.0";
  method: M;
  /** May be left out where no parameter is required. */
  params?: Methods[M]["params"];
  /** A whole number, repeated in the answer. */
  id?: number | null;
}

/** The answer to a request that went well. */
export interface MmRpcSuccess<M extends keyof Methods = keyof Methods> {
  mmrpc: "2.0";
  result: Methods[M]["result"];
  id: number | null;
}

/** The answer to a request that did not. */
export type MmRpcFailure = {
  mmrpc: "2.0";
  /** For people. */
  error: string;
  /** Files of the node that the error went through, from the outside in. */
  error_path: string;
  /** The same with lines. */
  error_trace: string;
  id: number | null;
} & ErrorKind;

/** Any answer to a request of a method. */
export type MmRpcResponse<M extends keyof Methods = keyof Methods> = MmRpcSuccess<M> | MmRpcFailure;
`
