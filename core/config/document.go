package config

import "encoding/json"

// Document is the config as a file for its owner, secrets included: what a first
// start writes. It has the keys that a user may want to change; the rest keep
// their defaults.
func (c *Config) Document() ([]byte, error) {
	chain, err := c.Chain.document()
	if err != nil {
		return nil, err
	}
	type daemon struct {
		RPCIP       string `json:"rpcip"`
		RPCPort     int    `json:"rpcport"`
		RPCUser     string `json:"rpcuser"`
		RPCPassword string `json:"rpcpassword"`
		KomodoConf  bool   `json:"komodo_conf,omitempty"`
	}
	text, err := json.MarshalIndent(struct {
		GUI          string          `json:"gui"`
		NetID        uint16          `json:"netid"`
		RPCIP        string          `json:"rpcip"`
		RPCPort      int             `json:"rpcport"`
		RPCPassword  string          `json:"rpc_password"`
		Passphrase   string          `json:"passphrase"`
		DBDir        string          `json:"dbdir,omitempty"`
		Coins        json.RawMessage `json:"coins,omitempty"`
		RestoreCoins bool            `json:"restore_coins"`
		Daemon       daemon          `json:"daemon"`
		Chain        json.RawMessage `json:"chain"`
	}{
		c.GUI, c.NetID, c.RPCIP, c.RPCPort, c.RPCPassword.Reveal(), c.Passphrase.Reveal(),
		c.DBDir, c.Coins, c.RestoreCoins,
		daemon{c.Daemon.RPCIP, c.Daemon.RPCPort, c.Daemon.RPCUser, c.Daemon.RPCPassword.Reveal(), c.Daemon.KomodoConf},
		chain,
	}, "", "  ")
	return append(text, '\n'), err
}

// document is the options with the three keys that are not the chain's own after
// them, all in one object.
func (c Chain) document() (json.RawMessage, error) {
	options, err := json.Marshal(c.Options)
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(struct {
		Engine          string  `json:"engine"`
		BlockInterval   float64 `json:"blockinterval"`
		DataCarrierSize int     `json:"datacarriersize"`
	}{c.Engine, c.BlockInterval, c.DataCarrierSize})
	if err != nil {
		return nil, err
	}
	joined := append(options[:len(options)-1], ',') // ac_supply is always there
	return append(joined, rest[1:]...), nil
}
