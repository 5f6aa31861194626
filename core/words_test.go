package core

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// wordRule limits the uses of a word or a phrase.
type wordRule struct {
	word  string // in lower case; "…" stands for one to four words
	limit int    // number of justified uses
	use   string // the words to write instead
}

// proseRules are about comments, strings and documents.
var proseRules = []wordRule{
	{"told", 0, "known, reported, sent"},
	{"tells", 0, "reports, returns, distinguishes"},
	{"whoever", 0, "a caller, a client, anyone who"},
	{"nobody", 14, "no client, no caller, or the passive"},
	{"somebody", 1, "a client, another user"},
	{"anew", 0, "again"},
	{"beside", 0, "next to, with, in addition to"},
	{"stranger", 0, "an untrusted peer, anyone"},
	{"strangers", 0, "untrusted peers, anyone"},
	{"betimes", 0, "early"},
	{"aside", 0, "separately, apart"},
	{"is what", 0, "subject and verb: name what the thing does or holds"},
	{"is none", 2, "is not a …, or: there is no …"},
	{"are none", 0, "are not …, or: there are no …"},
	{"are those", 0, "lists, holds, returns"},
	{"whose … is", 0, "with, that has"},
	{"is said", 1, "is reported, is stated"},
	{"cannot be had", 0, "is unavailable"},
	{"in the midst", 0, "during, within"},
	{"formerly", 0, "comments describe the code as it is"},
	{"was once", 0, "comments describe the code as it is"},
}

// nameRules are about the words of identifiers in Go, TypeScript and JavaScript.
var nameRules = []wordRule{
	{"shown", 32, "visible, displayed, result"},
	{"most", 5, "max"},
	{"least", 3, "min"},
	{"kept", 14, "stored, cached, retained"},
	{"asked", 46, "requested"},
	{"patience", 1, "timeout"},
	{"several", 0, "multiple"},
}

// edgeRules apply to identifiers that are equal to the word, or begin or end with it. Names
// such as indexOf and typeOf are common.
var edgeRules = []wordRule{
	{"own", 45, "native, local, self, or the noun"},
	{"of", 50, "the noun that it returns"},
	{"some", 2, "a plural noun"},
	{"yes", 2, "ok, true, confirm"},
}

// exemptNames are identifiers that languages, libraries and protocols define.
var exemptNames = []string{"indexOf", "lastIndexOf", "valueOf", "typeOf", "instanceOf"}

// exemptFiles are generated from Go sources, or are this file.
var exemptFiles = []string{"core/words_test.go", "native/docs/daemon-api.md", "native/docs/node-api.md", "web/daemon.d.ts", "web/mmrpc.d.ts"}

// TestWords limits the use of words that readers of other projects do not know in comments,
// texts and names.
func TestWords(t *testing.T) {
	found := map[string][]string{}
	add := func(rule, path, text string, offset int) {
		found[rule] = append(found[rule], fmt.Sprintf("%s:%d", path, 1+strings.Count(text[:offset], "\n")))
	}
	scripts := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"node_modules", "testdata", "dist", "bin"}, d.Name()) || len(d.Name()) > 2 && d.Name()[0] == '.'):
			return filepath.SkipDir
		case d.IsDir() || slices.Contains(exemptFiles, name):
			return nil
		case !slices.Contains([]string{".go", ".ts", ".tsx", ".js", ".mjs", ".md", ".mk", ".sh"}, filepath.Ext(name)) && d.Name() != "Makefile":
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(data)
		checkProse(text, func(rule string, offset int) { add(rule, name, text, offset) })
		if slices.Contains([]string{".ts", ".tsx", ".js", ".mjs"}, filepath.Ext(name)) {
			scripts++
			checkNames(scriptNames(text), func(rule string, offset int) { add(rule, name, text, offset) })
		}
		return nil
	}))
	require.Greater(t, scripts, 50, "the page's sources were not found")
	files, all := sources(t)
	for _, s := range all {
		if !slices.Contains(exemptFiles, s.path) {
			checkNames(declaredNames(files, s.ast), func(rule string, offset int) { add(rule, s.path, s.text, offset) })
		}
	}
	for _, rule := range slices.Concat(proseRules, nameRules, edgeRules) {
		if uses := found[rule.word]; len(uses) > rule.limit {
			t.Errorf("%q is used %d times, at most %d are allowed (write: %s):\n\t%s", rule.word, len(uses), rule.limit, rule.use, strings.Join(uses, "\n\t"))
		}
	}
}

// checkProse reports the words and phrases of proseRules that a text contains, with their
// offsets. Line breaks and comment markers inside a phrase are ignored.
func checkProse(text string, report func(rule string, offset int)) {
	single, phrases := map[string]bool{}, map[string][]string{}
	for _, rule := range proseRules {
		if words := strings.Fields(rule.word); len(words) == 1 {
			single[rule.word] = true
		} else {
			phrases[words[0]] = append(phrases[words[0]], rule.word)
		}
	}
	for rest := 0; rest < len(text); {
		word, start, end := nextWord(text, rest)
		rest = end
		if single[word] {
			report(word, start)
		}
		for _, phrase := range phrases[word] {
			if follows(text, end, strings.Fields(phrase)[1:]) {
				report(phrase, start)
			}
		}
	}
}

// nextWord returns the next word at or after an offset, in lower case, with its start and end.
func nextWord(text string, from int) (word string, start, end int) {
	letter := func(c byte) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
	}
	for from < len(text) && !letter(text[from]) {
		from++
	}
	start = from
	for from < len(text) && letter(text[from]) {
		from++
	}
	return strings.ToLower(text[start:from]), start, from
}

// follows reports whether the words come next in a text, without punctuation between them.
func follows(text string, from int, words []string) bool {
	least, most := 0, 0
	for len(words) > 0 {
		if words[0] == "…" {
			least, most, words = 1, 4, words[1:]
		}
		word, start, end := nextWord(text, from)
		if strings.Trim(text[from:start], " \t\n/*#") != "" || word == "" {
			return false
		}
		from = end
		switch {
		case word == words[0] && least <= 0:
			words = words[1:]
		case most == 0:
			return false
		default:
			least, most = least-1, most-1
		}
	}
	return true
}

// name is an identifier with its offset in the file.
type name struct {
	text   string
	offset int
}

// declaredNames lists the names that a file declares.
func declaredNames(files *token.FileSet, file *ast.File) (names []name) {
	add := func(exprs ...ast.Expr) {
		for _, e := range exprs {
			if id, ok := e.(*ast.Ident); ok && id != nil {
				names = append(names, name{id.Name, files.Position(id.Pos()).Offset})
			}
		}
	}
	addAll := func(ids []*ast.Ident) {
		for _, id := range ids {
			add(id)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			add(n.Name)
		case *ast.Field:
			addAll(n.Names)
		case *ast.ValueSpec:
			addAll(n.Names)
		case *ast.TypeSpec:
			add(n.Name)
		case *ast.ImportSpec:
			add(n.Name)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key, n.Value)
			}
		}
		return true
	})
	return names
}

var (
	// notCode matches the comments and strings of a script.
	notCode = regexp.MustCompile("//[^\n]*|/\\*(?s:.*?)\\*/|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])*'|`(?:\\\\.|[^`\\\\])*`")
	// compound matches names of two words or more. They need no declaration, since the text of
	// a page contains none.
	compound = regexp.MustCompile(`[A-Za-z_$]*[a-z][A-Z_][A-Za-z0-9_$]*`)
	// declaration matches names of one word in their declarations.
	declaration = regexp.MustCompile(`\b(?:const|let|var|function|class|interface|type|import)\s+([a-z]+)\b|\b([a-z]+)\??:\s|\b([a-z]+)\s*=>|[(,{\[]\s*([a-z]+)\s*[,)}\]]`)
)

// scriptNames returns the names that a script declares or uses.
func scriptNames(text string) (names []name) {
	code := notCode.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
	for _, at := range compound.FindAllStringIndex(code, -1) {
		names = append(names, name{code[at[0]:at[1]], at[0]})
	}
	for _, at := range declaration.FindAllStringSubmatchIndex(code, -1) {
		for n := 2; n < len(at); n += 2 {
			if at[n] >= 0 {
				names = append(names, name{code[at[n]:at[n+1]], at[n]})
			}
		}
	}
	return names
}

// checkNames reports the words of nameRules and edgeRules in the names. Each distinct name is
// checked once.
func checkNames(names []name, report func(rule string, offset int)) {
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n.text] || slices.Contains(exemptNames, n.text) {
			continue
		}
		seen[n.text] = true
		words := splitName(n.text)
		for _, rule := range nameRules {
			if slices.Contains(words, rule.word) {
				report(rule.word, n.offset)
			}
		}
		for _, rule := range edgeRules {
			if len(words) > 0 && (words[0] == rule.word || words[len(words)-1] == rule.word && rule.word != "of") {
				report(rule.word, n.offset)
			}
		}
	}
}

// splitName returns the words of a name in camel case or with underscores, in lower case.
func splitName(name string) (words []string) {
	start := 0
	for n, r := range name {
		if r == '_' || r == '$' || unicode.IsUpper(r) && n > start && !unicode.IsUpper(rune(name[n-1])) {
			if n > start {
				words = append(words, strings.ToLower(name[start:n]))
			}
			start = n
			if !unicode.IsUpper(r) {
				start++
			}
		}
	}
	if start < len(name) {
		words = append(words, strings.ToLower(name[start:]))
	}
	return words
}
