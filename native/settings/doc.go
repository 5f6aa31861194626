// Package settings finds the config of a native node: which folder, which files,
// and what the environment and the command line change. What the keys mean and
// which values are allowed is config.Config's.
//
// Sources, each over the one before: the defaults, the config file, a komodod
// conf file, the environment's secrets, the command line.
//
// Invariant: no error and no warning holds the value of a secret.
package settings
