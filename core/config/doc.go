// Package config is what a user can set: the keys of a config with their defaults, which
// values are allowed, and how texts become a Config. Where the texts come from (files,
// variables, command lines) is a platform's.
//
// Adding a key is one line of Config and its test: what is shown, written, completed,
// checked, reloaded and hidden follows from the tags of the field, and so does the
// reference (native/docs/configuration.md, by make docs). What a chain's own options mean
// is package params'.
//
// Invariant: no error, no log line and no listing holds the value of a secret.
package config
