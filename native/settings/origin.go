package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"obverse/core"
)

// Default is the origin of a key that nothing sets.
const Default = "default"

// Origins is where the settings that Look found come from, by dotted key: a path, the
// name of a variable, "command line", or Default for those that are not in it.
type Origins map[string]string

// Of is the origin of a key.
func (o Origins) Of(key string) string {
	if origin, set := o[key]; set {
		return origin
	}
	return Default
}

// Look reads what a start would read, and says where each key comes from. It writes
// nothing; where a start would write a config there are the defaults.
func Look(src Sources) (*Settings, Origins, error) {
	s, err := src.readAll()
	if errors.Is(err, ErrNoConfig) && src.ConfigFile == "" && !src.foreignConfig() {
		s = &Settings{Config: core.DefaultConfig()}
		err = s.apply(src)
	}
	if err != nil {
		return nil, nil, err
	}
	origins, err := src.origins(s.ConfigFile)
	return s, origins, err
}

// origins goes through the sources in their order: the last that names a key counts.
func (src Sources) origins(configFile string) (Origins, error) {
	found := Origins{}
	data, err := os.ReadFile(configFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		keys, err := core.KeysIn(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", configFile, err)
		}
		for _, key := range keys {
			found[key] = configFile
		}
	}
	if src.ConfFile != "" {
		data, err := os.ReadFile(src.ConfFile)
		if err != nil {
			return nil, err
		}
		for name := range parseConf(string(data)) {
			if key, ok := ConfKey(name); ok {
				found[key] = src.ConfFile
			}
		}
	}
	secrets, err := src.secrets()
	if err != nil {
		return nil, err
	}
	for key := range secrets {
		if found[key] = secretEnv[key]; src.Getenv(secretEnv[key]) == "" {
			found[key] += "_FILE"
		}
	}
	for key := range src.Overrides {
		found[key] = "command line"
	}
	return found, nil
}
