// Package config defines the settings: the keys of a config with their defaults and allowed
// values, and the parsing of texts into a Config. The platform provides the texts (files,
// variables, command lines).
//
// Adding a key requires one line in Config, and a test. The tags of the field determine how the
// key is displayed, written, completed, checked, reloaded and hidden, and its entry in the
// reference (native/docs/configuration.md, by make docs). Package params defines the chain's
// own options.
//
// Invariant: no error, log line or listing contains the value of a secret.
package config
