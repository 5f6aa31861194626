#!/bin/sh
# packages.sh FOLDER installs the npm packages of a folder's package-lock.json unless they are
# installed. The installed packages are stored in the user's cache under the SHA-256 of the lock
# file, from which other clones copy them. A changed lock file is always installed and verified
# by npm, and a change to a file in one clone does not affect the others.
set -eu
cd "$1"
sum=$(node -e 'const { createHash } = require("crypto"), { readFileSync } = require("fs");
	const hash = createHash("sha256").update(JSON.stringify([process.version, process.platform, process.arch]));
	["package.json", "package-lock.json"].forEach((file) => hash.update(readFileSync(file)));
	console.log(hash.digest("hex"));')
if [ "$sum" = "$(cat node_modules/.sum 2>/dev/null)" ]; then
	exit 0
fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}/obverse/packages
cached=$cache/$sum
if [ -e "$cached" ]; then
	touch "$cached"
	rm -rf node_modules
	cp -RP "$cached" node_modules
	exit 0
fi
npm ci --no-audit --no-fund --no-update-notifier --loglevel=error
echo "$sum" >node_modules/.sum
mkdir -p "$cache"
find "$cache" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} + # not used for a month
rm -rf "$cached.$$"
if cp -RP node_modules "$cached.$$"; then
	mv "$cached.$$" "$cached" 2>/dev/null || rm -rf "$cached.$$" # another clone was first
else
	rm -rf "$cached.$$"
fi
