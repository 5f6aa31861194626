package core

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// source is a parsed Go file of the module. Its path is relative to the repository's root.
type source struct {
	path    string
	pkg     string // folder of the package
	test    bool
	text    string
	ast     *ast.File
	imports []string
}

// sources returns every Go file of the module.
func sources(t *testing.T) (files *token.FileSet, all []source) {
	t.Helper()
	m, err := parsed()
	require.NoError(t, err)
	require.Greater(t, len(m.sources), 50, "the sources were not found")
	return m.files, m.sources
}

// module holds the parsed Go files.
type module struct {
	files   *token.FileSet
	sources []source
}

var parsed = sync.OnceValues(parseModule)

func parseModule() (*module, error) {
	m := &module{files: token.NewFileSet()}
	for _, top := range []string{"core", "native", "wasm"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			rel := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
			m.sources = append(m.sources, source{path: rel, pkg: filepath.ToSlash(filepath.Dir(rel)), test: strings.HasSuffix(path, "_test.go")})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n := range m.sources {
		group.Go(func() error { return m.sources[n].parse(m.files) })
	}
	return m, group.Wait()
}

// parse reads and parses the file.
func (s *source) parse(files *token.FileSet) error {
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(s.path)))
	if err != nil {
		return err
	}
	s.text = string(text)
	if s.ast, err = parser.ParseFile(files, s.path, text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		return err
	}
	for _, spec := range s.ast.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		s.imports = append(s.imports, name)
	}
	return nil
}

// within reports whether a package is, or lies below, one of the folders.
func within(pkg string, folders ...string) bool {
	for _, folder := range folders {
		if pkg == folder || strings.HasPrefix(pkg, folder+"/") {
			return true
		}
	}
	return false
}

// importRule forbids imports to the packages below its folders.
type importRule struct {
	name    string
	reason  string
	from    []string // folders of the importing packages
	except  []string // exempt folders inside from
	forbids func(imported string) bool
}

func exactly(names ...string) func(string) bool {
	return func(imported string) bool { return slices.Contains(names, imported) }
}

func below(folders ...string) func(string) bool {
	return func(imported string) bool {
		inside, ok := strings.CutPrefix(imported, "obverse/")
		return ok && within(inside, folders...)
	}
}

// layers lists the packages of core/chain from the lowest to the highest: each package may
// import only those before it. The packages wallet and engine have separate rules below.
var layers = []string{
	"core/chain/wire", "core/chain/cc", "core/chain/script", "core/chain/token", "core/chain/consensus", "core/chain",
	"core/chain/mempool", "core/chain/engine",
}

// domain lists the packages that depend on neither an interface nor the config.
var domain = []string{"core/chain", "core/clock", "core/event", "core/guard", "core/key", "core/metrics", "core/net", "core/number", "core/store", "core/swap", "core/task", "core/text", "core/versionstat", "core/wallet"}

// nodeAreas lists the packages that implement the methods of the node API, and the packages
// that they share.
var nodeAreas = []string{"core/mmrpc/activate", "core/mmrpc/devices", "core/mmrpc/events", "core/mmrpc/hd", "core/mmrpc/history", "core/mmrpc/keys", "core/mmrpc/nft",
	"core/mmrpc/peers", "core/mmrpc/prices", "core/mmrpc/send", "core/mmrpc/sessions", "core/mmrpc/trading", "core/mmrpc/wallets", "core/mmrpc/wire"}

func importRules() []importRule {
	rules := []importRule{
		{"core touches nothing", "what it needs of a machine comes through ports; net/http alone adds megabytes to a page",
			[]string{"core"}, []string{"core/store/bunt"},
			exactly("net/http", "net", "os", "os/exec", "syscall", "syscall/js", "database/sql", "log", "log/slog",
				"math/rand", "math/rand/v2", "crypto/rand", "testing")},
		{"core matches by hand", "regexp is a fiftieth of a page", []string{"core", "wasm"}, []string{"core/wallet/evm/nodetest/story"}, exactly("regexp", "text/template")},
		{"bunt opens files and nothing else", "a backend may need a path",
			[]string{"core/store/bunt"}, nil, exactly("net/http", "net", "os/exec", "syscall/js", "database/sql", "log", "log/slog")},
		{"core points inwards", "the same core runs on every platform", []string{"core"}, nil, below("native", "wasm", "web")},
		{"native knows no page", "platforms do not share code but through core", []string{"native"}, nil, below("wasm", "web")},
		{"wasm knows no server", "platforms do not share code but through core", []string{"wasm"}, nil, below("native")},
		{"a page speaks through fetch", "the workers library panics at start in a page; net/http doubles its size",
			[]string{"wasm"}, []string{"wasm/worker", "wasm/sockets"}, func(i string) bool {
				return i == "net/http" || i == "obverse/wasm/sockets" || strings.HasPrefix(i, "github.com/syumai/workers")
			}},
		{"domain packages do not know the interfaces", "wire shapes stay at the edge",
			domain, nil, below("core/daemon", "core/mmrpc", "core/rpc")},
		{"domain packages do not know the settings", "the assembly passes them the values that they need",
			domain, nil, exactly("obverse/core/config")},
		{"a page speaks no Lightning", "it has no raw TCP: native and the edge bring the peers in, as a lightning.Network",
			[]string{"core", "wasm"}, []string{"core/wallet/lightning", "wasm/sockets"}, below("core/wallet/lightning/link", "core/wallet/lightning/noise", "core/wallet/lightning/wire")},
		{"a page hashes no state", "one producer needs no proofs: native brings the tree in, as a chain.StateTree",
			[]string{"core", "wasm"}, []string{"core/chain/statetree", "core/daemon/proof"}, below("core/chain/statetree", "core/daemon/proof")},
		{"coin knows no account", "what activates coins is above them", []string{"core/wallet/coin"}, nil,
			func(i string) bool { return i != "obverse/core/wallet/coin" && below("core/wallet")(i) }},
		{"account knows no family", "what all families share depends on none of them", []string{"core/wallet/account"}, nil,
			func(i string) bool {
				return !slices.Contains([]string{"obverse/core/wallet/account", "obverse/core/wallet/coin", "obverse/core/wallet/signer/device", "obverse/core/wallet/hd", "obverse/core/wallet/watch"}, i) && below("core/wallet")(i)
			}},
		{"families know no signer", "accounts reach them as a key.Account", []string{"core/wallet/evm", "core/wallet/cosmos"}, nil, below("core/wallet/signer")},
		{"signers know no coin", "they sign what the transactions of a family ask for", []string{"core/wallet/signer"}, nil,
			exactly("obverse/core/wallet/evm", "obverse/core/wallet/cosmos", "obverse/core/wallet/evm/dapp", "obverse/core/wallet/cosmos/dapp")},
		{"rpc knows no method", "tables serve both interfaces", []string{"core/rpc"}, []string{"core/rpc/apidoc"},
			func(i string) bool { return strings.HasPrefix(i, "obverse/") }},
		{"areas of the node API know no other area", "what several share is in core/mmrpc/wire, which knows no method", nodeAreas, nil,
			func(i string) bool { return i != "obverse/core/mmrpc/wire" && below(nodeAreas...)(i) }},
		{"the wallet judges nothing and makes no blocks", "it builds from what a Source shows", []string{"core/chain/wallet"}, nil,
			exactly("obverse/core/chain/consensus", "obverse/core/chain/engine")},
	}
	for n, folder := range layers {
		later := layers[n+1:]
		rules = append(rules, importRule{folder + " is one layer", "wire, cc, script, token, consensus, chain, mempool, engine: in this direction only",
			[]string{folder}, chainBelow(folder), func(i string) bool {
				own := strings.TrimPrefix(i, "obverse/")
				return slices.Contains(later, own) || own == "core/chain/wallet"
			}})
	}
	return rules
}

// chainBelow returns the packages inside core/chain, without core/chain itself.
func chainBelow(folder string) []string {
	if folder != "core/chain" {
		return nil
	}
	return []string{"core/chain/wire", "core/chain/cc", "core/chain/script", "core/chain/token", "core/chain/consensus",
		"core/chain/mempool", "core/chain/engine", "core/chain/wallet", "core/chain/params", "core/chain/chaintest"}
}

func TestImports(t *testing.T) {
	_, all := sources(t)
	for _, rule := range importRules() {
		t.Run(rule.name, func(t *testing.T) {
			for _, s := range all {
				if s.test || testSupport(s.pkg) || !within(s.pkg, rule.from...) || within(s.pkg, rule.except...) {
					continue
				}
				for _, imported := range s.imports {
					require.False(t, rule.forbids(imported), "%s imports %s: %s", s.path, imported, rule.reason)
				}
			}
		})
	}
}

// TestRoot checks which files and folders package core contains. Everything except the
// documentation, the types Platform and Node, and the assembly of a node belongs in a
// subfolder.
func TestRoot(t *testing.T) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	var files, folders []string
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		} else {
			files = append(files, e.Name())
		}
	}
	require.Equal(t, []string{"arch_test.go", "chain.go", "doc.go", "families.go", "node.go", "platform.go", "recordings_test.go", "wallet.go", "words_test.go"}, files)
	require.LessOrEqual(t, len(folders), 18, "group packages by what they serve: %v", folders)
}

// TestMap checks that the map in this package's documentation names each package of core, native and wasm, the
// other folders of native, and those of web, and none that does not exist; and that the files of "Where to look" exist.
func TestMap(t *testing.T) {
	_, all := sources(t)
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, listed, _ := strings.Cut(string(text), "// # Map")
	listed, _, _ = strings.Cut(listed, "// Only tests import")
	inMap := map[string]bool{}
	var above []string // the entries that the current one is below, by indentation
	for _, m := range regexp.MustCompile(`(?m)^//\t( *)([a-z0-9/]+(?:, [a-z0-9]+)*)  +\S`).FindAllStringSubmatch(listed, -1) {
		depth := len(m[1]) / 2
		if depth > 6 { // the second line of an entry
			continue
		}
		require.LessOrEqual(t, depth, len(above), "%q is indented too far", m[0])
		for _, name := range strings.Split(m[2], ", ") {
			above = append(above[:depth:depth], name)
			require.DirExists(t, filepath.Join("..", filepath.Join(above...)), "in the map")
			inMap[path.Join(above...)] = true
		}
	}
	folders := []string{"web"}
	for _, s := range all {
		if !s.test && !testSupport(s.pkg) && !within(s.pkg, "native/test") && !slices.Contains([]string{"story", "npmpeer"}, path.Base(s.pkg)) {
			folders = append(folders, s.pkg)
		}
	}
	for _, top := range []string{"native", "wasm", "web", "web/src", "web/app"} {
		entries, err := os.ReadDir(filepath.Join("..", filepath.FromSlash(top)))
		require.NoError(t, err)
		for _, e := range entries {
			if e.IsDir() && e.Name()[0] != '.' && e.Name() != "node_modules" && e.Name() != "dist" {
				folders = append(folders, path.Join(top, e.Name()))
			}
		}
	}
	for _, folder := range folders {
		assert.True(t, inMap[folder], "%s is not in the map", folder)
	}
	_, places, _ := strings.Cut(string(text), "// # Where to look")
	places, _, _ = strings.Cut(places, "// # Layers")
	named := regexp.MustCompile(`(?:core|native|wasm|web)/[\w./]*\w`).FindAllString(places, -1)
	require.Greater(t, len(named), 20)
	for _, name := range named {
		_, err := os.Stat(filepath.Join("..", filepath.FromSlash(name)))
		assert.NoError(t, err, "in the list of places")
	}
}

// TestTopLevel checks that the repository's root contains no files except the expected ones,
// programs (bin/, which git ignores) and dotfiles.
func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir("..")
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			require.Contains(t, []string{"bin", "core", "native", "wasm", "web", "go.mod", "go.sum", "Makefile", "README.md"}, e.Name())
		}
	}
}

// testSupport reports whether only tests use a package.
func testSupport(pkg string) bool {
	return within(pkg, "core/rpc/apidoc", "core/rpc/recording") ||
		slices.ContainsFunc(strings.Split(pkg, "/"), func(folder string) bool { return strings.HasSuffix(folder, "test") })
}

// libraries lists the libraries that a page may contain, each with its purpose.
var libraries = map[string]string{
	"filippo.io/edwards25519/field":                 "X25519 of sessions with wallets; crypto/ecdh brings the tables of other curves",
	"github.com/btcsuite/btcd/btcec/v2":             "secp256k1",
	"github.com/btcsuite/btcd/btcec/v2/ecdsa":       "secp256k1 signatures",
	"github.com/btcsuite/btcd/btcutil/base58":       "addresses",
	"github.com/btcsuite/btcd/btcutil/bech32":       "addresses of Cosmos chains",
	"github.com/dchest/blake2b":                     "BLAKE2b with personalisation, for signature hashes",
	"github.com/tidwall/buntdb":                     "the store",
	"google.golang.org/protobuf/encoding/protowire": "messages of Cosmos chains; it brings no reflection and 20 kB",
	"golang.org/x/crypto/argon2":                    "keys from passwords, for wallet files; a page loads it as a part",
	"golang.org/x/crypto/chacha20poly1305":          "the transport of Lightning, and sessions with wallets",
	"golang.org/x/crypto/ripemd160":                 "addresses and OP_RIPEMD160",
	"golang.org/x/crypto/sha3":                      "Keccak-256 of EVM networks, which the standard library does not have",
	"golang.org/x/sync/errgroup":                    "the node's parts, which run side by side",
}

func TestCoreLibraries(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		if s.test || testSupport(s.pkg) || !within(s.pkg, "core") {
			continue
		}
		for _, imported := range s.imports {
			if host, _, _ := strings.Cut(imported, "/"); strings.Contains(host, ".") {
				require.Contains(t, libraries, imported, "%s imports %s: every library in core is weighed first", s.path, imported)
			}
		}
	}
}

// TestShape checks the rules of the house style that a parser can check.
func TestShape(t *testing.T) {
	files, all := sources(t)
	for _, s := range all {
		limit := 600
		if s.test || testSupport(s.pkg) {
			limit = 800
		}
		require.LessOrEqual(t, strings.Count(s.text, "\n"), limit, "%s is too long: a file is about one thing", s.path)
		require.NotContains(t, s.text, "\n//"+"go:build", "%s: use file name suffixes and packages", s.path)
		if within(s.pkg, "wasm") && !s.test {
			require.True(t, strings.HasSuffix(s.path, "_js.go") || strings.HasSuffix(s.path, "doc.go"), "%s must end in _js.go", s.path)
		}
		checkDeclarations(t, files, s)
	}
}

func checkDeclarations(t *testing.T, files *token.FileSet, s source) {
	for _, decl := range s.ast.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		lines := files.Position(fn.End()).Line - files.Position(fn.Pos()).Line + 1
		limit := 80
		if s.test {
			limit = 100 // this includes the table of commands
		}
		require.LessOrEqual(t, lines, limit, "%s: %s is too long: a function is one thought", s.path, fn.Name.Name)
		require.False(t, fn.Recv == nil && fn.Name.Name == "init", "%s: nothing happens at init", s.path)
	}
	if s.test || !within(s.pkg, "core", "wasm") || testSupport(s.pkg) {
		return
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
			method, ok := call.Fun.(*ast.SelectorExpr)
			require.False(t, ok && method.Sel.Name == "Reset", "%s: use a new timer: under js/wasm the scheduler may sleep past one that Reset moved forward", s.path)
		}
		if !within(s.pkg, "core") {
			return true
		}
		if call, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := call.X.(*ast.Ident); ok && pkg.Name == "time" {
				require.NotContains(t, []string{"Now", "Since", "Until"}, call.Sel.Name, "%s: the clock is a port", s.path)
			}
		}
		return true
	})
}
