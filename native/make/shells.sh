#!/bin/sh
# Installs zsh and fish, in which completion is tested in addition to bash. If packages cannot
# be installed, it prints the shells in which completion is not tested.
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
	exec sh "$(dirname "$0")/debian.sh" $missing
fi
echo "completion is not tested in$missing: not installed (Debian: apt-get install$missing)" >&2
