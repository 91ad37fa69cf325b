#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The file of vectors: programs in all languages and the command read each other's, find the same, and make the same anew.
# usage: check_search.sh FOLDER MODEL TEXTS COMMAND PROGRAM...
#   COMMAND: lookupffn, or nothing where it was not built
#   PROGRAM: each a line of a shell to which MODEL FILE QUESTION [VECTORS] are added
set -eu
folder=$1 model=$2 texts=$3 command=$4
shift 4
question="Cats sleep a lot."
fail() { echo "$1"; exit 1; }
run() { eval "$1 \"\$model\" lines.txt \"\${2:-\$question}\" \${3:-}"; }
# usage: reads PROGRAM OUTPUT: it finds this in the file, and leaves the file as it is.
reads() {
  before=$(ls -i lines.txt.vectors)
  found=$(run "$1")
  [ "$found" = "$2" ] || fail "$1 finds in the file that was there: $found, expected: $2"
  [ "$(ls -i lines.txt.vectors)" = "$before" ] || fail "$1 made the vectors anew"
}

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
cp "$texts" lines.txt
if [ -n "$command" ]; then
  exact=$("$command" search "$model" lines.txt --query "$question" --top 3)
  cp lines.txt.vectors floats
fi
first=
for program; do
  if [ -n "$command" ]; then
    cp floats lines.txt.vectors
    reads "$program" "$exact"
  fi
  rm -f lines.txt.vectors
  found=$(run "$program")
  [ -n "$first" ] || { first=$found && cp lines.txt.vectors bytes; }
  [ "$found" = "$first" ] || fail "$program finds $found, and the first program $first"
  cmp lines.txt.vectors bytes || fail "$program makes another file than the first program"
  reads "$program" "$first"
  if [ -n "$command" ]; then
    inode=$(ls -i lines.txt.vectors)
    found=$("$command" search "$model" lines.txt --query "$question" --top 3 2>&1)
    [ "$found" = "$first" ] || fail "the command finds in the file of $program: $found, expected: $first"
    [ "$(ls -i lines.txt.vectors)" = "$inode" ] || fail "the command made the vectors of $program anew"
  fi

  echo "One more line." >> lines.txt
  run "$program" "One more line." | grep -q "One more line" || fail "$program does not find a line that was added"
  cp "$texts" lines.txt
  head -c 200 bytes > lines.txt.vectors
  [ "$(run "$program")" = "$first" ] || fail "$program does not make vectors anew that are cut off"
  : > lines.txt.vectors
  [ "$(run "$program")" = "$first" ] || fail "$program does not replace an empty file"
  cmp lines.txt.vectors bytes || fail "$program left another file"
  echo "my notes, which are no vectors" > notes
  ! run "$program" "$question" notes 2> said || fail "$program takes a file that is something else"
  grep -q "is no file of vectors" said || fail "$program does not say that a file is something else: $(cat said)"
  grep -q "my notes" notes || fail "$program replaced a file that was something else"
  rm -f said notes lines.txt.vectors
  [ "$(ls)" = "$(printf "bytes\n${command:+floats\n}lines.txt")" ] || fail "$program leaves files: $(ls)"
done
echo "search: ok"
