package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"obverse/native/settings"
)

func (p *program) init(args []string) error {
	a, err := p.parse(args, takesInit)
	if err != nil {
		return err
	}
	if a.help {
		return p.help(helpInit)
	}
	path, err := settings.Init(a.sources, rand.Reader)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already and was left as it is", path)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, path)
	return err
}
