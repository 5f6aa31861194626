// Package httpd serves the two APIs over HTTP. It enforces limits, checks credentials and the
// Host header, and serves liveness, readiness and metrics to operators. It does not know
// methods and does not decode request bodies; core/daemon and core/mmrpc do.
//
// Sources: komodod httpserver.cpp and httprpc.cpp for the daemon API, RFC 9110 and RFC
// 7617, the exposition format of Prometheus.
//
// Invariant: every request is limited in bytes and in time, and every refusal has a status
// and a text with the reason.
package httpd
