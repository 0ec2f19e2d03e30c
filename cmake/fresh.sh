#!/usr/bin/env bash
# Usage: fresh.sh [command...]
# Runs the two set-up commands of README as they are written there, or the given command lines, in a bare Debian system
# (debootstrap --variant=minbase, chroot) that holds the last commit and nothing else, and prints the seconds of each
# command. Fails if a command fails, or if a compiler or CMake warns. Needs root, debootstrap and git. The release is that
# of this system, or CORIO_DEBIAN, such as trixie. Its bare system is made once, in build/fresh, and copied for each call.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() { echo "fresh.sh: $*" >&2; exit 1; }
[[ $EUID -eq 0 ]] || fail "a system of its own is set up by root alone: call it as root"
for tool in debootstrap git; do
  command -v "$tool" >/dev/null || fail "$tool was not found (Debian and Ubuntu: apt-get install $tool)"
done

commands=("$@")
if [[ $# -eq 0 ]]; then
  # The command ends before its comment and before optional arguments.
  mapfile -t commands < <(sed -nE 's/^    (bash cmake\/[^#[]*[^#[ ]).*/\1/p' README.md)
  [[ ${#commands[@]} -eq 2 ]] || fail "README.md shows ${#commands[@]} commands 'bash cmake/...', not two"
fi

release=${CORIO_DEBIAN:-$(. /etc/os-release && [[ "$ID" == debian ]] && echo "${VERSION_CODENAME:-}")} || true
release=${release:-bookworm}
fresh="$PWD/build/fresh" base="$PWD/build/fresh/$release" system="$PWD/build/fresh/system"
leave() { ! mountpoint -q "$system/proc" || umount "$system/proc"; }
trap leave EXIT
trap 'echo "fresh.sh: line $LINENO failed" >&2' ERR
leave

# The bare system gets Debian's packages as this machine does: by the same mirror, proxies and certificates.
if [[ ! -f "$base/.complete" ]]; then
  begin=$SECONDS
  rm -rf "$base"
  mkdir -p "$base"
  mirror=http://deb.debian.org/debian
  if grep -q '^ID=debian$' /etc/os-release; then
    found=$(sed -nE 's,^(URIs:|deb( \[.*\])?) +(https?://[^ ]+/debian)/?( .*)?$,\3,p' \
      /etc/apt/sources.list.d/* /etc/apt/sources.list 2>/dev/null | head -n 1) || true
    mirror=${found:-$mirror}
  fi
  debootstrap --variant=minbase "$release" "$base" "$mirror" >"$fresh/debootstrap.log" 2>&1 ||
    { tail -n 5 "$fresh/debootstrap.log" >&2; fail "debootstrap $release from $mirror failed"; }
  { grep -lsE "^ *Acquire::https?::Proxy" /etc/apt/apt.conf.d/* || true; } | xargs -r cp -t "$base/etc/apt/apt.conf.d"
  mkdir -p "$base/etc/ssl/certs"
  cp -rL /etc/ssl/certs/. "$base/etc/ssl/certs/" 2>/dev/null || true
  touch "$base/.complete"
  echo "fresh.sh: Debian $release from $mirror in $((SECONDS - begin)) s"
fi
rm -rf --one-file-system "$system"
cp -a "$base" "$system"
cp -L /etc/resolv.conf /etc/hosts "$system/etc/"
mount -t proc proc "$system/proc" || echo "fresh.sh: going on without /proc" >&2
mkdir "$system/corio"
git archive HEAD | tar -x -C "$system/corio"

mapfile -t proxies < <(env | grep -iE '^(https?|no)_proxy=' || true)
for command in "${commands[@]}"; do
  begin=$SECONDS
  echo "fresh.sh: $command"
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "${proxies[@]}" \
    chroot "$system" bash -c "cd /corio && $command" 2>&1 | tee "$fresh/output.txt" ||
    fail "'$command' failed after $((SECONDS - begin)) s"
  if grep -nE '^CMake [A-Za-z() ]*Warning|: warning: .*\[-W' "$fresh/output.txt" >&2; then
    fail "'$command' ends well after $((SECONDS - begin)) s, but with these warnings"
  fi
  echo "fresh.sh: '$command' took $((SECONDS - begin)) s"
done
