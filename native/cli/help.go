package cli

import (
	"cmp"
	"fmt"
	"strings"

	"obverse/core/chain/params"
	"obverse/core/config"
)

const helpAll = `obverse: a node with a token chain (the daemon API) and the node methods (the node API)

  obverse serve [options] [key=value …]     start the node
  obverse validator [options] [key=value …] start a node that makes blocks with others
  obverse validator show                    print what the other nodes need of this one
  obverse validator migrate [--back]        hand a chain over to validators, or back
  obverse testnet [--validators N]          write the folders of a network for tests
  obverse init [options]                    write a config file with new secrets
  obverse call [options] METHOD [params …]  call a method of a running node
  obverse config [options] [key=value …]    show the settings and where they come from
  obverse completion bash|zsh|fish          print a script that completes commands
  obverse store check [FILE]                check the store's file, or a backup
  obverse store backup FILE                 copy the store, of a running node too
  obverse store restore FILE                put a copy in the store's place
  obverse version                           print version and commit
  obverse help COMMAND|METHOD|KEY           explain a command, a method or a setting

'obverse COMMAND --help' explains each. 'obverse call help' lists the methods
of a running node.
`

var helpOptions = optionsWith(`config file, which has to exist (else obverse.json in the data
                  folder; else, where no folder is named, the file that
                  MM_CONF_PATH names)`)

// optionsWith explains the common options; what --config names is not the same for all commands.
func optionsWith(configFile string) string {
	return `Options:
  --datadir DIR   data folder (else $OBVERSE_DATADIR, else the config's dbdir,
                  else $HOME/.obverse)
  --config FILE   ` + configFile + `
  --conf FILE     a komodod conf file: rpcuser rpcpassword rpcport rpcbind pubkey
                  (a name without folder also in the data folder)
  --help          this text

Secrets come from the config file or from the environment, never from the command
line. The variables, each also with _FILE for the path of a file that holds the secret:
  ` + secretVariables() + `
`
}

// secretVariables lists the variables of the environment that give a secret.
func secretVariables() string {
	var names []string
	for _, key := range config.SecretKeys() {
		names = append(names, key.Env())
	}
	return strings.Join(names, "\n  ")
}

var helpServe = `obverse serve [options] [key=value …]: start the node

A data folder without config and store gets a config with new secrets and the chain
that the command line names. At a terminal it asks for a password, twice, and the new
recovery phrase is encrypted with it in DIR/wallet.json; without a terminal it takes
that of OBVERSE_WALLET_PASSWORD_FILE, or else writes a plain passphrase into the config.
A start with a wallet asks for its password at a terminal, if nothing gives it. When both
interfaces answer, one line of JSON goes to standard output:
  {"event":"ready","node":"http://…","daemon":"http://…","pid":…}
Everything else goes to standard error, the address of the wallet page too: it is
at / of the node API's port, unless wallet_page=false.

A start is refused if the store is missing although an earlier start made one.

  --new-chain     begin an empty chain if the store is missing. What was in the store,
                  such as tokens and history, is lost unless you restore a backup
                  instead. A store that is there is used, and never replaced

SIGTERM or SIGINT stops the node within 5 seconds, with exit code 0. A second one kills
it at once (a shell then reports 143 or 130): nothing acknowledged is lost, calls get no
answer. SIGHUP reads log_level, log_file and the coins file again.

  key=value       sets a key of the config for this run: gui=me, daemon.rpcport=0
                  (port 0 is any free port), chain.regtest=true. 'obverse config'
                  lists all keys, 'obverse help KEY' explains one
                  A path in the config file begins at the folder of that file, a
                  path on the command line at the folder you are in
  log_level=LEVEL error, warn, info (the default: a line for each request) or debug
  log_file=FILE   log lines go there instead of to standard error
  coins=FILE      the coins list (else MM_COINS_PATH, else the file coins next to
                  the config, if it is there)
  -ac_name=X      komodod's flag for chain.ac_name=X; likewise every -ac_ flag,
                  -regtest, -pubkey=…, -rpcuser=…, -rpcport=…, -rpcbind=… (of the
                  daemon API), -debug and -datacarriersize=…. Naming a chain gives komodod's
                  defaults to all chain options that are not set. Komodod's other
                  flags are taken with a warning, but -rpcpassword is refused: other
                  users can read a command line

` + helpOptions

var helpValidator = `obverse validator [options] [key=value …]: start a node that makes the token chain's
blocks together with others
obverse validator show [options]: print the node's id, which the peers of other nodes
name, and its entry for the genesis
obverse validator migrate [--back] [options]: hand the chain of this data folder over to
validators, or back to this node alone

The node is one of 'obverse serve', but its blocks are decided on with CometBFT, which
runs in it, or next to it with validator.abci. The folder cometbft in the data folder has
CometBFT's files: the genesis, which all nodes share, and the keys of the node and of the
validator. A node without a validator key in the genesis follows the chain. Peers and
addresses are the settings validator.*, which 'obverse config' lists.

show makes keys that are missing, and prints one JSON object. It changes nothing else,
and the node may be running. If validator.signer is set, the entry is left out: the signer
has the key.

migrate writes the genesis of a chain that continues after the last block of this data
folder, with this node as its only validator: add the others to the genesis, and copy it
and the store to each before it starts. The node must not run. --back makes the chain
one of a single producer again, whose key the validators paid to: it continues after their
last block with 'obverse serve', or hands over again, to other validators. CometBFT's
former data stays in the data folder under other names.

` + helpOptions

var helpTestnet = `obverse testnet [--validators 4] [--output DIR] [--port 26656] [-ac_name=X …]: write the
folders of a network of validators on this machine, and print how each node is started

  --validators N  how many, 4 by default: one of four may fail
  --output DIR    where, ./testnet by default; the nodes are DIR/node0, DIR/node1, …
  --port P        on which node0 listens for the others; each node has the port 10 above
                  the last one's, and CometBFT's own interface one above that
  -ac_name=X      the chain; likewise every -ac_ flag, and -regtest

The coins that blocks pay belong to node0. The daemon API of node0 is on port 17771 and
the node API on 17783; those of the next nodes are 10 above. Ports that another program
uses are skipped: the obverse.json of each node has its ports.
`

var helpInit = `obverse init [options] [-ac_name=X …]: write a config file with new secrets, and
print where

At a terminal it asks for a password, twice, and the new recovery phrase is encrypted
with it in DIR/wallet.json; without a terminal it takes that of
OBVERSE_WALLET_PASSWORD_FILE, or else writes a plain passphrase into the config.

A file that exists is left as it is, and is an error. So is a data folder with a store:
only the passphrase of its config opens it. With OBVERSE_PASSPHRASE set to that one,
init writes a config for it.

  -ac_name=X      the chain of the config; likewise every -ac_ flag, and -regtest
  --komodo-conf   sets daemon.komodo_conf: each start writes ~/.komodo/NAME/NAME.conf
                  (mode 0600), where clients of komodod look for port and password

` + optionsWith(`the config file to write (else obverse.json in the data folder; else,
                  where no folder is named, the file that MM_CONF_PATH names)`)

var helpCall = `obverse call [options] [key=value …] METHOD [params …]: call a method of a running node

The node is found by its data folder: before METHOD, give the --datadir or --config that
it was started with. The running node wrote its address, and the daemon API's user and
password, there; an address or user that is given here (rpcip,
rpcport, daemon.rpcip, daemon.rpcport, daemon.rpcuser) is used instead. Without one, no
port of this machine is asked while the node is not running: another user may have it. The result is
printed as JSON, help as text. An error goes to standard error as text, with exit code 1:
  error -1: getinfo takes no parameters           (the daemon API: code)
  error NoSuchCoin: No such coin ATOM: …          (the node API: error_type)

The daemon API (daemon): each word after METHOD is one parameter. The words of token
methods are sent as they are, as strings, but for {"prove":true} of tokenbalance and
tokeninfo. For other methods a word that is JSON is sent as that (1, true, null,
"51", [1], {}), any other as a string:
  obverse call tokencreate MYTOKEN 0.0001 'My first token'   (coins: 10000 tokens)
  obverse call tokentransfer TOKENID PUBKEY 2500             (tokens)
  obverse call generate 1
  obverse call decodescript '"51"'
The node API (node): one JSON object with the parameters, or - to read it from
standard input; for help the name of a method is enough:
  obverse call get_public_key
  obverse call help my_balance
  obverse call stream::disable '{"streamer_id":"HEARTBEAT"}'

The method picks the interface. stop, help and rpc.discover are methods of both: they
go to the daemon API, help METHOD to the interface of METHOD, and help alone to both.
These options decide otherwise:
  --daemon        the daemon API
  --node          the node API
And for scripts:
  --json          print an error as the JSON that the node sent

` + helpOptions

var helpConfig = `obverse config [options] [key=value …]: show the settings and where they come from

Reads what 'obverse serve' with the same options would read, and prints each key with
its value and its origin: a file, a variable of the environment, the command line or
the default. Secrets are hidden. Nothing is written. Settings that a start would refuse
are an error, with exit code 2, after the list.

  --show          the same

` + helpOptions

const helpCompletion = `obverse completion bash|zsh|fish: print a script that completes commands, options, settings and methods

  bash  source <(obverse completion bash)     in ~/.bashrc
  zsh   source <(obverse completion zsh)      in ~/.zshrc, after compinit
  fish  obverse completion fish | source      in ~/.config/fish/config.fish
`

var helpStore = `obverse store check [FILE] | backup FILE | restore FILE [options]: the store's file

  check [FILE]    reads the store, or a backup, and changes nothing: its format, how many batches of
                  changes and how many keys it has, and where it is damaged. A node may be
                  running. Exit code 1 if a node would refuse it
  backup FILE     copies the store to FILE, with all that was acknowledged by then, and
                  checks the copy. A node may be running
  restore FILE    checks the backup FILE, prints what it contains and puts a copy of it in
                  the store's place. The store that was there stays, as
                  obverse.db.replaced-N. No node may be running. What was made since the
                  backup is gone: blocks too
  --force         backup only: replace FILE if it is a copy of a store
  --chain         backup only: copy the chain alone, for others. The node's identity, its
                  coins and the URLs of their servers, which may have API keys, are left out
  --all           restore only: take over the identity, coins, servers and histories that
                  another node wrote. They are left out otherwise

A copy that was cut off is recognised. Keep the config too, and the wallet file: the
store does not have the passphrase. A named wallet has its store in a folder of its own,
named by its key: restore asks for its password at a terminal, or takes that of
OBVERSE_WALLET_PASSWORD_FILE. Of several wallets, --datadir names the folder of one.

` + helpOptions

const helpVersion = `obverse version: print version, commit, Go version and target
`

// helpOfKey explains a key of the config.
func helpOfKey(key config.Key) string {
	if option, isChain := strings.CutPrefix(key.Name, "chain."); isChain && key.Doc == "" {
		return helpOfChain(option)
	}
	text := fmt.Sprintf("Setting %s: %s\nIt is %s", key.Name, key.Doc, key.Must)
	if held := cmp.Or(key.Default, key.Unset); held != "" {
		text += "; without it: " + held
	}
	return text + "\n"
}

// helpOfChain explains an option of a chain, whose default depends on its name.
func helpOfChain(option string) string {
	text := fmt.Sprintf("Setting chain.%s: %s\nIt is komodod's -%s, %s", option, params.Meaning(option), option, params.Allowed(option))
	value, named := config.Default().Chain.Options.Value(option), params.Defaults().Value(option)
	if value != "" {
		text += "; without it: " + value
	}
	if named != "" && named != value {
		text += ", or " + named + " with chain.ac_name"
	}
	return text + "\n"
}

// keysNamed finds the keys that a word names: as they are, or as the options of komodod and
// the names without their section.
func keysNamed(word string) (keys []config.Key) {
	word = strings.TrimLeft(word, "-")
	if key, known := config.Find(word); known {
		return []config.Key{key}
	}
	for _, key := range config.Keys() {
		if _, name, nested := strings.Cut(key.Name, "."); nested && name == word {
			keys = append(keys, key)
		}
	}
	return keys
}
