package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"obverse/core/config"
)

// confLine is an option of a conf file.
type confLine struct {
	value string
	line  int
}

// readConf reads a komodod conf file, whose values replace those of the config.
func (s *Settings) readConf(path string) error {
	if path == "" {
		return nil
	}
	data, err := s.readNear(&path)
	if err != nil {
		return err
	}
	values := map[string]string{}
	s.confFile, s.confLines = path, map[string]int{}
	var unknown []string
	conf := parseConf(string(data))
	for _, name := range slices.Sorted(maps.Keys(conf)) {
		option, known := Komodod(name, conf[name].value)
		if !known {
			unknown = append(unknown, name)
		}
		if known && option.Warning != "" {
			s.Warnings = append(s.Warnings, path+": "+option.Warning)
		}
		for key, value := range option.Set {
			values[key], s.confLines[key] = value, conf[name].line
		}
	}
	if len(unknown) > 0 {
		s.Warnings = append(s.Warnings, path+": unknown options, which have no effect: "+strings.Join(unknown, ", "))
	}
	s.warnOfMode(path)
	if err := s.Config.Override(values); err != nil {
		return s.inConf(err)
	}
	return nil
}

// looksLikeConf reports whether a text is not a JSON object and sets an option of komodod.
func looksLikeConf(text []byte) bool {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return false
	}
	for name, line := range parseConf(string(text)) {
		if _, known := Komodod(name, line.value); known {
			return true
		}
	}
	return false
}

// readNear reads a conf file, which komodod also looks for in the data folder.
func (s *Settings) readNear(path *string) ([]byte, error) {
	data, err := readFile(*path)
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(*path) && s.DataDir != "" {
		near := filepath.Join(s.DataDir, *path)
		if data, err := readFile(near); err == nil {
			*path = near
			return data, nil
		}
	}
	return data, err
}

// inConf adds the line of the conf file to an error about a key that the file sets.
func (s *Settings) inConf(err error) error {
	bad := new(config.Error)
	if errors.As(err, &bad) && s.confLines[bad.Key] > 0 {
		return fmt.Errorf("%s:%d: %w", s.confFile, s.confLines[bad.Key], err)
	}
	return fmt.Errorf("%s: %w", s.confFile, err)
}

// parseConf reads name=value lines as komodod does: # begins a comment anywhere in a
// line, and the first of several values counts.
func parseConf(text string) map[string]confLine {
	values, number := map[string]confLine{}, 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		name, value, ok := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		if _, seen := values[name]; ok && name != "" && !seen {
			values[name] = confLine{strings.TrimSpace(value), number}
		}
	}
	return values
}

// Option is the meaning of a komodod option in this program.
type Option struct {
	Set     map[string]string // keys of the config and their values
	Warning string            // difference from komodod, without the value
}

// always lists options for functions that are always on.
const always = "server txindex addressindex spentindex timestampindex printtoconsole logtimestamps datacarrier"

// without lists options for functions that this node does not have, with the reasons. Source: the help
// of komodod, and of zcashd, from which komodod is derived.
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
	{"the mempool has its own limits", "maxorphantx minrelaytxfee limitfreerelay relaypriority mempooltxinputlimit mempooltxcostlimit " +
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
// the command line. known is false for other names.
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

// confKey returns the config's key for an option, if there is one.
func confKey(option string) (key string, ok bool) {
	if k, known := config.KomododKey(option); known {
		return k.Name, true
	}
	return "chain." + option, option == "regtest" || strings.HasPrefix(option, "ac_")
}

// settingOf returns the settings for a key; a listening address may contain a port.
func settingOf(key, value string) map[string]string {
	if host, port, err := net.SplitHostPort(value); key == "daemon.rpcip" && err == nil {
		return map[string]string{key: host, "daemon.rpcport": port}
	}
	return map[string]string{key: value}
}

// isSwitch reports whether komodod also accepts the option with the prefix no.
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
