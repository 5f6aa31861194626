// Package directory holds metadata of coins: public nodes, explorers and price ids for the
// networks that the node can activate and for their tokens. The package only holds data and
// makes no connections. The wallet page loads directory.json itself when it needs it, so only
// the native node embeds it.
//
// Source: the public coins list, github.com/KomodoPlatform/coins. web/directory.js generates
// the file from it.
//
// Invariant: every network is a built-in coin, and every node has an https URL.
package directory
