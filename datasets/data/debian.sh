#!/usr/bin/env bash
# Writes the graph of the packages of a Debian release and what they depend on, from the index that apt downloads:
#
#   /usr/lib/apt/apt-helper cat-file /var/lib/apt/lists/*_bookworm_main_binary-amd64_Packages* > Packages
#   datasets/data/debian.sh Packages 'Debian 12.14 (bookworm), main, amd64, of 16 May 2026' | zstd --ultra -22 > datasets/data/debian.names.zst
#
# A line a package: its name, then every package that its fields Depends and Pre-Depends name, alternatives (`a | b`) included.
# Versions and architectures are left out, and so are names that no package of the release has (virtual packages).
set -euo pipefail
export LC_ALL=C

if [ $# -ne 2 ]; then
  echo 'usage: debian.sh PACKAGES RELEASE' >&2
  exit 2
fi

echo "# Directed graph: from each package of $2 to those it depends on"
awk '
  # First pass: the names of all packages.
  NR == FNR { if ($1 == "Package:") exists[$2] = 1; next }
  $1 == "Package:" { package = $2; if (!(package in line)) line[package] = package }
  $1 == "Depends:" || $1 == "Pre-Depends:" {
    sub(/^[^ ]* /, "")
    count = split($0, clauses, /[,|]/)
    for (i = 1; i <= count; i++) {
      name = clauses[i]
      gsub(/^ +| *[(:<\[].*$| +$/, "", name)
      if (name in exists && !((package, name) in seen)) {
        seen[package, name] = 1
        line[package] = line[package] " " name
      }
    }
  }
  END { for (package in line) print line[package] }
' "$1" "$1" | sort -k 1,1
