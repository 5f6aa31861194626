package cli

import (
	"fmt"
	"runtime"

	"obverse/native/node"
)

func (p *program) version(args []string) error {
	a, err := p.parse(args, takesVersion)
	if err != nil {
		return err
	}
	if a.help {
		return p.help(helpVersion)
	}
	_, err = fmt.Fprintf(p.stdout, "obverse %s (commit %s, %s %s/%s)\n", node.Version, node.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
