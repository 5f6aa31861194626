#!/bin/sh
# Prints one table of ratios: server, edge, validators. PACKAGES=yes adds the benchmarks of
# packages. AGAINST=http://host:port CREDENTIAL=file, a cookie or conf file, compares calls
# with a running daemon instead.
set -eu
go=${GO:-go}
if [ -n "${AGAINST:-}" ]; then
	credential=${CREDENTIAL:+$(realpath "$CREDENTIAL")}
	OBVERSE_AGAINST=$AGAINST OBVERSE_AGAINST_CREDENTIAL=$credential exec $go test -run '^$' -bench Against -benchtime 1x -timeout 0 ./native/test/e2e
fi
mkdir -p bin
export OBVERSE_BENCH_ROWS="$PWD/bin/bench.rows"
rm -f "$OBVERSE_BENCH_ROWS"
for of in "Ratios ./native/test/e2e" "Edge ./native/test/worker" "Validators ./native/cometbft"; do
	set -- $of
	$go test -run '^$' -bench "$1" -benchtime 1x -timeout 0 "$2"
done
$go run ./native/test/benchtable/print "$OBVERSE_BENCH_ROWS"
if [ -n "${PACKAGES:-}" ]; then
	$go test -run '^$' -bench . -benchmem -benchtime 200ms ./core/...
fi
