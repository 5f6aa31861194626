#!/bin/sh
# Runs long loads: CUTS (10000) power cuts of a store, KILLS (200) kills of a node under
# load, half of them with a compaction every COMPACT (300ms), a minute with 1,000 streams, a
# minute with 200 Lightning peers, a comparison of SIGNATURES (10000000) verifications with
# btcec, and core's tests SOAK (1) times under the race detector.
set -eux
go=${GO:-go}
long() { $go test -count=1 -v -timeout 0 -run "$@"; }
OBVERSE_POWER_CUTS=${CUTS:-10000} long TestPowerCuts ./core/store/bunt
OBVERSE_KILLS=${KILLS:-200} OBVERSE_COMPACT=${COMPACT:-300ms} long TestKill ./native/test/e2e
OBVERSE_STREAM_SECONDS=60 long TestThousandStreams ./native/test/e2e
OBVERSE_PEER_SECONDS=60 long TestManyPeers ./native/lightning
OBVERSE_SIGNATURES=${SIGNATURES:-10000000} long TestDifference ./native/ecdsa
$go test -race -count="${SOAK:-1}" -timeout 0 ./core/...
