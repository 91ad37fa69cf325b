#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An interrupted search leaves nothing.
# usage: check_interrupt.sh FOLDER MODEL TEXTS PROGRAM
set -eu
folder=$1 model=$2 texts=$3 program=$4
fail() { echo "$1"; exit 1; }
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
cp "$texts" lines.txt
i=0
while [ $i -lt 17 ]; do cat lines.txt lines.txt > twice && mv twice lines.txt && i=$((i + 1)); done
"$program" "$model" lines.txt "Cats sleep a lot." 2> said &
pid=$!
until ls lines.txt.vectors.* > /dev/null 2>&1; do kill -0 $pid || fail "it ended before it could be interrupted"; sleep 0.05; done
# A shell without a terminal lets what it starts ignore interrupts, until it catches them.
kill -INT $pid
if wait $pid; then fail "an interrupted search went on"; fi
grep -q "cancelled" said || fail "it does not say that it was interrupted: $(cat said)"
[ "$(ls)" = "$(printf 'lines.txt\nsaid')" ] || fail "an interrupted search leaves files: $(ls)"
rm lines.txt
echo "interrupt: ok"
