#!/usr/bin/env bash
# The Debian package of a build folder holds what docs/install.md promises, and its program runs where it was unpacked.
#   tests/package/deb.sh BUILD
set -euo pipefail
build=$1
for tool in cpack dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || { echo "$tool is missing; on Debian: apt-get install dpkg-dev cmake"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cpack -G DEB --config "$build/CPackConfig.cmake" -B "$scratch" >/dev/null
package=$(ls "$scratch"/*.deb)
dpkg-deb -x "$package" "$scratch/unpacked"
installed=$(echo "$scratch"/unpacked/*)  # its only folder, the prefix
for file in bin/cvf bin/cvf-models bin/cvf-probe include/cvf/cvf.h include/cvf/cvf.hpp include/cvf/cvf.f90 include/cvf/cvf_c.inc lib/libcvf.so.1 lib/libcvf.a \
            lib/cmake/cvf/cvf-config.cmake lib/pkgconfig/cvf.pc lib/python3/dist-packages/cvf/__init__.py \
            share/cvf/configs/pendulum.toml share/cvf/docs/install.md; do
  [ -e "$installed/$file" ] || { echo "$package lacks $file"; exit 1; }
done
grep -qx "prefix=${installed#"$scratch/unpacked"}" "$installed/lib/pkgconfig/cvf.pc" \
  || { echo "cvf.pc names another prefix than that of the package"; exit 1; }
depends=$(dpkg-deb -f "$package" Depends)
for name in libtorch libhdf5 libopenblas0 python3-numpy; do
  [[ $depends == *$name* ]] || { echo "the package does not depend on $name: $depends"; exit 1; }
done
"$installed/bin/cvf" data generate pendulum --samples 2 --out "$scratch/pendulum.h5" --quiet
"$installed/bin/cvf" data inspect "$scratch/pendulum.h5" | grep -q velocity
