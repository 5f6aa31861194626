// Package fetch sends the requests of core over net/http and opens its websockets. Requests go
// through the proxies that the environment names (HTTP_PROXY, HTTPS_PROXY, NO_PROXY), because
// users who hide behind a proxy rely on this.
//
// The package does not check the contents of requests and answers, which is left to its callers.
//
// Sources: the contract in core/net/fetch; IANA, special purpose address registries.
//
// Invariant: no text of an error contains the URL, a header or a body of the request.
package fetch
