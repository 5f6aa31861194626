#!/bin/sh
# Runs gofmt, vet and staticcheck for both targets.
set -eux
go=${GO:-go}
checks=inherit,-ST1005 # some errors have the texts of komodod and Komodo DeFi Framework, byte for byte
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
