package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"obverse/native/cometbft"
	"obverse/native/node"
	"obverse/native/settings"
)

func (p *program) validator(args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "migrate":
			return p.migrate(args[1:])
		case "show":
			return p.showValidator(args[1:])
		}
	}
	return p.start(args, takesValidator, helpValidator, runValidator)
}

// shownValidator holds what the operators of the other nodes need of this one.
type shownValidator struct {
	ID        string          `json:"id"`
	Validator json.RawMessage `json:"validator,omitempty"` // absent if a signer has the key
}

// showValidator prints the node's id and its entry for a genesis. Keys that are missing are made.
func (p *program) showValidator(args []string) error {
	a, err := p.parse(args, takesShow)
	if err != nil {
		return err
	}
	if a.help {
		return p.help(helpValidator)
	}
	s, err := settings.Read(a.sources)
	if err != nil {
		return settings.ConfigError{Err: err}
	}
	id, err := cometbft.Prepare(cometbft.Home(s.DataDir))
	if err != nil {
		return err
	}
	show := shownValidator{ID: id.NodeID}
	if s.Config.Validator.Signer == "" {
		show.Validator = json.RawMessage(id.Entry())
	}
	text, err := json.MarshalIndent(show, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s\n", text)
	return err
}

// runValidator runs a node that makes the blocks together with others.
func runValidator(ctx context.Context, s *settings.Settings, log *slog.Logger, ready func(node, daemon string) error) error {
	v, err := node.NewValidator(s, log)
	if err != nil {
		return settings.ConfigError{Err: err}
	}
	return node.Run(ctx, s, log, ready, v)
}
