package settings

import (
	"net"
	"slices"
	"strings"

	"obverse/core/config"
)

// Option is the meaning of a komodod option in this program.
type Option struct {
	Set     map[string]string // keys of the config and their values
	Warning string            // what differs from komodod, without the value
}

// always are options for what this node does in any case.
const always = "server txindex addressindex spentindex timestampindex printtoconsole logtimestamps datacarrier"

// without are options for what this node does not have, and the reason. Source: the help
// of komodod and of zcashd, from which it comes.
var without = []struct{ why, names string }{
	{"the node stays in the foreground: end the line with &, or let a service manager start it", "daemon"},
	{"one node makes all blocks of its chain and has no peers", "addnode connect seednode port bind whitebind whitelist whitelistalwaysrelay listen " +
		"listenonion discover dns dnsseed forcednsseed externalip maxconnections maxreceivebuffer maxsendbuffer onion onlynet proxy proxyrandomize " +
		"permitbaremultisig peerbloomfilters enforcenodebloom timeout upnp torcontrol torpassword bantime banscore checkpoints maxtipage bootstrap " +
		"loadblock nSPV nspv_msg addrdebug uacomment fixibd maxuploadtarget tlsvalidate tlsdisable tlscertpath tlskeypath tlskeypwd tlstrustdir"},
	{"a block follows whenever transactions wait", "gen genproclimit equihashsolver mineraddress minetolocalwallet blockminsize blockmaxsize " +
		"blockprioritysize blockversion printpriority genforkblocks"},
	{"daemon.rpcip says where the daemon API listens, and everybody there needs its password", "rpcallowip"},
	{"there is no such limit of the daemon API", "rpcthreads rpcworkqueue rpcservertimeout rpcasyncthreads rpckeepalive rpcxtimeout"},
	{"a proxy in front of the node speaks TLS", "rpcssl rpcsslcertificatechainfile rpcsslprivatekeyfile rpcsslciphers"},
	{"the daemon API answers POST requests only", "rest"},
	{"the wallet is the key of the passphrase", "wallet disablewallet keypool paytxfee mintxfee maxtxfee txconfirmtarget txexpirydelta txversion " +
		"sendfreetransactions spendzeroconfchange walletbroadcast salvagewallet upgradewallet zapwallettxes rescan rescanheight exportdir migration " +
		"migrationdestaddress developerencryptwallet whitelistaddress flushwallet privdb opretmintxfee keepnotarised deletetx deleteinterval"},
	{"the store is read whole at each start", "reindex reindexfast reindex-chainstate dbcache par prune checkblocks checklevel checkblockindex " +
		"checkmempool dbsafe maxdebugfilesize stopafterblockimport"},
	{"the mempool has limits of its own", "maxorphantx minrelaytxfee limitfreerelay relaypriority mempooltxinputlimit mempooltxcostlimit " +
		"mempoolevictionmemoryminutes limitancestorcount limitancestorsize limitdescendantcount limitdescendantsize mempoolexpiry maxmempool bytespersigop"},
	{"no command is run: poll getblockcount, or read /metrics", "blocknotify walletnotify alertnotify txnotify"},
	{"there are no notaries and no gateways", "notary exchange donation dpow earlytxid handle pax gateways genericdestxpub " +
		"opretaddress notarypay stakednotary pubkeyhash"},
	{"there is no test network: -regtest, or an -ac_name of your own, makes a chain for tests", "testnet"},
	{"log lines go to standard error, or to the file that log_file names", "debuglogfile logips shrinkdebugfile metricsui metricsrefreshtime showmetrics"},
	{"this node does not know it", "alerts pid sysperms paramsdir nuparams experimentalfeatures insightexplorer lightwalletd zindex archive " +
		"disabledeprecation help-debug regtestenablezip209 regtestprotectcoinbase mocktime fundingstream dropmessagestest fuzzmessagestest " +
		"cclib dexp2p websocket wsport"},
}

// Komodod translates an option of komodod, which has the same name in a conf file and on
// the command line. Names that are not komodod's are not known.
func Komodod(name, value string) (o Option, known bool) {
	if key, ok := confKey(name); ok {
		return Option{Set: settingOf(key, value)}, true
	}
	if rest, negated := strings.CutPrefix(name, "no"); negated && isSwitch(rest) {
		return Komodod(rest, inverted(value))
	}
	off := value == "0" || value == "false"
	switch {
	case name == "debug" && off:
		return Option{}, true
	case name == "debug":
		return Option{Set: map[string]string{"log_level": "debug"}}, true
	case among(always, name) && off:
		return Option{Warning: name + " is always on"}, true
	case among(always, name):
		return Option{}, true
	}
	why, known := reason(name)
	return Option{Warning: name + " has no effect: " + why}, known
}

// confKey gives the config's key for an option that has one.
func confKey(option string) (key string, ok bool) {
	if k, known := config.OfKomodod(option); known {
		return k.Name, true
	}
	return "chain." + option, option == "regtest" || strings.HasPrefix(option, "ac_")
}

// settingOf is the key's setting; an address to bind to may have a port.
func settingOf(key, value string) map[string]string {
	if host, port, err := net.SplitHostPort(value); key == "daemon.rpcip" && err == nil {
		return map[string]string{key: host, "daemon.rpcport": port}
	}
	return map[string]string{key: value}
}

// isSwitch reports whether komodod also accepts the option with no before its name.
func isSwitch(name string) bool {
	_, known := reason(name)
	return known || among(always, name) || name == "debug" || name == "regtest"
}

func reason(name string) (why string, known bool) {
	for _, group := range without {
		if among(group.names, name) {
			return group.why, true
		}
	}
	return "nothing is published over ZeroMQ: event streams are the node API's", strings.HasPrefix(name, "zmqpub")
}

func inverted(value string) string {
	if value == "0" || value == "false" {
		return "1"
	}
	return "0"
}

func among(names, name string) bool { return slices.Contains(strings.Fields(names), name) }
