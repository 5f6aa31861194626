package mmrpc

import (
	"context"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

// categoryControl is the category of the methods about the node itself.
const categoryControl = "Control"

// discover is the name of the method that returns the OpenRPC document, as specified by
// OpenRPC.
const discover = "rpc.discover"

// Control is the area of the methods about the node itself.
type Control struct {
	Version string
	Built   string // time of the commit in RFC 3339 format; may be empty
	// Stop ends the process. It returns immediately, because the answer still has to be sent.
	// It is nil if the node cannot be ended.
	Stop func()
}

// Methods implements Area.
func (c Control) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("version", rpc.Doc{Summary: "Return the version of the node", Category: categoryControl, Public: true, Legacy: true}, c.version),
		rpc.Handle("stop", rpc.Doc{Summary: "Stop the node", Category: categoryControl, Legacy: true}, c.stop).
			Raises(wire.Kinds(mmerr.UnsupportedMode)...),
	}
}

type versionResult struct {
	Result string `json:"result" doc:"the version"`
	Built  string `json:"datetime" doc:"time of the commit in RFC 3339; empty if unknown"`
}

// Flat implements Flat.
func (versionResult) Flat() {}

func (c Control) version(context.Context, struct{}) (versionResult, error) {
	return versionResult{c.Version, c.Built}, nil
}

func (c Control) stop(context.Context, struct{}) (string, error) {
	if c.Stop == nil {
		const text = "this node cannot be stopped by a request"
		return "", mmerr.UnsupportedMode.New(text, text)
	}
	c.Stop()
	return wire.Succeeded, nil
}

type helpParams struct {
	Command string `json:"command" rpc:"optional" doc:"name of a method"`
}

func (s *Server) helpMethod() rpc.Method {
	doc := rpc.Doc{Summary: "List all methods, or describe one method", Category: categoryControl, Public: true, Legacy: true}
	return rpc.Handle("help", doc, func(_ context.Context, p helpParams) (string, error) {
		if p.Command == "" {
			return s.table.Help(), nil
		}
		if m, ok := s.table.Lookup(p.Command); ok {
			return m.Help(), nil
		}
		return "", s.noSuchMethod(p.Command)
	})
}

func (s *Server) discoverMethod() rpc.Method {
	doc := rpc.Doc{Summary: "Return an OpenRPC document that describes all methods of the API", Category: categoryControl, Open: true, Reads: true}
	return rpc.Handle(discover, doc, func(context.Context, struct{}) (rpc.Printed, error) {
		return s.discover()
	}).Gives(rpc.Document{})
}
