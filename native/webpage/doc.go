// Package webpage serves the wallet page that is embedded in the program: files that were
// compressed at build time, from the folder dist. It serves only the paths of the page. A program
// that was built without the page serves a message instead.
//
// Sources: RFC 9110 (negotiation, conditions), Content Security Policy Level 3. `make build` fills
// dist, see web/pack.js
package webpage
