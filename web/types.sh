#!/bin/sh
# Checks the types of the JS package, of the wallet page and of the Worker. Run in web/.
set -eu
for project in . app worker; do
	node_modules/.bin/tsc -p "$project"
done
