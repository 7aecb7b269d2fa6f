#!/bin/sh
# Makes the user of payswitch. The package starts nothing: set the keys first.
set -e
if ! getent passwd payswitch >/dev/null; then
	useradd --system --user-group --no-create-home --home-dir /var/lib/payswitch --shell /usr/sbin/nologin payswitch
fi
