package cli

import (
	"fmt"
	"runtime"
)

// The linker sets them; see the Makefile.
var (
	version = "devel"
	commit  = "unknown"
	built   = "" // when the commit was made: a build is the same whenever it is built
)

func (p *program) version(args []string) error {
	a, err := p.parse(args, takesVersion)
	if err != nil {
		return err
	}
	if a.help {
		return p.help(helpVersion)
	}
	_, err = fmt.Fprintf(p.stdout, "obverse %s (commit %s, %s %s/%s)\n", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
