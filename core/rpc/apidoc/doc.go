// Package apidoc writes documents about method tables: TypeScript declarations and the
// reference of each interface in Markdown. No program links it: `make docs` runs it by
// the tests that compare the documents with the tables.
package apidoc
