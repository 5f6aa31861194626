package config

import "reflect"

// Changed lists the keys in which two configs differ, dotted, but for those that take
// effect while a node runs.
func (c *Config) Changed(other *Config) (keys []string) {
	for _, k := range settings() {
		if !k.Reload && !reflect.DeepEqual(c.at(k).Interface(), other.at(k).Interface()) {
			keys = append(keys, k.Name)
		}
	}
	if !reflect.DeepEqual(c.Chain.Options, other.Chain.Options) {
		keys = append(keys, "chain.ac_*")
	}
	return keys
}
