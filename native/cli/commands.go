package cli

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"obverse/core/chain/params"
	"obverse/core/config"
	"obverse/core/daemon"
	"obverse/core/rpc"
)

// verb is a command of the program.
type verb struct {
	name  string
	help  string // text that --help prints
	takes accepts
	run   func(p *program, args []string) error
}

// newChainFlag is the option that begins a new chain although the recorded store is missing.
const newChainFlag = "new-chain"

// Arguments that the commands accept.
var (
	takesServe      = accepts{command: "serve", settings: true, flags: []string{newChainFlag}}
	takesInit       = accepts{command: "init", chain: true, flags: []string{komodoConfFlag}}
	takesCall       = accepts{command: "call", settings: true, words: true, flags: []string{"daemon", "node", "json"}}
	takesToken      = accepts{command: "token", settings: true, words: true, flags: []string{"csv", "json", "yes", "again"}, values: []string{"coins", "report", "batch"}}
	takesConfig     = accepts{command: "config", settings: true, flags: []string{"show"}}
	takesCompletion = accepts{command: "completion", words: true}
	takesStore      = accepts{command: "store", words: true, flags: []string{"force", "chain", "all"}}
	takesValidator  = accepts{command: "validator", settings: true}
	takesMigrate    = accepts{command: "validator", settings: true, flags: []string{"back"}}
	takesShow       = accepts{command: "validator"}
	takesTestnet    = accepts{command: "testnet", chain: true, values: []string{"validators", "output", "port"}}
	takesVersion    = accepts{command: "version"}
)

// verbs lists the commands in the order of the help.
func verbs() []verb {
	return []verb{
		{"serve", helpServe, takesServe, (*program).serve},
		{"validator", helpValidator, takesValidator, (*program).validator},
		{"testnet", helpTestnet, takesTestnet, (*program).testnet},
		{"init", helpInit, takesInit, (*program).init},
		{"call", helpCall, takesCall, (*program).call},
		{"token", helpToken, takesToken, (*program).token},
		{"config", helpConfig, takesConfig, (*program).config},
		{"completion", helpCompletion, takesCompletion, (*program).completion},
		{"store", helpStore, takesStore, (*program).store},
		{"version", helpVersion, takesVersion, (*program).version},
	}
}

// findVerb finds a command by its name.
func findVerb(name string) (verb, bool) {
	for _, v := range verbs() {
		if v.name == name {
			return v, true
		}
	}
	return verb{}, false
}

// verbNames returns the names of the commands, including help.
func verbNames() (names []string) {
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	return append(names, "help")
}

// unknownCommand returns the error for a first word that is not a command. The error contains the
// word only if it is the name of a method, since any other word may be a secret.
func unknownCommand(word string) error {
	for _, i := range interfaces() {
		if _, known := i.table.Lookup(word); known {
			return usage("%s is a method of the %s: `obverse call %s` calls it, `obverse help %s` explains it", word, i.name, word, word)
		}
	}
	names := verbNames()
	text := "the commands are " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	if nearest, found := rpc.Nearest(word, names); found {
		text += fmt.Sprintf("; did you mean %s?", nearest)
	}
	return usage("%s (`obverse --help` shows details)", text)
}

// helpFor describes a command, a method or a setting. It needs no node.
func (p *program) helpFor(words []string) error {
	if len(words) == 0 || isHelp(words[0]) {
		return p.help(helpAll)
	}
	if len(words) > 1 {
		return usage("help takes one command, method or setting")
	}
	var parts []string
	if words[0] == help {
		parts = append(parts, helpAll)
	}
	if v, known := findVerb(words[0]); known {
		parts = append(parts, v.help)
	}
	for _, i := range interfaces() {
		if m, known := i.table.Lookup(words[0]); known {
			m.Doc.Terse = false // the short form is for clients of komodod
			parts = append(parts, fmt.Sprintf("The %s: %s", i.name, m.Help()))
		}
	}
	for _, key := range keysNamed(words[0]) {
		parts = append(parts, helpOfKey(key))
	}
	if len(parts) == 0 {
		return unknownName(words[0])
	}
	return p.help(strings.Join(parts, "\n"))
}

// unknownName returns the error for a name that is neither a command nor a method.
func unknownName(name string) error {
	if instead, known := daemon.Absent(name); known {
		return fmt.Errorf("this method of komodod is not available: %s", instead)
	}
	names := verbNames()
	for _, i := range interfaces() {
		names = append(names, i.names()...)
	}
	for _, key := range config.Keys() {
		names = append(names, key.Name)
	}
	if nearest, found := rpc.Nearest(name, names); found {
		return fmt.Errorf("no command, method or setting has this name; did you mean %s?", nearest)
	}
	return fmt.Errorf("no command, method or setting has this name: `obverse help` lists the commands, `obverse config` the settings, `obverse call help` the methods of a running node")
}

//go:embed completion
var completions embed.FS

// shells returns the shells for which there is a completion file.
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

// completionWords inserts the lists of words into a script. The words consist only of letters,
// digits, dots, colons, dashes and underscores, so that no shell interprets them.
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
	var tokenCases []string
	for _, name := range tokenNames() {
		options := []string{"--datadir", "--config", "--conf", "--help"}
		for _, option := range tokenCommands()[name].options {
			options = append(options, "--"+option)
			takesValue := ""
			if option == "report" {
				takesValue = " -r -F"
			} else if slices.Contains(takesToken.values, option) {
				takesValue = " -x"
			}
			fish = append(fish, fmt.Sprintf("complete -c obverse -n '__obverse_token %s' -l %s%s", name, option, takesValue))
		}
		tokenCases = append(tokenCases, fmt.Sprintf("\t\t%s) options=\"%s\" ;;", name, strings.Join(options, " ")))
	}
	for _, v := range verbs() {
		if v.name == "token" {
			v.takes.flags = nil // they belong to subcommands
		}
		cases = append(cases, fmt.Sprintf("\t%s) options=\"%s\" ;;", v.name, strings.Join(optionsOf(v), " ")))
		for _, flag := range v.takes.flags {
			fish = append(fish, fmt.Sprintf("complete -c obverse -n '__obverse_begins %s' -l %s", v.name, flag))
		}
	}
	join := func(words []string) string { return strings.Join(words, " ") }
	return strings.NewReplacer(
		"@COMMANDS@", join(verbNames()), "@OPTIONS@", join(optionsOf(verb{})), "@CASES@", strings.Join(cases, "\n"),
		"@FISHFLAGS@", strings.Join(fish, "\n"), "@SETTINGS@", join(settings), "@METHODS@", join(slices.Compact(methods)), "@SHELLS@", join(shells()),
		"@TOKEN@", join(tokenNames()), "@TOKENCASES@", strings.Join(tokenCases, "\n"),
	)
}

// optionsOf returns the options of a command.
func optionsOf(v verb) []string {
	options := []string{"--config", "--conf", "--datadir", "--help"}
	for _, flag := range v.takes.flags {
		options = append(options, "--"+flag)
	}
	return options
}
