#!/usr/bin/env bash
# Sees to the programs that the tests need beside Go and Node: a C compiler (the race detector), Redis, Chromium and curl.
# With apt, as root or with sudo, it installs what is missing; elsewhere it says what to install.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# present NAME... says whether one of these programs can be started.
present() {
	for name in "$@"; do
		if command -v "$name" > /dev/null; then return 0; fi
	done

	return 1
}

present_chromium() {
	present chromium chromium-browser google-chrome google-chrome-stable ||
		[ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ] || [ -n "${CHROMIUM:-${CHROMIUM_BIN:-}}" ]
}

# redis-tools brings the server's program under another name and, unlike redis-server, starts no daemon.
link_redis() {
	if ! present redis-server && present redis-check-rdb; then
		mkdir -p .tools/bin
		ln -sf "$(command -v redis-check-rdb)" .tools/bin/redis-server
		export PATH="$PWD/.tools/bin:$PATH"
	fi
}

missing=()
link_redis
present gcc cc clang || missing+=(gcc libc6-dev)
present redis-server || missing+=(redis-tools)
present curl || missing+=(curl)
present_chromium || missing+=(chromium)

if [ "${#missing[@]}" -eq 0 ]; then exit 0; fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo -n); fi

if ! present apt-get || { [ "$(id -u)" -ne 0 ] && ! sudo -n true 2> /dev/null; }; then
	echo "The tests need a C compiler, redis-server, Chromium and curl. Install what stands for ${missing[*]} on this system" \
		"(macOS: xcode-select --install; brew install redis; brew install --cask chromium), then run make test again." >&2
	exit 1
fi

"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends "${missing[@]}"
link_redis

if ! present redis-server; then
	echo "redis-tools of this system does not bring the server. Install redis-server, then run make test again." >&2
	exit 1
fi
