// Command obverse is the native node: it serves both APIs over HTTP and has a client for
// them. Package cli has its commands.
//
// Exit codes: 0 success, 1 failure while running, 2 wrong usage or wrong config, 4 a wallet
// that cannot be opened.
package main

import (
	"os"

	"obverse/native/cli"
)

func main() { os.Exit(cli.Main()) }
