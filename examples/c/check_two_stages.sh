#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# More candidates lose less, all lose nothing, and the figures are those of the command.
# usage: check_two_stages.sh FOLDER MODEL SCRIPT PROGRAM [COMMAND]
set -eu
folder=$1 model=$2 script=$3 program=$4 command=${5:-}
fail() { echo "$1"; exit 1; }
rm -rf "$folder"
mkdir -p "$folder/collection"
cd "$folder"

awk 'BEGIN {
  split("cat dog house river song boat star friend", a, " "); split("eats runs sleeps is was sees likes", b, " ")
  for (i = 0; i < 400; ++i) {
    text = "the " a[i % 8 + 1] " " b[int(i / 8) % 7 + 1] " the " a[int(i / 56) + 1] " " i
    printf "{\"_id\": \"d%d\", \"text\": \"%s\"}\n", i, text > "collection/corpus.jsonl"
    if (i % 9 == 0) printf "{\"_id\": \"q%d\", \"text\": \"a %s %s\"}\n", i, a[i % 8 + 1], b[int(i / 8) % 7 + 1] > "collection/queries.jsonl"
    print text > "lines.txt"
  }
  print "query\tdocument\tscore" > "collection/qrels.tsv"
  for (i = 0; i < 400; i += 9) {
    if (i % 2 == 0) for (j = i % 56; j < 400; j += 56) print "q" i "\td" j "\t" 1 + j % 3 > "collection/qrels.tsv"
    print "q" i "\tmissing\t0" > "collection/qrels.tsv"
  }
}'
"$script" "$program" "$model" collection > table
cat table
grep -q "collection: 400 documents, 23 queries" table || fail "queries that nobody judged take part"
grep -Eq "^float32 +[0-9]+ +1.0000 " table || fail "an exact search does not find itself"
awk '
  /float32 / { recall[++rows] = $(NF - 1); gain[rows] = $NF }
  /^bits  / { bits = $(NF - 1) }
  END { exit !(rows == 4 && bits < 1 && recall[2] <= recall[3] && recall[3] <= recall[4] && recall[4] == 1 && gain[4] == gain[1]) }
' table || fail "more candidates lose more, or all of them something"
if [ -n "$command" ]; then
  expected=$("$command" evaluate --json "$model" --retrieval collection | tr -d ' \n' | sed 's/.*"ndcg@10":{"value":\([0-9.]*\).*/\1/')
  awk -v expected="$expected" '/^float32 / { d = $NF - expected; exit !(d < 0.0001 && d > -0.0001) }' table ||
    fail "the command has another nDCG@10: $expected"
fi

printf '0\t0\t1\n0\t400\t1\n' > judged
"$program" "$model" lines.txt lines.txt judged 2> said && fail "a document that is not there is judged"
grep -q "judged:2: expected the numbers" said || fail "it says: $(cat said)"
: > nothing
"$program" "$model" nothing lines.txt 2> said && fail "no document is searched"
grep -q "nothing: there is no line" said || fail "it says: $(cat said)"
"$program" "$model" none lines.txt 2> said && fail "a file that is not there is read"
grep -q "none: No such file" said || fail "it says: $(cat said)"
"$program" "$model" . lines.txt 2> said && fail "a folder is read"
[ "$(cat said)" = ".: Is a directory" ] || fail "it says: $(cat said)"
echo "two stages: ok"
