package settings

import (
	"fmt"
	"strings"

	"obverse/core/config"
)

// secrets returns those that the environment gives, by config key. Warnings go to s.
func (src Sources) secrets(s *Settings) (map[string]string, error) {
	found := map[string]string{}
	for _, key := range config.SecretKeys() {
		name := key.Env()
		value, file := src.Getenv(name), src.Getenv(name+"_FILE")
		if value != "" && file != "" {
			return nil, fmt.Errorf("%s and %s_FILE are both set: keep one", name, name)
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
