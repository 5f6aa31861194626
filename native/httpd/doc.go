// Package httpd puts the two interfaces on HTTP ports, with the limits, the checks
// of credential and Host, and what an operator asks for: liveness, readiness and
// metrics. It knows no method and reads no request body; core/daemon and core/mmrpc
// do.
//
// Sources: komodod httpserver.cpp and httprpc.cpp for the daemon API, RFC 9110 and RFC
// 7617, the exposition format of Prometheus.
//
// Invariant: every request is bounded in bytes and in time, and whatever is refused
// is refused with a status and a text that say why.
package httpd
