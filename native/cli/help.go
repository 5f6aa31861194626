package cli

import (
	"cmp"
	"fmt"
	"strings"

	"obverse/core/chain/params"
	"obverse/core/config"
)

const helpAll = `obverse: a node with a token chain (the daemon API) and a wallet (the node API)

  obverse serve [options] [key=value …]     start the node
  obverse validator [options] [key=value …] start a node that makes blocks with others
  obverse validator show                    print the data that the other nodes need
  obverse validator migrate [--back]        hand a chain over to validators, or back
  obverse testnet [--validators N]          write the folders of a network for tests
  obverse init [options]                    write a config file with new secrets
  obverse call [options] METHOD [params …]  call a method of a running node
  obverse token list | info ID              list tokens, or describe one
  obverse token create NAME SUPPLY [TEXT]   create a token
  obverse token send ID KEY AMOUNT          send tokens to a key
  obverse token airdrop ID FILE             pay the keys of a CSV file, each once
  obverse token holders ID | history ID     list holders or transactions of a token
  obverse config [options] [key=value …]    print the settings and their sources
  obverse completion bash|zsh|fish          print a script that completes commands
  obverse store check [FILE]                check the store's file, or a backup
  obverse store backup FILE                 copy the store, also while a node is running
  obverse store restore FILE                replace the store with a copy
  obverse version                           print version and commit
  obverse help COMMAND|METHOD|KEY           explain a command, a method or a setting

'obverse COMMAND --help' explains a command. 'obverse call help' lists the methods
of a running node.
`

var helpOptions = optionsWith(`config file, which must exist (else obverse.json in the data
                  folder; else, without --datadir and OBVERSE_DATADIR, the file
                  that MM_CONF_PATH names)`)

// optionsWith returns the help of the common options. The meaning of --config depends on the
// command.
func optionsWith(configFile string) string {
	return `Options:
  --datadir DIR   data folder (else $OBVERSE_DATADIR, else the config's dbdir,
                  else $HOME/.obverse)
  --config FILE   ` + configFile + `
  --conf FILE     komodod conf file: rpcuser rpcpassword rpcport rpcbind pubkey
                  (a name without a folder is also looked for in the data folder)
  --help          print this text

Secrets come from the config file or from the environment, never from the command
line. These are the variables; each also exists with _FILE at its end, for the path
of a file with the secret:
  ` + secretVariables() + `
`
}

// secretVariables lists the environment variables for secrets.
func secretVariables() string {
	var names []string
	for _, key := range config.SecretKeys() {
		names = append(names, key.Env())
	}
	return strings.Join(names, "\n  ")
}

var helpServe = `obverse serve [options] [key=value …]: start the node

If the data folder has neither config nor store, serve writes a config with new secrets
and the chain options of the command line. At a terminal it asks twice for a password
and encrypts the new recovery phrase with it in DIR/wallet.json. Without a terminal it
uses the password in OBVERSE_WALLET_PASSWORD_FILE; without that variable, the config
gets a plain passphrase. A start with a wallet asks for the wallet's password at a
terminal, unless the config or a variable contains it.

When both APIs answer, one line of JSON goes to standard output:
  {"event":"ready","node":"http://…","daemon":"http://…","pid":…}
Everything else goes to standard error, including the address of the wallet page, which
is / at the node API's port, unless wallet_page=false.

A start is refused if the store is missing although an earlier start created one.

  --new-chain     begin an empty chain if the store is missing. The contents of the
                  missing store, such as tokens and history, are lost unless you
                  restore a backup instead. An existing store is used, never replaced

SIGTERM or SIGINT stops the node within 5 seconds, with exit code 0. A second signal
kills it at once (a shell then reports 143 or 130): acknowledged changes are not lost,
but calls get no answer. SIGHUP reloads log_level, log_file and the coins file.

  key=value       set a key of the config for this run: gui=me, daemon.rpcport=0
                  (port 0 is any free port), chain.regtest=true. 'obverse config'
                  lists all keys, and 'obverse help KEY' explains one
                  A relative path in the config file begins at the folder of that
                  file, and one on the command line begins at the current folder
  log_level=LEVEL error, warn, info (the default: a line for each request) or debug
  log_file=FILE   write log lines to this file instead of standard error
  coins=FILE      the coins file (else the file that MM_COINS_PATH names, else the
                  file coins in the folder of the config)
  -ac_name=X      komodod's flag for chain.ac_name=X. Every -ac_ flag of komodod
                  works, and so do -regtest, -pubkey=…, -rpcuser=…, -rpcport=… and
                  -rpcbind=… (of the daemon API), -debug and -datacarriersize=….
                  With a chain name, all chain options that are not set have
                  komodod's defaults. komodod's other flags are accepted with a
                  warning, except -rpcpassword, which is refused because other
                  users can read a command line

` + helpOptions

var helpValidator = `obverse validator [options] [key=value …]: start a node that makes the token chain's
blocks together with others
obverse validator show [options]: print the node's id, which is part of the addresses of
peers, and the node's entry for the genesis
obverse validator migrate [--back] [options]: hand the chain of this data folder over to
validators, or back to this node alone

The node works as with 'obverse serve', but CometBFT decides on the blocks. CometBFT runs
in the node, or separately with validator.abci. The folder cometbft in the data folder
contains CometBFT's files: the genesis, which all nodes share, and the keys of the node
and of the validator. A node without a validator key in the genesis follows the chain.
The settings validator.* contain peers and addresses; 'obverse config' lists them.

show creates missing keys and prints one JSON object. It changes nothing else, and the
node may be running. If validator.signer is set, the entry is left out, because the
signer has the key.

migrate writes the genesis of a chain that continues after the last block of this data
folder, with this node as its only validator. Add the other validators to the genesis,
and copy the genesis and the store to each node before it starts. The node must not run.
--back returns the chain to a single producer, the one whose key the validators paid to.
The chain continues after their last block with 'obverse serve', or can be handed over
again, to other validators. CometBFT's former data stays in the data folder under other
names.

` + helpOptions

var helpTestnet = `obverse testnet [--validators 4] [--output DIR] [--port 26656] [-ac_name=X …]: write the
folders of a network of validators on this machine, and print how each node is started

  --validators N  number of validators, 4 by default: one of four may fail
  --output DIR    folder, ./testnet by default; the nodes are DIR/node0, DIR/node1, …
  --port P        port on which node0 listens for the others. The port of each further
                  node is 10 higher, and the port of CometBFT's own interface is one
                  above that of its node
  -ac_name=X      the chain; every other -ac_ flag and -regtest work too

The coins that blocks pay belong to node0. The daemon API of node0 is on port 17771 and
its node API on port 17783; the ports of each further node are 10 higher. Ports that
another program uses are skipped. obverse.json of each node contains its ports.
`

var helpInit = `obverse init [options] [-ac_name=X …]: write a config file with new secrets, and
print its path

At a terminal init asks twice for a password and encrypts the new recovery phrase with it
in DIR/wallet.json. Without a terminal it uses the password in
OBVERSE_WALLET_PASSWORD_FILE; without that variable, the config gets a plain passphrase.

An existing file is not changed, and is an error. A data folder with a store is an error
too, because only the passphrase of the former config opens the store. Set
OBVERSE_PASSPHRASE to that passphrase to write a config for the store.

  -ac_name=X      the chain of the config; every other -ac_ flag and -regtest work too
  --komodo-conf   set daemon.komodo_conf: each start writes ~/.komodo/NAME/NAME.conf
                  (mode 0600), where clients of komodod look for the port and password

` + optionsWith(`the config file to write (else obverse.json in the data folder; else,
                  without --datadir and OBVERSE_DATADIR, the file that
                  MM_CONF_PATH names)`)

var helpCall = `obverse call [options] [key=value …] METHOD [params …]: call a method of a running node

call finds the node by its data folder: before METHOD, give the --datadir or --config that
the node was started with. A running node writes its addresses, and the user and password
of the daemon API, into this folder. Settings on the command line (rpcip, rpcport,
daemon.rpcip, daemon.rpcport, daemon.rpcuser) take precedence. Without such a setting, no
port of this machine is contacted while the node is not running, because another user may
use the port. The result is printed as JSON, and help as text. An error goes to standard
error as text, with exit code 1:
  error -1: getinfo takes no parameters           (the daemon API: code)
  error NoSuchCoin: No such coin ATOM: …          (the node API: error_type)

The daemon API (daemon): each word after METHOD is one parameter. Words for token methods
are sent unchanged, as strings, except {"prove":true} of tokenbalance and tokeninfo. For
other methods, a word that is JSON is sent as JSON (1, true, null, "51", [1], {}), and any
other word as a string:
  obverse call tokencreate MYTOKEN 0.0001 'My first token'   (coins: 10000 tokens)
  obverse call tokentransfer TOKENID PUBKEY 2500             (tokens)
  obverse call generate 1
  obverse call decodescript '"51"'
The node API (node): one JSON object with the parameters, or - to read it from
standard input; for help the name of a method is enough:
  obverse call get_public_key
  obverse call help my_balance
  obverse call stream::disable '{"streamer_id":"HEARTBEAT"}'

The method determines the API. Both APIs have the methods stop, help and rpc.discover:
these go to the daemon API, help METHOD goes to the API of METHOD, and help alone goes to
both. These options select an API:
  --daemon        call the daemon API
  --node          call the node API
This option is for scripts:
  --json          print an error as the JSON that the node sent

` + helpOptions

var helpToken = `obverse token [options] SUBCOMMAND …: create, send and list the tokens of a running node

  list                             list all tokens
  info ID                          describe a token
  create NAME SUPPLY [DESCRIPTION] create a token that belongs to the node's key
  send ID KEY|ADDRESS AMOUNT       send tokens to a key
  airdrop ID FILE                  pay the keys of a CSV file, each once
  holders ID                       list the addresses that hold a token
  history ID [KEY|ADDRESS]         list the transactions that moved a token

'obverse token SUBCOMMAND --help' explains a subcommand. Amounts are whole numbers of tokens.
token finds the node as 'obverse call' does, with the same options and settings. Settings
(key=value) come before the subcommand, and options anywhere. -- ends the options, for a
name or description that begins with a dash.

Results go to standard output; questions and progress go to standard error.

` + helpOptions

const helpTokenList = `obverse token list [--csv|--json]: list all tokens of the chain

  --csv           print CSV with a heading: id, name, supply, holders
  --json          print what the node answers, with description, creator and height
`

const helpTokenInfo = `obverse token info ID [--json]: describe a token, and count its holders and the tokens of
the node's key

  --json          print the answer of tokeninfo
`

const helpTokenCreate = `obverse token create NAME SUPPLY [DESCRIPTION] [--yes]: create a token that belongs to the
node's key, and print its id

  NAME            at most 32 bytes
  SUPPLY          whole number of tokens. The tokens are made of coins: 1 coin becomes
                  100,000,000 tokens, so that 1,000,000 tokens take 0.01 coins
  DESCRIPTION     at most 4096 bytes; nodes relay less
  --yes           do not ask

The token can be sent as soon as the transaction is in a block.
`

const helpTokenSend = `obverse token send ID KEY|ADDRESS AMOUNT: send tokens of the node's key to a key, and print
the id of the transaction

  KEY             public key of the receiver, whose node shows it in getinfo as pubkey
  ADDRESS         an address, if the wallet or a transaction of the chain shows its key
  AMOUNT          whole number of tokens
`

const helpTokenHolders = `obverse token holders ID [--csv|--json]: list the addresses that hold a token

  --csv           print CSV with a heading: address, pubkey, balance. pubkey is empty if
                  no transaction of the chain shows it
  --json          print what the node answers
`

const helpTokenHistory = `obverse token history ID [KEY|ADDRESS] [--csv|--json]: list the confirmed transactions that
moved a token, the oldest first

  KEY|ADDRESS     only transactions that changed the balance of this key, with the change
  --csv           print CSV with a heading: height, time, txid, amount
  --json          print what the node answers
`

const helpTokenAirdrop = `obverse token airdrop ID FILE [--coins 0.01] [--report FILE] [--yes]: pay the keys of a
CSV file with tokens, each once

  FILE            a public key or address and a whole number of tokens on each line, with a
                  comma between them. A heading is ignored
  --coins N       pay each key N coins too, for the fees of its transfers
  --report FILE   write CSV with the transaction of each line: line, key, amount, txid
  --batch N       keys in a call of the node, 1 to 5000 (500 by default)
  --yes           do not ask
  --again         begin a new airdrop of a file that was paid completely

All lines are checked before anything is sent. The journal FILE.airdrop records the
progress on the disk. If the command, the node or the machine stops, run the same command
again: it continues, and pays no key twice. If the airdrop is complete, the same command
checks that the chain still has all payments, for example after a restored backup, and
pays only lost ones again. Do not remove the journal, since without it the command is a
new airdrop. FILE must not change until the airdrop is complete. --again renames the
journal to FILE.airdrop.N.

Until the airdrop is complete, do not pay its keys equal amounts of the token by other
means: such a payment is taken for one of the airdrop, and reported at the end.
`

var helpConfig = `obverse config [options] [key=value …]: print the settings and their sources

config reads the same sources as 'obverse serve' with the same options, and prints each
key with its value and its source: a file, an environment variable, the command line or
the default. Secrets are hidden. Nothing is written. If a start would refuse the settings,
config prints an error after the list and ends with exit code 2.

  --show          do the same

` + helpOptions

const helpCompletion = `obverse completion bash|zsh|fish: print a script that completes commands, options, settings and methods

  bash  source <(obverse completion bash)     in ~/.bashrc
  zsh   source <(obverse completion zsh)      in ~/.zshrc, after compinit
  fish  obverse completion fish | source      in ~/.config/fish/config.fish
`

var helpStore = `obverse store check [FILE] | backup FILE | restore FILE [options]: the store's file

  check [FILE]    read the store or a backup, and print its format, its number of batches
                  and keys, and where it is damaged. Nothing is changed, and a node may be
                  running. Exit code 1 if a node would refuse the file
  backup FILE     copy the store to FILE, with everything that was acknowledged before, and
                  check the copy. A node may be running
  restore FILE    check the backup FILE, print its contents, and replace the store with a
                  copy of it. The former store stays as obverse.db.replaced-N. No node may
                  be running. Changes since the backup are lost, including blocks
  --force         backup only: replace FILE if it is a copy of a store
  --chain         backup only: copy the chain alone, for others. The node's identity, its
                  coins and the URLs of their servers, which may have API keys, are left out
  --all           restore only: include the identity, coins, servers and histories that
                  another node wrote. By default they are left out

restore and check recognise an incomplete copy. Back up the config and the wallet file too,
because the store does not contain the passphrase. A named wallet has its store in a folder
of its own, which is named by the wallet's key: restore asks for the wallet's password at a
terminal, or uses the password in OBVERSE_WALLET_PASSWORD_FILE. If there is more than one
wallet, select the folder of one with --datadir.

` + helpOptions

const helpVersion = `obverse version: print version, commit, Go version and target
`

// helpOfKey returns the help of a key of the config.
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

// helpOfChain returns the help of a chain option. Its default depends on the chain's name.
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

// keysNamed returns the keys with a name, which may be the full name of a key, an option of
// komodod, or the name without its section.
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
