#!/bin/sh
# Checks the formatting of Go, and what vet and staticcheck find, for both targets.
set -eux
go=${GO:-go}
checks=inherit,-ST1005 # some errors are upstream's texts, byte for byte
set +x
files=$(gofmt -l core native wasm)
if [ -n "$files" ]; then
	echo "gofmt these: $files" >&2
	exit 1
fi
set -x
$go vet ./...
GOOS=js GOARCH=wasm $go vet ./core/... ./wasm/...
$go tool staticcheck -checks $checks ./...
staticcheck=$($go tool -n staticcheck)
GOOS=js GOARCH=wasm "$staticcheck" -checks $checks ./wasm/...
