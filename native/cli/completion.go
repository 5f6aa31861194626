package cli

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"obverse/core/chain/params"
	"obverse/core/config"
)

//go:embed completion
var completions embed.FS

// shells returns the shells with a completion, one file for each.
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
	var settings, methods, cases, fish []string
	for _, key := range config.Keys() {
		if !key.Secret {
			settings = append(settings, key.Name+"=")
		}
	}
	for _, option := range params.Keys() {
		settings = append(settings, "-"+option+"=")
	}
	for _, i := range interfaces() {
		methods = append(methods, i.names()...)
	}
	slices.Sort(methods)
	for _, v := range verbs() {
		cases = append(cases, fmt.Sprintf("\t%s) options=\"%s\" ;;", v.name, strings.Join(optionsOf(v), " ")))
		for _, flag := range v.takes.flags {
			fish = append(fish, fmt.Sprintf("complete -c obverse -n '__obverse_begins %s' -l %s", v.name, flag))
		}
	}
	join := func(words []string) string { return strings.Join(words, " ") }
	return strings.NewReplacer(
		"@COMMANDS@", join(verbNames()), "@OPTIONS@", join(optionsOf(verb{})), "@CASES@", strings.Join(cases, "\n"),
		"@FISHFLAGS@", strings.Join(fish, "\n"), "@SETTINGS@", join(settings), "@METHODS@", join(slices.Compact(methods)), "@SHELLS@", join(shells()),
	)
}

// optionsOf lists the options of a command.
func optionsOf(v verb) []string {
	options := []string{"--config", "--conf", "--datadir", "--help"}
	for _, flag := range v.takes.flags {
		options = append(options, "--"+flag)
	}
	return options
}
