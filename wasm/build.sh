#!/bin/sh
# Builds the node of a page or of the edge, or what neither can be smaller than:
# build.sh page|worker|floor OUTPUT. Run at the top of the repository.
#
# It leaves two things of the library for secp256k1 out, a third of the download: a table
# with which the base point is multiplied faster, since such a node signs little, and the
# library's dress as a curve of crypto/elliptic, which nothing here looks at and which
# brings the tables and inits of other curves. The library has a slow path of its own,
# under the tag tinygo, but the linker keeps the table all the same. So the build uses a
# copy of the library without these files.
#
# Functions are inlined only where that pays: in the runtime, in arithmetic and in the
# rules of blocks. That takes another twelfth off the download, and nothing is slower.
#
# Last, what the linker wrote is made smaller without a change to what it does (see
# web/slim): the data segments are joined, a sixteenth of the download; tables of functions
# leave out what stack traces of libraries show, a seventh; and jumps and calls are written
# in more frequent bytes, an eighth, with jumps that are faster. What few pages need is put into
# parts next to the output, which the page's node loads when it needs them.
set -eu
program=$1
output=$2
go=${GO:-go}
library=github.com/decred/dcrd/dcrec/secp256k1/v4
# In the tree, since the path of a copy elsewhere would be in the program and change it.
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
mv "$work/build.wasm" "$output" # Go would leave an output as it is that it takes for its own
