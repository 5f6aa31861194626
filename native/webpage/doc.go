// Package webpage serves the wallet page that the program carries: files that
// were compressed when they were built, from the folder dist. It is no server of
// files: a path is one that the page has, or no path of this package. A program that
// was built without the page says so in its place.
//
// Sources: RFC 9110 (negotiation, conditions), Content Security Policy Level 3. `make
// build` fills dist, see web/pack.js.
//
// Invariant: whatever is sent has the policy of the page, its worker's script too, and
// the name of a file in assets stands for one content for ever.
package webpage
