// Package config defines the settings: the keys of a config with their defaults and allowed
// values, and the parsing of texts into a Config. The platform provides the texts (files,
// variables, command lines).
//
// Adding a key is one line of Config and its test: how it is displayed, written, completed,
// checked, reloaded and hidden follows from the tags of the field, and so does the reference
// (native/docs/configuration.md, by make docs). Package params defines the chain's own options.
//
// Invariant: no error, no log line and no listing holds the value of a secret.
package config
