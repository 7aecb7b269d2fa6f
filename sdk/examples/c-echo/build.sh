#!/bin/sh
# Builds echo.wasm, or the file named as the argument. Needs clang and lld with the wasm32 target (Debian: apt-get install clang lld).
set -e
out=${1:-$(dirname "$0")/echo.wasm}
for cc in ${CC:-} clang clang-22 clang-21 clang-20 clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
	command -v "$cc" >/dev/null 2>&1 && break
done
command -v "$cc" >/dev/null 2>&1 || { echo "build.sh: no clang" >&2; exit 2; }
"$cc" --target=wasm32 -std=c99 -Wall -Wextra -O2 -ffreestanding -fno-builtin -nostdlib \
	-Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=65536 -o "$out" "$(dirname "$0")/echo.c"
