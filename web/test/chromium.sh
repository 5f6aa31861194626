#!/bin/sh
# Sees to it that there is a Chromium for the tests of the page, and on Debian also the one
# without windows, in which most of them run sooner.
set -eu
found=
for program in "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
	if [ -z "$found" ] && [ -n "$program" ] && [ -x "$program" ]; then
		found=$program
	fi
done
if { [ -z "$found" ] || { [ "$found" = /usr/bin/chromium ] && [ ! -x /usr/lib/chromium/chromium-headless-shell ]; }; } &&
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "installing Chromium for the tests of the page" >&2
	log=$(mktemp)
	if { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium chromium-headless-shell; } >"$log" 2>&1; then
		rm -f "$log"
		exit 0
	fi
	cat "$log" >&2
fi
if [ -n "$found" ]; then
	exit 0
fi
echo "Chromium is missing: the tests of the page run in it. Install it (Debian: apt-get install chromium), or name one with CHROMIUM=/path" >&2
exit 1
