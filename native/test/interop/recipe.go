package interop

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Kind identifies the program of a chain.
type Kind string

// Supported kinds.
const (
	Gaiad Kind = "gaiad" // Cosmos Hub v7.0.0: Cosmos SDK 0.45.1, Tendermint 0.34.14, ibc-go 3.0.0
	Iris  Kind = "iris"  // IRIS Hub v1.4.1: Cosmos SDK 0.46, Tendermint 0.34.23, ibc-go 5.0.1
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Gaiad, Iris} }

// program describes a kind of chain: its program, chain id and default account.
type program struct {
	name, version string
	main          string // argument of go build
	folder        string // folder in recipes, if it differs from the name
	chain         string // chain id
	denom, prefix string
	gasPrice      string // minimum gas price of the node, in denom
	passphrase    Account
}

func programs() []program {
	return []program{
		{name: "gaiad", version: "v7.0.0", main: "github.com/cosmos/gaia/v7/cmd/gaiad",
			chain: "cosmoshub-test", denom: "uatom", prefix: "cosmos", gasPrice: "0.01",
			passphrase: Account{Passphrase: "tendermint test seed", Address: "cosmos150evuj4j7k9kgu38e453jdv9m3u0ft2n53flg6"}},
		{name: "iris", version: "v1.4.1", main: "github.com/irisnet/irishub/cmd/iris",
			chain: "irishub-test", denom: "uiris", prefix: "iaa", gasPrice: "0.2",
			passphrase: Account{Passphrase: "iris test seed", Address: "iaa1e0rx87mdj79zejewuc4jg7ql9ud2286g2us8f2"}},
	}
}

func programOf(kind Kind) (program, error) {
	all := programs()
	n := slices.IndexFunc(all, func(p program) bool { return p.name == string(kind) })
	if n < 0 {
		return program{}, fmt.Errorf("kind must be one of %q, got %q", Kinds(), kind)
	}
	return all[n], nil
}

// recipes holds, for each kind, the go.mod and go.sum of a module that only requires the
// program. The replacements are copied from the program's own go.mod, because
// 'go install' refuses a module with replacements.
//
//go:embed recipes
var recipes embed.FS

// recipe returns a file of the kind's module.
func (p program) recipe(name string) ([]byte, error) {
	return recipes.ReadFile("recipes/" + cmp.Or(p.folder, p.name) + "/" + name + ".txt")
}

// arguments returns the arguments of go build without the output path. The version of a chain's
// program is part of its responses to abci_info. With -trimpath, errors contain no paths of this
// machine.
func (p program) arguments() []string {
	const version = "github.com/cosmos/cosmos-sdk/version."
	flags := []string{"-s", "-w"}
	if p.chain != "" {
		flags = append(flags, "-X "+version+"Name="+p.name, "-X "+version+"AppName="+p.name,
			"-X "+version+"Version="+strings.TrimPrefix(p.version, "v"))
	}
	return []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", strings.Join(flags, " ")}
}

// key identifies a build by everything that affects the program, except the Go version: a program
// that was built by an older Go can still be used.
func (p program) key() (string, error) {
	hash := sha256.New()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := p.recipe(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", name, len(text), text)
	}
	fmt.Fprintf(hash, "%q %q %s %s", p.arguments(), p.main, runtime.GOOS, runtime.GOARCH)
	return p.name + "-" + p.version + "-" + hex.EncodeToString(hash.Sum(nil)[:8]), nil
}
