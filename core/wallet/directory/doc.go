// Package directory has the directory of coins: for the networks that the node can activate, and
// the tokens on them, public nodes, explorers and price ids. It is data; nothing here connects to
// anything. The wallet page loads directory.json by itself when it needs it, so only the native
// node embeds it.
//
// Source: the public coins list, github.com/KomodoPlatform/coins; web/directory.js makes the file
// of it.
//
// Invariant: every network is one of the built-in coins, and every node is reached by https.
package directory
