package config

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRisks(t *testing.T) {
	const words = "abandon ability able about above absent absorb abstract absurd abuse access "
	for name, c := range map[string]struct {
		change func(*Config)
		says   []string
	}{
		"none":                {func(*Config) {}, nil},
		"no passphrase":       {func(c *Config) { c.Passphrase = NewSecret("") }, nil},
		"daemon on all":       {func(c *Config) { c.Daemon.RPCIP = "0.0.0.0" }, []string{"daemon.rpcip 0.0.0.0", "dumpprivkey", "unencrypted", "TLS"}},
		"node on all":         {func(c *Config) { c.RPCIP = "::" }, []string{"rpcip ::", "unencrypted", "password", "TLS"}},
		"blocks from all":     {func(c *Config) { c.Validator.ABCI = "0.0.0.0:26658" }, []string{"validator.abci 0.0.0.0:26658", "without a password"}},
		"blocks from here":    {func(c *Config) { c.Validator.ABCI = "127.0.0.1:26658" }, nil},
		"loopback of IPv6":    {func(c *Config) { c.RPCIP, c.Daemon.RPCIP = "::1", "::ffff:127.0.0.2" }, nil},
		"another chain":       {func(c *Config) { c.Chain.Options.Name = "TOKEL" }, []string{"chain.ac_name TOKEL", "does not sync with komodod", "join"}},
		"a letter":            {passphrase("a"), []string{"passphrase is weak", "12 random words"}},
		"a long repetition":   {passphrase(strings.Repeat("aB3-", 20)), []string{"weak"}},
		"a phrase":            {passphrase("correct horse battery staple 1A"), []string{"weak"}},
		"eleven words":        {passphrase(words), []string{"weak"}},
		"one word many times": {passphrase(strings.Repeat("abandon ", 12)), []string{"weak"}},
		"lower case only":     {passphrase("averylongpassphrasewithoutanything"), []string{"weak"}},
		"twelve words":        {passphrase(words + "accident"), nil},
		"a WIF":               {passphrase("UvCjJf4dKSs2vFGVtCnUTAhR5FTZGdg43DDRa9s7s5DV1sSDX14g"), nil},
		"hexadecimal":         {passphrase(bobSecret), nil},
		"bare hexadecimal":    {passphrase(bobSecret[2:]), nil},
		"generated": {func(c *Config) {
			c.Passphrase = NewSecret("")
			if err := c.FillSecrets(rand.Reader); err != nil {
				panic(err)
			}
		}, nil},
		"HD": {func(c *Config) { c.EnableHD, c.Passphrase = true, NewSecret(mnemonic) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			config := valid(t)
			config.Passphrase = NewSecret(bobSecret)
			c.change(&config)
			got := strings.Join(config.Risks(), "\n")
			if c.says == nil {
				require.Empty(t, got)
			}
			for _, says := range c.says {
				require.Contains(t, got, says)
			}
			require.NotContains(t, got, "battery")
		})
	}
}

func passphrase(text string) func(*Config) {
	return func(c *Config) { c.Passphrase = NewSecret(text) }
}
