// Command declarations writes the TypeScript declarations of both APIs, mmrpc.d.ts and
// daemon.d.ts, into a folder. The build of the JS package runs it. It does not write a file that
// would not change.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"obverse/core/daemon"
	"obverse/core/mmrpc"
	"obverse/core/rpc"
	"obverse/core/rpc/apidoc"
)

// Declarations of envelopes and events, which are in no method table.
var (
	//go:embed mmrpc.ts.txt
	mmrpcEnvelope string
	//go:embed daemon.ts.txt
	daemonEnvelope string
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: declarations FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(folder string) error {
	return errors.Join(
		update(filepath.Join(folder, "mmrpc.d.ts"), nodeAPI()),
		update(filepath.Join(folder, "daemon.d.ts"), daemonAPI()),
	)
}

func update(path, text string) error {
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, []byte(text)) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// nodeAPI returns the declarations of the node API: methods, envelope, events.
func nodeAPI() string {
	info := rpc.Info{Title: "Obverse node", Version: "2.0"}
	s := mmrpc.New(mmrpc.Options{Info: info, Now: time.Now}, mmrpc.Backend{})
	return apidoc.TypeScript(s.Table(), info, mmrpc.ErrorKinds()...) + "\n" + mmrpcEnvelope
}

// daemonAPI returns the declarations of the daemon API: methods and envelope.
func daemonAPI() string {
	info := rpc.Info{Title: "Obverse token daemon", Version: "1.0"}
	var backend daemon.Backend
	s := daemon.New(daemon.Options{Info: info}, backend.Methods()...)
	return apidoc.TypeScriptTuples(s.Table(), info, "DaemonMethods") + "\n" + daemonEnvelope
}
