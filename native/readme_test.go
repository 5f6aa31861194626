package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/rpc"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	require.NoError(t, err)
	return string(text)
}

// code gives the parts of the README that are typed: what is between backquotes, and the
// lines of blocks for the shell.
func code(t *testing.T) (parts []string) {
	t.Helper()
	text := readme(t)
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

// TestReadmeCommands holds what the README tells people to type to what there is: commands,
// options, methods and settings of the program, and targets of the Makefile.
func TestReadmeCommands(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "Makefile"))
	require.NoError(t, err)
	target, command := regexp.MustCompile(`^make ([a-z][a-z-]*)`), regexp.MustCompile(`(?:^|[^\w/.-]|bin/)obverse ([a-z]+)(.*)`)
	method := regexp.MustCompile(`(?:^|[$(])(?:b|obverse call|bin/obverse call) ((?:--[\w-]+ )*)([a-z_:]+[a-z])( .*)?$`)
	seen := map[string]int{}
	for _, part := range code(t) {
		if m := target.FindStringSubmatch(part); m != nil {
			require.Contains(t, string(makefile), "\n"+m[1]+":", part)
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
		require.Positive(t, seen[name], "the README tells of %s", name)
	}
	require.Greater(t, seen["a method"], 20)
}

// requireOptions looks at the options and settings behind a command.
func requireOptions(t *testing.T, command, words, part string) {
	t.Helper()
	v, known := findVerb(command)
	for _, option := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(words, -1) {
		common := []string{"config", "conf", "datadir", "help"}
		require.True(t, known)
		require.Contains(t, append(common, v.takes.flags...), option[1], part)
	}
	for _, setting := range regexp.MustCompile(` ([a-z_.]+)=`).FindAllStringSubmatch(words, -1) {
		if setting[1] != "key" {
			require.Contains(t, core.Keys(), setting[1], part)
		}
	}
}

// requireMethod looks at a method and at the parameters of a call of interface B.
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

// What the README calls absent is absent.
func TestReadmeAbsentees(t *testing.T) {
	_, list, found := strings.Cut(readme(t), "Among the absent ones:")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n-")
	names := regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(list, -1)
	require.NotEmpty(t, names)
	for _, name := range names {
		for _, i := range interfaces() {
			_, known := i.table.Lookup(name[1])
			require.False(t, known, name[1])
		}
	}
}
