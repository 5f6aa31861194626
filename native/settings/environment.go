package settings

import (
	"fmt"
	"strings"
)

// secretEnv lists the variables that hold secrets, by config key. Each has a
// sibling with _FILE that names a file holding it.
var secretEnv = map[string]string{
	"rpc_password":       "OBVERSE_RPC_PASSWORD",
	"passphrase":         "OBVERSE_PASSPHRASE",
	"daemon.rpcpassword": "OBVERSE_DAEMON_RPCPASSWORD",
}

// SecretEnv names the variable that gives the secret of a config key.
func SecretEnv(key string) string { return secretEnv[key] }

// secrets returns those that the environment gives, by config key. Warnings go to s.
func (src Sources) secrets(s *Settings) (map[string]string, error) {
	found := map[string]string{}
	for key, name := range secretEnv {
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
			found[key] = value
		}
	}
	return found, nil
}
