#!/bin/sh
# Stops payswitch before its removal. dpkg calls a removal "remove", rpm calls it 0; an upgrade stops nothing. Data, keys and the user stay.
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then systemctl disable --now payswitch.service payswitch-backup.timer; fi
	;;
esac
