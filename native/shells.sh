#!/bin/sh
# Sees to it that the shells are there in which completion is tried, beside bash. Without
# them it is not tried in them.
set -eu
missing=
for shell in zsh fish; do
	command -v "$shell" >/dev/null || missing="$missing $shell"
done
if [ -z "$missing" ]; then
	exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "installing$missing for the tests of completion" >&2
	if { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >/dev/null 2>&1; then
		exit 0
	fi
fi
echo "completion is not tried in$missing: not installed (Debian: apt-get install$missing)" >&2
