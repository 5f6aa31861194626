#!/bin/sh
# Installs Chromium for the tests of the page if there is no browser, and on Debian also the
# headless shell, in which most of these tests are faster.
set -eu
found=
for program in "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
	if [ -z "$found" ] && [ -n "$program" ] && [ -x "$program" ]; then
		found=$program
	fi
done
if { [ -z "$found" ] || { [ "$found" = /usr/bin/chromium ] && [ -z "${CHROMIUM:-}" ] && [ ! -x /usr/lib/chromium/chromium-headless-shell ]; }; } &&
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "installing Chromium for the tests of the page" >&2
	exec sh "$(dirname "$0")/../../native/make/debian.sh" chromium chromium-headless-shell
fi
if [ -z "$found" ]; then
	echo "Chromium is missing: the tests of the page run in it. Install it (Debian: apt-get install chromium), or name one with CHROMIUM=/path" >&2
	exit 1
fi
