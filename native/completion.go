package main

import (
	"embed"
	"slices"
	"strings"

	"obverse/core"
	"obverse/core/chain/params"
)

//go:embed completion
var completions embed.FS

// shells lists those whose completion there is, one file for each.
func shells() []string { return []string{"bash", "zsh", "fish"} }

// completion prints the script that completes command lines in a shell.
func (p *program) completion(args []string) error {
	a, err := p.parse(args, takesCompletion)
	if err != nil {
		return err
	}
	if a.help || len(a.words) == 2 && isHelp(a.words[1]) {
		return p.help(helpCompletion)
	}
	if len(a.words) != 1 || !slices.Contains(shells(), a.words[0]) {
		return usage("completion takes the name of a shell: %s", strings.Join(shells(), ", "))
	}
	script, err := completions.ReadFile("completion/obverse." + a.words[0])
	if err != nil {
		return err
	}
	return p.help(completionWords().Replace(string(script)))
}

// completionWords fills the lists of words into a script. They have letters, digits, dots,
// colons, dashes and underscores alone, so that no shell takes them for anything else.
func completionWords() *strings.Replacer {
	common := []string{"--config", "--conf", "--datadir", "--help"}
	var settings, methods []string
	for _, key := range core.Keys() {
		if !core.IsSecretKey(key) {
			settings = append(settings, key+"=")
		}
	}
	for _, option := range params.Keys() {
		settings = append(settings, "-"+option+"=")
	}
	for _, i := range interfaces() {
		methods = append(methods, i.names()...)
	}
	slices.Sort(methods)
	call := slices.Clone(common)
	for _, flag := range takesCall.flags {
		call = append(call, "--"+flag)
	}
	join := func(words []string) string { return strings.Join(words, " ") }
	return strings.NewReplacer(
		"@COMMANDS@", join(verbNames()), "@OPTIONS@", join(common), "@CALLOPTIONS@", join(call),
		"@SETTINGS@", join(settings), "@METHODS@", join(slices.Compact(methods)), "@SHELLS@", join(shells()),
	)
}
