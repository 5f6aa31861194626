// Command floor is what a node in a page cannot be smaller than: Go's runtime and the parts of the library and
// of other modules that are fixed for this project or that any node of it needs, each used once and nothing of
// this project's own. It is built as the page's node is, is weighed beside it (make size), and goes nowhere.
//
// The page's node has all that floor has; so what it weighs beyond floor is this project's, and what floor
// weighs can be saved by another compiler or other libraries alone. What only a part of the page's node needs
// that is loaded later (web/slim/parts.js) is not in it.
//
// The host calls the function "work" of the global object "floor".
package main
