// Command floor determines a lower bound for the size of a node in a page. It contains Go's runtime and the parts
// of the standard library and of other modules that are fixed for this project or that any of its nodes
// needs, each used once, and none of the project's own code. It is built like the page's node, and
// is only measured (make size).
//
// The page's node contains all of floor. The difference in size is therefore due to this project, and the
// size of floor can only be reduced with another compiler or other libraries. floor does not contain code that only
// a part of the page's node needs and that is loaded later (web/parts.js).
//
// The host calls the function "work" of the global object "floor".
package main
