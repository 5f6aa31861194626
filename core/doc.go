// Package core is the node without an operating system: it has no sockets, files, clock,
// browser or HTTP server of its own. It reaches them through the ports of a Platform,
// which native (the server) and wasm (pages, workers, the edge) implement. Start here.
//
// # Map
//
//	core              Platform and Node: New assembles the token chain (chain.go), the wallet (wallet.go, families.go) and the server of each
//	core/config       the settings: one tagged struct, from which files, options, help and checks follow
//	core/rpc          method tables: typed functions, parameter plans, OpenRPC
//	  apidoc          writes documents from method tables: TypeScript declarations, Markdown references
//	  auth            limits how fast passwords can be guessed
//	  recording       finds test vectors and recordings
//	core/daemon       the daemon API: JSON-RPC 1.0, compatible with komodod; one file per area of methods
//	  proof           proves answers to light clients, on chains of several validators
//	core/mmrpc        the node API: mmrpc 2.0, compatible with Komodo DeFi Framework; a package per area of methods
//	  activate        activates, lists and disables coins
//	  send            makes, signs and sends transactions
//	  events          event streams, estimates of fees
//	  history         lists the transactions of a coin
//	  keys            keys, addresses, signed messages
//	  wallets         named wallets: names, recovery phrase, password
//	  hd              accounts and addresses of HD wallets
//	  devices         connects to a Trezor
//	  sessions        sessions with WalletConnect wallets
//	  nft             NFTs
//	  trading         swaps and orders
//	  prices          prices of coins
//	  peers           Lightning peers, and versions of other nodes
//	  wire            parameters, results and errors that the areas share
//	  mmerr           the kinds of errors in one table: name, status and type of data
//	core/chain        the token chain: branches, connecting and disconnecting blocks, indexes, views
//	  wire            encoding of transactions and blocks
//	  cc              crypto-conditions
//	  script          opcodes, standard scripts, addresses, signature hashes, execution
//	  params          chain parameters: what the ac_* options mean
//	  pin             ties a store to one chain and one producer key
//	  token           token rules
//	  consensus       consensus rules: validates transactions, turns a block into its effects or a rejection
//	  mempool         unconfirmed transactions, in memory and in the store
//	  engine          block production
//	  statetree       hash of the state, and proofs of what the state contains, for chains of several validators
//	  keyring         the wallet's keys, scripts and names: derived from the node's key, or stored encrypted
//	  wallet          coins in chain and mempool, building and signing transactions
//	core/wallet       the coins and accounts of the node API
//	  coin            the coins file, the registry of active coins, and the interfaces of a coin
//	  directory       public nodes, tokens, explorers and price ids of well-known coins
//	  hd              accounts and addresses of HD wallets: stores them, searches for used ones, sums their balances
//	  account         what all coin families share: activation, accounts, balances, watching, restoring
//	    txlog         stores the transaction history of an account
//	  watch           reports that an account may have changed, by listening or at an interval
//	  protobuf        fields of protocol buffers, which Cosmos chains and hardware wallets use
//	  cosmos          coins of Cosmos chains
//	    wire          encoding of messages and transactions, in protocol buffers
//	    address       bech32 addresses
//	    node          JSON-RPC client for the nodes of a chain
//	    history       transaction history of an account
//	    tx            makes, signs and sends transactions
//	    dapp          executes what web sites ask of an account
//	  evm             coins of EVM networks
//	    address       checksummed addresses, Keccak-256
//	    abi           encoding of contract calls
//	    wire          encoding of transactions (RLP)
//	    node          JSON-RPC client for the nodes of a network
//	    history       transaction history of an address, from logs, sent transactions and indexers
//	    tx            makes, signs and sends transactions, signs messages
//	    ens           names of the Ethereum Name Service
//	    nft           NFTs of an address, from logs and contracts
//	    eip712        reads and hashes typed data
//	    dapp          executes what web sites ask of an account
//	  signer          keys outside the node
//	    device         what hardware wallets share: errors, prompts, one conversation at a time
//	    ledger         Ledger's reports, and the commands of its Cosmos and Ethereum apps
//	    trezor         Trezor's messages over reports and over Bridge, PINs, passphrases
//	    hardware       accounts in hardware wallets, on EVM networks and Cosmos chains
//	    keplr          accounts in a browser's Cosmos wallet
//	    eip1193        accounts in a browser's EVM wallet
//	    walletconnect  sessions with wallets on other devices: pairing, encrypted storage, requests
//	      wire         pairing URIs, envelopes, messages, namespaces
//	      relay        the client of a relay
//	      cosmos, evm  accounts on chains of the families: requests to wallets, and checks of their answers
//	  dapp            describes and executes the requests of web sites
//	  price           prices of coins, from a price service
//	  export          private keys in the formats of other wallets
//	  nft             NFTs of EVM addresses: lists, metadata, spam checks, pictures
//	  lightning       addresses of Lightning nodes, and the trusted ones
//	    wire          encoding of BOLT 1 messages
//	    noise         the encrypted transport of BOLT 8
//	    link          connections to peers: connect, retry, limit
//	    node          Lightning coins: activation, restoring
//	core/net          clients for other people's nodes
//	  fetch           the ports for outgoing HTTP and websockets, and a cache that merges equal requests
//	  nodepool        the nodes of one chain behind one client: failover, health checks, votes, rate limits
//	  proxyauth       signed requests to gateways
//	  peerid          ids of libp2p peers
//	  route           paths of the HTTP port, and which callers and web origins may use each
//	core/event        event streams: clients, subscriptions, events not yet delivered
//	core/task         background work that a client starts, queries and cancels
//	  handover        marks the point after which work can no longer be cancelled
//	core/guard        panic recovery: a panic ends only the work in which it happened
//	core/clock        sleeping until a context ends
//	core/metrics      counters and gauges
//	core/versionstat  collects the versions of other nodes
//	core/swap         swaps in progress and the amounts they lock
//	core/key          keys from a passphrase, signing policies, the node's libp2p identity
//	  walletfile      encrypted recovery phrases, in the format of KDF's wallet files
//	  wallets         named wallets: sign in, register, change the password
//	core/number       exact amounts
//	core/text         truncates texts of other programs; domain names; hexadecimal digits after 0x
//	core/store        the contract of the key-value store
//	  bunt            the store in one file, with buntdb
//	  table           typed rows with unique keys
//	  owner           ties the rows that belong to one node, such as its active coins, to the node's key
//
//	native            the server; main.go is the program obverse
//	  cli             the command line: commands, help, signals
//	  airdrop         pays the keys of a file with tokens, each once, for `obverse token airdrop`
//	  client          calls a running node, for `obverse call` and `obverse token`
//	  settings        finds the config: data folder, files, environment, options
//	  datalock        lets one process at a time use a data folder, and publishes its addresses
//	  node            the process of a node: opens the store, fills the ports, serves both APIs
//	  httpd           both APIs over HTTP: routes, request bodies and their size limit, credentials, allowed hosts, event streams, metrics
//	  limit           what clients may use of the HTTP server: connections, memory, requests at a time
//	  onetime         links that let a page connect once, without the password
//	  webpage         serves the wallet page, which is inside the program
//	  logging         log lines and log files, with secrets removed
//	  fetch           outgoing HTTP and websockets, over net/http
//	  lightning       TCP connections of Lightning nodes
//	  versionprobe    asks other nodes for their version, over libp2p
//	  hidraw          hardware wallets over USB, on Linux
//	  speculos        emulators of Ledger, over TCP
//	  trezorudp       emulators of Trezor, over UDP
//	  storefile       backs up and restores the file of the store
//	  walletdir       the files of named wallets
//	  atomicfile      writes a file as a whole or not at all
//	  ecdsa           verifies the signatures of the token chain, faster than btcec and with the same verdicts
//	  cometbft        runs the token chain among several validators, with CometBFT
//	    lightvectors  makes the test vectors of the light client in web/src/light
//	  declarations    writes the TypeScript declarations of both APIs, for the build of the JS package
//	  docs            the documents; start with README.md at the top
//	  make            the scripts that the Makefile runs
//	  test            the suites that run whole nodes: e2e (the program), page (in Chromium), worker (at the edge), interop (against
//	                  foreign nodes); and the servers, wallets and contracts that they use
//
//	wasm              the node in JavaScript
//	  page            the program of the node in a page, a web worker or Node
//	  worker          the program of the node at the edge: a Cloudflare Worker with a Durable Object for each node
//	  session         opens and closes a node on a store, for both programs
//	  fetch           outgoing HTTP and websockets, by fetch and WebSocket
//	  sockets         TCP connections of Lightning nodes at the edge
//	  jsval           values, functions and promises of JavaScript; the only package that calls JavaScript
//	  parts           loads a part of the program when one of its functions is called first
//	  floor           a program without the project's code: the lower bound of a page's size, for make size
//	  disktest        tests of the store on the file system of the edge
//
//	web               the JS package and the wallet page: build scripts, size budget; openrpc.json is generated from the method tables
//	  src             the JS package: starts the node of wasm/page, shares it between tabs, or connects to a server
//	    dapp          the wallet page as the wallet of other web sites
//	    light         the light client, which verifies proofs
//	    storage       the store in a browser or in Node
//	    wallet        wallets of the browser, and hardware wallets over WebHID
//	  app             the wallet page
//	    src           its views (views), what they share (ui, coins, nfts, dapps), wallets and their encryption (session), texts (words)
//	    public        the service worker
//	    test          its tests, in Chromium
//	  worker          the JavaScript of the Cloudflare Worker
//	  slim            makes the wasm programs smaller, and splits the page's one into parts
//	  lighthouse      rates the wallet page with Lighthouse
//	  test            tests of the JS package and of slim
//
// Only tests import the packages named *test, story and npmpeer, and those below native/test.
// Packages named *test emulate the peers of a package for its tests: ledgertest is a Ledger,
// walletconnecttest a relay and a wallet. Packages named npmpeer run peers that others have
// written, from npm.
//
// # Paths
//
// A request to a server: native/httpd (routes, Host, body, credential) → native/node, which has the node once the
// store is open → Node.Daemon or Node.RPC → daemon.Server or mmrpc.Server (envelope, password) → rpc.Method → the
// method's function.
//
// A request in a page: web/src → the worker with wasm/page → Node.Daemon or Node.RPC, and on as above. At the edge:
// web/worker → wasm/worker → the same.
//
// A block: engine.Producer (from the mempool) or submitblock → chain.Manager → consensus.Apply → one batch in the
// store → the mempool, which drops what the block confirmed.
//
// A block of several validators: CometBFT → native/cometbft.App → engine.Shared, which plans the same block
// everywhere → chain.Manager.Execute → the store.
//
// A token transaction: tokentransfer (core/daemon/token.go) → wallet.Wallet.TransferToken (core/chain/wallet/create.go),
// which returns it signed → sendrawtransaction (core/daemon/transaction.go, backend.go) → mempool.Pool.Accept, which validates it and
// returns once it is in the store → the next block.
//
// A coin's activation: mmrpc → evm.Activator or cosmos.Activator → account.Engine, which opens the account and
// checks the nodes (nodepool) → coin.Active, which saves it. coin.Restorer repeats it after a restart.
//
// # Where to look
//
//	the next node after a failure      core/net/nodepool/race.go; the pause of a failed node: core/net/nodepool/health.go
//	agreement of several servers       core/net/nodepool/poll.go; nodes that lag or lie about the height: core/net/nodepool/height.go
//	nonce or sequence of a transaction core/wallet/coin/sendqueue.go
//	payments without a result yet      core/wallet/coin/submit.go; in the page: web/app/src/coins/outbox.ts
//	gap limit of an HD wallet          core/wallet/hd/accounts.go, core/wallet/hd/scan.go; of the chain's wallet: core/chain/keyring
//	limit of a fee not yet shown       core/wallet/coin/fee.go; fees: core/wallet/evm/tx/fee.go, core/wallet/cosmos/tx/gas.go
//	who signs                          core/key/policy.go, core/key/account.go; providers: core/key/ring.go, core/wallet/signer
//	a server's claim in a history      core/wallet/evm/history/log.go, core/wallet/cosmos/history/load.go
//	age of a price                     core/wallet/price/client.go
//	who may make a block               core/chain/engine/producer.go
//	the wallet's unconfirmed change    core/chain/mempool/outputs.go, core/chain/wallet/coins.go
//	codes of komodod's errors          core/daemon/error.go
//	rules of a token                   core/chain/token/claim.go, core/chain/consensus/tx.go
//	reorganisation                     core/chain/reorg.go; of the mempool: core/chain/mempool/follow.go; of a history: core/wallet/evm/history/log.go
//	transactions across a restart      core/chain/mempool/persist.go
//	fees and sizes that are relayed    core/chain/mempool/policy.go
//	proof of a token balance           core/daemon/proof, core/chain/statetree; its verification: web/src/light
//	password of a request              core/mmrpc/password.go, core/daemon/server.go; wrong guesses: core/rpc/auth
//	password of a wallet               core/key/wallets; in the page: web/app/src/session, web/app/src/strength.ts
//	size limit of a request            native/httpd/gate.go; at the edge: web/worker/bodies.js
//	limits of connections and memory   native/limit
//	which web sites may call           core/net/route, native/httpd/host.go
//	secrets in the log                 native/logging/logging.go
//	settings and their defaults        core/config
//	parts of the page's program        web/parts.js; how they are split: web/slim/split.js; how they are loaded: wasm/parts, web/src/parts.js
//	size of the page                   web/budget.json, web/size.js
//
// # Layers
//
// "a → b" means that b imports a. What a line leaves out follows from the others: imports of imports are common.
//
//	chain:      wire, cc → script → token → consensus → chain → mempool → engine
//	            wire → params → consensus, pin → engine     chain, key → keyring     keyring, mempool → wallet     all of them → daemon → core
//	            chain → statetree     statetree, daemon → proof → native, which gives them to core
//	nodes:      peerid → proxyauth     fetch, proxyauth → nodepool
//	prices:     fetch, number → price → mmrpc
//	coins:      key, number, store → coin     coin → hd     coin, hd, nodepool, watch → account → cosmos, evm, nft
//	cosmos:     wire, nodepool → node → history     wire, address → tx     node, history, tx → cosmos     tx → keplr, hardware, walletconnect/cosmos
//	evm:        address → abi, wire     abi, wire, nodepool, account → node → tx → evm     nft → evm     tx → eip1193, hardware, walletconnect/evm
//	dapps:      account → dapp     dapp, tx → cosmos/dapp, evm/dapp (with eip712), which cosmos and evm import
//	devices:    device, cosmos/address, evm/address, evm/wire → ledger → hardware, native     device → account     fetch → trezor → native
//	sessions:   fetch, store, key → walletconnect/wire → relay → walletconnect → cosmos, evm (below it) → core
//	lightning:  lightning, noise, wire → link → native     lightning → node
//	the node API: coin, account, cosmos, evm, nft, lightning, event, task, swap, versionstat, rpc → mmrpc
//	            mmrpc, keplr, eip1193, hardware, walletconnect → core
//	settings:   params, key, rpc → config → core
//	server:     daemon, limit, onetime → httpd     atomicfile → settings, storefile, walletdir     core, httpd, settings, datalock → node → cli
//
// # Rules
//
// arch_test.go enforces them, each with its reason: core imports neither native nor
// wasm, nor a package that needs an operating system or a browser; domain packages do
// not import the interfaces; no build tags, no init functions, and no clock or
// randomness except through a port.
package core
