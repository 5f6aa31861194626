#!/bin/sh
# debian.sh PACKAGE... installs Debian packages that the tests need, as root. Other
# installations may run at the same time, such as automatic updates. The script waits up to
# ten minutes for their locks. If packages cannot be installed, it prints apt's output and
# fails.
set -eu
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -qq "$@" >"$log" 2>&1; }

mkdir -p /run/lock
exec 9>/run/lock/obverse-debian
flock 9
# apt-get waits only for dpkg's lock, and not for the lock of its lists.
tries=300
until apt update; do
	tries=$((tries - 1))
	if [ "$tries" = 0 ] || ! grep -q 'Could not get lock\|Unable to lock' "$log"; then
		cat "$log" >&2
		echo "apt-get update failed" >&2
		exit 1
	fi
	sleep 2
done
if ! apt install -y --no-install-recommends "$@"; then
	cat "$log" >&2
	echo "apt-get install $* failed" >&2
	exit 1
fi
