package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"obverse/core/config"
	"obverse/core/rpc"
	"obverse/native/settings"
)

// accepts lists the arguments that a command accepts in addition to --config, --conf, --datadir and
// --help.
type accepts struct {
	command  string   // command with help that describes the options
	settings bool     // key=value and the options of komodod
	chain    bool     // only those options of komodod that name a chain
	words    bool     // the first word that is neither an option nor key=value ends the options
	flags    []string // options without a value
	values   []string // options with a value
}

// arguments is a parsed command line.
type arguments struct {
	sources settings.Sources
	help    bool
	flags   map[string]bool
	values  map[string]string
	words   []string // words from the end of the options
}

// parse parses a command line. Options may have one dash, as those of komodod, or two. Its errors
// contain only names, since values and unexpected words may be secrets.
func (p *program) parse(args []string, takes accepts) (a arguments, err error) {
	a = arguments{
		sources: settings.Sources{Overrides: map[string]string{}, Getenv: p.getenv},
		flags:   map[string]bool{},
		values:  map[string]string{},
	}
	for len(args) > 0 && err == nil {
		if takes.words && !strings.HasPrefix(args[0], "-") && !strings.Contains(args[0], "=") {
			a.words = args
			return a, nil
		}
		args, err = a.take(args, takes)
	}
	return a, err
}

// take processes the first argument and returns the remaining ones.
func (a *arguments) take(args []string, takes accepts) (rest []string, err error) {
	arg, rest := args[0], args[1:]
	key, value, hasValue := strings.Cut(arg, "=")
	name := strings.TrimLeft(key, "-")
	dashed := name != key
	switch {
	case name == "rpcpassword" || config.IsSecret(name):
		return nil, refuseSecret(name)
	case isHelp(arg):
		a.help = true
	case dashed && name == "":
		return nil, usage("dashes alone are no option; `obverse %s --help` shows details", takes.command)
	case dashed && (a.place(name) != nil || slices.Contains(takes.values, name)):
		if !hasValue {
			if len(rest) == 0 {
				return nil, usage("--%s needs a value", name)
			}
			value, rest = rest[0], rest[1:]
		}
		a.values[name] = value
		if place := a.place(name); place != nil {
			*place = value
		}
	case dashed && !hasValue && slices.Contains(takes.flags, name):
		a.flags[name] = true
	case dashed && (takes.settings || takes.chain && namesChain(name)):
		return rest, a.option(takes.command, key, name, value, hasValue)
	case !dashed && takes.settings:
		return rest, a.override(takes.command, name, value, hasValue)
	case dashed:
		return nil, usage("there is no option %s here; %s`obverse %s --help` shows details", safeName(name), nearestOption(name), takes.command)
	case hasValue && isSetting(name):
		return nil, usage("this command takes options only: write %s into the config file, or give it to `obverse serve %s=…` for one run", name, name)
	default:
		return nil, usage("this command takes options only")
	}
	return rest, nil
}

func isSetting(name string) bool {
	_, known := config.Find(name)
	return known
}

// place returns where to store the value of a common option, or nil if name is not one.
func (a *arguments) place(name string) *string {
	switch name {
	case "config":
		return &a.sources.ConfigFile
	case "conf":
		return &a.sources.ConfFile
	case "datadir":
		return &a.sources.DataDir
	}
	return nil
}

// lateOption returns an option of the command among the words after the end of the options.
func (a *arguments) lateOption(takes accepts) (name string, found bool) {
	for _, word := range a.words[1:] {
		key, _, hasValue := strings.Cut(word, "=")
		name, dashed := strings.CutPrefix(key, "--")
		if dashed && (a.place(name) != nil || !hasValue && slices.Contains(takes.flags, name)) {
			return name, true
		}
	}
	return "", false
}

// override applies key=value.
func (a *arguments) override(command, name, value string, hasValue bool) error {
	if hasValue && name == "" {
		return usage("a setting has a name before its =; `obverse %s --help` shows details", command)
	}
	if _, known := config.Find(name); !hasValue || !known && safeName(name) != name {
		return usage("settings are given as key=value; `obverse %s --help` shows details", command)
	}
	a.sources.Overrides[name] = value
	return nil
}

// namesChain reports whether a komodod option identifies a chain.
func namesChain(name string) bool { return name == "regtest" || strings.HasPrefix(name, "ac_") }

// option applies an option of komodod: it sets the setting of the option, or adds a warning.
func (a *arguments) option(command, dashed, name, value string, hasValue bool) error {
	given := value
	if !hasValue {
		given = "1"
	}
	option, known := settings.Komodod(name, given)
	if !known {
		return usage("there is no option %s; %s`obverse %s --help` shows details", safeName(name), cmp.Or(withoutDashes(name, value), nearestOption(name)), command)
	}
	if !hasValue && len(option.Set) > 0 && !isSwitch(name) {
		return usage("-%s needs a value: -%s=…", safeName(name), safeName(name))
	}
	maps.Copy(a.sources.Overrides, option.Set)
	if name == "rpcport" && strings.HasPrefix(dashed, "--") {
		a.warn("--rpcport is komodod's option: it sets daemon.rpcport (the daemon API), and rpcport=… without dashes sets the node API's")
	}
	if option.Warning != "" {
		a.warn("-" + option.Warning)
	}
	return nil
}

// isSwitch reports whether an option needs no value.
func isSwitch(name string) bool {
	return name == "regtest" || name == "debug" || strings.HasPrefix(name, "no")
}

// warn adds a line for the log. A repeated option adds one line.
func (a *arguments) warn(line string) {
	if !slices.Contains(a.sources.Warnings, line) {
		a.sources.Warnings = append(a.sources.Warnings, line)
	}
}

// nearestOption returns the common option or the setting that is most similar to a misspelled
// option.
func nearestOption(name string) string {
	if nearest, found := rpc.Nearest(name, []string{"config", "conf", "datadir", "help"}); found {
		return fmt.Sprintf("did you mean --%s? ", nearest)
	}
	var names []string
	for _, key := range config.Keys() {
		names = append(names, key.Name)
	}
	if nearest, found := rpc.Nearest(name, names); found {
		return fmt.Sprintf("did you mean %s=…? ", nearest)
	}
	return ""
}

// withoutDashes returns the settings that the user may have meant by an option.
func withoutDashes(name, value string) string {
	if value = safeName(value); value == "" || value == unnamed {
		value = "…"
	}
	_, node := config.Find(name)
	_, daemon := config.Find("daemon." + name)
	form := "a setting has no dashes: %s=" + value
	switch {
	case node && daemon:
		form += " (the node API), %s=" + value + " (the daemon API)"
		return fmt.Sprintf(form+"; ", name, "daemon."+name)
	case node:
		return fmt.Sprintf(form+"; ", name)
	case daemon:
		return fmt.Sprintf(form+"; ", "daemon."+name)
	}
	return ""
}

func refuseSecret(name string) error {
	const why = "%s is a secret, and other users can read a command line: write it into the config file"
	if name == "rpcpassword" {
		name = "daemon.rpcpassword"
	}
	if key, known := config.Find(name); known {
		variable := key.Env()
		if name == "daemon.rpcpassword" {
			return usage(why+", into a komodod conf file (--conf FILE), or set %s or %s_FILE", name, variable, variable)
		}
		return usage(why+", or set %s or %s_FILE", name, variable, variable)
	}
	return usage(why, name)
}

// unnamed replaces a name that must not be repeated.
const unnamed = "of that name"

// safeName returns a text if it looks like a name, so that it can be repeated to the user.
func safeName(name string) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789_.-"
	if len(name) > 40 || strings.Trim(name, letters) != "" {
		return unnamed
	}
	return name
}

func isHelp(arg string) bool { return arg == "-?" || arg == "--help" || arg == "-help" || arg == "-h" }
