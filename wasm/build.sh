#!/bin/sh
# build.sh page|worker|floor OUTPUT builds the node for a page or for the edge, or the program
# that is the lower bound of their sizes. It must be run at the top of the repository.
#
# The build omits two parts of the library for secp256k1, which are a third of the download:
# a table for fast multiplication of the base point, since such a node signs little, and the
# implementation of crypto/elliptic.Curve, which is not used and depends on the tables and
# inits of other curves. With the tag tinygo, the library does not use the table, but the
# linker keeps it. The build therefore uses a copy of the library without these files.
#
# Functions are inlined only in the runtime, in arithmetic and in the rules of blocks, where
# this makes the program faster. This saves another twelfth of the download.
#
# Finally, web/slim makes the output of the linker smaller without changing its behaviour. It
# joins the data segments, which saves a sixteenth of the download. It removes from the tables
# of functions what only stack traces of libraries need, which saves a seventh. It encodes
# jumps and calls in more frequent bytes, which saves an eighth and makes jumps faster. Code
# that few pages need is moved to parts next to the output, which the page loads on demand.
set -eu
program=$1
output=$2
go=${GO:-go}
library=github.com/decred/dcrd/dcrec/secp256k1/v4
# The copy is in the tree, since the path of a copy elsewhere would be part of the program and
# change it.
work=web/dist/.$program
remove() { chmod -R u+w "$work" 2>/dev/null && rm -rf "$work"; }
remove || true
trap remove EXIT
mkdir -p "$work"
$go mod download "$library"
cp -R "$($go list -m -f '{{.Dir}}' "$library")" "$work/library"
chmod -R u+w "$work/library"
rm "$work/library/compressedbytepoints.go"
cat >"$work/library/loadprecomputed.go" <<'END'
package secp256k1

type bytePointTable [32][256]JacobianPoint

func s256BytePoints() *bytePointTable { panic("the table is left out") }
END
mkdir "$work/library/standin"
cat >"$work/library/standin/standin.go" <<'END'
// Package standin has the names of crypto/elliptic and crypto/ecdsa that are needed.
package standin

import "math/big"

type Curve interface{ Params() *CurveParams }

type CurveParams struct {
	P, N, B, Gx, Gy *big.Int
	BitSize         int
	Name            string
}

type PublicKey struct {
	Curve
	X, Y *big.Int
}

type PrivateKey struct {
	PublicKey
	D *big.Int
}
END
sed -i.bak -E 's#"crypto/(ecdsa|elliptic)"#\1 "'"$library"'/standin"#' "$work/library/ellipticadaptor.go"
cp go.mod "$work/build.mod"
cp go.sum "$work/build.sum"
$go mod edit -replace "$library=./$work/library" "$work/build.mod"
set -- -gcflags=all=-l
for quick in runtime 'internal/runtime/...' internal/bytealg internal/chacha8rand 'crypto/...' 'math/...' 'github.com/...' 'golang.org/...' \
	obverse/core/chain/cc obverse/core/chain/consensus obverse/core/chain/script obverse/core/chain/token obverse/core/chain/wire; do
	set -- "$@" "-gcflags=$quick="
done
GOOS=js GOARCH=wasm $go build "$@" -modfile "$work/build.mod" -tags tinygo -trimpath -buildvcs=false -ldflags "-s -w" -o "$work/build.wasm" "./wasm/$program"
case $program in page) options="--parts web/parts.js --weigh" ;; floor) options=--weigh ;; *) options= ;; esac
node web/slim/slim.js "$work/build.wasm" $options
rm -f "${output%.wasm}".*.wasm
for part in "$work"/build.wasm.*; do
	test ! -e "$part" || mv "$part" "${output%.wasm}.${part##*.}.wasm"
done
test ! -e "$work/build.packages.json" || mv "$work/build.packages.json" "${output%.wasm}.packages.json"
mv "$work/build.wasm" "$output" # go build would not replace an output that it considers up to date
