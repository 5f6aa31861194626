// Package core is the node without an operating system: it has no sockets, files, clock,
// browser or HTTP server of its own. It reaches them through the ports of a Platform,
// which native (the server) and wasm (pages, workers, the edge) implement. Start here.
//
// # Map
//
//	core              Platform and Node: New assembles the token chain (chain.go), the wallet (wallet.go, families.go) and the server of each
//	core/config       the settings: one tagged struct, from which files, options, help and checks follow
//	core/rpc          method tables: typed functions, parameter plans, OpenRPC
//	  apidoc          documents made from method tables: TypeScript declarations, Markdown references
//	  auth            rate limit for wrong passwords
//	  recording       finds test vectors and recordings
//	core/daemon       the daemon API: JSON-RPC 1.0, compatible with komodod; one file per area of methods
//	  proof           proofs of answers for light clients, where validators sign the state
//	core/mmrpc        the node API: mmrpc 2.0, compatible with Komodo DeFi Framework; a package per area of methods
//	  activate        coins: activating, listing and disabling them
//	  send            transactions: making, signing and sending them
//	  events          event streams, estimates of fees
//	  history         lists of a coin's transactions
//	  keys            keys, addresses, messages
//	  wallets         stored wallets: names, recovery phrase, password
//	  hd              accounts and addresses of HD wallets
//	  devices         connecting to a Trezor
//	  sessions        sessions with WalletConnect wallets
//	  nft             NFTs
//	  trading         swaps and orders
//	  prices          what coins are worth
//	  peers           Lightning peers, and versions of other nodes
//	  wire            parameters, results and errors that the areas share
//	  mmerr           its error kinds, one table: name, status and type of data
//	core/chain        the token chain: branches, connecting and disconnecting blocks, indexes, views
//	  wire            encoding of transactions and blocks
//	  cc              crypto-conditions
//	  script          opcodes, standard scripts, addresses, signature hashes, execution
//	  params          chain parameters: what the ac_* options mean
//	  pin             binds a store to one chain and one producer key
//	  token           token rules
//	  consensus       consensus rules: validates transactions, turns a block into its effects or a rejection
//	  mempool         unconfirmed transactions
//	  engine          block production
//	  statetree       hash of the state, and proofs of what it holds, for chains of several validators
//	  wallet          the node's key: its coins in chain and mempool, building and signing transactions
//	core/wallet       the coins and accounts of the node API
//	  coin            the coins file, and the registry of active coins
//	  directory       public nodes, tokens, explorers and price ids of well-known coins
//	  hd              the known accounts and addresses of HD wallets: kept, scanned, added up
//	  account         what all coin families share: activation, accounts, balances, watching, restoring
//	    txlog         stored transactions of an account, for its history
//	  watch           reports that an account may have changed, by listening or at an interval
//	  protobuf        fields of protocol buffers, which Cosmos chains and hardware wallets have
//	  cosmos          coins of Cosmos chains
//	    wire          encoding of protocol buffers
//	    address       bech32 addresses
//	    node          JSON-RPC client for the nodes of a chain
//	    history       transaction history of an account
//	    tx            making, signing and sending transactions
//	    dapp          what programs of others ask of an account
//	  evm             coins of EVM networks
//	    address       checksummed addresses, Keccak-256
//	    abi           encoding of contract calls
//	    wire          encoding of transactions (RLP)
//	    node          JSON-RPC client for the nodes of a network
//	    history       transaction history of an address, from logs, sends and indexers
//	    tx            making, signing and sending transactions, signed messages
//	    ens           names of the Ethereum Name Service
//	    eip712        reading and hashing typed data
//	    dapp          what programs of others ask of an account
//	  signer          keys outside the node
//	    device         hardware wallets: their faults, what they wait for, one conversation at a time
//	    ledger         Ledger's reports, commands of its apps Cosmos and Ethereum; ledgertest emulates a device
//	    trezor         Trezor's messages over reports and over Bridge, PINs, passphrases; trezortest emulates a device
//	    hardware       accounts in them, on EVM networks and Cosmos chains
//	    keplr          accounts in a browser's Cosmos wallet
//	    eip1193        accounts in a browser's EVM wallet
//	    walletconnect  sessions with wallets elsewhere: proposed, kept encrypted, asked; walletconnecttest is a relay and a wallet
//	      wire         pairing URIs, envelopes, messages, namespaces
//	      relay        the client of a relay
//	      cosmos, evm  accounts on chains of the families: what wallets are asked, and checks of what they answer
//	  dapp            programs of others: their requests described and executed
//	  price           what coins are worth, by a price service
//	  export          private keys as other wallets import them
//	  nft             NFTs of EVM addresses: lists, metadata, spam checks, pictures
//	  lightning       addresses of Lightning nodes, and the trusted ones
//	    wire          encoding of BOLT 1 messages
//	    noise         the encrypted transport of BOLT 8
//	    link          connections to peers: connect, retry, limit
//	    node          Lightning coins: activation, restoring
//	core/net          clients for other people's nodes
//	  fetch           the ports for outgoing HTTP and websockets, and a cache that merges equal requests
//	  nodepool        the nodes of one chain behind one client: failover, health checks, rate limits
//	  proxyauth       signed requests to gateways
//	  peerid          ids of libp2p peers
//	  route           paths of the HTTP port, and which callers and web origins each is for
//	core/event        event streams: clients, subscriptions, events not yet delivered
//	core/task         background work that a client starts, asks for and cancels
//	  handover        the point from which work cannot be cancelled
//	core/guard        panic recovery: a panic fails its own work only
//	core/clock        sleeping until a context ends
//	core/metrics      counters and gauges
//	core/versionstat  collects the versions of other nodes
//	core/swap         swaps in progress and the amounts they lock
//	core/key          keys from a passphrase, signing policies, the node's libp2p identity
//	  walletfile      recovery phrases encrypted as in wallet files of KDF
//	  wallets         wallets by name: sign in, register, change the password
//	core/number       exact amounts
//	core/text         truncating texts of other programs; domain names; bytes in hexadecimal with 0x
//	core/store        the contract of the key-value store; bunt: buntdb; table: typed rows with unique keys;
//	                  owner: whose a node's own rows are
//	native            the server: files, HTTP (httprouter), libp2p, TCP for Lightning
//	  cli             the command line: commands, help, a client, signals
//	  node            the process of a node: the store's file, the ports, both APIs
//	  limit           what clients may cost the HTTP server: connections, memory, work
//	  onetime         links that let a page connect without the password, once
//	  cometbft        the chain among several validators: the only package that imports CometBFT
//	  ecdsa           verification of the chain's signatures, faster than btcec's and with its verdicts
//	  declarations    a command of the build: writes the TypeScript declarations of both APIs
//	wasm              the node in JavaScript: jsval (the only package that calls JavaScript), fetch, session,
//	                  page (pages, web workers, Node), worker and sockets (Cloudflare Worker and Durable Objects)
//	web               the JS package, the wallet page (app), the Worker's JavaScript (worker); openrpc.json is
//	                  generated from the method tables
//
// Only tests import the packages named *test, story and npmpeer, and those below native/test: the peers of tests,
// and the suites that run a whole node natively (e2e), in a page, at the edge (worker) and against foreign nodes (interop).
//
// # Paths
//
// A request: native/httpd (or wasm/page, wasm/worker) → core.Node → daemon.Server or mmrpc.Server (envelope, password)
// → rpc.Method → the method's function.
//
// A block: engine.Producer (from the mempool) or submitblock → chain.Manager → consensus.Apply → one batch in the
// store → the mempool, which drops what the block confirmed.
//
// A block of several validators: CometBFT → native/cometbft.App → engine.Shared, which plans the same block
// everywhere → chain.Manager.Execute → the store.
//
// A token transaction: tokentransfer → wallet.Wallet, which returns it signed → sendrawtransaction → mempool.Pool →
// the next block.
//
// A coin's activation: mmrpc → evm.Activator or cosmos.Activator → account.Engine, which opens the account and
// checks the nodes (nodepool) → coin.Active, which saves it. coin.Restorer repeats it after a restart.
//
// # Layers
//
// "a → b" means that b imports a. What a line leaves out follows from the others: imports of imports are common.
//
//	chain:      wire, cc → script → token → consensus → chain → mempool → engine
//	            wire → params → consensus, pin → engine     chain, mempool, key → wallet     all of them → daemon → core
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
//
// # Rules
//
// arch_test.go enforces them, each with its reason: core imports neither native nor
// wasm, nor a package that needs an operating system or a browser; domain packages do
// not import the interfaces; no build tags, no init functions, and no clock or
// randomness except through a port.
package core
