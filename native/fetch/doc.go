// Package fetch sends the requests of core over net/http and opens its websockets.
// Requests go through the proxies that the environment names (HTTP_PROXY, HTTPS_PROXY,
// NO_PROXY), as those of every other program do; who hides behind one counts on it.
//
// It decides nothing about what is asked or answered: that is for those who ask.
//
// Sources: the contract in core/net/fetch; IANA, special purpose address registries.
//
// Invariant: no text of an error has the URL, a header or a body of the request in it.
package fetch
