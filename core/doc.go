// Package core is the node without a machine under it: it decides everything and
// touches nothing. Sockets, files, clocks, browsers and HTTP servers reach it as
// the ports of a Platform, which native and wasm fill in two ways. Read this first.
//
// # Map
//
//	core              Platform, Node: puts the two halves together
//	core/config       what a user can set: one tagged struct, from which all else about keys follows
//	core/rpc          method tables: typed functions, parameter plans, OpenRPC
//	  apidoc          documents about method tables: TypeScript declarations, references in Markdown
//	  guess           how fast passwords can be guessed
//	  recording       finds vectors and recordings for tests
//	core/daemon       interface A: JSON-RPC 1.0 as komodod speaks it; one file per area of methods
//	  tokenchain      the half of a node behind it: puts the packages of core/chain together
//	core/mmrpc        interface B: mmrpc 2.0 as Komodo DeFi Framework speaks it; one file per area of methods
//	  mmerr           its kinds of errors, one table: name, status and type of data
//	  walletnode      the half of a node behind it: puts the packages of core/wallet and the services together
//	core/chain        the token chain: branches, connecting and disconnecting, indexes, views
//	  wire            bytes ↔ transactions and blocks
//	  cc              crypto-conditions
//	  script          opcodes, standard scripts, addresses, signature hashes, execution
//	  params          what the ac_* options of a chain mean
//	  pin             which chain, and whose, a store holds
//	  token           the rules of tokens
//	  consensus       the rules: state and block → effects or a verdict, and verdicts on transactions
//	  mempool         transactions that wait for a block
//	  engine          who makes blocks
//	  wallet          coins of chain and mempool together; building and signing transactions of the node's key
//	  chaintest       builders of blocks and transactions for tests
//	core/wallet       what interface B holds for its user
//	  coin            the coins file, and which coins are active
//	  account         what the families of chains share: activation, whose account, balances, watching, restoring
//	  tendermint      coins of Cosmos chains
//	    wire          protocol buffers ↔ messages
//	    address       bech32 addresses
//	    node          what the nodes of a chain can be asked
//	    history       what transactions meant for an account
//	    tx            making, signing and sending transactions
//	    keplr         accounts in a browser's wallet
//	  evm             coins of EVM networks
//	    address       addresses with their checksum, Keccak-256
//	    abi           calls of contracts
//	    wire          bytes ↔ transactions
//	    node          what the nodes of a network can be asked
//	    tx            making, signing and sending transactions, signed texts
//	    eip1193       accounts in a browser's wallet
//	  nft             NFTs of EVM addresses: lists, metadata, scans for spam, pictures
//	  lightning       peers of Lightning nodes: their addresses, and which of them are trusted
//	    wire          bytes ↔ messages of BOLT 1
//	    noise         the encrypted transport of BOLT 8
//	    link          connections to peers: made, kept, made anew, bounded
//	    node          Lightning coins: activation, restoring
//	core/net          what nodes of others are asked, and how
//	  fetch           the ports of outgoing HTTP and websockets, and a cache that asks once
//	  nodepool        the nodes of a chain, asked as one
//	  proxyauth       signed requests to gateways
//	  peerid          names of libp2p peers
//	  cors            CORS headers of answers
//	core/event        clients, their subscriptions, and events they have not read yet
//	core/task         work that goes on after the call that began it
//	  guard           a panic fails its own work and nothing else
//	  clock           sleeping until a context ends
//	  metrics         what the node counts, for whoever collects it
//	core/versionstat  which version other nodes run
//	core/swap         swaps in progress and what they lock
//	core/key          from a passphrase to keys, whose policies say who signs; the node's identity
//	core/number       exact amounts
//	core/store        the contract of the key-value store; bunt: buntdb behind it; table: typed rows with
//	                  unique keys over it; storetest: the contract as tests
//	native            the server: files, HTTP (httprouter), libp2p, command line
//	wasm              the node in JavaScript's world: jsval alone touches it; fetch, session; page; at the edge
//	                  sockets and worker, one Durable Object each
//	web               the JS package around it, and what follows from the methods: openrpc.json, mmrpc.d.ts; worker
//	                  is the shell of the edge
//
// # Layers
//
// An arrow reads 'is known to':
//
//	wire → cc → script → token → consensus → chain → mempool → engine
//	params → consensus, pin     mempool → wallet     all of these → daemon → tokenchain → core
//	nodepool, coin → account → tendermint, evm, nft
//	nodepool, wire, address → node → history, tx → tendermint     tx → keplr → walletnode
//	address → abi, wire     nodepool, abi → node → tx → evm → mmrpc     nft → evm     tx → eip1193 → walletnode
//	lightning → wire, noise → link → native     lightning → node, task → mmrpc
//	number, store, key, coin, tendermint, evm, nft, lightning, event, versionstat, swap → mmrpc → walletnode → core     rpc → daemon, mmrpc
//	params, key → config → tokenchain, walletnode, core
//
// # Rules
//
// arch_test.go keeps them, each with its reason: core imports neither native nor
// wasm and none of the packages that need an operating system or a browser, domain
// packages do not know the interfaces, there are no build tags and no init
// functions, and no clock or randomness that did not come through a port.
package core
