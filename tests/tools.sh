#!/bin/sh
# The system tools that tests need: found, or installed through the system's package manager, or named.
set -eu

missing=""
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || missing="$missing chromium"
command -v WebKitWebDriver >/dev/null || missing="$missing webkit2gtk-driver"
command -v Xvfb >/dev/null || missing="$missing xvfb"
command -v strace >/dev/null || missing="$missing strace"
command -v systemd-analyze >/dev/null || missing="$missing systemd"
command -v cage >/dev/null || missing="$missing cage"
command -v Xwayland >/dev/null || missing="$missing xwayland"
command -v openssl >/dev/null || missing="$missing openssl"
[ -z "$missing" ] && exit 0

root=""
if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "The tests need$missing. Install with: sudo apt-get install$missing" >&2
        exit 1
    fi
    root="sudo -n"
fi
command -v apt-get >/dev/null || { echo "The tests need$missing: install with your package manager." >&2; exit 1; }
echo "Installing$missing"
$root apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing
