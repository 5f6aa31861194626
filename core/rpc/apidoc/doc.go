// Package apidoc generates documents from method tables: TypeScript declarations, and the
// reference of each API in Markdown. Nodes do not link it. The build of the JS package uses it
// for the declarations, and `make docs` for the references.
package apidoc
