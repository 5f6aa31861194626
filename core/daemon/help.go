package daemon

import (
	"context"

	"obverse/core/rpc"
)

// categoryControl is the heading of the methods about the node itself.
const categoryControl = "Control"

type helpParams struct {
	Command Text `json:"command" rpc:"optional" doc:"the method to explain"`
}

func (s *Server) helpMethod() rpc.Method {
	doc := rpc.Doc{
		Usage:    `help ( "command" )`,
		Summary:  "List all methods, or explain one",
		Category: categoryControl,
	}
	return rpc.Handle("help", doc, func(_ context.Context, p helpParams) (string, error) {
		if p.Command == "" {
			return s.table.Help(), nil
		}
		if m, ok := s.table.Lookup(string(p.Command)); ok {
			return m.Help(), nil
		}
		return "help: unknown command: " + string(p.Command), nil
	})
}

func (s *Server) discoverMethod() rpc.Method {
	doc := rpc.Doc{
		Summary:  "Describe all methods of this interface as an OpenRPC document",
		Category: categoryControl,
		Open:     true,
		Reads:    true,
	}
	return rpc.Handle("rpc.discover", doc, func(context.Context, struct{}) (rpc.Printed, error) {
		return s.discover()
	}).Gives(rpc.Document{})
}
