package config

import "net/netip"

// Warnings are lines for the user about values that are allowed and yet not taken as
// they stand.
func (c *Config) Warnings() (lines []string) {
	if c.RPCCORS == anyOrigin {
		lines = append(lines, `rpccors "*" is taken as none: any web page could call the node; name the one origin that may`)
	}
	if c.Events.AllowOrigin == anyOrigin {
		lines = append(lines, `event_streaming_configuration.access_control_allow_origin "*" is taken as none: `+
			"any web page could read the events; name the one origin that may")
	}
	return lines
}

// Risks are lines for the operator of a native node about what its settings give away.
func (c *Config) Risks() (lines []string) {
	lines = c.exposed()
	if c.weakPassphrase() {
		lines = append(lines, "passphrase is weak: whoever guesses it has the key, and programs try short texts and known phrases. "+
			"At least 12 random words are safe: start a node with a new data folder, whose passphrase is random, and send coins and tokens to its address")
	}
	if name := c.Chain.Options.Name; name != defaultChain().Name {
		lines = append(lines, "chain.ac_name "+name+" is a chain of your own nodes: "+
			"it does not sync with komodod, and does not join komodod's chain of that name")
	}
	return lines
}

// exposed reports what other machines can reach, and read on its way to them.
func (c *Config) exposed() (lines []string) {
	const unencrypted = " accepts connections from other machines, unencrypted: whoever sees the traffic reads the password"
	if !isLoopback(c.Daemon.RPCIP) {
		lines = append(lines, "daemon.rpcip "+c.Daemon.RPCIP+unencrypted+", and `dumpprivkey` gives the private key to whoever has it; "+
			"listen on 127.0.0.1 and put a proxy with TLS in front of the node")
	}
	if !isLoopback(c.RPCIP) {
		lines = append(lines, "rpcip "+c.RPCIP+unencrypted+" (and may spend, if rpc_local_only is false); "+
			"listen on 127.0.0.1 and put a proxy with TLS in front of the node")
	}
	if at, err := netip.ParseAddrPort(c.Validator.ABCI); err == nil && !isLoopback(at.Addr().String()) {
		lines = append(lines, "validator.abci "+c.Validator.ABCI+" accepts connections from other machines, without a password: any client can dictate the node's blocks; "+
			"listen on 127.0.0.1, or where only your CometBFT is")
	}
	return lines
}

func isLoopback(ip string) bool {
	address, err := netip.ParseAddr(ip)
	return err != nil || address.Unmap().IsLoopback()
}
