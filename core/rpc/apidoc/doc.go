// Package apidoc writes documents about method tables: TypeScript declarations, and the
// reference of each API in Markdown. No node links it. The build of the JS package runs it for
// the declarations, and `make docs` for the references.
package apidoc
