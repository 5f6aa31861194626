#!/bin/sh
# Installs the npm packages of a folder (its package-lock.json) unless it has them. What was
# installed once is kept in the user's cache: another clone gets it from there.
set -eu
cd "$1"
sum=$({ cat package.json package-lock.json; node -p '[process.version, process.platform, process.arch]'; } | cksum | tr ' ' -)
if [ "$sum" = "$(cat node_modules/.sum 2>/dev/null)" ]; then
	exit 0
fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}/obverse/packages
kept=$cache/$sum
if [ -e "$kept" ]; then
	touch "$kept"
	rm -rf node_modules
	# Links take no room; another file system needs copies.
	cp -RPl "$kept" node_modules 2>/dev/null || { rm -rf node_modules && cp -RP "$kept" node_modules; }
	exit 0
fi
npm ci --no-audit --no-fund --no-update-notifier --loglevel=error
echo "$sum" >node_modules/.sum
mkdir -p "$cache"
find "$cache" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} + # not used for a month
rm -rf "$kept.$$"
if cp -RPl node_modules "$kept.$$" 2>/dev/null || { rm -rf "$kept.$$" && cp -RP node_modules "$kept.$$"; }; then
	mv "$kept.$$" "$kept" 2>/dev/null || rm -rf "$kept.$$" # another clone was first
else
	rm -rf "$kept.$$"
fi
