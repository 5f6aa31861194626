package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"obverse/core/key/wallets"
	"obverse/native/datalock"
	"obverse/native/node"
	"obverse/native/settings"
)

// Under the name kdf, such as a link to it, the program is started like Komodo DeFi Framework. Its
// only argument is the config as JSON, or a file. Source: mm2_bin_lib, and the calls of wallets
// that use the KDF SDK.

// Exit codes of kdf, as the SDK interprets them.
const (
	KDFInvalidParams  = 1
	KDFInvalidConfig  = 2
	KDFAlreadyRunning = 3
	KDFInitError      = 4
)

const (
	kdfConfigFile = "MM2.json"
	kdfFolder     = "DB" // used if there is no dbdir
)

const kdfHelp = `usage: kdf [CONFIG]

Runs a node as Komodo DeFi Framework's program is run. CONFIG is the config itself, a
JSON object; without it the config is the file that MM_CONF_PATH names, or MM2.json here.

  --version, -v   print the version
  --help, -h      print this text

MM_COINS_PATH names the coins file (or the config's key coins, or the file coins here),
MM_LOG the log file. Data are in the folder of dbdir, else in DB here. The daemon API gets a
free port, unless daemon.rpcport names one. Exit codes: 1 wrong usage or a failure while
running, 2 wrong config, 3 already running, 4 the wallet or the node cannot be opened.
`

// isKDF reports whether the program was started under the name kdf.
func isKDF(program string) bool {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	return name == "kdf" || name == "mm2"
}

// takeArguments returns copies of the arguments and overwrites the originals, which other users can
// see in the list of processes. A config contains a password and perhaps a recovery phrase. On
// systems that display a copy of the arguments, they stay visible.
func takeArguments() []string {
	args := make([]string, len(os.Args)-1)
	for i, arg := range os.Args[1:] {
		args[i] = strings.Clone(arg)
		if strings.HasPrefix(strings.TrimSpace(arg), "{") {
			clear(unsafe.Slice(unsafe.StringData(arg), len(arg)))
		}
	}
	return args
}

// kdf runs the program under the name kdf.
func (p *program) kdf(args []string) int {
	if len(args) == 1 && (args[0] == "--version" || args[0] == "-v") {
		return p.main([]string{"version"})
	}
	if len(args) == 1 && isHelp(args[0]) {
		fmt.Fprint(p.stdout, kdfHelp)
		return 0
	}
	src, err := p.kdfSources(args)
	if err == nil {
		err = p.serveFrom(src, p.forWallet, p.run)
	}
	if err != nil {
		fmt.Fprintln(p.stderr, "kdf:", oneLine(err))
	}
	return kdfCode(err)
}

func kdfCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		return KDFInvalidParams
	case errors.As(err, new(wallets.OpenError)):
		return KDFInitError
	case errors.As(err, new(settings.ConfigError)):
		return KDFInvalidConfig
	case errors.Is(err, datalock.ErrRunning), errors.Is(err, node.ErrPortTaken):
		return KDFAlreadyRunning
	}
	return KDFInitError
}

func (p *program) kdfSources(args []string) (settings.Sources, error) {
	src := settings.Sources{HomeDir: kdfFolder, Overrides: map[string]string{}, Getenv: p.getenv}
	switch {
	case len(args) > 1:
		return src, usage("kdf takes one argument, the config as JSON; `kdf --help` shows details")
	case len(args) == 1 && !strings.HasPrefix(strings.TrimSpace(args[0]), "{"):
		return src, usage("the argument has to be the config, a JSON object; `kdf --help` shows details")
	case len(args) == 1:
		src.ConfigText = []byte(args[0])
		src.Warnings = []string{"the config was given as an argument, which other users may have seen in the list of processes: MM_CONF_PATH names a file instead"}
	case p.getenv("MM_CONF_PATH") == "":
		src.ConfigFile = kdfConfigFile
	}
	if path := p.getenv("MM_LOG"); path != "" {
		src.Overrides["log_file"] = path
	}
	src.Defaults = map[string]string{"daemon.rpcport": "0"}
	return src, nil
}
