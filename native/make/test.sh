#!/bin/sh
# test.sh native|short|wasm|edge|page|fuzz runs the Go tests of one target: all tests on this
# machine, only the quick ones, the tests of core/ and wasm/ under js/wasm, the vectors at the
# edge or in a page, or every fuzz target for FUZZTIME.
set -eu
go=${GO:-go}
# The slowest packages first, so that all cores stay busy until the end.
slow="./native/test/e2e ./native/cometbft ./native/versionprobe ./native/lightning ./native/httpd ./native/cli ./core/store/bunt ./core/mmrpc/..."
slow_wasm="./core/mmrpc/... ./core/wallet/nft ./core/store/bunt ./core/daemon ./core/wallet/cosmos ./core/wallet/cosmos/history"

# native prints the packages to test on this machine. It excludes the packages of make interop,
# which need minutes to build, and the vectors for a page and for the edge.
native() {
	$go list $slow ./core/... ./native/... | grep -v -e ^obverse/native/test/interop -e ^obverse/native/test/page -e ^obverse/native/test/worker
}

# Many tests wait for programs that they start, or for a time to pass, so four packages at a
# time keep two processors busy. The first run on a machine also compiles the C library in a test.
waiting="-p 4 -parallel 4 -timeout 30m"

case $1 in
native)
	sh native/make/shells.sh
	command -v "${CC:-cc}" >/dev/null || echo "not tested: 1 (TestLibKDF), since there is no C compiler" >&2
	exec $go test -vet=off -count=1 $waiting $(native)
	;;
short)
	exec $go test -vet=off -short $waiting $(native)
	;;
wasm)
	# The wasm loader accepts only a few kilobytes of environment, hence env -i. The stack size
	# is the one of go_js_wasm_exec. Node 20 optimizes a function after it has run 1.8 MB of
	# code; most tests end before this pays off. The root of core/ contains only tests of the
	# source, which is the same on all targets.
	exec="env -i 'PATH=$PATH' 'OBVERSE_VECTORS=${OBVERSE_VECTORS:-}' 'OBVERSE_KOMODOD=${OBVERSE_KOMODOD:-}' 'OBVERSE_NODE_EXAMPLES=${OBVERSE_NODE_EXAMPLES:-}' \
		node --stack-size=8192 --wasm-tiering-budget=200000000 '$($go env GOROOT)/lib/wasm/wasm_exec_node.js'"
	GOOS=js GOARCH=wasm exec $go test -vet=off -count=1 -short -exec "$exec" $($go list $slow_wasm ./core/... | grep -v '^obverse/core$') ./wasm/...
	;;
edge)
	exec $go test -vet=off -count=1 -parallel 3 ./native/test/worker
	;;
page)
	sh web/test/chromium.sh
	exec $go test -vet=off -count=1 ./native/test/page
	;;
fuzz)
	exec sh native/make/fuzz.sh "${FUZZTIME:-30s}" $(native)
	;;
*)
	echo "test.sh: unknown target $1: native, short, wasm, edge, page and fuzz are allowed" >&2
	exit 2
	;;
esac
