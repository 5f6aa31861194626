// Command floor is a lower bound for the size of a node in a page: Go's runtime and the parts
// of the library and of other modules that are fixed for this project or that any node of it
// needs, each used once, without the project's own code. It is built like the page's node, and
// only measured (make size).
//
// The page's node contains all of floor; so its size beyond floor is this project's, and the
// size of floor can only be reduced by another compiler or other libraries. Code that only a
// part of the page's node needs, and that is loaded later (web/parts.js), is not in it.
//
// The host calls the function "work" of the global object "floor".
package main
