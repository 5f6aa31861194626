// Command worker is the node at the edge: one program in each Durable Object, which its
// shell (web/worker) starts once and which then serves all requests of that object. It puts
// both interfaces on paths of one host, with the checks of credential and origin; it knows
// no method and reads no request body.
//
// It is built with github.com/syumai/workers. That library makes a new program for every
// request; reply_js.go and, for the runtime, web/worker/program.js avoid the parts that break
// in a program that stays, each with its reason.
//
// Sources: developers.cloudflare.com/durable-objects; RFC 9110 and 7617; as in
// native/httpd for the forms of answers.
//
// Invariant: an answer is sent once the changes that it acknowledges are in the object's
// storage.
package main
