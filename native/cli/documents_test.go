package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
	"obverse/core/rpc"
)

// root is the folder of the repository.
var root = filepath.Join("..", "..")

// documents returns the pages about the native node, by their paths relative to root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "native", "docs", "*.md"))
	require.NoError(t, err)
	require.Greater(t, len(paths), 8)
	pages := map[string]string{}
	for _, path := range append(paths, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		pages[name] = string(text)
	}
	return pages
}

// code returns the parts of the documents that readers type: text between backquotes, and the lines
// of shell blocks.
func code(t *testing.T) (parts []string) {
	t.Helper()
	text := ""
	for _, page := range documents(t) {
		text += page + "\n"
	}
	blocks := regexp.MustCompile("(?s)```(\\w*)\n(.*?)```\n")
	for _, b := range blocks.FindAllStringSubmatch(text, -1) {
		if b[1] == "sh" {
			for line := range strings.Lines(b[2]) {
				line, _, _ = strings.Cut(line, " # ")
				parts = append(parts, strings.TrimSpace(line))
			}
		}
	}
	for _, c := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(blocks.ReplaceAllString(text, ""), -1) {
		parts = append(parts, c[1])
	}
	require.Greater(t, len(parts), 100)
	return parts
}

// TestDocumentedCommands checks that the commands, options, methods, settings and targets of the
// Makefile in the documents exist.
func TestDocumentedCommands(t *testing.T) {
	makefile := ""
	for _, name := range []string{"Makefile", "web/page.mk"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		makefile += string(text)
	}
	target, command := regexp.MustCompile(`^make ([a-z][a-z-]*)`), regexp.MustCompile(`(?:^|[^\w/.-]|bin/)obverse ([a-z]+)(.*)`)
	method := regexp.MustCompile(`(?:^|[$(])(?:b|obverse call|bin/obverse call) ((?:--[\w-]+ )*)([a-z_:]+[a-z])( .*)?$`)
	seen := map[string]int{}
	for _, part := range code(t) {
		if m := target.FindStringSubmatch(part); m != nil {
			require.Contains(t, makefile, "\n"+m[1]+":", part)
			seen["make "+m[1]]++
		}
		if m := command.FindStringSubmatch(part); m != nil {
			require.Contains(t, verbNames(), m[1], part)
			requireOptions(t, m[1], m[2], part)
			seen[m[1]]++
		}
		if m := method.FindStringSubmatch(part); m != nil && m[2] != help {
			requireMethod(t, m[2], m[3], part)
			seen["a method"]++
		}
	}
	for _, name := range []string{"make run", "make demo", "make test", "serve", "init", "call", "config", "completion", "help"} {
		require.Positive(t, seen[name], "no document has %s", name)
	}
	require.Greater(t, seen["a method"], 20)
}

// requireOptions checks the options and settings after a command.
func requireOptions(t *testing.T, command, words, part string) {
	t.Helper()
	v, known := findVerb(command)
	for _, option := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(words, -1) {
		common := []string{"config", "conf", "datadir", "help"}
		require.True(t, known)
		if command == "validator" {
			common = append(common, takesMigrate.flags...)
		}
		require.Contains(t, slices.Concat(common, v.takes.flags, v.takes.values), option[1], part)
	}
	for _, setting := range regexp.MustCompile(` ([a-z_.]+)=`).FindAllStringSubmatch(words, -1) {
		if setting[1] != "key" {
			_, known := config.Find(setting[1])
			require.True(t, known, part)
		}
	}
}

// requireMethod checks a method and the parameters of a call of the node API.
func requireMethod(t *testing.T, name, words, part string) {
	t.Helper()
	var m rpc.Method
	for _, i := range interfaces() {
		if found, known := i.table.Lookup(name); known {
			m = found
		}
	}
	require.NotEmpty(t, m.Name, part)
	quoted := regexp.MustCompile(`^ '(\{.*\})'`).FindStringSubmatch(words)
	if quoted == nil {
		return
	}
	var params map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(regexp.MustCompile(`'\$\w+'`).ReplaceAllString(quoted[1], "X")), &params), part)
	for key := range params {
		require.True(t, hasParam(m, key), "%s has no parameter %s", name, key)
	}
}

func hasParam(m rpc.Method, name string) bool {
	for _, p := range m.Params() {
		if p.Name == name {
			return true
		}
	}
	return false
}

// TestReadmeAbsentees checks the methods that the README lists as absent. For some of them, a node
// returns a hint.
func TestReadmeAbsentees(t *testing.T) {
	_, table, found := strings.Cut(documents(t)["README.md"], "\n| works | does not |\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	absent := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		require.Len(t, cells, 4, line)
		for _, name := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cells[2], -1) {
			absent++
			for _, i := range interfaces() {
				method, known := i.table.Lookup(name[1])
				refused := slices.ContainsFunc(method.Errors(), func(k rpc.ErrorKind) bool { return k.Name == "UtxoNotSupported" })
				require.True(t, !known || refused, name[1])
			}
		}
	}
	require.Greater(t, absent, 2)
}

// TestLinks follows every relative link in the documents, and its anchor.
func TestLinks(t *testing.T) {
	pages := documents(t)
	for path, text := range pages {
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(link[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			linked, err := os.ReadFile(filepath.Join(root, target))
			require.NoError(t, err, "%s links to %s", path, link[1])
			if anchor != "" {
				require.Contains(t, anchors(string(linked)), anchor, "%s links to %s", path, link[1])
			}
		}
	}
}

// anchors returns the anchors of the headings of a page.
func anchors(text string) (names []string) {
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(strings.ReplaceAll(heading[1], " ", "-"))
		names = append(names, regexp.MustCompile(`[^\w-]`).ReplaceAllString(name, ""))
	}
	return names
}

// TestReadmeIsShort checks that the README contains only what new users need first.
func TestReadmeIsShort(t *testing.T) {
	text := documents(t)["README.md"]
	require.LessOrEqual(t, len(text), 8<<10)
	require.LessOrEqual(t, strings.Count(text, "\n"), 150)
}
