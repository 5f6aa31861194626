package settings

import (
	"errors"
	"fmt"
	"strings"

	"obverse/core/config"
)

// Default is the origin of a key that nothing sets.
const Default = "default"

// Origins maps the dotted keys that Inspect found to their origins: a path, the name of a
// variable, or "command line". Keys that are absent have the origin Default.
type Origins map[string]string

// Origin returns the origin of a key.
func (o Origins) Origin(key string) string {
	if origin, set := o[key]; set {
		return origin
	}
	return Default
}

// Inspect reads the settings as a start would, and returns the source of each key. It writes
// nothing; if a start would write a config, it returns the defaults.
func Inspect(src Sources) (*Settings, Origins, error) {
	s, err := src.readAll()
	if err == nil && s.text == nil { // there is only a conf file, and a start would write the config
		err = fmt.Errorf("%s: %w", s.ConfigFile, ErrNoConfig)
	}
	if errors.Is(err, ErrNoConfig) && src.ConfigFile == "" && !src.foreignConfig() {
		s = &Settings{Config: config.Default()}
		err = s.apply(src)
	}
	if err != nil {
		return nil, nil, err
	}
	origins, err := s.origins(src)
	return s, origins, err
}

// origins returns the source of each key. The last source that sets a key counts.
func (s *Settings) origins(src Sources) (Origins, error) {
	found := Origins{}
	if s.text != nil {
		keys, err := config.KeysIn(s.text)
		if err != nil {
			return nil, s.located(err)
		}
		for _, key := range keys {
			found[key] = s.ConfigFile
		}
	}
	for key := range s.confLines {
		found[key] = s.confFile
	}
	secrets, err := src.secrets(new(Settings))
	if err != nil {
		return nil, err
	}
	for name := range secrets {
		key, _ := config.Find(name)
		if found[name] = key.Env(); src.Getenv(key.Env()) == "" {
			found[name] += "_FILE"
		}
	}
	for key := range src.Overrides {
		found[key] = "command line"
	}
	return found, nil
}

// Validate validates the config. An error about a value from a file names the file.
func (s *Settings) Validate(src Sources) error {
	err := s.Config.Validate()
	bad := new(config.Error)
	if !errors.As(err, &bad) {
		return err
	}
	origins, unreadable := s.origins(src)
	if unreadable != nil {
		return err
	}
	switch origin := origins.Origin(bad.Key); origin {
	case s.ConfigFile:
		return s.located(err)
	case s.confFile:
		return s.inConf(err)
	case Default:
		return fmt.Errorf("%s: %w", s.ConfigFile, err)
	default:
		return fmt.Errorf("%s: %w", origin, err)
	}
}

// secrets returns the secrets in the environment, by config key. It adds warnings to s.
func (src Sources) secrets(s *Settings) (map[string]string, error) {
	found := map[string]string{}
	for _, key := range config.SecretKeys() {
		name := key.Env()
		value, file := src.Getenv(name), src.Getenv(name+"_FILE")
		if value != "" && file != "" {
			return nil, fmt.Errorf("%s and %s_FILE are both set, want one", name, name)
		}
		if file != "" {
			data, err := readFile(file)
			if err != nil {
				return nil, fmt.Errorf("%s_FILE: %w", name, err)
			}
			s.warnOfMode(file)
			value = strings.TrimRight(string(data), "\r\n")
			if value == "" {
				return nil, fmt.Errorf("%s_FILE: %s is empty", name, file)
			}
		}
		if value != "" {
			found[key.Name] = value
		}
	}
	return found, nil
}
