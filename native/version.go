package main

import (
	"fmt"
	"runtime"
)

// The linker sets both; see the Makefile.
var (
	version = "devel"
	commit  = "unknown"
)

func (p *program) version(args []string) error {
	a, err := p.parse(args, accepts{})
	if err != nil {
		return err
	}
	if a.help {
		return p.help(helpVersion)
	}
	_, err = fmt.Fprintf(p.stdout, "obverse %s (commit %s, %s %s/%s)\n", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
