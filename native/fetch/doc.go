// Package fetch sends the requests of core over net/http and opens its websockets. Requests go
// through the proxies that the environment names (HTTP_PROXY, HTTPS_PROXY, NO_PROXY), as those
// of every other program do; users who hide behind one rely on it.
//
// It decides nothing about the contents of requests and answers: that is left to its callers.
//
// Sources: the contract in core/net/fetch; IANA, special purpose address registries.
//
// Invariant: no text of an error contains the URL, a header or a body of the request.
package fetch
