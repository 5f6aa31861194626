#!/bin/sh
# fuzz.sh TIME PACKAGE... runs every fuzz target of the packages for TIME, and prints a
# line for each at the end. It fails if a target has a failing input or cannot be run.
#
# A target whose time ends while Go's fuzzer waits for a worker fails with "context
# deadline exceeded" and without a failing input. The script ignores this error.
set -u
time=$1
shift
go=${GO:-go}
log=$(mktemp)
results=$(mktemp)
trap 'rm -f "$log" "$results"' EXIT
failed=0
for package in "$@"; do
	if ! listed=$($go test -list '^Fuzz' "$package"); then
		echo "$listed" >&2
		echo "$package: does not build" >>"$results"
		failed=1
		continue
	fi
	for target in $(echo "$listed" | grep '^Fuzz'); do
		echo "$package $target"
		if $go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package" >"$log" 2>&1; then
			result='no finding'
		elif grep -q '^ *context deadline exceeded$' "$log" && ! grep -q 'Failing input written\|panic:\|hung or terminated' "$log"; then
			result='no finding (its time ended while the fuzzer waited)'
		else
			result='FAILED'
			failed=1
		fi
		cat "$log"
		echo "$package $target: $result" >>"$results"
	done
done
cat "$results"
echo "$(grep -c ': no finding' "$results") targets without a finding, $(grep -vc ': no finding' "$results") failed"
exit $failed
