package config

import "reflect"

// Changed lists the keys in which two configs differ, dotted, but for those that a running
// node can change: the log's and the coins.
func (c *Config) Changed(other *Config) (keys []string) {
	mine, theirs := c.settings(), other.settings()
	for n, s := range mine {
		if s.key != "log_level" && s.key != "log_file" && s.key != "coins" && !reflect.DeepEqual(s.target, theirs[n].target) {
			keys = append(keys, s.key)
		}
	}
	if !reflect.DeepEqual(c.Chain.Options, other.Chain.Options) {
		keys = append(keys, "chain.ac_*")
	}
	return keys
}
