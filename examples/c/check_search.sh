#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The file of vectors: the example and the command read each other's, and an interrupted search leaves nothing.
# usage: check_search.sh FOLDER MODEL TEXTS PROGRAM [COMMAND]
set -eu
folder=$1 model=$2 texts=$3 program=$4 command=${5:-}
fail() { echo "$1"; exit 1; }
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
cp "$texts" lines.txt
question="Cats sleep a lot."

first=$("$program" "$model" lines.txt "$question")
inode=$(ls -i lines.txt.vectors)
[ "$("$program" "$model" lines.txt "$question")" = "$first" ] || fail "the second search found something else"
[ "$(ls -i lines.txt.vectors)" = "$inode" ] || fail "the second search made the vectors anew"
if [ -n "$command" ]; then
  [ "$("$command" search "$model" lines.txt --query "$question" --top 3 2>&1)" = "$first" ] ||
    fail "the command does not find the same in the example's file"
  [ "$(ls -i lines.txt.vectors)" = "$inode" ] || fail "the command made the vectors anew"
  rm lines.txt.vectors
  exact=$("$command" search "$model" lines.txt --query "$question" --top 3)
  inode=$(ls -i lines.txt.vectors)
  [ "$("$program" "$model" lines.txt "$question")" = "$exact" ] || fail "the example does not find the same in the command's file"
  [ "$(ls -i lines.txt.vectors)" = "$inode" ] || fail "the example made the vectors anew"
fi

echo "One more line." >> lines.txt
"$program" "$model" lines.txt "One more line." | grep -q "One more line" || fail "a line that was added is not found"
head -c 200 lines.txt.vectors > cut && mv cut lines.txt.vectors
[ -n "$("$program" "$model" lines.txt "$question")" ] || fail "vectors that were cut off are not made anew"
echo "my notes, which are no vectors" > notes
"$program" "$model" lines.txt "$question" notes && fail "a file that is something else is taken"
grep -q "my notes" notes || fail "a file that is something else was replaced"

rm lines.txt.vectors
i=0
while [ $i -lt 17 ]; do cat lines.txt lines.txt > twice && mv twice lines.txt && i=$((i + 1)); done
"$program" "$model" lines.txt "$question" 2> said &
pid=$!
until ls lines.txt.vectors.* > /dev/null 2>&1; do kill -0 $pid || fail "it ended before it could be interrupted"; sleep 0.05; done
# A shell without a terminal lets what it starts ignore interrupts, until it catches them.
kill -INT $pid
if wait $pid; then fail "an interrupted search went on"; fi
grep -q "cancelled" said || fail "it does not say that it was interrupted: $(cat said)"
[ "$(ls)" = "$(printf 'lines.txt\nnotes\nsaid')" ] || fail "an interrupted search leaves files: $(ls)"
rm lines.txt
echo "search: ok"
