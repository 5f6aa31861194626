package config

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"obverse/core/chain/params"
	"obverse/core/key"
	"obverse/core/rpc/guess"
)

// Validate checks what a key's type does not say. The error is a *Error for
// the first key that is wrong.
func (c *Config) Validate() error {
	for _, s := range c.settings() {
		if s.ok {
			continue
		}
		value, err := json.Marshal(s.target)
		if err != nil {
			return err
		}
		return mustBe(s, value)
	}
	if err := c.checkPorts(); err != nil {
		return err
	}
	if err := c.checkPassword(); err != nil {
		return err
	}
	if err := c.checkKey(); err != nil {
		return err
	}
	_, err := params.New(c.Chain.Options)
	return chainError(err)
}

// checkPorts refuses one port for both interfaces, if both would listen there.
func (c *Config) checkPorts() error {
	d := c.Daemon
	if c.RPCPort == 0 || c.RPCPort != d.RPCPort || !overlap(c.RPCIP, d.RPCIP) {
		return nil
	}
	text := fmt.Sprintf("daemon.rpcport is %d, rpcport is %d too, and each interface needs a port of its own", d.RPCPort, c.RPCPort)
	return &Error{"daemon.rpcport", text, ErrNotAllowed}
}

func overlap(a, b string) bool {
	first, err := netip.ParseAddr(a)
	second, err2 := netip.ParseAddr(b)
	return err == nil && err2 == nil && (first.Unmap() == second.Unmap() || first.IsUnspecified() || second.IsUnspecified())
}

func (c *Config) checkPassword() error {
	if c.AllowWeakPassword {
		return nil
	}
	if err := CheckPassword(c.RPCPassword.Reveal()); err != nil {
		return wrong("rpc_password", fmt.Errorf("is too weak: %w (allow_weak_password lifts the rules)", err))
	}
	password := c.Daemon.RPCPassword
	if !password.IsSet() || guess.Strong(password.Reveal()) { // komodod's are long, and of hexadecimal digits alone
		return nil
	}
	if err := CheckPassword(password.Reveal()); err != nil {
		return wrong("daemon.rpcpassword", fmt.Errorf("is too weak: %w, or be random and of 32 characters or more (allow_weak_password lifts the rules)", err))
	}
	return nil
}

// checkKey refuses a passphrase that gives no key, and a public key that is not
// that key's: komodod would start, and then fail to sign.
func (c *Config) checkKey() error {
	if !c.Passphrase.IsSet() {
		return nil
	}
	ring, err := key.Open(c.Passphrase.Reveal(), c.EnableHD)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "Error parsing passphrase: ")
		return &Error{"passphrase", "passphrase is invalid: " + reason, err}
	}
	defer ring.Wipe()
	pub := ring.Node().PublicKey()
	if want := hex.EncodeToString(pub[:]); c.Daemon.PubKey != "" && !strings.EqualFold(c.Daemon.PubKey, want) {
		text := fmt.Sprintf("daemon.pubkey (-pubkey) must be the key of the passphrase, %s, got %s: leave it out, "+
			"or give the WIF of the other key as passphrase (komodod's dumpprivkey shows it)", want, c.Daemon.PubKey)
		return &Error{"daemon.pubkey", text, ErrNotAllowed}
	}
	return nil
}

func isIP(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

// areHosts accepts what a URL may have as its host, written as in a URL but for the
// brackets of IPv6.
func areHosts(hosts []string) bool {
	return !slices.ContainsFunc(hosts, func(host string) bool {
		return host == "" || !isIP(host) && strings.ContainsAny(host, ":/@?# \t\r\n[]")
	})
}

func areURLs(urls []string) bool {
	return !slices.ContainsFunc(urls, func(text string) bool {
		u, err := url.Parse(text)
		return err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != ""
	})
}

func isPort(n int) bool { return n == 0 || n >= 1024 && n <= 65535 }

func isUser(s string) bool { return s != "" && !strings.ContainsAny(s, ": \t\r\n") }

func isPubKey(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 33
}

// isOrigin accepts what a browser sends as Origin: scheme, host and port alone. The
// scheme may be one of a browser's extension or of an app.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && u.Host != "" && s == strings.ToLower(u.Scheme+"://"+u.Host)
}

func isPathOrList(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || raw[0] == '"' || raw[0] == '[' || string(raw) == "null"
}
